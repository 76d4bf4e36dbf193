//! The hcpe3 format: whole games with the visits of each move that was searched (dlshogi).
//!
//! A file is nothing but games, so that files can be concatenated. All numbers are little endian.
//!
//! | part of a game | bytes |
//! |---|---|
//! | start | [`shogi_packed::Hcp`] (32) |
//! | header | number of plies (2), [`Ending`] (1), opponent (1) |
//! | each ply | [`shogi_core::AperyMove16`] (2), [`crate::TeacherScore`] of the player to move (2), number of candidates (2) |
//! | each candidate, behind its ply | [`shogi_core::AperyMove16`] (2), visits (2) |
//!
//! The start has no ply number; positions that were read count from ply 1. The move played need not
//! be among the candidates, of which there may be none (such plies are not trained on). A move may be
//! named twice: an engine whose search of several variations was interrupted tells of it so.
//!
//! Source: `HuffmanCodedPosAndEval3`, `MoveInfo` and `MoveVisits` of cshogi and dlshogi.
//!
//! * [`Hcpe3Game`]: a game in memory, legal by construction ([`Hcpe3Builder`]).
//! * [`Hcpe3Reader`]: the games of a stream; [`games()`]: the games of bytes in memory.
//! * [`Hcpe3Frame`]: a game's bytes, checked only when they are replayed ([`Hcpe3Replayer`]).
//! * [`Hcpe3Writer`]: games to a stream.

mod ending;
mod frame;
mod game;

use std::fmt;

use shogi_core::AperyMove16;
use shogi_packed::UnpackError;
use thiserror::Error;

use crate::games;
use crate::games::{FileGame, GameProblem, MoveName};

pub use ending::{Ending, Flags, Hcpe3Candidate};
pub use frame::{Hcpe3Frame, Hcpe3Replayer, Plies, RawPly, frame};
pub use game::{Hcpe3Builder, Hcpe3Error, Hcpe3Game};

/// Bytes before the first ply: start, number of plies, ending, opponent.
pub(crate) const HEADER_LEN: usize = 36;
/// Offset of the ending in the header.
pub(crate) const ENDING_AT: usize = 34;
/// Bytes of a ply without its candidates.
pub(crate) const PLY_LEN: usize = 6;
/// Bytes of a candidate.
pub(crate) const CANDIDATE_LEN: usize = 4;
/// The format counts plies in 16 bits.
pub const MAX_PLIES: usize = u16::MAX as usize;
/// No position has more legal moves than this; more candidates are damage, not data.
pub(crate) const MAX_CANDIDATES: usize = 593;

// The format as one of those whose files hold games.

impl FileGame for Hcpe3Game {
    type Frame<'a> = Hcpe3Frame<'a>;
    type Problem = Hcpe3Problem;
    type Replayer = Hcpe3Replayer;

    #[inline]
    fn frame(bytes: &[u8]) -> Result<(Hcpe3Frame<'_>, usize), Hcpe3Problem> {
        frame(bytes).map(|frame| (frame, frame.len))
    }

    fn first_problem(
        bytes: &[u8],
        problem: Hcpe3Problem,
        replayer: &mut Hcpe3Replayer,
    ) -> Hcpe3Problem {
        replayer.first_problem(bytes, problem)
    }

    fn decode(frame: &Hcpe3Frame<'_>, replayer: &mut Hcpe3Replayer) -> Result<Self, Hcpe3Problem> {
        Self::from_frame(frame, replayer)
    }

    fn encode(&self, bytes: &mut Vec<u8>) {
        self.write_to(bytes);
    }
}

/// A problem with its place.
pub type InvalidHcpe3Game = games::InvalidGame<Hcpe3Problem>;
/// Error of reading the next game.
pub type Hcpe3ReadError = games::GameReadError<Hcpe3Problem>;
/// The games of bytes in memory, for example a mapped file; see [`games`](games()).
pub type Hcpe3Games<'a> = games::FileGames<'a, Hcpe3Game>;
/// The games of a stream. Ends after the first error; the games before it are good.
///
/// Memory is bounded by the longest game.
pub type Hcpe3Reader<R> = games::GameReader<R, Hcpe3Game>;
/// Writes games. Dropping it without [`finish`](games::GameWriter::finish) loses what is still in its
/// buffer.
pub type Hcpe3Writer<W> = games::GameWriter<W, Hcpe3Game>;

