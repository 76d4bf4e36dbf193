//! What goes wrong between a process and the server of its queue, and is tried again.

use std::error::Error;

/// Why the server has not done what it was asked for. The operation is tried again; the words are for people.
#[derive(Debug, thiserror::Error)]
pub(super) enum TransientError {
    /// No answer came within the time limit.
    #[error("the server does not answer")]
    Silent,
    /// The connection is broken, or the server refuses: what its client says.
    #[error("{0}")]
    Server(Box<dyn Error + Send + Sync>),
    /// Items cannot be requested yet.
    #[error("no work yet: {0}")]
    NoWork(Box<Self>),
    /// Who serves the queue has no right code: its items would be thrown away here.
    #[error("who serves the queue has another secret, or none, or another version")]
    OtherSecret,
    /// No process has shown a run.
    #[error("no run is shown there yet")]
    NothingShown,
    /// The server has fewer messages than there are items in progress.
    #[error("the server has lost items; they are published again")]
    LostItems,
}

impl TransientError {
    /// What the client of the server says.
    pub(super) fn server(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Server(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_without_work_says_why() {
        let broken = TransientError::server(std::io::Error::other("broken pipe"));
        assert_eq!(broken.to_string(), "broken pipe");
        let waiting = TransientError::NoWork(Box::new(TransientError::Silent));
        assert_eq!(
            waiting.to_string(),
            "no work yet: the server does not answer"
        );
    }
}
