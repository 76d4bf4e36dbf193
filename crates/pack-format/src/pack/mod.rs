//! The pack format: whole games, about four bytes a ply.
//!
//! A file is nothing but games, so that files can be concatenated. All numbers are little endian.
//!
//! | part of a game | bytes |
//! |---|---|
//! | start | `01` for the initial position, or `00`, the [`shogi_core::Hcp`] (32) and its ply number (2) |
//! | each ply | [`shogi_core::AperyMove16`] (2), [`crate::TeacherScore`] of the player to move (2) |
//! | end | result (2: `0x0000` draw, `0x0081` black won, `0x0102` white won), [`crate::EndReason`] (1) |
//!
//! The result is told from a move by its equal origin and destination, which no move has. There is
//! no length, checksum or marker: a reader that loses its place cannot simply look for the next game
//! ([`resync`] says when it can).
//!
//! Source: the format's definition by Yaneurao in the documentation of his gensfen.
//!
//! * [`Game`]: a game in memory, legal by construction ([`GameBuilder`]).
//! * [`PackReader`]: the games of a stream; [`games()`]: the games of bytes in memory.
//! * [`decode`]: all games of bytes in memory, on all cores.
//! * [`PackFrame`]: a game's bytes, checked only when they are replayed.
//! * [`PackWriter`]: games to a stream.

mod frame;
mod game;
mod resync;

use std::fmt;
use std::io::Read;

use shogi_core::{AperyMove16, UnpackError};
use thiserror::Error;

use crate::games::{FileGame, GameProblem, MoveName};
use crate::{EndReason, TeacherResult, games};

pub use frame::{Contradictions, PackFrame, PackReplayer, PackStart, frame};
pub(crate) use game::is_initial;
pub use game::{Game, GameBuilder, GameError, Ply};
pub use resync::{Resynced, decode, resync};

/// The first byte of a game that starts from an hcp.
pub(crate) const START_HCP: u8 = 0;
/// The first byte of a game that starts from the initial position.
pub(crate) const START_INITIAL: u8 = 1;
/// Bytes before the first ply of a game that starts from an hcp.
pub(crate) const HCP_START_LEN: usize = 35;
/// More plies than any game has: a reader that finds no end within them need not read on.
pub const MAX_PLIES: usize = 1 << 20;
/// Bytes of a ply.
pub(crate) const PLY_LEN: usize = 4;
/// Bytes of the end.
pub(crate) const END_LEN: usize = 3;

/// The bits that stand for a result where a move would be.
pub(crate) const fn terminator(result: crate::TeacherResult) -> u16 {
    let number = result as u16;
    number << 7 | number
}

/// Returns true if the bits in the place of a move mark the end of the game (valid or not): origin
/// and destination are the same.
#[inline(always)]
pub(crate) const fn ends_game(bits: u16) -> bool {
    (bits ^ bits >> 7).trailing_zeros() >= 7
}

// The format as one of those whose files hold games.

impl FileGame for Game {
    type Frame<'a> = PackFrame<'a>;
    type Problem = PackProblem;
    type Replayer = PackReplayer;

    #[inline]
    fn frame(bytes: &[u8]) -> Result<(PackFrame<'_>, usize), PackProblem> {
        frame(bytes).map(|frame| (frame, frame.len))
    }

    fn first_problem(
        bytes: &[u8],
        problem: PackProblem,
        replayer: &mut PackReplayer,
    ) -> PackProblem {
        replayer.first_problem(bytes, problem)
    }

    fn decode(frame: &PackFrame<'_>, replayer: &mut PackReplayer) -> Result<Self, PackProblem> {
        Self::from_frame(frame, replayer)
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        self.write_to(bytes);
    }
}

/// A problem with its place.
pub type InvalidPackGame = games::InvalidGame<PackProblem>;
/// Error of reading the next game.
pub type PackReadError = games::GameReadError<PackProblem>;
/// The games of bytes in memory, for example a mapped file; see [`games`](games()).
pub type PackGames<'a> = games::FileGames<'a, Game>;
/// The games of a stream. Ends after the first error; the games before it are good.
///
/// Memory is bounded by the longest game.
pub type PackReader<R> = games::GameReader<R, Game>;
/// Writes games. Dropping it without [`finish`](games::GameWriter::finish) loses what is still in its
/// buffer.
pub type PackWriter<W> = games::GameWriter<W, Game>;

