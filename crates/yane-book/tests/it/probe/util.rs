//! The book of the fixtures, and positions.

use std::path::PathBuf;

use shogi_core::{Game, parse_position_line};
use yane_book::Job;
use yane_book::probe::{Books, OpenBook, OpenOptions};

/// A file of the fixtures.
pub(crate) fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/book")
        .join(name)
}

/// One book.
pub(crate) fn open(path: &std::path::Path, options: OpenOptions) -> Books {
    let book = OpenBook::open(path, options, &Job::default()).unwrap();
    Books::from(vec![book])
}

/// What follows the command `position`.
pub(crate) fn game(position: &str) -> Game {
    parse_position_line(position).unwrap()
}
