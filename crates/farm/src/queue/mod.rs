//! Work items shared by machines, over NATS `JetStream`.
//!
//! * [`Queue`]: what is shared, where, and by whom. Processes that agree on its description and secret find each other.
//! * [`Server`]: publishes the items of a backlog and records their results, in one round or several.
//! * [`work`]: does items and sends results: the run loop over the items of a queue.
//! * [`ItemQueue`]: the same without the run loop: requests items and sends results.
//! * [`RemoteItem`]: a work item that can be a message.
//! * [`RunPublisher`]: shows the run of the serving process to others; [`QueueWatch`]: sees the runs of a server, and takes no part.
//!
//! Guarantees, whichever processes are killed and restarted, the NATS server included: every item is done at
//! least once, and its result is recorded exactly once. An item is leased to a worker; the lease is renewed while
//! the worker lives, then others get the item. The serving process knows by itself which items are finished, so
//! that nothing is lost for good with the storage of the NATS server: it is published again. One process serves a
//! queue at a time; a second one is told, and stops.
//!
//! Items and results carry a message authentication code (`seal`): whoever reaches the NATS server without the secret
//! can neither have anything worked nor anything recorded; he can hold it up. What a worker with the secret sends is
//! parsed by its owner before it is recorded; a result that is refused is told, and its item handed out again.

mod access;
mod link;
mod owner;
mod publish;
mod retry;
mod roster;
mod seal;
mod server;
mod shown;
mod source;
mod tls;
mod transient;
mod watch;
mod worker;

use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

pub use access::Access;
pub use publish::RunPublisher;
pub use server::Server;
pub use source::ItemQueue;
pub use watch::{QueueWatch, WatchStatus, WatchedRun};
pub use worker::work;

use access::{Address, Urls};
use owner::Owner;
use roster::Roster;
use seal::Seals;

/// A queue: its server, the identity of the run, and who is believed.
#[derive(Clone)]
pub struct Queue {
    url: Urls,
    /// Who may take part.
    pub access: Access,
    description: Arc<str>,
    id: String,
    /// The ownership of the queue, where this process serves it.
    owner: Arc<Mutex<Option<Owner>>>,
    /// Its workers, where this process serves it.
    roster: Arc<Roster>,
}

impl Queue {
    /// The queue of `description`, which has to have everything that results depend on: it is what processes
    /// that work on the same items have in common. The server is `nats://host:4222`, or several separated by commas.
    pub fn new(url: impl Into<String>, description: &str) -> Self {
        let name = format!("{} {description}", seal::VERSION);
        Self {
            url: Urls(url.into()),
            access: Access::default(),
            description: description.into(),
            id: format!("{:016x}", xxh3_64(name.as_bytes())),
            owner: Arc::default(),
            roster: Arc::default(),
        }
    }

    /// The name on the server.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The addresses of the server, without passwords.
    pub fn address(&self) -> String {
        self.url.to_string()
    }

    /// Returns whether this process serves the queue; `None` while it does not try, or it is not known.
    fn is_ours(&self) -> Option<bool> {
        self.owner().as_ref().and_then(Owner::is_ours)
    }

    /// The queue, as messages to it and from it are made.
    fn at(&self) -> Address {
        Address {
            url: self.url.clone(),
            access: self.access.clone(),
            id: self.id.clone(),
            seals: Seals::new(&self.access.trust, self.description.as_bytes()),
        }
    }

    fn owner(&self) -> MutexGuard<'_, Option<Owner>> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue")
            .field("address", &self.address())
            .field("access", &self.access)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// A work item that can be sent to another machine: numbers, indices and positions, and never an option, a path or a
/// command.
pub trait RemoteItem: Clone + Eq + Hash + Send + 'static {
    /// The number by which it is known. No other item in progress may have it.
    fn number(&self) -> u64;

    /// Other data for the workers, up to a megabyte. The same item has the same.
    fn payload(&self) -> Vec<u8>;

    /// The item of a message; `None` when it is none.
    fn from_message(number: u64, payload: &[u8]) -> Option<Self>;
}

/// A number, for work that needs no more.
impl RemoteItem for u64 {
    fn number(&self) -> u64 {
        *self
    }

    fn payload(&self) -> Vec<u8> {
        Vec::new()
    }

    fn from_message(number: u64, payload: &[u8]) -> Option<Self> {
        payload.is_empty().then_some(number)
    }
}

/// The reason why a result is not recorded: it is no output of its item. The item is handed out again.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct RefusedResult(String);

impl RefusedResult {
    /// A result that is refused for this reason.
    pub fn new(reason: impl fmt::Display) -> Self {
        Self(reason.to_string())
    }
}
