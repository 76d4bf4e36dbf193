//! Shogi opening books.
//!
//! # Formats
//!
//! * [`db`]: the text format `.db` of the YaneuraOu family.
//! * [`ybb`]: the binary format `.ybb` of the same family.
//! * [`apery`]: Apery's binary format, `book.bin`.
//! * [`mod@convert`]: any of the three into another.
//!
//! # In memory
//!
//! * [`memory`]: a book for looking positions up.
//! * [`probe`]: choosing a move from a book during a game.
//!
//! # Questions about books
//!
//! * [`mod@info`]: what a book is like; [`mod@check`]: whether it is as it should be.
//! * [`mod@lookup`]: what it says about a position; [`mod@diff`]: what two books say differently.
//! * [`mod@unique`], [`mod@filter`]: books with a part left out.

#![deny(unsafe_code)]

pub mod apery;
mod book_move;
pub mod build_tree;
pub mod check;
pub mod convert;
pub mod db;
pub mod diff;
mod entries;
mod error;
pub mod extend_tree;
pub mod external;
pub mod extract;
pub mod filter;
mod format;
pub mod from_sfen;
pub mod graph;
pub mod info;
pub mod io;
mod job;
pub mod lookup;
pub mod memory;
pub mod merge;
pub mod peta_next;
pub mod peta_shock;
pub mod probe;
pub mod records;
pub mod startsfens;
pub mod stera_convert;
pub mod unique;
pub mod ybb;

pub use book_move::{BookMove, add_move, sort_moves};
pub use error::{BookError, Result};
pub use format::Format;
pub use job::{Job, Progress, Silent, Unit};
