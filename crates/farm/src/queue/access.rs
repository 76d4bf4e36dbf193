//! Access to a server: who is believed, and addresses without passwords in any message.

use std::fmt;
use std::time::Duration;

use yane_io::secret::{Login, Trust, without_passwords};

use super::seal::Seals;
use crate::FarmError;

/// How processes of a queue find and believe each other. All have to agree on [`Self::lease`] and [`Self::trust`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The silence of a worker after which its items go to others.
    pub lease: Duration,
    /// Who is believed. Without a secret: this machine alone.
    pub trust: Trust,
    /// The log-in at the server, where the address has none.
    pub login: Option<Login>,
}

impl Default for Access {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(30),
            trust: Trust::default(),
            login: None,
        }
    }
}

/// A queue on a server, as messages to it and from it are made.
#[derive(Clone, Debug)]
pub(super) struct Address {
    /// The servers.
    pub(super) url: Urls,
    pub(super) access: Access,
    /// The name on the server.
    pub(super) id: String,
    pub(super) seals: Seals,
}

impl Address {
    pub(super) fn error(&self, reason: String) -> FarmError {
        FarmError::Queue {
            url: self.url.to_string(),
            reason,
        }
    }

    pub(super) fn stream(&self) -> String {
        format!("FARM_{}", self.id)
    }

    pub(super) fn items(&self) -> String {
        format!("farm.{}.unit", self.id)
    }

    pub(super) fn results(&self) -> String {
        format!("farm.{}.result", self.id)
    }

    /// Returns the subject of what is shown of the run.
    pub(super) fn shown(&self) -> String {
        format!("farmevents.{}", self.id)
    }

    /// Returns the subject of what workers say of themselves.
    pub(super) fn workers(&self) -> String {
        format!("farmworkers.{}", self.id)
    }

    /// Returns the subject that carries the state of the queue.
    pub(super) fn state(&self) -> String {
        format!("farmjobs.{}", self.id)
    }
}

/// Addresses of servers, separated by commas; shown without passwords.
#[derive(Clone)]
pub(super) struct Urls(pub(super) String);

impl fmt::Display for Urls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_passwords(&self.0))
    }
}

impl fmt::Debug for Urls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
