//! The server, as a job sees it.
//!
//! Units and results of a job are messages of one stream, which forgets them when they are acknowledged. A
//! second stream keeps the last word on every job for some days: open or done.

use std::future::Future;
use std::time::Duration;

use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer};
use async_nats::jetstream::stream::{Config, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions};

use crate::{Job, QueueError};

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it is known that a job is done.
const MEMORY: Duration = Duration::from_secs(7 * 24 * 3600);
/// Name of the stream that knows.
const JOBS: &str = "FARM_JOBS";
const DONE: &[u8] = b"done";

/// What just now does not work, for people. It is tried again.
pub(crate) type Trouble = String;

/// A connection, which comes back by itself when it is lost.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) job: Job,
    client: Client,
    context: Context,
}

/// Waits for an answer of the server.
pub(crate) async fn answer<T, E: std::fmt::Display>(
    question: impl Future<Output = Result<T, E>>,
) -> Result<T, Trouble> {
    match tokio::time::timeout(PATIENCE, question).await {
        Ok(answer) => answer.map_err(|error| error.to_string()),
        Err(_) => Err("the server does not answer".to_owned()),
    }
}

impl Link {
    /// A link that is there, or will be when the server is.
    pub(crate) async fn new(job: &Job) -> Result<Self, QueueError> {
        let failed = |reason: String| QueueError::Connect {
            url: job.url.clone(),
            reason,
        };
        let addresses: Result<Vec<async_nats::ServerAddr>, _> =
            job.url.split(',').map(|url| url.trim().parse()).collect();
        let addresses = addresses.map_err(|error: std::io::Error| failed(error.to_string()))?;
        let options = ConnectOptions::new()
            .name("farm-queue")
            .retry_on_initial_connect()
            .reconnect_delay_callback(|tries| Duration::from_millis(100 * tries.min(20) as u64));
        let client = options.connect(addresses).await;
        let client = client.map_err(|error| failed(error.to_string()))?;
        let mut context = jetstream::new(client.clone());
        context.set_timeout(PATIENCE);
        Ok(Self {
            job: job.clone(),
            client,
            context,
        })
    }

    /// The stream of the job, made if need be.
    pub(crate) async fn make_stream(&self) -> Result<Stream, Trouble> {
        let config = Config {
            name: self.job.stream(),
            subjects: vec![self.job.units(), self.job.results()],
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            ..Config::default()
        };
        answer(self.context.get_or_create_stream(config)).await
    }

    /// The stream of the job; none when nobody has made it.
    pub(crate) async fn stream(&self) -> Result<Stream, Trouble> {
        answer(self.context.get_stream(self.job.stream())).await
    }

    pub(crate) async fn remove_stream(&self) -> Result<(), Trouble> {
        answer(self.context.delete_stream(self.job.stream())).await?;
        Ok(())
    }

    /// Who takes units (`workers`) or results (`server`) from the stream.
    pub(crate) async fn consumer(
        &self,
        stream: &Stream,
        name: &str,
        subject: String,
    ) -> Result<PullConsumer, Trouble> {
        let config = PullConfig {
            durable_name: Some(name.to_owned()),
            filter_subject: subject,
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.job.lease,
            max_ack_pending: 1 << 20,
            ..PullConfig::default()
        };
        answer(stream.get_or_create_consumer(name, config)).await
    }

    /// Has the server keep messages; more than a few at a time wait for each other.
    pub(crate) async fn publish(
        &self,
        subject: &str,
        messages: impl Iterator<Item = Vec<u8>>,
    ) -> Result<(), Trouble> {
        const AT_ONCE: usize = 256;
        let mut messages = messages.peekable();
        while messages.peek().is_some() {
            let mut promises = Vec::new();
            for message in messages.by_ref().take(AT_ONCE) {
                let publish = self.context.publish(subject.to_owned(), message.into());
                promises.push(answer(publish).await?);
            }
            for promise in promises {
                answer(promise.into_future()).await?;
            }
        }
        Ok(())
    }

    async fn jobs(&self) -> Result<Stream, Trouble> {
        let config = Config {
            name: JOBS.to_owned(),
            subjects: vec!["farmjobs.*".to_owned()],
            max_messages_per_subject: 1,
            max_age: MEMORY,
            storage: StorageType::File,
            ..Config::default()
        };
        answer(self.context.get_or_create_stream(config)).await
    }

    /// Says whether the job is done.
    pub(crate) async fn set_done(&self, is_done: bool) -> Result<(), Trouble> {
        self.jobs().await?;
        let word = if is_done { DONE } else { b"open" };
        self.publish(&self.job.state(), std::iter::once(word.to_vec()))
            .await
    }

    /// Whether the job is done; not when nobody has said anything about it.
    pub(crate) async fn is_done(&self) -> Result<bool, Trouble> {
        use async_nats::jetstream::stream::LastRawMessageErrorKind::NoMessageFound;
        let jobs = self.jobs().await?;
        let state = self.job.state();
        let question = async {
            match jobs.get_last_raw_message_by_subject(&state).await {
                Err(error) if error.kind() == NoMessageFound => Ok(false),
                answer => answer.map(|message| *message.payload == *DONE),
            }
        };
        answer(question).await
    }

    /// Waits until everything was sent.
    pub(crate) async fn flush(&self) -> Result<(), Trouble> {
        answer(self.client.flush()).await
    }
}
