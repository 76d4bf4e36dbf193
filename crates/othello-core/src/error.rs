//! The errors of this crate.

use crate::board::BoardError;

/// A text that is not a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// An unknown character.
    #[error("character {at}: '{found}' is neither a disc, an empty square nor a side")]
    Character {
        /// Its place, counted in characters from 1.
        at: usize,
        /// The character.
        found: char,
    },
    /// The text ends before the 64 squares and the side to move.
    #[error("the text ends after {squares} of 64 squares, or lacks the side to move")]
    Short {
        /// The number of squares in the text.
        squares: usize,
    },
    /// Text behind the side to move.
    #[error("character {at}: nothing was expected after the side to move")]
    Long {
        /// The position of its first character, counted from 1.
        at: usize,
    },
    /// Not two words of at most 16 hexadecimal digits each.
    #[error("two hexadecimal numbers of at most 64 bits were expected, not '{0}'")]
    Bitboards(String),
    /// A square with discs of both players.
    #[error(transparent)]
    Board(#[from] BoardError),
}

/// A text that is not a sequence of legal moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// Characters that are neither a square nor a pass.
    #[error("move {ply}: '{text}' is neither a square nor a pass")]
    Move {
        /// The number of the move, counted from 1; passes that are not written do not count.
        ply: usize,
        /// The characters.
        text: String,
    },
    /// An illegal move.
    #[error("move {ply}: '{text}' is not legal")]
    Illegal {
        /// The number of the move, counted from 1; passes that are not written do not count.
        ply: usize,
        /// The move.
        text: String,
    },
}
