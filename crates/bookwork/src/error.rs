//! What can go wrong.

use farm::FarmError;
use farm_queue::QueueError;
use thiserror::Error;
use yane_book::BookError;

/// The result of work on books.
pub type Result<T> = std::result::Result<T, BookworkError>;

/// Why a book cannot grow. What was thought by then is safe in the journal.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BookworkError {
    /// A book or a list of positions could not be read or written.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The engines could not be had, or none is left.
    #[error(transparent)]
    Farm(#[from] FarmError),
    /// The queue has no proper address, or does not take a result.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

impl From<yane_io::Error> for BookworkError {
    fn from(error: yane_io::Error) -> Self {
        Self::Book(error.into())
    }
}
