//! Work items shared by machines, over NATS `JetStream`.
//!
//! * [`Queue`]: what is shared, and where. Processes that agree on its description find each other.
//! * [`Server`]: publishes the items of a backlog and records their results, in one round or several.
//! * [`work`]: does items and sends results: the run loop over the items of a queue.
//! * [`ItemQueue`]: the same without the run loop: requests items and sends results.
//! * [`RemoteItem`]: a work item that can be a message.
//!
//! Guarantees, whichever processes are killed and restarted, the NATS server included: every item is done at
//! least once, and its result is recorded exactly once. An item is leased to a worker; the lease is renewed while
//! the worker lives, then others get the item. The serving process knows by itself which items are finished, so
//! that nothing is lost for good with the storage of the NATS server: it is published again.

mod server;
mod tls;
mod worker;

use std::future::Future;
use std::hash::Hash;
use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer};
use async_nats::jetstream::stream::{Config, RetentionPolicy, StorageType, Stream};
use async_nats::{Client, ConnectOptions, jetstream};
use xxhash_rust::xxh3::xxh3_64;

use crate::FarmError;

pub use server::Server;
pub use worker::{ItemQueue, work};

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
    const LEASE: Duration = Duration::from_secs(30);

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

    /// Returns the subject that carries the state of the queue.
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

// The connection to the server.
//
// Items and results of a queue are messages of one stream, which deletes them when they are acknowledged. A
// second stream keeps the state of every queue for some days: open or done.

/// The time limit for an answer of the server.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The time for which the server remembers that a queue is done.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Name of the stream of states.
const JOBS: &str = "FARM_JOBS";
const DONE: &[u8] = b"done";

/// A transient error, for people: the operation is retried.
pub(crate) type TransientError = String;

/// A connection, which reconnects by itself.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) queue: Queue,
    client: Client,
    context: Context,
}

/// Waits for an answer of the server, with a time limit.
pub(crate) async fn with_timeout<T, E: std::fmt::Display>(
    question: impl Future<Output = Result<T, E>>,
) -> Result<T, TransientError> {
    match tokio::time::timeout(TIMEOUT, question).await {
        Ok(answer) => answer.map_err(|error| error.to_string()),
        Err(_) => Err("the server does not answer".to_owned()),
    }
}

impl Link {
    /// Connects, now or when the server can be reached.
    pub(crate) async fn new(queue: &Queue) -> Result<Self, FarmError> {
        let failed = |reason: String| FarmError::Queue {
            url: queue.url.clone(),
            reason,
        };
        let addresses: Result<Vec<async_nats::ServerAddr>, _> =
            queue.url.split(',').map(|url| url.trim().parse()).collect();
        let addresses = addresses.map_err(|error: std::io::Error| failed(error.to_string()))?;
        let wants_tls = addresses.iter().any(async_nats::ServerAddr::tls_required);
        let tls = tls::client_config(wants_tls).map_err(failed)?;
        let mut options = ConnectOptions::new()
            .name("farm")
            .retry_on_initial_connect()
            .reconnect_delay_callback(|tries| Duration::from_millis(100 * tries.min(20) as u64));
        if let Some(tls) = tls {
            options = options.tls_client_config(tls);
        }
        let client = options.connect(addresses).await;
        let client = client.map_err(|error| failed(error.to_string()))?;
        let mut context = jetstream::new(client.clone());
        context.set_timeout(TIMEOUT);
        Ok(Self {
            queue: queue.clone(),
            client,
            context,
        })
    }

    /// The stream of the queue, created if need be.
    pub(crate) async fn make_stream(&self) -> Result<Stream, TransientError> {
        let config = Config {
            name: self.queue.stream(),
            subjects: vec![self.queue.items(), self.queue.results()],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            ..Config::default()
        };
        with_timeout(self.context.get_or_create_stream(config)).await
    }

    /// The stream of the queue; an error when no process has created it.
    pub(crate) async fn stream(&self) -> Result<Stream, TransientError> {
        with_timeout(self.context.get_stream(self.queue.stream())).await
    }

    pub(crate) async fn remove_stream(&self) -> Result<(), TransientError> {
        with_timeout(self.context.delete_stream(self.queue.stream())).await?;
        Ok(())
    }

    /// The consumer that takes items (`workers`) or results (`server`) from the stream.
    pub(crate) async fn consumer(
        &self,
        stream: &Stream,
        name: &str,
        subject: String,
    ) -> Result<PullConsumer, TransientError> {
        let config = PullConfig {
            durable_name: Some(name.to_owned()),
            filter_subject: subject,
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.queue.lease,
            max_ack_pending: 1 << 20,
            ..PullConfig::default()
        };
        with_timeout(stream.get_or_create_consumer(name, config)).await
    }

    /// Publishes messages, some hundred at a time.
    pub(crate) async fn publish(
        &self,
        subject: &str,
        messages: impl Iterator<Item = Vec<u8>>,
    ) -> Result<(), TransientError> {
        const AT_ONCE: usize = 256;
        let mut messages = messages.peekable();
        while messages.peek().is_some() {
            let mut promises = Vec::new();
            for message in messages.by_ref().take(AT_ONCE) {
                let publish = self.context.publish(subject.to_owned(), message.into());
                promises.push(with_timeout(publish).await?);
            }
            for promise in promises {
                with_timeout(promise.into_future()).await?;
            }
        }
        Ok(())
    }

    async fn states(&self) -> Result<Stream, TransientError> {
        let config = Config {
            name: JOBS.to_owned(),
            subjects: vec!["farmjobs.*".to_owned()],
            max_messages_per_subject: 1,
            max_age: MAX_AGE,
            storage: StorageType::File,
            ..Config::default()
        };
        with_timeout(self.context.get_or_create_stream(config)).await
    }

    /// Publishes whether the queue is done.
    pub(crate) async fn set_done(&self, is_done: bool) -> Result<(), TransientError> {
        self.states().await?;
        let state = if is_done { DONE } else { b"open" };
        self.publish(&self.queue.state(), std::iter::once(state.to_vec()))
            .await
    }

    /// True if the queue is done; false if its state was never published.
    pub(crate) async fn is_done(&self) -> Result<bool, TransientError> {
        use async_nats::jetstream::stream::LastRawMessageErrorKind::NoMessageFound;
        let states = self.states().await?;
        let subject = self.queue.state();
        let question = async {
            match states.get_last_raw_message_by_subject(&subject).await {
                Err(error) if error.kind() == NoMessageFound => Ok(false),
                answer => answer.map(|message| *message.payload == *DONE),
            }
        };
        with_timeout(question).await
    }

    /// Waits until everything was sent.
    pub(crate) async fn flush(&self) -> Result<(), TransientError> {
        with_timeout(self.client.flush()).await
    }
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
