//! A book in a file.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use shogi_core::{MoveText, Position};
use shogi_review::ReviewBook;
use yane_book::probe::{OpenBook, OpenOptions};
use yane_book::{BookError, Job};

/// A book in a file, whatever the plies of its positions are.
pub(super) struct FileBook {
    book: OpenBook,
    /// The first error of a look-up.
    error: Mutex<Option<BookError>>,
}

impl FileBook {
    /// Opens the book at `path`.
    pub(super) fn open(path: &Path, job: &Job) -> Result<Self, BookError> {
        let options = OpenOptions {
            on_the_fly: true,
            ignore_ply: true,
        };
        Ok(Self {
            book: OpenBook::open(path, options, job)?,
            error: Mutex::new(None),
        })
    }

    /// The first error of a look-up.
    pub(super) fn into_error(self) -> Option<BookError> {
        self.error
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReviewBook for FileBook {
    fn moves(&self, position: &Position) -> Vec<MoveText> {
        match self.book.find(position) {
            Ok(moves) => moves
                .into_iter()
                .filter_map(|found| found.mv?.decode())
                .collect(),
            Err(error) => {
                let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(error);
                Vec::new()
            }
        }
    }
}
