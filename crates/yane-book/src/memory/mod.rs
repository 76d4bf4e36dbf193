//! A book in memory, for looking positions up.
//!
//! Columns instead of objects: one sorted array of positions (32 bytes each), an index of 4 to 8
//! bytes a position into it, and one array of all moves (16 bytes each). A position is known by its
//! 128-bit key; that two of a billion positions share a key has a chance of about 10⁻²¹.
//!
//! ```
//! use shogi_core::{Move16, MoveText, Position};
//! use yane_book::{BookMove, memory::{Book, ReadOptions}};
//!
//! let mv = MoveText::from_usi("7g7f").map(Move16::encode);
//! let book = Book::from_entries(
//!     [(Position::startpos(), vec![BookMove::new(mv)])],
//!     ReadOptions::default(),
//! );
//! let moves = book.get(&Position::startpos()).unwrap();
//! assert_eq!(moves.first().unwrap().mv, mv);
//! ```

mod book;
mod moves;
mod read;

pub use book::{Book, BookEntry, ReadOptions};
use book::{KeyIndex, Slot};
pub use moves::{Moves, MovesIter};

const _: () = assert!(size_of::<Slot>() == 32);

#[cfg(test)]
mod tests;
