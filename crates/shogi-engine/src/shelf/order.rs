//! Checking in the background that text books which are looked up in place are sorted.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use yane_book::probe::{OpenBook, OpenOptions};
use yane_book::{BookError, Job};

use crate::stamp::{Stamp, stamp};

/// How long loading waits for the answer: small books have it at once.
const PATIENCE: Duration = Duration::from_millis(300);

/// What the check of a book found.
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
    /// Files as they were when they were found sorted.
    sorted: HashMap<PathBuf, Stamp>,
}

impl OrderChecks {
    /// Stops all checks.
    pub(super) fn stop(&mut self) {
        self.running.clear();
    }

    /// Begins to check the book with this number, unless it is known to be sorted.
    pub(super) fn start(&mut self, book: usize, path: &Path, options: OpenOptions) {
        let stamp = stamp(path);
        if stamp.is_some() && self.sorted.get(path) == stamp.as_ref() {
            return;
        }
        let (sender, findings) = channel();
        let job = Job::default();
        let work = {
            let (path, job) = (path.to_owned(), job.clone());
            move || check(&path, options, &job, &sender)
        };
        // Without a thread the book is as good as before.
        let thread = thread::Builder::new()
            .name("book order".to_owned())
            .spawn(work);
        self.running.extend(thread.ok().map(|thread| Check {
            book,
            path: path.to_owned(),
            stamp,
            findings,
            job,
            thread: Some(thread),
        }));
    }

    /// Waits a moment for the checks, and tells what they have found with the number of the book and its path.
    pub(super) fn wait(&mut self, mut hear: impl FnMut(usize, &Path, Finding)) {
        let end = Instant::now() + PATIENCE;
        self.gather(end, &mut hear);
    }

    /// Tells what the checks have found since.
    pub(super) fn poll(&mut self, mut hear: impl FnMut(usize, &Path, Finding)) {
        self.gather(Instant::now(), &mut hear);
    }

    fn gather(&mut self, end: Instant, hear: &mut dyn FnMut(usize, &Path, Finding)) {
        let sorted = &mut self.sorted;
        self.running.retain(|check| {
            loop {
                let rest = end.saturating_duration_since(Instant::now());
                let finding = match check.findings.recv_timeout(rest) {
                    Ok(finding) => finding,
                    Err(RecvTimeoutError::Timeout) => return true,
                    Err(RecvTimeoutError::Disconnected) => return false,
                };
                if let (Finding::Sorted, Some(stamp)) = (&finding, check.stamp) {
                    sorted.insert(check.path.clone(), stamp);
                }
                hear(check.book, &check.path, finding);
            }
        });
    }
}

/// Checks the book at `path` and reads it into memory if it is not sorted. An error that looking it up would meet as
/// well is left to that.
fn check(path: &Path, options: OpenOptions, job: &Job, findings: &Sender<Finding>) {
    let order = OpenBook::open(path, options, job).and_then(|book| book.first_unsorted_line(job));
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
