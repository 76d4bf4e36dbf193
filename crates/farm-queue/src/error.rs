//! What can go wrong for good. That a server cannot be reached just now is no error: it is waited for.

use thiserror::Error;

/// Why units cannot be shared.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum QueueError {
    /// The address cannot be understood, or its server refuses to talk.
    #[error("queue {url}: {reason}")]
    Connect {
        /// The address.
        url: String,
        /// What was expected and found.
        reason: String,
    },
    /// A result that no server would take.
    #[error("the result of unit {unit} has {len} bytes; a queue takes at most {most}")]
    TooLong {
        /// The unit.
        unit: u64,
        /// Its bytes.
        len: usize,
        /// The limit.
        most: usize,
    },
    /// The system gives no thread, or no means to wait for the network.
    #[error("cannot wait for the network: {0}")]
    System(#[from] std::io::Error),
}
