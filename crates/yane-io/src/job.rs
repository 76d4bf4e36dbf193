//! A long job: the threads, memory and folders it may use, its progress and its cancellation.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Error, Result};

/// The unit of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unit {
    /// Bytes of input.
    Bytes,
    /// Positions.
    Positions,
    /// Records of a data file.
    Records,
    /// Games.
    Games,
}

/// Receives the progress of a job. Called from several threads, at least every few hundred thousand
/// positions.
pub trait Progress: Send + Sync {
    /// A new stage begins: `name` for people, how much there is to do if that is known.
    fn stage(&self, name: &str, total: Option<u64>, unit: Unit);

    /// `amount` more units of the stage are done.
    fn advance(&self, amount: u64);

    /// A remark for people, such as the name of a file that was read.
    fn note(&self, text: &str);
}

/// Progress that nobody is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&self, _: &str, _: Option<u64>, _: Unit) {}
    fn advance(&self, _: u64) {}
    fn note(&self, _: &str) {}
}

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
        }
    }
}

impl Job {
    /// Asks the job to stop at the next safe point with [`Error::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Called by jobs at every safe point.
    ///
    /// # Errors
    /// [`Error::Cancelled`] after [`Self::cancel`].
    pub fn check(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }

    /// The folder for temporary files of `output`; errors name the output.
    pub fn temp_for(&self, output: &Path) -> crate::TempFolder {
        crate::TempFolder::new(self.temp_dir_for(output), output)
    }

    /// The folder where temporary files for `output` go.
    pub fn temp_dir_for(&self, output: &Path) -> PathBuf {
        self.temp_dir
            .clone()
            .unwrap_or_else(|| crate::folder_of(output))
    }
}
