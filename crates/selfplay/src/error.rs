//! The errors of a run.

use std::path::PathBuf;

use thiserror::Error;

/// The reason why a run cannot start or continue. Finished games are safe.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SelfplayError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] yane_io::Error),
    /// The settings are wrong.
    #[error("{}: {reason}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// The expected and the found data, and their place.
        reason: String,
    },
    /// A line of the file of start positions is wrong.
    #[error("{}: line {line}: {reason}", path.display())]
    Start {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The expected and the found data.
        reason: String,
    },
    /// There is nothing to start from.
    #[error("{}: no start positions", .0.display())]
    NoStarts(PathBuf),
    /// No engine is left, or the queue cannot be used.
    #[error(transparent)]
    Farm(#[from] farm::FarmError),
}
