//! The errors that end a run.

use std::sync::Arc;

use thiserror::Error;

/// The result of work on a farm.
pub type Result<T> = std::result::Result<T, FarmError>;

/// The reason why a run cannot start or continue. An unreachable server is no error: the run waits for it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FarmError {
    /// A worker cannot do what it was told, and no other try would help ([`WorkError::Refused`](crate::WorkError::Refused)).
    #[error("{reason}")]
    Refused {
        /// Name of the worker.
        name: String,
        /// The worker's words, which say who it is.
        reason: String,
    },
    /// No worker is left: all of them failed repeatedly.
    #[error("no worker is left: {0}")]
    NoWorkers(String),
    /// The work panicked at the same item again and again, or a worker's thread ended by a panic.
    #[error("{name} panicked: {reason}")]
    Panicked {
        /// Name of the worker.
        name: String,
        /// The message of the last panic.
        reason: String,
    },
    /// A job whose result is needed failed at every try.
    #[error("a job failed at every try: {0}")]
    GivenUp(String),
    /// The workers that were asked are there no more: their run has ended, by this error.
    #[error("{}", .0.as_ref().map_or_else(|| "the workers have ended".to_owned(), ToString::to_string))]
    Ended(Option<Arc<FarmError>>),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
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
        /// Size in bytes.
        len: usize,
        /// The limit.
        max: usize,
    },
}

impl From<std::io::Error> for FarmError {
    fn from(error: std::io::Error) -> Self {
        Self::Thread(error)
    }
}
