//! What can go wrong with files.

use std::io;
use std::path::{Path, PathBuf};

use crate::sniff::FileKind;

/// The result of work on files.
pub type Result<T> = std::result::Result<T, Error>;

/// Why work on files failed. Whatever the error, no output file was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to read or write.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file, or the folder of a temporary file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
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
    /// The file is of another kind than expected.
    #[error("{}: this is {}; expected {expected}{}", path.display(), kind.name, advice(*kind))]
    WrongKind {
        /// The file.
        path: PathBuf,
        /// What it is.
        kind: FileKind,
        /// What was expected.
        expected: String,
    },
    /// The output is also an input.
    #[error("{} is an input; choose another output, or pass --force", .0.display())]
    OverwritesInput(PathBuf),
    /// The output exists.
    #[error("{} exists; choose another output, or pass --force", .0.display())]
    OutputExists(PathBuf),
    /// [`crate::Job::cancel`] was called.
    #[error("interrupted; no file was changed")]
    Cancelled,
}

/// What to do about a file of this kind, behind a semicolon.
fn advice(kind: FileKind) -> String {
    if kind.advice.is_empty() {
        String::new()
    } else {
        format!("; {}", kind.advice)
    }
}

impl Error {
    /// A maker of [`Error::Io`] for `map_err`.
    pub fn io(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_owned();
        move |source| Self::Io { path, source }
    }

    /// An [`Error::Byte`].
    pub fn byte(path: impl AsRef<Path>, offset: u64, reason: impl Into<String>) -> Self {
        Self::Byte {
            path: path.as_ref().to_owned(),
            offset,
            reason: reason.into(),
        }
    }

    /// An [`Error::WrongKind`].
    pub fn wrong_kind(path: impl AsRef<Path>, kind: FileKind, expected: impl Into<String>) -> Self {
        Self::WrongKind {
            path: path.as_ref().to_owned(),
            kind,
            expected: expected.into(),
        }
    }

    /// An [`Error::File`].
    pub fn file(path: impl AsRef<Path>, reason: impl Into<String>) -> Self {
        Self::File {
            path: path.as_ref().to_owned(),
            reason: reason.into(),
        }
    }
}
