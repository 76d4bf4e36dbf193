//! The connection to the server.
//!
//! Items and results of a queue are messages of one stream, which deletes them when they are acknowledged. A second
//! stream keeps the state of every queue for some days: open or done, and who serves it. A third one keeps what was shown last of every
//! run, for those who watch.

use std::error::Error;
use std::future::Future;
use std::time::Duration;

use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer};
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::stream::{
    Config, DiscardPolicy, LastRawMessageErrorKind, RawMessageErrorKind, RetentionPolicy,
    StorageType, Stream,
};
use async_nats::jetstream::{self, Context, ErrorCode};
use async_nats::{Client, ConnectOptions, HeaderMap, ServerAddr, Subscriber};

use super::access::Address;
use super::seal::StateMessage;
use super::shown;
use super::tls::{self, TlsWish};
use super::transient::TransientError;
use crate::FarmError;

/// The most items that are published and not finished: more than any farm has workers.
pub(super) const WINDOW: usize = 8192;
/// The largest message: servers take 1 MiB by default.
pub(super) const MAX_MESSAGE: usize = 1 << 20;
/// The time limit for an answer of the server.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The time for which the server remembers that a queue is done.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Name of the stream of states.
const JOBS: &str = "FARM_JOBS";

/// Name of the stream of what is shown of runs.
const SHOWN: &str = "FARM_EVENTS";
/// Messages of that stream, one of each run, at most.
const MOST_SHOWN: i64 = 2000;
/// Bytes of that stream at most.
const MOST_SHOWN_BYTES: i64 = 256 << 20;

/// A connection, which reconnects by itself.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) queue: Address,
    client: Client,
    context: Context,
}

/// The last state of a queue that the server has.
pub(super) enum FoundState {
    /// None was ever published.
    Nothing,
    /// Its message has no right code.
    Forged {
        /// The number of the message.
        sequence: u64,
    },
    /// A state of this run.
    State {
        /// The number of the message.
        sequence: u64,
        state: StateMessage,
    },
}

/// The stream of what is shown of runs, as far as its reader has to know it.
pub(super) struct ShownStream {
    stream: Stream,
    /// When it was created, in nanoseconds since 1970.
    pub(super) created: i128,
    /// The number of its last message.
    pub(super) last: u64,
}

/// A message of what is shown of a run.
pub(super) struct ShownNext {
    /// The name of the queue, as its subject says.
    pub(super) id: String,
    pub(super) sequence: u64,
    /// When the server got it, in milliseconds since 1970.
    pub(super) at: u64,
    pub(super) payload: Vec<u8>,
}

/// Waits for an answer of the server, with a time limit.
pub(super) async fn with_timeout<T, E: Into<Box<dyn Error + Send + Sync>>>(
    question: impl Future<Output = Result<T, E>>,
) -> Result<T, TransientError> {
    match tokio::time::timeout(TIMEOUT, question).await {
        Ok(answer) => answer.map_err(TransientError::server),
        Err(_) => Err(TransientError::Silent),
    }
}

