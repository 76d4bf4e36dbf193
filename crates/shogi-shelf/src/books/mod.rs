//! Opened books: what they say, and their edits.
//!
//! * [`service`]: the operations; [`shelf`]: the books that are open; [`orders`]: the check of their order in the background, and
//!   [`memory`], its answers from last time.
//! * [`book`]: one book: what everybody reads, and the editor that one at a time has; [`info`]: what pages are told of it.
//! * [`change`]: edits in messages and in the journal; [`register`]: lines that go into a book.
//! * [`at`], [`path`], [`tree`]: what books say of positions and lines; [`child`]: of the positions behind moves.
//! * [`search`], [`check`], [`diff`]: lists of a whole book, by [`stream`].
//! * [`playing`]: the books as an engine plays from them; [`played`]: as searches of the page ask them.
//!
//! Readers never wait: they take the book as it is at the moment, edits included, and an edit makes another one.

mod at;
mod book;
mod change;
#[cfg(feature = "checks")]
mod check;
mod child;
#[cfg(feature = "checks")]
mod diff;
mod info;
mod memory;
mod orders;
mod path;
mod played;
mod playing;
mod register;
mod search;
mod service;
mod shelf;
mod stream;
mod tree;

pub use played::PlayedBooks;
pub use playing::{AdvisedMove, BookAnswer, OpenBooks};
pub use service::ShogiBookShelf;
