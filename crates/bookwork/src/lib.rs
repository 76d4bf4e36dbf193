//! Growing opening books by thought: what stands on books ([`yane_book`]) and on engines at work ([`farm`]).
#![forbid(unsafe_code)]

mod error;

pub use error::{BookworkError, Result};
