//! The opening books that are loaded.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shogi_usi::Options;
use yane_book::probe::{Books, OpenBook, OpenOptions, book_files};
use yane_book::{BookError, Job};

use crate::book_options::{NO_BOOK, is_book_named, open_options};
use crate::stamp::{Stamps, stamps};

/// What happens while books are loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum BookNews {
    /// This file is going to be read.
    Reading(PathBuf),
    /// The file was read.
    Read {
        /// Number of its positions, if it tells.
        positions: Option<u64>,
    },
    /// The default book is not there: the engine plays without one.
    NoDefault(PathBuf),
    /// The book that was asked for cannot be read: the engine plays without it.
    Failed {
        /// The file.
        path: PathBuf,
        /// Why.
        error: BookError,
    },
}

/// The books, and what they were loaded from.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    books: Arc<Books>,
    source: Option<Source>,
}

/// When this is the same, so are the books.
#[derive(Debug, PartialEq, Eq)]
struct Source {
    path: PathBuf,
    options: OpenOptions,
    files: Stamps,
}

impl Shelf {
    /// The books.
    pub(crate) fn books(&self) -> Arc<Books> {
        Arc::clone(&self.books)
    }

    /// Loads the books that the options name, unless they are loaded already. A relative `BookDir` is
    /// looked for in `folders`.
    pub(crate) fn load(
        &mut self,
        options: &Options,
        folders: &[PathBuf],
        news: &mut dyn FnMut(BookNews),
    ) {
        let Some((path, files)) = wanted(options, folders) else {
            *self = Self::default();
            return;
        };
        let open = open_options(options);
        let source = Source {
            path,
            options: open,
            files: stamps(&files),
        };
        if self.source.as_ref() == Some(&source) {
            return;
        }
        // Make room first: both together might not fit.
        *self = Self::default();
        if files.is_empty() {
            news(missing(source.path.clone(), options));
        }
        let books: Vec<_> = files
            .iter()
            .filter_map(|file| load_file(file, open, news))
            .collect();
        self.books = Arc::new(books.into());
        self.source = Some(source);
    }
}

/// The path of the book and the files that make it; `None` when no book is wanted.
fn wanted(options: &Options, folders: &[PathBuf]) -> Option<(PathBuf, Vec<PathBuf>)> {
    let file = options.text("BookFile");
    if file.is_empty() || file == NO_BOOK || !options.check("USI_OwnBook") {
        return None;
    }
    let path = |folder: &PathBuf| folder.join(options.text("BookDir")).join(file);
    let found = folders.iter().map(path).find_map(|path| {
        let files = book_files(&path).ok()?;
        Some((path, files))
    });
    let nowhere = || (folders.first().map(path).unwrap_or_default(), Vec::new());
    Some(found.unwrap_or_else(nowhere))
}

fn missing(path: PathBuf, options: &Options) -> BookNews {
    match book_files(&path) {
        Err(error) if is_book_named(options) => BookNews::Failed { path, error },
        _ => BookNews::NoDefault(path),
    }
}

fn load_file(
    file: &Path,
    options: OpenOptions,
    news: &mut dyn FnMut(BookNews),
) -> Option<OpenBook> {
    news(BookNews::Reading(file.to_owned()));
    match OpenBook::open(file, options, &Job::default()) {
        Ok(book) => {
            let positions = book.positions();
            news(BookNews::Read { positions });
            Some(book)
        }
        Err(error) => {
            let path = file.to_owned();
            news(BookNews::Failed { path, error });
            None
        }
    }
}