/// The games of `bytes`, each checked. Ends after the first problem.
pub fn games(bytes: &[u8]) -> PackGames<'_> {
    games::games(bytes)
}

/// Returns the number of complete games at the start of `bytes` and the number of bytes they take,
/// for cutting a file into parts for several threads. Stops before the first game that has no end or
/// an unknown start.
pub fn frames_len(bytes: &[u8]) -> (usize, usize) {
    games::frames_len::<Game>(bytes)
}

impl PackGames<'_> {
    /// Returns the same games with this treatment of [`Contradictions`]; they are accepted
    /// otherwise.
    #[must_use]
    pub fn with_contradictions(self, contradictions: Contradictions) -> Self {
        self.with_replayer(PackReplayer::new(contradictions))
    }
}

impl<R: Read> PackReader<R> {
    /// Returns a reader with this treatment of [`Contradictions`]; they are accepted otherwise.
    pub fn with_contradictions(stream: R, contradictions: Contradictions) -> Self {
        Self::with_replayer(stream, PackReplayer::new(contradictions))
    }
}

// Problems in games.

/// A part of a game's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackPart {
    /// The 32 bytes of the start position.
    Hcp,
    /// The ply number of the start position.
    StartPly,
    /// A move or the result in its place.
    Move,
    /// A score.
    Score,
    /// The end reason.
    Reason,
}

impl fmt::Display for PackPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hcp => "the start position",
            Self::StartPly => "the start position's ply number",
            Self::Move => "a move",
            Self::Score => "a score",
            Self::Reason => "the end reason",
        })
    }
}

/// Problem in a game. Offsets count from the first byte of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PackProblem {
    /// The first byte is no known kind of start.
    #[error("start kind {kind} is reserved, expected 0 (hcp) or 1 (initial position)")]
    StartKind {
        /// The byte.
        kind: u8,
    },
    /// The bytes end inside the game.
    #[error("the file ends in {part}: {needed} bytes needed, {left} left")]
    Truncated {
        /// Offset at which the missing bytes should be.
        at: usize,
        /// Contents of the missing bytes.
        part: PackPart,
        /// Number of bytes expected.
        needed: usize,
        /// Number of bytes present.
        left: usize,
    },
    /// The game has no end.
    #[error("no end within {MAX_PLIES} plies")]
    TooLong,
    /// The start position's 32 bytes are no position.
    #[error("bad start position: {0}")]
    Start(#[from] UnpackError),
    /// A move is not legal in its position.
    #[error("ply {ply}: {} ({:#06x}) is not a legal move", MoveName(*.code), .code.0)]
    IllegalMove {
        /// Offset of the move.
        at: usize,
        /// Number of the move in the game, from 1.
        ply: u32,
        /// Bits of the move.
        code: AperyMove16,
    },
    /// A move with equal origin and destination that is none of the three results.
    #[error("terminator {bits:#06x} is none of 0x0000 (draw), 0x0081 (black), 0x0102 (white)")]
    Terminator {
        /// Offset of the bits.
        at: usize,
        /// The bits found in the place of the move.
        bits: u16,
    },
    /// The end reason cannot go with the result.
    #[error("end reason {} ({reason}) cannot go with the result {}", .reason.0, .result.name())]
    Contradiction {
        /// Offset of the end reason.
        at: usize,
        /// The result.
        result: TeacherResult,
        /// The reason.
        reason: EndReason,
    },
}

impl PackProblem {
    /// Returns the offset of the wrong bytes from the first byte of the game.
    pub const fn at(&self) -> usize {
        match *self {
            Self::StartKind { .. } | Self::TooLong => 0,
            Self::Start(_) => 1,
            Self::Truncated { at, .. }
            | Self::IllegalMove { at, .. }
            | Self::Terminator { at, .. }
            | Self::Contradiction { at, .. } => at,
        }
    }
}

impl GameProblem for PackProblem {
    fn at(&self) -> usize {
        self.at()
    }

    fn is_truncated(&self) -> bool {
        matches!(self, Self::Truncated { .. })
    }
}
