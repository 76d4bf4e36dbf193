//! What can go wrong with a book.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::db::Fault;

/// The result of book work.
pub type Result<T> = std::result::Result<T, BookError>;

/// Why book work failed. Whatever the error, no output file was changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BookError {
    /// The system refused to read or write.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file, or the folder of a temporary file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A line of a text file is wrong.
    #[error("{}: line {line}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong with it.
        fault: Fault,
    },
    /// A place in a binary file is wrong.
    #[error("{}: byte {offset}: {reason}", path.display())]
    Byte {
        /// The file.
        path: PathBuf,
        /// Offset of the wrong bytes from the start of the file.
        offset: u64,
        /// What was expected and what was found.
        reason: String,
    },
    /// The file as a whole is not what it should be.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was expected.
        reason: String,
    },
    /// The output is also an input.
    #[error("{} is an input; choose another output (or allow overwriting it)", .0.display())]
    OverwritesInput(PathBuf),
    /// [`crate::Job::cancel`] was called.
    #[error("interrupted; no file was changed")]
    Cancelled,
}

impl BookError {
    /// An [`BookError::Io`] maker for `map_err`.
    pub fn io(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| Self::Io { path, source }
    }

    /// A [`BookError::File`].
    pub fn file(path: impl AsRef<Path>, reason: impl Into<String>) -> Self {
        Self::File {
            path: path.as_ref().to_owned(),
            reason: reason.into(),
        }
    }
}
