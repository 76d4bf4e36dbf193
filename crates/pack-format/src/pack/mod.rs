//! The pack format: whole games, about four bytes a ply.
//!
//! A file is nothing but games, so that files can be concatenated. All numbers are little endian.
//!
//! | part of a game | bytes |
//! |---|---|
//! | start | `01` for the initial position, or `00`, the [`shogi_packed::Hcp`] (32) and its ply number (2) |
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
mod layout;
mod problem;
mod resync;

use std::io::Read;

use crate::games;
use crate::games::FileGame;

pub use frame::{Contradictions, PackFrame, PackReplayer, PackStart, frame};
pub(crate) use game::is_initial;
pub use game::{Game, GameBuilder, GameError};
pub use layout::MAX_PLIES;
pub use layout::Ply;
pub(crate) use layout::{
    END_LEN, HCP_START_LEN, PLY_LEN, START_HCP, START_INITIAL, ends_game, terminator,
};
pub use problem::{PackPart, PackProblem};
pub use resync::{Resynced, decode, resync};

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
