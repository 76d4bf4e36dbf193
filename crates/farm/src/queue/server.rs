//! The side that has the work.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::stream::Stream;
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::runtime::{Builder, Runtime};

use super::{Link, Queue, RemoteItem, TransientError, pack, unpack, with_timeout};
use crate::{Backlog, Event, FarmError, Next, Recorder, RunControl, SharedBacklog};

/// The most items that are published and not finished: more than any farm has workers.
const WINDOW: usize = 8192;
/// The time limit for results before a tick.
const TICK: Duration = Duration::from_millis(200);
/// The delay after a transient error.
const PAUSE: Duration = Duration::from_millis(500);
/// The interval of checks whether the server has lost anything.
const CHECK: Duration = Duration::from_secs(10);

/// Serves the items of a queue, in rounds: [`Self::open`], [`Self::round`] as often as need be, [`Self::close`].
/// In between, workers wait, and a process that is killed and restarted does the same from the beginning.
///
/// All methods return early when the run is to end, and fail when the address of the queue is invalid.
#[derive(Clone, Copy)]
pub struct Server<'a> {
    queue: &'a Queue,
    control: &'a RunControl,
}

impl<'a> Server<'a> {
    /// Serves `queue`, until `control` ends the run at most.
    pub const fn new(queue: &'a Queue, control: &'a RunControl) -> Self {
        Self { queue, control }
    }

    /// Publishes that the queue is not done, so that workers wait, though it may take long until there are items.
    /// Returns true if it was published. `on_error` is called with transient errors.
    ///
    /// # Errors
    /// See [`Self`].
    pub fn open(&self, on_error: impl FnMut(&str)) -> Result<bool, FarmError> {
        self.publish_state(false, on_error)
    }

    /// Has the items of `backlog` done by workers, and gives their results to `recorder`, in any order: what
    /// `decode` makes of them, or that the item was given up. At most `ahead` items are published and not
    /// finished at a time. True when all items are finished.
    ///
    /// # Errors
    /// See [`Self`]; and errors of `recorder`.
    pub fn round<B, R>(
        &self,
        ahead: usize,
        backlog: &SharedBacklog<B>,
        decode: impl Fn(&B::Item, &[u8]) -> Option<R::Output>,
        recorder: &mut R,
    ) -> Result<bool, R::Error>
    where
        B: Backlog<Item: RemoteItem>,
        R: Recorder<Item = B::Item>,
    {
        runtime()?.block_on(async {
            let mut round = Round {
                link: Link::new(self.queue).await?,
                control: self.control,
                ahead: ahead.clamp(1, WINDOW),
                backlog,
                has_ended: false,
                published: BTreeMap::new(),
                decode,
                recorder,
            };
            loop {
                match round.session().await {
                    Ok(is_complete) => return Ok(is_complete),
                    Err(SessionError::Recorder(error)) => return Err(error),
                    Err(SessionError::Transient(reason)) => {
                        let reason = reason.as_str();
                        round.recorder.on_event(&Event::TransientError { reason });
                    }
                }
                if self.control.is_quitting() {
                    return Ok(false);
                }
                tokio::time::sleep(PAUSE).await;
            }
        })
    }

    /// Publishes that the queue is done: workers end. Whether it was published.
    ///
    /// # Errors
    /// See [`Self`].
    pub fn close(&self, on_error: impl FnMut(&str)) -> Result<bool, FarmError> {
        self.publish_state(true, on_error)
    }

    fn publish_state(
        &self,
        is_done: bool,
        mut on_error: impl FnMut(&str),
    ) -> Result<bool, FarmError> {
        runtime()?.block_on(async {
            let link = Link::new(self.queue).await?;
            while let Err(reason) = link.set_done(is_done).await {
                on_error(&reason);
                if self.control.is_quitting() {
                    return Ok(false);
                }
                tokio::time::sleep(PAUSE).await;
            }
            if is_done {
                // Only duplicates are left.
                link.remove_stream().await.ok();
            }
            Ok(true)
        })
    }
}

/// The runtime of asynchronous calls on this thread.
fn runtime() -> Result<Runtime, FarmError> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

/// The reason why a session ends early.
enum SessionError<E> {
    Transient(TransientError),
    Recorder(E),
}

