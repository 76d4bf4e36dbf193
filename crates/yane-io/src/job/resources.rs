//! The resources of a job.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::pausing::Pausing;
use super::progress::{Progress, Silent};
use super::temp_folder::TempFolder;
use crate::{Error, Result};

/// The resources of a job. Cheap to clone; clones share progress and cancellation.
#[derive(Clone)]
pub struct Job {
    /// Number of worker threads, at least 1.
    pub threads: usize,
    /// Upper bound of the memory for buffers, in bytes. Jobs take less when less is enough.
    pub memory: u64,
    /// Folder for temporary files; `None`: beside the output.
    pub temp_dir: Option<PathBuf>,
    /// Receives the progress.
    pub progress: Arc<dyn Progress>,
    /// Raised to stop the job at the next safe point with [`Error::Cancelled`].
    pub cancelled: Arc<AtomicBool>,
    /// Asks the job to pause at the next safe point.
    pub pausing: Pausing,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job")
            .field("threads", &self.threads)
            .field("memory", &self.memory)
            .field("temp_dir", &self.temp_dir)
            .finish_non_exhaustive()
    }
}

impl Default for Job {
    /// All cores, 1 GiB, silent.
    fn default() -> Self {
        Self {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory: 1 << 30,
            temp_dir: None,
            progress: Arc::new(Silent),
            cancelled: Arc::default(),
            pausing: Pausing::default(),
        }
    }
}

impl Job {
    /// Asks the job to stop at the next safe point with [`Error::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
        self.pausing.wake();
    }

    /// Called by jobs at every safe point. Waits as long as the job is paused.
    ///
    /// # Errors
    /// [`Error::Cancelled`] after [`Self::cancel`].
    pub fn check(&self) -> Result<()> {
        let is_cancelled = || self.cancelled.load(Ordering::Acquire);
        self.pausing.wait(&is_cancelled);
        if is_cancelled() {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }

    /// The folder for temporary files of `output`; errors name the output.
    pub fn temp_for(&self, output: &Path) -> TempFolder {
        TempFolder::new(self.temp_dir_for(output), output)
    }

    /// The folder where temporary files for `output` go.
    pub fn temp_dir_for(&self, output: &Path) -> PathBuf {
        self.temp_dir
            .clone()
            .unwrap_or_else(|| crate::folder_of(output))
    }
}
