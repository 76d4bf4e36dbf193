//! The book cache: loads opening books and keeps them until the options or the files change. Text books that are read
//! in place are checked in the background for their order.

pub(crate) mod event;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::thread::JoinHandle;
use std::time::Duration;

use yane_book::probe::{Books, OpenBook, OpenOptions, book_files};
use yane_book::{BookError, Job};
use yane_clock::Instant;
use yane_io::path_of_text;

use self::event::BookEvent;
use crate::options::settings::BookSettings;
use crate::stamps::{Stamp, Stamps, stamp, stamps};

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
    /// searched in `folders`.
    pub(crate) fn load(
        &mut self,
        settings: &BookSettings,
        folders: &[PathBuf],
        report: &mut dyn FnMut(BookEvent),
    ) {
        let Some((path, files)) = wanted(settings, folders) else {
            self.clear();
            return;
        };
        let open = settings.open;
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
            report(missing(source.path.clone(), settings));
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

    /// Takes over and reports the findings of the order checks.
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

    /// Drops all books. The findings about the order of files stay.
    fn clear(&mut self) {
        self.checks.stop();
        self.replacements.clear();
        self.books = Arc::default();
        self.source = None;
    }
}

/// Keeps and reports a finding of the check of a book.
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
fn wanted(settings: &BookSettings, folders: &[PathBuf]) -> Option<(PathBuf, Vec<PathBuf>)> {
    if !settings.is_wanted() {
        return None;
    }
    let path = |folder: &PathBuf| {
        let dir = folder.join(path_of_text(&settings.dir));
        dir.join(path_of_text(&settings.file))
    };
    let found = folders.iter().map(path).find_map(|path| {
        let files = book_files(&path).ok()?;
        Some((path, files))
    });
    let nowhere = || (folders.first().map(path).unwrap_or_default(), Vec::new());
    Some(found.unwrap_or_else(nowhere))
}

fn missing(path: PathBuf, settings: &BookSettings) -> BookEvent {
    match book_files(&path) {
        Err(error) if settings.is_named => BookEvent::Failed { path, error },
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

// Background checks that text books which are read in place are sorted.

/// Longest wait for the answer while loading: small books have it at once.
const MAX_WAIT: Duration = Duration::from_millis(300);

/// A finding of the check of a book.
#[derive(Debug)]
enum Finding {
    /// The book is sorted.
    Sorted,
    /// The first position that stands too late is at this line, so that some are not found. The book is being read
    /// into memory.
    Unsorted(u64),
    /// The book as it was read into memory.
    Loaded(Result<OpenBook, BookError>),
}

/// A check that is going on. It ends early when this is dropped.
#[derive(Debug)]
struct Check {
    /// Number of the book.
    book: usize,
    path: PathBuf,
    ignore_ply: bool,
    stamp: Option<Stamp>,
    findings: Receiver<Finding>,
    job: Job,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Check {
    fn drop(&mut self) {
        self.job.cancel();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// The checks of all books, and the results of earlier ones.
#[derive(Debug, Default)]
struct OrderChecks {
    running: Vec<Check>,
    /// The findings about files by their stamps, read with or without `IgnoreBookPly`: the first line out of order, if
    /// any.
    known: HashMap<(PathBuf, bool), (Stamp, Option<u64>)>,
}

impl OrderChecks {
    /// Stops all checks.
    fn stop(&mut self) {
        self.running.clear();
    }

    /// Begins to check the book with this number, unless it is known to be sorted.
    fn start(&mut self, book: usize, path: &Path, options: OpenOptions) {
        let stamp = stamp(path);
        let key = (path.to_owned(), options.ignore_ply);
        let known = match self.known.get(&key) {
            Some(&(then, order)) if stamp == Some(then) => Some(order),
            _ => None,
        };
        if known == Some(None) {
            return;
        }
        let (sender, findings) = channel();
        let job = Job::default();
        let work = {
            let (path, job) = (path.to_owned(), job.clone());
            move || check(&path, known.flatten(), options, &job, &sender)
        };
        // Without a thread the book is used unchecked.
        let thread = thread::Builder::new()
            .name("book order".to_owned())
            .spawn(work);
        self.running.extend(thread.ok().map(|thread| Check {
            book,
            path: path.to_owned(),
            ignore_ply: options.ignore_ply,
            stamp,
            findings,
            job,
            thread: Some(thread),
        }));
    }

    /// Waits a moment for the checks, and for a book that turns out not to be sorted until it is in memory, as it would
    /// be without looking it up in place. Reports findings with the number of the book and its path.
    fn wait(&mut self, mut on_finding: impl FnMut(usize, &Path, Finding)) {
        let end = Instant::now() + MAX_WAIT;
        self.gather(end, true, &mut on_finding);
    }

    /// Reports the findings since.
    fn poll(&mut self, mut on_finding: impl FnMut(usize, &Path, Finding)) {
        self.gather(Instant::now(), false, &mut on_finding);
    }

    fn gather(
        &mut self,
        end: Instant,
        waits: bool,
        on_finding: &mut dyn FnMut(usize, &Path, Finding),
    ) {
        let known = &mut self.known;
        self.running.retain(|check| {
            let mut end = Some(end);
            loop {
                let left = end.map(|end| end.saturating_duration_since(Instant::now()));
                let finding = match left {
                    Some(left) => check.findings.recv_timeout(left),
                    None => check.findings.recv().map_err(RecvTimeoutError::from),
                };
                let finding = match finding {
                    Ok(finding) => finding,
                    Err(RecvTimeoutError::Timeout) => return true,
                    Err(RecvTimeoutError::Disconnected) => return false,
                };
                let order = match finding {
                    Finding::Sorted => Some(None),
                    Finding::Unsorted(line) => Some(Some(line)),
                    Finding::Loaded(_) => None,
                };
                if let (Some(order), Some(stamp)) = (order, check.stamp) {
                    let key = (check.path.clone(), check.ignore_ply);
                    known.insert(key, (stamp, order));
                }
                if waits && matches!(finding, Finding::Unsorted(_)) {
                    end = None;
                }
                on_finding(check.book, &check.path, finding);
            }
        });
    }
}

/// Checks the book at `path`, unless it is `known` to be out of order from a line on, and reads it into memory if it is
/// not sorted. Errors are left to later lookups.
fn check(
    path: &Path,
    known: Option<u64>,
    options: OpenOptions,
    job: &Job,
    findings: &Sender<Finding>,
) {
    let order = match known {
        Some(line) => Ok(Some(line)),
        None => OpenBook::open(path, options, job).and_then(|book| book.first_unsorted_line(job)),
    };
    // Sending fails only when the check was dropped.
    match order {
        Ok(None) => {
            findings.send(Finding::Sorted).ok();
        }
        Ok(Some(line)) => {
            findings.send(Finding::Unsorted(line)).ok();
            let options = OpenOptions {
                on_the_fly: false,
                ..options
            };
            let loaded = OpenBook::open(path, options, job);
            findings.send(Finding::Loaded(loaded)).ok();
        }
        Err(_) => {}
    }
}
