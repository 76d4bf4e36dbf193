//! Errors of teacher data.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::convert::DataFormat;
use crate::invalid::{InvalidData, TeacherConvertReport};

/// The result of work on teacher data.
pub type Result<T, E = TeacherError> = std::result::Result<T, E>;

/// Error of work on teacher data. Whatever the error, no output file was changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TeacherError {
    /// A file could not be read or written, or the work was interrupted.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// The contents of a file are not as they should be.
    #[error("{}: {invalid}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The first thing that is wrong with it.
        invalid: Box<InvalidData>,
    },
    /// The target format cannot hold what the source format has.
    #[error("{from} cannot become {to}: {reason}")]
    Unrepresentable {
        /// The source.
        from: DataFormat,
        /// The target.
        to: DataFormat,
        /// Description of the missing information.
        reason: &'static str,
    },
    /// Nothing in the inputs is whole: an output would be empty.
    #[error("{input}: {invalid}; nothing whole is left of it, so nothing was written")]
    NothingLeft {
        /// The first damaged input.
        input: String,
        /// The first problem in that input.
        invalid: Box<InvalidData>,
        /// Report of the conversion up to there.
        report: Box<TeacherConvertReport>,
    },
    /// An option has a value that makes no sense.
    #[error("{0}")]
    Option(String),
}

impl TeacherError {
    /// A [`TeacherError::Invalid`].
    pub fn invalid(path: impl AsRef<Path>, invalid: InvalidData) -> Self {
        Self::Invalid {
            path: path.as_ref().to_owned(),
            invalid: Box::new(invalid),
        }
    }
}
