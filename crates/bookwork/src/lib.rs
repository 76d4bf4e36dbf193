//! Growing opening books by thought: what stands on books ([`yane_book`]) and on engines at work ([`farm`]).
//!
//! * [`think`]: the positions of game records, thought about and put into a book.
//! * [`endless`]: a book that grows by itself: the lines that leave it are thought about, again and again.
//! * [`mod@mine`]: a book that is mined: peta shock, next positions, thinking, in rounds, with budgets.
//! * [`stera`]: a book in which every move has its value, grown along its best play.
#![forbid(unsafe_code)]

pub mod endless;
mod error;
mod eval;
pub mod mine;
mod saved;
pub mod stera;
pub mod think;

pub use error::{BookworkError, Result};
