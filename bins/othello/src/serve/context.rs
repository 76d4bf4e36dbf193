//! What jobs on books stand on: the files and books of the page, and what the server was started with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use othello_shelf::BookShelf;
use page_messages::{PageFailure, PageFiles};
use serve::jobs::JobLane;
use yane_io::text_of_name;

/// The books that are open on the page.
pub(crate) trait OpenBooks: Send + Sync {
    /// The file of an open book, by the name that requests have for it.
    ///
    /// # Errors
    ///
    /// A book that is not open.
    fn path_of(&self, book: &str) -> Result<PathBuf, PageFailure>;

    /// The number of edits of the book of a file that are not saved; `None` if it is not open.
    fn edits_of(&self, path: &Path) -> Option<usize>;

    /// A file was written anew; it may be one that is open.
    fn written(&self, path: &Path);
}

impl OpenBooks for BookShelf {
    fn path_of(&self, book: &str) -> Result<PathBuf, PageFailure> {
        Self::path_of(self, book)
    }

    fn edits_of(&self, path: &Path) -> Option<usize> {
        Self::edits_of(self, path)
    }

    fn written(&self, path: &Path) {
        // A book that cannot be opened again says so whenever it is asked.
        let _told_later = Self::written(self, path);
    }
}

/// What jobs on books stand on.
pub(crate) struct BookJobs {
    pub(crate) files: Arc<dyn PageFiles>,
    pub(crate) books: Arc<dyn OpenBooks>,
    /// Threads of jobs that search, unless a page says otherwise.
    pub(crate) threads: usize,
    /// Weights of jobs that search; those built in if there are none.
    pub(crate) weights: Option<PathBuf>,
    /// The folder for temporary files, if not beside the output.
    pub(crate) temp_dir: Option<PathBuf>,
}

impl BookJobs {
    /// Words that the server's own settings add to a command.
    pub(super) fn own_words(&self, lane: JobLane, command: &str, has_threads: bool) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
        if lane == JobLane::Search {
            if !has_threads {
                add("--threads", self.threads.to_string());
            }
            if let Some(weights) = &self.weights {
                add("--eval", text_of_name(weights.as_os_str()));
            }
        }
        if let Some(folder) = self.temp_dir.as_ref().filter(|_| command != "info") {
            add("--temp-dir", text_of_name(folder.as_os_str()));
        }
        words
    }
}