impl Link {
    /// Connects, now or when the server can be reached.
    pub(super) async fn new(queue: &Address) -> Result<Self, FarmError> {
        let failed = |reason: String| queue.error(reason);
        let addresses: Result<Vec<ServerAddr>, _> = queue
            .url
            .0
            .split(',')
            .map(|url| url.trim().parse())
            .collect();
        let addresses = addresses.map_err(|error: std::io::Error| failed(error.to_string()))?;
        let distrusted = |address: &&ServerAddr| !queue.access.trust.allows(address.host());
        if let Some(address) = addresses.iter().find(distrusted) {
            return Err(failed(format!(
                "{} is another machine, and there is no secret: --secret-file FILE or the variable YANE_SECRET here and \
                 at all others, or --trust-network",
                address.host()
            )));
        }
        let wish = if addresses.iter().any(ServerAddr::tls_required) {
            TlsWish::Wanted
        } else {
            TlsWish::Unsaid
        };
        let tls = tls::client_config(wish).map_err(|error| failed(error.to_string()))?;
        let mut options = ConnectOptions::new()
            .name("farm")
            .retry_on_initial_connect()
            .reconnect_delay_callback(|tries| Duration::from_millis(100 * tries.min(20) as u64));
        if let Some(tls) = tls {
            options = options.tls_client_config(tls);
        }
        if !queue.access.trust.has_secret() {
            // Other servers of a cluster may be anywhere.
            options = options.ignore_discovered_servers();
        }
        if let Some(login) = &queue.access.login {
            let (user, password) = login.parts();
            options = match user {
                Some(user) => options.user_and_password(user.to_owned(), password.to_owned()),
                None => options.token(password.to_owned()),
            };
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
    pub(super) async fn make_stream(&self) -> Result<Stream, TransientError> {
        let config = Config {
            name: self.queue.stream(),
            subjects: vec![self.queue.items(), self.queue.results()],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            // As many items and results as there can be, and nothing of those who flood it.
            max_messages: 4 * WINDOW as i64,
            max_message_size: MAX_MESSAGE as i32,
            discard: DiscardPolicy::New,
            ..Config::default()
        };
        with_timeout(self.context.get_or_create_stream(config)).await
    }

    /// The stream of the queue; an error when no process has created it.
    pub(super) async fn stream(&self) -> Result<Stream, TransientError> {
        with_timeout(self.context.get_stream(self.queue.stream())).await
    }

    pub(super) async fn remove_stream(&self) -> Result<(), TransientError> {
        with_timeout(self.context.delete_stream(self.queue.stream())).await?;
        Ok(())
    }

    /// The consumer that takes items (`workers`) or results (`server`) from the stream.
    pub(super) async fn consumer(
        &self,
        stream: &Stream,
        name: &str,
        subject: String,
    ) -> Result<PullConsumer, TransientError> {
        let config = PullConfig {
            durable_name: Some(name.to_owned()),
            filter_subject: subject,
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.queue.access.lease,
            max_ack_pending: 1 << 20,
            ..PullConfig::default()
        };
        with_timeout(stream.get_or_create_consumer(name, config)).await
    }

    /// Publishes messages, some hundred at a time.
    pub(super) async fn publish(
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

    /// Publishes the state of the queue, if the last one is still that of the message `sequence` (0: there is none).
    /// Returns the number of the new message.
    pub(super) async fn put_state(
        &self,
        state: &StateMessage,
        sequence: u64,
    ) -> Result<u64, TransientError> {
        let mut headers = HeaderMap::new();
        headers.insert(
            async_nats::header::NATS_EXPECTED_LAST_SUBJECT_SEQUENCE,
            sequence.to_string(),
        );
        let message = self.queue.seals.state(state).into();
        let subject = self.queue.state();
        let publish = self.context.publish_with_headers(subject, headers, message);
        let promise = with_timeout(publish).await?;
        Ok(with_timeout(promise.into_future()).await?.sequence)
    }

    /// The last state of the queue.
    pub(super) async fn last_state(&self) -> Result<FoundState, TransientError> {
        let states = self.states().await?;
        let subject = self.queue.state();
        let question = async {
            match states.get_last_raw_message_by_subject(&subject).await {
                Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
                answer => answer.map(Some),
            }
        };
        let Some(message) = with_timeout(question).await? else {
            return Ok(FoundState::Nothing);
        };
        let sequence = message.sequence;
        Ok(match self.queue.seals.open_state(&message.payload) {
            Some(state) => FoundState::State { sequence, state },
            None => FoundState::Forged { sequence },
        })
    }

    /// True if the queue is done; false if its state was never published, or by somebody else.
    pub(super) async fn is_done(&self) -> Result<bool, TransientError> {
        Ok(match self.last_state().await? {
            FoundState::State { state, .. } => state.is_done,
            FoundState::Nothing | FoundState::Forged { .. } => false,
        })
    }

    /// Listens to a subject.
    pub(super) async fn subscribe(&self, subject: String) -> Result<Subscriber, TransientError> {
        with_timeout(self.client.subscribe(subject)).await
    }

    /// Publishes a message that nobody has to get.
    pub(super) async fn say(
        &self,
        subject: String,
        message: Vec<u8>,
    ) -> Result<(), TransientError> {
        with_timeout(self.client.publish(subject, message.into())).await
    }

    /// Publishes what is shown of the run, in the place of what was shown before.
    pub(super) async fn show(&self, message: Vec<u8>) -> Result<(), TransientError> {
        let subject = self.queue.shown();
        let again = message.clone();
        let first = self.publish(&subject, std::iter::once(message)).await;
        if first.is_ok() {
            return Ok(());
        }
        // Perhaps there is no stream yet, or none any more.
        let config = Config {
            name: SHOWN.to_owned(),
            subjects: vec!["farmevents.*".to_owned()],
            max_messages_per_subject: 1,
            max_messages: MOST_SHOWN,
            max_bytes: MOST_SHOWN_BYTES,
            max_message_size: shown::MOST_BYTES as i32,
            max_age: MAX_AGE,
            storage: StorageType::File,
            ..Config::default()
        };
        with_timeout(self.context.get_or_create_stream(config)).await?;
        self.publish(&subject, std::iter::once(again)).await
    }

    /// The stream of what is shown; `None` when no process has created it.
    pub(super) async fn shown(&self) -> Result<Option<ShownStream>, TransientError> {
        let question = async {
            match self.context.get_stream(SHOWN).await {
                Err(error) => match error.kind() {
                    GetStreamErrorKind::JetStream(reason)
                        if reason.error_code() == ErrorCode::STREAM_NOT_FOUND =>
                    {
                        Ok(None)
                    }
                    _ => Err(error),
                },
                Ok(stream) => Ok(Some(stream)),
            }
        };
        let stream = with_timeout(question).await?;
        Ok(stream.map(|stream| {
            let info = stream.cached_info();
            let (created, last) = (
                info.created.unix_timestamp_nanos(),
                info.state.last_sequence,
            );
            ShownStream {
                stream,
                created,
                last,
            }
        }))
    }

    /// Waits until everything was sent.
    pub(super) async fn flush(&self) -> Result<(), TransientError> {
        with_timeout(self.client.flush()).await
    }
}

impl ShownStream {
    /// The first message with this number or a greater one, of the run or the runs that are watched.
    pub(super) async fn next(
        &self,
        link: &Link,
        sequence: u64,
    ) -> Result<Option<ShownNext>, TransientError> {
        let subject = link.queue.shown();
        let question = async {
            let found = self
                .stream
                .get_first_raw_message_by_subject(&subject, sequence);
            match found.await {
                Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
                answer => answer.map(Some),
            }
        };
        let Some(message) = with_timeout(question).await? else {
            return Ok(None);
        };
        let id = message.subject.rsplit('.').next().unwrap_or_default();
        Ok(Some(ShownNext {
            // Subjects of strangers may have any name.
            id: id.chars().take(32).collect(),
            sequence: message.sequence,
            at: u64::try_from(message.time.unix_timestamp_nanos() / 1_000_000).unwrap_or_default(),
            payload: message.payload.to_vec(),
        }))
    }
}
