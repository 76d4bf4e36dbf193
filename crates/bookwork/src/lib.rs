//! Growing opening books by search: what uses books ([`yane_book`]) and engines at work ([`farm`]).
//!
//! * [`think`]: the positions of game records, searched and put into a book.
//! * [`endless`]: the lines that leave a book are searched, again and again, until none leads to anything new.
//! * [`mod@mine`]: peta shock, next positions, search, in rounds, with budgets.
//! * [`stera`]: a book in which every move has its value, grown along its best play.
//! * [`BookRunEvent`], [`BookSummary`]: events and numbers of all of these.
#![forbid(unsafe_code)]

mod checkpoint;
pub mod endless;
mod error;
pub mod mine;
mod report;
mod search;
pub mod stera;
pub mod think;
mod values;

pub use error::{BookworkError, Result};
pub use report::{
    BookObserver, BookReport, BookRun, BookRunEvent, BookSummary, BookTotals, StopReason,
    ThinkCounts,
};
