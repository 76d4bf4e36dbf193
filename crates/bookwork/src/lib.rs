//! Opening books that grow by search: the layer above books ([`yane_book`]) and engines ([`farm`]).
//!
//! * [`analyze`]: values for the moves that a book has.
//! * [`think`]: the positions of game records, searched and put into a book.
//! * [`endless`]: the lines that leave a book are searched, again and again, until none leads to anything new.
//! * [`mod@mine`]: peta shock, next positions, search, in rounds, with budgets.
//! * [`stera`]: a book in which every move has its value, grown along its best play.
//! * [`BookRunEvent`], [`BookSummary`]: events and numbers of all of these.
#![forbid(unsafe_code)]

pub mod analyze;
mod checkpoint;
pub mod endless;
pub mod mine;
mod report;
mod search;
pub mod stera;
mod task;
pub mod think;

use farm::FarmError;
use thiserror::Error;
use yane_book::BookError;

pub use report::{
    BookObserver, BookReport, BookRun, BookRunEvent, BookSummary, BookTotals, StopReason,
    ThinkCounts,
};

// The errors of runs that grow books.

/// The result of work on books.
pub type Result<T> = std::result::Result<T, BookworkError>;

/// Reason why a book cannot grow. Positions searched by then are safe in the journal.
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
