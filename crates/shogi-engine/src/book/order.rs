//! Checking in the background that text books which are looked up in place are sorted.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use yane_book::probe::{OpenBook, OpenOptions};
use yane_book::{BookError, Job};

use crate::stamp::{Stamp, stamp};

/// Longest wait for the answer while loading: small books have it at once.
const PATIENCE: Duration = Duration::from_millis(300);

/// A finding of the check of a book.
#[derive(Debug)]
pub(super) enum Finding {
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

/// The checks of all books, and what earlier ones found.
#[derive(Debug, Default)]
pub(super) struct OrderChecks {
    running: Vec<Check>,
    /// What was found out about files as they were, read with or without `IgnoreBookPly`: the first line out of
    /// order, if any.
    known: HashMap<(PathBuf, bool), (Stamp, Option<u64>)>,
}

impl OrderChecks {
    /// Stops all checks.
    pub(super) fn stop(&mut self) {
        self.running.clear();
    }

    /// Begins to check the book with this number, unless it is known to be sorted.
    pub(super) fn start(&mut self, book: usize, path: &Path, options: OpenOptions) {
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
        // Without a thread the book is as good as before.
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
    /// be without looking it up in place. Tells what was found with the number of the book and its path.
    pub(super) fn wait(&mut self, mut hear: impl FnMut(usize, &Path, Finding)) {
        let end = Instant::now() + PATIENCE;
        self.gather(end, true, &mut hear);
    }

    /// Tells what the checks have found since.
    pub(super) fn poll(&mut self, mut hear: impl FnMut(usize, &Path, Finding)) {
        self.gather(Instant::now(), false, &mut hear);
    }

    fn gather(&mut self, end: Instant, waits: bool, hear: &mut dyn FnMut(usize, &Path, Finding)) {
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
                hear(check.book, &check.path, finding);
            }
        });
    }
}

/// Checks the book at `path`, unless it is `known` to be out of order from a line on, and reads it into memory if it is
/// not sorted. An error that looking it up would meet as well is left to that.
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
    // Sending fails only when nobody waits any more.
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
