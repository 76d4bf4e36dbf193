//! The errors of a run.

use thiserror::Error;

/// The result of work on a farm.
pub type Result<T> = std::result::Result<T, FarmError>;

/// The reason why a run cannot start or continue. An unreachable server is no error: the run waits for it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FarmError {
    /// The engine in this process refused an option.
    #[error("engine {name}: {reason}")]
    Option {
        /// Its name in the settings.
        name: String,
        /// The expected and the found data.
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
    /// The address of a queue is invalid, or its server refuses the connection.
    #[error("queue {url}: {reason}")]
    Queue {
        /// The address.
        url: String,
        /// The expected and the found data.
        reason: String,
    },
    /// A result is larger than the messages of a server.
    #[error("the result of item {item} has {len} bytes; a queue takes at most {max}")]
    ResultTooLong {
        /// The number of the work item.
        item: u64,
        /// Its bytes.
        len: usize,
        /// The limit.
        max: usize,
    },
}
