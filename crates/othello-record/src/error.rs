//! Errors of records and problems.

use othello_core::{PositionError, TranscriptError};

/// The formats that error messages suggest.
const EXPECTED: &str = "moves such as f5d6c3, a board of 64 squares or two hexadecimal numbers";

/// A text that is neither a game nor a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An invalid transcript.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// An invalid board, or invalid bitboards.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// An invalid game of another format.
    #[error("{format}: {reason}")]
    Game {
        /// The format.
        format: &'static str,
        /// The problem, and its move.
        reason: String,
    },
    /// Several records where one was expected.
    #[error("{0} games or positions, where one was expected")]
    Several(usize),
    /// Punctuation without moves.
    #[error("{EXPECTED} were expected")]
    Empty,
    /// A text of no known format.
    #[error("'{0}' is no game and no position: {EXPECTED} were expected")]
    Unknown(String),
}

/// A line that is not an end-game problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// An invalid board before the first `;`.
    #[error(transparent)]
    Board(#[from] PositionError),
    /// A move with a score that cannot be parsed.
    #[error("'{0}' is not a move, a colon and a score from -64 to 64")]
    Answer(String),
}