impl<E> From<TransientError> for SessionError<E> {
    fn from(reason: TransientError) -> Self {
        Self::Transient(reason)
    }
}

/// A round, through any number of sessions.
struct Round<'a, B: Backlog, D, R> {
    link: Link,
    control: &'a RunControl,
    ahead: usize,
    backlog: &'a SharedBacklog<B>,
    /// True if the backlog is at its end.
    has_ended: bool,
    /// The items that are published and not finished.
    published: BTreeMap<u64, B::Item>,
    decode: D,
    recorder: &'a mut R,
}

impl<B, D, R> Round<'_, B, D, R>
where
    B: Backlog<Item: RemoteItem>,
    R: Recorder<Item = B::Item>,
    D: Fn(&B::Item, &[u8]) -> Option<R::Output>,
{
    /// Serves until the end, or until there is a transient error. Begins by publishing what is not finished,
    /// whatever the server has of it: workers that have it in progress notice nothing.
    async fn session(&mut self) -> Result<bool, SessionError<R::Error>> {
        let stream = self.link.make_stream().await?;
        let results = self.link.queue.results();
        let results = self.link.consumer(&stream, "server", results).await?;
        self.link.set_done(false).await?;
        let subject = self.link.queue.items();
        with_timeout(stream.purge().filter(subject.clone()).into_future()).await?;
        let unfinished = self.published.values().map(message);
        self.link.publish(&subject, unfinished).await?;
        let mut checked = Instant::now();
        loop {
            self.fill(&subject).await?;
            if self.has_ended && self.published.is_empty() {
                return Ok(true);
            }
            self.take(&results, &subject).await?;
            self.recorder.on_event(&Event::Tick { workers: &[] });
            self.recorder
                .save_if_due()
                .map_err(SessionError::Recorder)?;
            if self.control.is_quitting() {
                return Ok(false);
            }
            if checked.elapsed() >= CHECK {
                self.check(&stream).await?;
                checked = Instant::now();
            }
        }
    }

    /// Publishes items until enough are in progress.
    async fn fill(&mut self, subject: &str) -> Result<(), TransientError> {
        let mut new = Vec::new();
        while self.published.len() < self.ahead && !self.has_ended {
            let next = self.backlog.lock().next();
            match next {
                Next::Item(item) => {
                    new.push(message(&item));
                    self.published.insert(item.number(), item);
                }
                Next::Later => break,
                Next::End => self.has_ended = true,
            }
        }
        self.link.publish(subject, new.into_iter()).await
    }

    /// Records what results there are. Publishes more items meanwhile, so that no worker waits for the end of this.
    async fn take(
        &mut self,
        results: &PullConsumer,
        subject: &str,
    ) -> Result<(), SessionError<R::Error>> {
        let batch = results.batch().max_messages(256).expires(TICK).messages();
        let mut batch = with_timeout(batch).await?;
        loop {
            let message = if let Some(message) = batch.next().now_or_never() {
                message
            } else {
                self.fill(subject).await?;
                batch.next().await
            };
            let Some(message) = message else {
                return Ok(());
            };
            let message = message.map_err(|error| error.to_string())?;
            if let Some((number, bytes)) = unpack(&message.payload) {
                self.record(number, bytes).map_err(SessionError::Recorder)?;
            }
            // If this is lost the result comes again, and is ignored then.
            message.ack().await.map_err(|error| error.to_string())?;
        }
    }

    /// Records the first result of an item.
    fn record(&mut self, number: u64, bytes: &[u8]) -> Result<(), R::Error> {
        let Some(item) = self.published.get(&number) else {
            return Ok(());
        };
        match (self.decode)(item, bytes) {
            Some(output) => self.recorder.record(None, item, output)?,
            None => self.recorder.give_up(item)?,
        }
        self.backlog.lock().ack(item);
        self.published.remove(&number);
        Ok(())
    }

    /// Checks that the server still has a message for every item in progress: the item, or its result.
    async fn check(&self, stream: &Stream) -> Result<(), TransientError> {
        let info = with_timeout(stream.get_info()).await?;
        if info.state.messages < self.published.len() as u64 {
            return Err("the server has lost items; they are published again".to_owned());
        }
        Ok(())
    }
}

/// The message of an item.
fn message(item: &impl RemoteItem) -> Vec<u8> {
    pack(item.number(), &item.payload())
}
