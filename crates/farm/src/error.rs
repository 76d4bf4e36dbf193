//! What can go wrong with a run.

use thiserror::Error;

/// The result of work on a farm.
pub type Result<T> = std::result::Result<T, FarmError>;

/// Why a run cannot begin or go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FarmError {
    /// The engine in this process refused an option.
    #[error("engine {name}: {reason}")]
    Option {
        /// Its name in the settings.
        name: String,
        /// What was expected and found.
        reason: String,
    },
    /// The program of an engine cannot be started.
    #[error("engine {name}: {reason}")]
    Program {
        /// Its name in the settings.
        name: String,
        /// The program, and what is wrong with it.
        reason: String,
    },
    /// No engine works any more: all of them failed again and again.
    #[error("no engine is left: {0}")]
    NoEngines(String),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(#[from] std::io::Error),
}
