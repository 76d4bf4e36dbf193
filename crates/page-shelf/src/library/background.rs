//! Files are read on threads in the background, once each, so that searches need no file.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use yane_io::OrderedParallelMap;

use super::root::LibraryRoot;

/// The time between two reports.
const REPORT: Duration = Duration::from_millis(250);

impl LibraryRoot {
    /// Lets `work` go on in the background, unless something does so already.
    pub fn in_background(self: &Arc<Self>, work: impl FnOnce() + Send + 'static) {
        if self.is_indexing.swap(true, Ordering::AcqRel) {
            return;
        }
        let root = Arc::clone(self);
        let thread = std::thread::Builder::new().name("library".to_owned());
        let begun = thread.spawn(move || {
            work();
            root.is_indexing.store(false, Ordering::Release);
        });
        if begun.is_err() {
            self.is_indexing.store(false, Ordering::Release);
        }
    }

    /// Returns whether something goes on in the background.
    pub fn is_indexing(&self) -> bool {
        self.is_indexing.load(Ordering::Acquire)
    }

    /// Reads files on all threads, and takes what they hold in their order; pages are told how far that is. Returns false when the
    /// library is no longer needed.
    pub fn read_files<F: Send + 'static, C: Send + 'static>(
        &self,
        files: Vec<F>,
        read: fn(&F) -> C,
        mut take: impl FnMut(&F, C),
    ) -> bool {
        let total = files.len();
        self.set_progress((total > 0).then_some([0, total]));
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut files = files.into_iter();
        let all = OrderedParallelMap::new(
            threads,
            move || Ok::<_, Infallible>(files.next()),
            move |file: F| {
                let contents = read(&file);
                Ok((file, contents))
            },
        );
        let mut reported = Instant::now();
        for (n, (file, contents)) in all.flatten().enumerate() {
            if self.is_closing.load(Ordering::Relaxed) {
                return false;
            }
            take(&file, contents);
            self.set_progress(Some([n + 1, total]));
            if reported.elapsed() >= REPORT {
                reported = Instant::now();
                self.tell_progress();
            }
        }
        self.set_progress(None);
        true
    }

    /// Tells all pages how far the index is.
    pub fn tell_progress(&self) {
        self.broadcast("library_progress", progress_message(self.progress()));
    }
}

/// How far the index is, in a message.
fn progress_message(progress: Option<[usize; 2]>) -> Value {
    match progress {
        Some([done, total]) => json!({ "done": done, "total": total }),
        None => json!({ "done": null, "total": null }),
    }
}
