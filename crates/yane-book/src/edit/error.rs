//! Why an edit is refused.

use shogi_core::SfenError;

use crate::BookError;

/// Bytes of a comment at most.
pub(super) const LONGEST_COMMENT: usize = 10_000;

/// Why an edit is refused. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// A move that the rules do not allow.
    #[error("the move {0} is not legal in this position")]
    Illegal(String),
    /// A reply that the rules do not allow.
    #[error("the reply {reply} is not legal after {mv}")]
    IllegalReply {
        /// The move.
        mv: String,
        /// The reply.
        reply: String,
    },
    /// A move that is not there.
    #[error("the book does not have the move {0} in this position")]
    NoSuchMove(String),
    /// A position that is not there, or would have no moves.
    #[error("the book does not have the position")]
    NoSuchPosition,
    /// Something that the format cannot hold.
    #[error("a {format} book keeps no {column}")]
    NotKept {
        /// The format.
        format: &'static str,
        /// What it cannot hold.
        column: &'static str,
    },
    /// A number that the format cannot hold.
    #[error("{column} {value}: a {format} book keeps {least} to {most}")]
    Range {
        /// The format.
        format: &'static str,
        /// The column.
        column: &'static str,
        /// The number.
        value: i128,
        /// The least number of the column.
        least: i128,
        /// The greatest number of the column.
        most: i128,
    },
    /// A comment that is too long or has control characters.
    #[error(
        "comment: at most {} bytes without control characters were expected",
        LONGEST_COMMENT
    )]
    Comment,
    /// A format that is only read.
    #[error("{0} books are not written: convert the book first")]
    ReadOnly(&'static str),
    /// A file of slices, which is not in memory.
    #[error("the book is too large to be changed here: it is only looked up")]
    Sliced,
    /// An entry with a line that is no move.
    #[error("the entry has a line that cannot be read: {0}")]
    Damaged(String),
    /// A position that is none.
    #[error(transparent)]
    Position(#[from] SfenError),
    /// The book cannot be read.
    #[error(transparent)]
    Book(#[from] BookError),
}
