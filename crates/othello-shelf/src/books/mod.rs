//! Opened books: what they say, and their edits.
//!
//! * [`service`]: the operations; [`shelf`]: the books that are open.
//! * [`book`]: one book: what everybody reads, and the editor that one at a time has; [`file`]: its file.
//! * [`edit`]: edits as the journal beside the book keeps them.
//! * [`at`], [`tree`]: what books say of positions and lines.
//!
//! Readers never wait: they take the book as it is at the moment, edits included, and an edit makes another one.

mod at;
mod book;
mod edit;
mod file;
mod service;
mod shelf;
mod tree;

pub use service::BookShelf;
