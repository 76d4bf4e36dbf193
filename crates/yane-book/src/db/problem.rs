//! What may be wrong in a line of a text book.

use shogi_core::SfenError;
use thiserror::Error;

// Problems of lines.

/// A problem of a line of a text book or of a record file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// The text after `sfen` is no position.
    #[error("bad SFEN: {0}")]
    Sfen(SfenError),
    /// The first or second field of a move line is no move.
    #[error("expected a move such as 7g7f, found {0:?}")]
    Move(String),
    /// A number field holds something else.
    #[error("{field}: expected a number, found {found:?}")]
    Number {
        /// Name of the field: eval, depth or count.
        field: &'static str,
        /// The text found.
        found: String,
    },
    /// The move cannot be played in its position.
    #[error("illegal move {0}")]
    Illegal(String),
    /// The text differs from the expected one.
    #[error("expected {expected}, found {found:?}")]
    Expected {
        /// Description of the expected text.
        expected: &'static str,
        /// The text found.
        found: String,
    },
    /// A game of a record file in another format (KIF, KI2, CSA, JKF) cannot be read.
    #[error("{0}")]
    Record(String),
}

impl From<SfenError> for LineProblem {
    fn from(error: SfenError) -> Self {
        Self::Sfen(error)
    }
}

/// Bytes of a file for an error message: at most 60 characters, whatever they are.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}
