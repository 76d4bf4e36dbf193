//! Work items shared by machines, over NATS `JetStream`.
//!
//! * [`Queue`]: what is shared, and where. Processes that agree on its description find each other.
//! * [`Server`]: publishes the items of a backlog and records their results, in one round or several.
//! * [`work`]: does items and sends results: the run loop over a [`QueueWorker`], which is a [`Source`](crate::Source).
//! * [`RemoteItem`]: a work item that can be a message.
//!
//! Guarantees, whichever processes are killed and restarted, the NATS server included: every item is done at
//! least once, and its result is recorded exactly once. An item is leased to a worker; the lease is renewed while
//! the worker lives, then others get the item. The serving process knows by itself which items are finished, so
//! that nothing is lost for good with the storage of the NATS server: it is published again.

mod exchange;
mod link;
mod server;
mod worker;

use std::hash::Hash;
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

pub use server::Server;
pub use worker::{QueueWorker, work};

/// The largest result: servers take messages of 1 MiB by default.
const MAX_RESULT: usize = (1 << 20) - 64;

/// The address of a queue: server, name and identity of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Address of the server: `nats://host:4222`, or several separated by commas.
    pub url: String,
    /// The silence of a worker after which its items go to others. All workers of a queue have to agree.
    pub lease: Duration,
    id: String,
}

impl Queue {
    /// The default lease.
    pub const LEASE: Duration = Duration::from_secs(30);

    /// The queue of `description`, which has to have everything that results depend on: it is what processes
    /// that work on the same items have in common.
    pub fn new(url: impl Into<String>, description: &str) -> Self {
        Self {
            url: url.into(),
            lease: Self::LEASE,
            id: format!("{:016x}", xxh3_64(description.as_bytes())),
        }
    }

    /// The name on the server.
    pub fn id(&self) -> &str {
        &self.id
    }

    fn stream(&self) -> String {
        format!("FARM_{}", self.id)
    }

    fn items(&self) -> String {
        format!("farm.{}.unit", self.id)
    }

    fn results(&self) -> String {
        format!("farm.{}.result", self.id)
    }

    /// The subject that says whether everything is done.
    fn state(&self) -> String {
        format!("farmjobs.{}", self.id)
    }
}

/// A work item that can be sent to another machine.
pub trait RemoteItem: Clone + Eq + Hash + Send + 'static {
    /// The number by which it is known. No other item in progress may have it.
    fn number(&self) -> u64;

    /// Other data for the workers, up to a megabyte.
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

    fn from_message(number: u64, _: &[u8]) -> Option<Self> {
        Some(number)
    }
}

/// The message of an item or a result: the number, then the bytes.
fn pack(number: u64, bytes: &[u8]) -> Vec<u8> {
    [&number.to_le_bytes(), bytes].concat()
}

/// Number and bytes of a message; `None` when it is none.
fn unpack(message: &[u8]) -> Option<(u64, &[u8])> {
    let (number, bytes) = message.split_first_chunk()?;
    Some((u64::from_le_bytes(*number), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_round_trip() {
        assert_eq!(unpack(&pack(7, b"x")), Some((7, &b"x"[..])));
        assert_eq!(unpack(&pack(u64::MAX, b"")), Some((u64::MAX, &b""[..])));
        assert_eq!(unpack(b"short"), None);
    }
}
