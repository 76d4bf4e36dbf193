#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod books;
mod fields;

pub use books::{AdvisedMove, BookAnswer, OpenBooks, ShogiBookShelf};
