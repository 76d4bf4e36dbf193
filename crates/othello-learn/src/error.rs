//! Errors of runs.

use farm::FarmError;
use thiserror::Error;

/// The reason why a run ended. What was finished by then is safe in its journal.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OthelloLearnError {
    /// A file could not be read or written; or the run was cancelled.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// The work panicked at the same unit again and again, or the system gives no thread.
    #[error(transparent)]
    Farm(#[from] FarmError),
}
