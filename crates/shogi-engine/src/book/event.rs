//! Events of loading a book.

use std::path::PathBuf;

use yane_book::BookError;

/// An event of loading a book.
#[derive(Debug)]
#[non_exhaustive]
pub enum BookEvent {
    /// The book starts to read this file.
    Reading(PathBuf),
    /// The file was read.
    Read {
        /// Number of its positions, if it is known.
        positions: Option<u64>,
    },
    /// A book that is read in place (`BookOnTheFly`) is not sorted, so that lookups would miss positions: it is being
    /// read into memory.
    Unsorted {
        /// The file.
        path: PathBuf,
        /// The first line, from 1, whose position should stand before the one in front of it.
        line: u64,
    },
    /// The default book is not there: the engine plays without one.
    NoDefault(PathBuf),
    /// The book that was asked for cannot be read: the engine plays without it.
    Failed {
        /// The file.
        path: PathBuf,
        /// The error.
        error: BookError,
    },
}
