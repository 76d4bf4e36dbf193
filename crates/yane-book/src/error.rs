//! Errors about books.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::db::LineProblem;

/// The result of book work.
pub type Result<T> = std::result::Result<T, BookError>;

/// Error of book work. No output file was changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BookError {
    /// The system refused, a binary file or a file as a whole is wrong, the output is an input, or the
    /// work was cancelled.
    #[error("{0}")]
    Files(#[from] yane_io::Error),
    /// There is no position to write, so the output was left as it was.
    #[error("{}: not written: {reason}", output.display())]
    NothingToWrite {
        /// The output.
        output: PathBuf,
        /// Reason why there is no position.
        reason: String,
    },
    /// A line of a text file is wrong.
    #[error("{}: line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: u64,
        /// The problem of the line.
        problem: LineProblem,
    },
}

impl BookError {
    /// A maker of [`yane_io::Error::Io`] for `map_err`.
    pub fn io(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        let failed = yane_io::Error::io(path);
        move |source| failed(source).into()
    }

    /// A [`Self::NothingToWrite`].
    pub fn nothing(output: impl AsRef<Path>, reason: impl Into<String>) -> Self {
        Self::NothingToWrite {
            output: output.as_ref().to_owned(),
            reason: reason.into(),
        }
    }

    /// A [`yane_io::Error::Byte`].
    pub fn byte(path: impl AsRef<Path>, offset: u64, reason: impl Into<String>) -> Self {
        yane_io::Error::byte(path, offset, reason).into()
    }

    /// A [`yane_io::Error::File`].
    pub fn file(path: impl AsRef<Path>, reason: impl Into<String>) -> Self {
        yane_io::Error::file(path, reason).into()
    }
}
