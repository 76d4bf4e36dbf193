//! Books that a run knows.

use std::path::Path;

use shogi_core::{EnteringKingRule, Position};
use yane_book::memory::{Book, ReadOptions};
use yane_io::Job;

use crate::Result;

/// Returns true if there is a book at `path`; a file without a byte is none.
pub(crate) fn has_book(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|data| !data.is_file() || data.len() > 0)
}

/// The book at `path`, empty when there is none.
pub(crate) fn read_book(path: &Path, options: ReadOptions, job: &Job) -> Result<Book> {
    if has_book(path) {
        return Ok(Book::read(path, options, job)?);
    }
    let entries: [(Position, Vec<yane_book::BookMove>); 0] = [];
    Ok(Book::from_entries(entries, options))
}

/// Returns true if the game is over.
pub(crate) fn has_ended(position: &Position) -> bool {
    position.is_mated() || position.declaration(EnteringKingRule::CsaRule27).is_some()
}
