//! What the formats that hold whole games, [`pack`](crate::pack) and [`hcpe3`](crate::hcpe3), have in
//! common.
//!
//! Files of them are nothing but games one after the other. A game's bytes are first framed, which
//! finds their end and little else, and then played, which checks every rule. What is written here
//! once works on any [`FileGame`]; the modules of the formats give it their names.

mod moves;
mod problem;
mod reader;
mod slice;
mod walk;
mod writer;

pub(crate) use moves::{MoveName, legal_move};
pub use problem::{GameProblem, GameReadError, InvalidGame};
pub use reader::GameReader;
pub(crate) use slice::read;
pub use slice::{FileGames, frames_len, games};
pub(crate) use walk::{Refused, walk};
pub use writer::GameWriter;

/// A game of a format whose files are nothing but games.
pub trait FileGame: Sized {
    /// The bytes of a game, whose moves have not been looked at.
    type Frame<'a>;
    /// What can be wrong with a game.
    type Problem: GameProblem;
    /// Plays games. One is kept for many games.
    type Replayer: Default;

    /// The game that begins with the first of `bytes`, and its length.
    ///
    /// # Errors
    /// When its end cannot be found. Something else may be wrong before that, see
    /// [`Self::first_problem`].
    fn frame(bytes: &[u8]) -> Result<(Self::Frame<'_>, usize), Self::Problem>;

    /// What is wrong with the game at the start of `bytes`, for which [`Self::frame`] gave `problem`.
    fn first_problem(
        bytes: &[u8],
        problem: Self::Problem,
        replayer: &mut Self::Replayer,
    ) -> Self::Problem;

    /// Plays the game of a frame.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    fn decode(
        frame: &Self::Frame<'_>,
        replayer: &mut Self::Replayer,
    ) -> Result<Self, Self::Problem>;

    /// Appends the game's bytes.
    fn encode(&self, bytes: &mut Vec<u8>);
}
