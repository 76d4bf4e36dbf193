//! What can go wrong with a run.

use std::path::PathBuf;

use thiserror::Error;

/// Why a run cannot begin or go on. Games that were finished are safe.
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
        /// What was expected and found, and where.
        reason: String,
    },
    /// A line of the file of start positions is wrong.
    #[error("{}: line {line}: {reason}", path.display())]
    Start {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What was expected and found.
        reason: String,
    },
    /// There is nothing to start from.
    #[error("{}: no start positions", .0.display())]
    NoStarts(PathBuf),
    /// The engines could not be had, or none is left.
    #[error(transparent)]
    Farm(#[from] farm::FarmError),
    /// The queue has no proper address, or does not take a game.
    #[error(transparent)]
    Queue(#[from] farm_queue::QueueError),
}
