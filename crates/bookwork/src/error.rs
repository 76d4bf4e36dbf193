//! The errors of runs that grow books.

use farm::FarmError;
use thiserror::Error;
use yane_book::BookError;

/// The result of work on books.
pub type Result<T> = std::result::Result<T, BookworkError>;

/// Why a book cannot grow. What was searched by then is safe in the journal.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BookworkError {
    /// A book or a list of positions could not be read or written.
    #[error(transparent)]
    Book(#[from] BookError),
    /// No engine is left, or the queue cannot be used.
    #[error(transparent)]
    Farm(#[from] FarmError),
}

impl From<yane_io::Error> for BookworkError {
    fn from(error: yane_io::Error) -> Self {
        Self::Book(error.into())
    }
}
