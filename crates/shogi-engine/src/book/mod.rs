//! The book cache: loads opening books and keeps them until the options or the files change.

mod order;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use shogi_usi::Options;
use yane_book::probe::{Books, OpenBook, OpenOptions, book_files};
use yane_book::{BookError, Job};

use crate::options::book::{NO_BOOK, is_book_named, open_options};
use crate::stamp::{Stamps, stamps};
use order::{Finding, OrderChecks};

/// An event of loading a book.
#[derive(Debug)]
#[non_exhaustive]
pub enum BookEvent {
    /// This file is going to be read.
    Reading(PathBuf),
    /// The file was read.
    Read {
        /// Number of its positions, if it tells.
        positions: Option<u64>,
    },
    /// A book that is looked up in place (`BookOnTheFly`) is not sorted, so that positions of it are not found: it is
    /// being read into memory.
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
        /// Why.
        error: BookError,
    },
}

/// The books that are loaded, kept until the options or the files change.
#[derive(Debug, Default)]
pub(crate) struct BookCache {
    books: Arc<Books>,
    source: Option<BookSource>,
    checks: OrderChecks,
    /// Books that take the place of others as soon as no search has those.
    replacements: Vec<(usize, OpenBook)>,
}

/// The origin of the books: while it is the same, so are they.
#[derive(Debug, PartialEq, Eq)]
struct BookSource {
    path: PathBuf,
    options: OpenOptions,
    files: Stamps,
}

impl BookCache {
    /// The books.
    pub(crate) fn get(&self) -> Arc<Books> {
        Arc::clone(&self.books)
    }

    /// Loads the books that the options name, unless they are loaded already. A relative `BookDir` is
    /// looked for in `folders`.
    pub(crate) fn load(
        &mut self,
        options: &Options,
        folders: &[PathBuf],
        report: &mut dyn FnMut(BookEvent),
    ) {
        let Some((path, files)) = wanted(options, folders) else {
            self.clear();
            return;
        };
        let open = open_options(options);
        let source = BookSource {
            path,
            options: open,
            files: stamps(&files),
        };
        if self.source.as_ref() == Some(&source) {
            self.refresh(report);
            return;
        }
        // Make room first: both together might not fit.
        self.clear();
        if files.is_empty() {
            report(missing(source.path.clone(), options));
        }
        let mut books = Vec::new();
        for file in &files {
            let Some(book) = load_file(file, open, report) else {
                continue;
            };
            if book.must_be_sorted() {
                self.checks.start(books.len(), file, open);
            }
            books.push(book);
        }
        self.books = Arc::new(books.into());
        self.source = Some(source);
        let replacements = &mut self.replacements;
        self.checks
            .wait(|book, path, finding| take(replacements, report, book, path, finding));
        self.replace();
    }

    /// Takes over what was found out about the books since, and tells it.
    pub(crate) fn refresh(&mut self, report: &mut dyn FnMut(BookEvent)) {
        let replacements = &mut self.replacements;
        self.checks
            .poll(|book, path, finding| take(replacements, report, book, path, finding));
        self.replace();
    }

    /// Replaces files by the books that were read from them into memory, unless a search has these.
    fn replace(&mut self) {
        if let Some(books) = Arc::get_mut(&mut self.books) {
            for (number, book) in self.replacements.drain(..) {
                books.replace(number, book);
            }
        }
    }

    /// Lets go of all books. What is known about the order of files stays.
    fn clear(&mut self) {
        self.checks.stop();
        self.replacements.clear();
        self.books = Arc::default();
        self.source = None;
    }
}

/// Keeps what the check of a book found, and tells it.
fn take(
    replacements: &mut Vec<(usize, OpenBook)>,
    report: &mut dyn FnMut(BookEvent),
    book: usize,
    path: &Path,
    finding: Finding,
) {
    let path = path.to_owned();
    match finding {
        Finding::Sorted => {}
        Finding::Unsorted(line) => report(BookEvent::Unsorted { path, line }),
        Finding::Loaded(Ok(loaded)) => {
            let positions = loaded.positions();
            report(BookEvent::Read { positions });
            replacements.push((book, loaded));
        }
        Finding::Loaded(Err(error)) => report(BookEvent::Failed { path, error }),
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

fn missing(path: PathBuf, options: &Options) -> BookEvent {
    match book_files(&path) {
        Err(error) if is_book_named(options) => BookEvent::Failed { path, error },
        _ => BookEvent::NoDefault(path),
    }
}

fn load_file(
    file: &Path,
    options: OpenOptions,
    report: &mut dyn FnMut(BookEvent),
) -> Option<OpenBook> {
    report(BookEvent::Reading(file.to_owned()));
    match OpenBook::open(file, options, &Job::default()) {
        Ok(book) => {
            let positions = book.positions();
            report(BookEvent::Read { positions });
            Some(book)
        }
        Err(error) => {
            let path = file.to_owned();
            report(BookEvent::Failed { path, error });
            None
        }
    }
}
