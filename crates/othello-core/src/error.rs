//! What can be wrong with values from outside.

use crate::Square;

/// Two sets of discs that cannot lie on one board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("both players have a disc on {0}")]
pub struct BoardError(pub Square);

/// A text that is not the name of a square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a square: a letter from a to h and a digit from 1 to 8 were expected")]
pub struct SquareError(pub String);

/// A text that is not a board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// A character that stands for nothing.
    #[error("character {at}: '{found}' is neither a disc, an empty square nor a side")]
    Character {
        /// Where it is, counted in characters from 1.
        at: usize,
        /// The character.
        found: char,
    },
    /// The text ends before all 64 squares and the side to move were told.
    #[error("the text ends after {squares} of 64 squares, or lacks the side to move")]
    Short {
        /// How many squares it told.
        squares: usize,
    },
    /// Something follows the side to move.
    #[error("character {at}: nothing was expected after the side to move")]
    Long {
        /// Where it begins, counted in characters from 1.
        at: usize,
    },
    /// Not two words of at most 16 hexadecimal digits each.
    #[error("two hexadecimal numbers of at most 64 bits were expected, not '{0}'")]
    Bitboards(String),
    /// Both players on one square.
    #[error(transparent)]
    Board(#[from] BoardError),
}

/// A text that is not a sequence of legal moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// Two characters that are no square and no pass.
    #[error("move {ply}: '{text}' is neither a square nor a pass")]
    Move {
        /// Which move it is, counted from 1; passes that are not written do not count.
        ply: usize,
        /// The two characters, or the one left at the end.
        text: String,
    },
    /// A move against the rules.
    #[error("move {ply}: '{text}' is not legal")]
    Illegal {
        /// Which move it is, counted from 1; passes that are not written do not count.
        ply: usize,
        /// The move.
        text: String,
    },
}

/// What texts are read as.
const WANTED: &str = "moves such as f5d6c3, a board of 64 squares or two hexadecimal numbers";

/// A text that is neither a game nor a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Read as a transcript.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// Read as a board, or as two numbers.
    #[error(transparent)]
    Position(#[from] TextError),
    /// Read as a game of another format.
    #[error("{format}: {reason}")]
    Game {
        /// The format.
        format: &'static str,
        /// What is wrong, and with which move.
        reason: String,
    },
    /// More than one.
    #[error("{0} games or positions, where one was expected")]
    Several(usize),
    /// Signs, but no moves.
    #[error("{WANTED} were expected")]
    Nothing,
    /// It looks like nothing that is read.
    #[error("'{0}' is no game and no position: {WANTED} were expected")]
    Unknown(String),
}

/// A line that is not an end-game problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The board, which comes before the first `;`.
    #[error(transparent)]
    Board(#[from] TextError),
    /// A move with a score that cannot be read.
    #[error("'{0}' is not a move, a colon and a score from -64 to 64")]
    Answer(String),
}