/// The games of `bytes`, each checked. Ends after the first problem.
pub fn games(bytes: &[u8]) -> Hcpe3Games<'_> {
    games::games(bytes)
}

/// Returns the number of complete games at the start of `bytes` and the number of bytes they take,
/// for cutting a file into parts for several threads. Stops before the first game that has no end.
pub fn frames_len(bytes: &[u8]) -> (usize, usize) {
    games::frames_len::<Hcpe3Game>(bytes)
}

// Problems in games.

/// A part of a game's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hcpe3Part {
    /// The 32 bytes of the start position.
    Hcp,
    /// Number of plies, ending and opponent.
    Header,
    /// Move, score and number of candidates of a ply.
    Ply,
    /// The candidates of a ply.
    Candidates,
}

impl fmt::Display for Hcpe3Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hcp => "the start position",
            Self::Header => "the number of plies, the ending or the opponent",
            Self::Ply => "a ply",
            Self::Candidates => "a ply's candidates",
        })
    }
}

/// Problem in a game. Offsets count from the first byte of the game, plies from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Hcpe3Problem {
    /// The bytes end inside the game.
    #[error("the file ends in {part}: {needed} bytes needed, {left} left")]
    Truncated {
        /// Offset at which the missing bytes should be.
        at: usize,
        /// Contents of the missing bytes.
        part: Hcpe3Part,
        /// Number of bytes expected.
        needed: usize,
        /// Number of bytes present.
        left: usize,
    },
    /// The start position's 32 bytes are no position.
    #[error("bad start position: {0}")]
    Start(UnpackError),
    /// The byte for the ending has a result of 3 or unknown flags.
    #[error(
        "ending {bits:#04x} is none: expected 0 (draw), 1 (black) or 2 (white), \
         with 4 (repetition), 8 (declaration), 16 (max moves) added"
    )]
    Ending {
        /// The byte.
        bits: u8,
    },
    /// The move played is not legal.
    #[error("ply {ply}: {} ({:#06x}) is not a legal move", MoveName(*.code), .code.0)]
    IllegalMove {
        /// Offset of the move.
        at: usize,
        /// Number of the ply in the game.
        ply: u32,
        /// Bits of the move.
        code: AperyMove16,
    },
    /// A candidate is not legal.
    #[error("ply {ply}: candidate {} ({:#06x}) is not a legal move", MoveName(*.code), .code.0)]
    IllegalCandidate {
        /// Offset of the candidate.
        at: usize,
        /// Number of the ply in the game.
        ply: u32,
        /// Bits of the move.
        code: AperyMove16,
    },
    /// There are more candidates than any position has moves.
    #[error("ply {ply}: {count} candidates, {MAX_CANDIDATES} at most are possible")]
    TooManyCandidates {
        /// Offset of the number.
        at: usize,
        /// Number of the ply in the game.
        ply: u32,
        /// The number.
        count: u16,
    },
}

impl From<UnpackError> for Hcpe3Problem {
    fn from(error: UnpackError) -> Self {
        Self::Start(error)
    }
}

impl Hcpe3Problem {
    /// Returns the offset of the wrong bytes from the first byte of the game.
    pub const fn at(&self) -> usize {
        match *self {
            Self::Start(_) => 0,
            Self::Ending { .. } => ENDING_AT,
            Self::Truncated { at, .. }
            | Self::IllegalMove { at, .. }
            | Self::IllegalCandidate { at, .. }
            | Self::TooManyCandidates { at, .. } => at,
        }
    }
}

impl GameProblem for Hcpe3Problem {
    fn at(&self) -> usize {
        self.at()
    }

    fn is_truncated(&self) -> bool {
        matches!(self, Self::Truncated { .. })
    }
}
