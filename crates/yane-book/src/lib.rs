//! Shogi opening books.
//!
//! # Formats
//!
//! * [`db`]: the text format `.db` of the YaneuraOu family.

#![deny(unsafe_code)]

mod book_move;
pub mod db;
mod error;
pub mod io;
mod job;

pub use book_move::{BookMove, add_move, sort_moves};
pub use error::{BookError, Result};
pub use job::{Job, Progress, Silent, Unit};
