//! Shogi opening books.
//!
//! # Formats
//!
//! * [`db`]: the text format `.db` of the YaneuraOu family.
//!
//! # In memory
//!
//! * [`memory`]: a book for looking positions up.

#![deny(unsafe_code)]

mod book_move;
pub mod db;
mod error;
pub mod external;
pub mod io;
mod job;
pub mod merge;
pub mod memory;

pub use book_move::{BookMove, add_move, sort_moves};
pub use error::{BookError, Result};
pub use job::{Job, Progress, Silent, Unit};
