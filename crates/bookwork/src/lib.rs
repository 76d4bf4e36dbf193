//! Growing opening books by thought: what stands on books ([`yane_book`]) and on engines at work ([`farm`]).
//!
//! * [`stera`]: a book in which every move has its value, grown along its best play.
#![forbid(unsafe_code)]

mod error;
mod eval;
pub mod stera;

pub use error::{BookworkError, Result};
