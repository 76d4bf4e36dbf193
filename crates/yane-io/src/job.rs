//! A long job: its threads, memory, temporary folders, progress and cancellation.

use std::fs::File;
use std::io;
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

// Folders for temporary files, and the outputs that they serve.

/// A folder for temporary files without names, which vanish with the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TempFolder {
    folder: PathBuf,
    /// The output that the files are for.
    output: Option<PathBuf>,
}

impl TempFolder {
    /// The folder `folder` for files on the way to `output`, which errors name.
    pub fn new(folder: impl Into<PathBuf>, output: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            output: Some(output.into()),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Makes a file.
    ///
    /// # Errors
    /// [`Error::Write`] when the folder cannot be written to.
    pub fn file(&self) -> Result<File> {
        tempfile::tempfile_in(&self.folder).map_err(self.error(0))
    }

    /// A maker of the error that a file of this folder could not be written, or read back; it had `written` bytes.
    pub fn error(&self, written: u64) -> impl FnOnce(io::Error) -> Error + use<> {
        let (folder, output) = (self.folder.clone(), self.output.clone());
        move |source| Error::Write {
            path: output.unwrap_or_else(|| folder.clone()),
            folder: Some(folder),
            written,
            source,
        }
    }
}

impl AsRef<Path> for TempFolder {
    fn as_ref(&self) -> &Path {
        &self.folder
    }
}

/// A folder for the files of an output that is not known.
impl From<&Path> for TempFolder {
    fn from(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            output: None,
        }
    }
}

impl From<&PathBuf> for TempFolder {
    fn from(folder: &PathBuf) -> Self {
        folder.as_path().into()
    }
}

impl From<&Self> for TempFolder {
    fn from(folder: &Self) -> Self {
        folder.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_output_and_the_folder() {
        let folder = TempFolder::new("/absent/folder", "out.db");
        let error = folder.file().unwrap_err().to_string();
        let told = "out.db: cannot write a temporary file in /absent/folder: ";
        assert!(error.starts_with(told), "{error}");
        let error = TempFolder::from(Path::new("/absent")).file().unwrap_err();
        let told = "cannot write a temporary file in /absent: ";
        assert!(error.to_string().starts_with(told), "{error}");
    }
}
