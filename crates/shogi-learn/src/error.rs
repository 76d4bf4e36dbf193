//! Errors of training.

use std::path::PathBuf;

use thiserror::Error;

/// The result of training.
pub type Result<T> = std::result::Result<T, LearnError>;

/// Why training failed. Files that were written before are whole.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LearnError {
    /// Teacher data could not be read or is damaged.
    #[error(transparent)]
    Teacher(#[from] pack_format::TeacherError),
    /// A file could not be read or written.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// A network to begin with could not be read.
    #[error("{}: {reason}", path.display())]
    Network {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The file of an evaluation to begin with is wrong.
    #[error(transparent)]
    Evaluation(#[from] Box<shogi_eval::loader::EvalError>),
    /// A checkpoint is damaged.
    #[error("{}: {reason}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// An option has a value that makes no sense.
    #[error("{0}")]
    Option(String),
    /// There is nothing to learn from: no position is left after the filters.
    #[error("{}: no position to learn from: {read} read, {filtered} filtered out", path.display())]
    NoPositions {
        /// The first file.
        path: PathBuf,
        /// Positions that were read.
        read: u64,
        /// Positions that were filtered out.
        filtered: u64,
    },
    /// A search that the training asked for failed, and would fail again.
    #[error("{0}")]
    Search(String),
    /// The loss is not a number any more.
    #[error("the loss is not a number in epoch {epoch}: the learning rate is too large")]
    Diverged {
        /// The epoch, from 1.
        epoch: u32,
    },
}
