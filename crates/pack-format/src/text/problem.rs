//! What can be wrong with a line of text.

use std::io;

use shogi_core::{MoveError, SfenError};
use thiserror::Error;

use super::MAX_LINE;
use crate::hcpe3::Hcpe3Error;
use crate::pack::GameError;
use crate::{DataPlace, InvalidData};

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextProblem {
    /// It is not UTF-8.
    #[error("not UTF-8 from byte {0} of the line on")]
    Encoding(usize),
    /// It does not end.
    #[error("more than {MAX_LINE} bytes")]
    TooLong,
    /// It is not JSON, or a field has a value of another kind than it should.
    #[error("column {column}: {message}")]
    Json {
        /// The byte at which this was noticed, from 1.
        column: usize,
        /// What was found and expected, with the field.
        message: String,
    },
    /// The JSON object is neither game nor position.
    #[error("neither a game (field \"moves\") nor a position (field \"move\")")]
    Unknown,
    /// A CSV row has a quote that is not closed or that stands inside a field.
    #[error("field {0}: a quote that is not closed, or text behind one")]
    Quote(usize),
    /// A CSV row has more or fewer fields than the header.
    #[error("{found} fields, expected {expected} as in the header")]
    FieldCount {
        /// Fields of the row.
        found: usize,
        /// Fields of the header.
        expected: usize,
    },
    /// A field or column is not there.
    #[error("field \"{0}\" is missing")]
    Missing(&'static str),
    /// A field has a value it cannot have.
    #[error("field \"{field}\": expected {expected}, found {found}")]
    Value {
        /// The field.
        field: &'static str,
        /// The value.
        found: String,
        /// What may be there.
        expected: &'static str,
    },
    /// A position is wrong.
    #[error("field \"{field}\": {error}")]
    Sfen {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        error: SfenError,
    },
    /// The move of a position is wrong.
    #[error("field \"{field}\": {error}")]
    Move {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        error: MoveError,
    },
    /// A move of a game is wrong.
    #[error("field \"{field}\", ply {ply}: {error}")]
    GameMove {
        /// The field.
        field: &'static str,
        /// Number of the ply in the game, from 1.
        ply: usize,
        /// What is wrong with the move.
        error: MoveError,
    },
    /// A list has more or fewer entries than the game has moves.
    #[error("field \"{field}\": {found} entries for {expected} moves")]
    Length {
        /// The field.
        field: &'static str,
        /// Entries.
        found: usize,
        /// Moves.
        expected: usize,
    },
    /// A field contradicts the others.
    #[error("field \"{field}\": {found}, but by the other fields it is {expected}")]
    Disagrees {
        /// The field.
        field: &'static str,
        /// What it says.
        found: String,
        /// What it should say.
        expected: String,
    },
    /// The position of a CSV row does not follow from the row before.
    #[error("field \"sfen\": not the position after the row before, {expected}")]
    Successor {
        /// The position that should be there.
        expected: String,
    },
    /// Not a game of a pack file.
    #[error(transparent)]
    Game(#[from] GameError),
    /// Not a game of an hcpe3 file.
    #[error(transparent)]
    Hcpe3(#[from] Hcpe3Error),
}

/// A problem with its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct InvalidLine {
    /// Number of the line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub problem: TextProblem,
}

impl From<InvalidLine> for InvalidData {
    fn from(invalid: InvalidLine) -> Self {
        Self::new(DataPlace::Line(invalid.line), invalid.problem)
    }
}

/// Why there is nothing in the place of a line.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TextReadError {
    /// The stream failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The line is wrong.
    #[error(transparent)]
    Invalid(#[from] InvalidLine),
}
