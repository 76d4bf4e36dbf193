#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod books;
mod fields;
mod library;

pub use books::{AdvisedMove, BookAnswer, OpenBooks, PlayedBooks, ShogiBookShelf};
pub use library::ShogiLibrary;
