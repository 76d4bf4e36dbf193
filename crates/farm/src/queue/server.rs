//! The side that has the work.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::stream::Stream;
use futures_util::{FutureExt as _, StreamExt as _};
use tokio::runtime::{Builder, Runtime};
use yane_io::escaped;

use super::link::{FoundState, Link, WINDOW, with_timeout};
use super::owner::{NOBODY, Owner, Ownership};
use super::retry::{Complaints, Failures, Fate};
use super::roster::Delivered;
use super::seal::{Nonce, Outcome, StateMessage};
use super::transient::TransientError;
use super::{Queue, RefusedResult, RemoteItem};
use crate::{Backlog, Event, FarmError, Next, Recorder, RunControl, SharedBacklog};

/// Results that are taken at a time.
const BATCH: usize = 256;
/// Bytes of results that are taken at a time.
const BATCH_BYTES: usize = 16 << 20;
/// The time limit for results before a tick.
const TICK: Duration = Duration::from_millis(200);
/// The delay after a transient error.
const PAUSE: Duration = Duration::from_millis(500);
/// The interval of checks whether the server has lost anything.
const CHECK: Duration = Duration::from_secs(10);

/// Serves the items of a queue, in rounds: [`Self::open`], [`Self::round`] as often as need be, [`Self::close`].
/// In between, workers wait, and a process that is killed and restarted does the same from the beginning.
///
/// All methods return early when the run is to end, and fail when the address of the queue is invalid, it is on another
/// machine and there is no secret, or another process serves the queue.
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

    /// Publishes that the queue is not done and that this process serves it, so that workers wait, though it may take
    /// long until there are items. Returns true if it was published. `on_error` is called with transient errors.
    ///
    /// # Errors
    /// See [`Self`].
    pub fn open(&self, on_error: impl FnMut(&str)) -> Result<bool, FarmError> {
        Ok(self.own(on_error)?.is_some())
    }

    /// Has the items of `backlog` done by workers, and gives their results to `recorder`, in any order: what
    /// `decode` makes of them, or that the item was given up, as several workers failed at it. A result that `decode`
    /// refuses is told, and its item handed out again. At most `ahead` items are published and not finished at a time.
    /// True when all items are finished.
    ///
    /// # Errors
    /// See [`Self`]; and errors of `recorder`.
    pub fn round<B, R>(
        &self,
        ahead: usize,
        backlog: &SharedBacklog<B>,
        decode: impl Fn(&B::Item, &[u8]) -> Result<R::Output, RefusedResult>,
        recorder: &mut R,
    ) -> Result<bool, R::Error>
    where
        B: Backlog<Item: RemoteItem>,
        R: Recorder<Item = B::Item>,
    {
        let tell = |reason: &str| recorder.on_event(&Event::TransientError { reason });
        let Some(epoch) = self.own(tell)? else {
            return Ok(false);
        };
        runtime()?.block_on(async {
            let mut round = Round {
                link: Link::new(&self.queue.at()).await?,
                queue: self.queue,
                control: self.control,
                epoch,
                ahead: ahead.clamp(1, WINDOW),
                backlog,
                has_ended: false,
                published: BTreeMap::new(),
                failures: Failures::default(),
                forged: Complaints::about(
                    "results without the right secret, or of another version, thrown away",
                ),
                refused: Complaints::about("results that were refused"),
                decode,
                recorder,
            };
            loop {
                match round.session().await {
                    Ok(is_complete) => return Ok(is_complete),
                    Err(SessionError::Final(error)) => return Err(error),
                    Err(SessionError::Transient(error)) => round.tell(&error.to_string()),
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
    pub fn close(&self, mut on_error: impl FnMut(&str)) -> Result<bool, FarmError> {
        drop(self.queue.owner().take());
        runtime()?.block_on(async {
            let link = Link::new(&self.queue.at()).await?;
            while let Err(error) = publish_end(&link).await {
                on_error(&error.to_string());
                if self.control.is_quitting() {
                    return Ok(false);
                }
                tokio::time::sleep(PAUSE).await;
            }
            // Only duplicates are left.
            link.remove_stream().await.ok();
            Ok(true)
        })
    }

    /// Waits until the queue is this process's; the epoch of its messages, or `None` when the run is to end.
    fn own(&self, mut on_error: impl FnMut(&str)) -> Result<Option<Nonce>, FarmError> {
        while !self.control.is_quitting() {
            let Ownership { epoch, told } = self.ownership()?;
            if let Some(reason) = told {
                on_error(&reason);
            }
            if epoch.is_some() {
                return Ok(epoch);
            }
        }
        Ok(None)
    }

    fn ownership(&self) -> Result<Ownership, FarmError> {
        let mut owner = self.queue.owner();
        let owner = match &mut *owner {
            Some(owner) => owner,
            none => none.insert(Owner::claim(&self.queue.at())?),
        };
        owner.ownership(&self.queue.at())
    }
}

/// Publishes that a queue is done.
async fn publish_end(link: &Link) -> Result<(), TransientError> {
    let (sequence, beat) = match link.last_state().await? {
        FoundState::Nothing => (0, 0),
        FoundState::Forged { sequence } => (sequence, 0),
        FoundState::State { sequence, state } => (sequence, state.beat),
    };
    let state = StateMessage {
        is_done: true,
        owner: NOBODY,
        epoch: [0; 16],
        beat: beat.wrapping_add(1),
    };
    link.put_state(&state, sequence).await?;
    Ok(())
}

/// The runtime of asynchronous calls on this thread.
fn runtime() -> Result<Runtime, FarmError> {
    Ok(Builder::new_current_thread().enable_all().build()?)
}

/// The reason why a session ends early.
enum SessionError<E> {
    Transient(TransientError),
    /// An error of the recorder, or another process serves the queue.
    Final(E),
}

impl<E> From<TransientError> for SessionError<E> {
    fn from(error: TransientError) -> Self {
        Self::Transient(error)
    }
}

/// A round, through any number of sessions.
struct Round<'a, B: Backlog, D, R> {
    link: Link,
    queue: &'a Queue,
    control: &'a RunControl,
    /// The epoch of its messages.
    epoch: Nonce,
    ahead: usize,
    backlog: &'a SharedBacklog<B>,
    /// True if the backlog is at its end.
    has_ended: bool,
    /// The items that are published and not finished.
    published: BTreeMap<u64, B::Item>,
    failures: Failures,
    forged: Complaints,
    refused: Complaints,
    decode: D,
    recorder: &'a mut R,
}

impl<B, D, R> Round<'_, B, D, R>
where
    B: Backlog<Item: RemoteItem>,
    R: Recorder<Item = B::Item>,
    D: Fn(&B::Item, &[u8]) -> Result<R::Output, RefusedResult>,
{
    /// Serves until the end, or until there is a transient error. Begins by publishing what is not finished,
    /// whatever the server has of it: workers that have it in progress notice nothing.
    async fn session(&mut self) -> Result<bool, SessionError<R::Error>> {
        let stream = self.link.make_stream().await?;
        let results = self.link.queue.results();
        let results = self.link.consumer(&stream, "server", results).await?;
        let subject = self.link.queue.items();
        with_timeout(stream.purge().filter(subject.clone()).into_future()).await?;
        self.failures.hand_out_all();
        let (seals, epoch) = (&self.link.queue.seals, &self.epoch);
        let unfinished = self.published.values();
        let unfinished = unfinished.map(|item| seals.item(epoch, item.number(), &item.payload()).0);
        self.link.publish(&subject, unfinished).await?;
        let mut checked = Instant::now();
        loop {
            self.fill(&subject).await?;
            if self.has_ended && self.published.is_empty() {
                return Ok(true);
            }
            self.take(&results, &subject).await?;
            self.check_ownership().map_err(SessionError::Final)?;
            self.recorder.on_event(&Event::Tick { workers: &[] });
            self.recorder.save_if_due().map_err(SessionError::Final)?;
            if self.control.is_quitting() {
                return Ok(false);
            }
            if checked.elapsed() >= CHECK {
                self.check(&stream).await?;
                checked = Instant::now();
            }
        }
    }

    /// Checks that the queue is still this process's.
    fn check_ownership(&mut self) -> Result<(), R::Error> {
        let address = &self.link.queue;
        let owner = self.queue.owner();
        let ownership = owner.as_ref().map(|owner| owner.ownership(address));
        drop(owner);
        let told = ownership.transpose()?.and_then(|it| it.told);
        if let Some(reason) = told.or_else(|| self.queue.roster.take_error()) {
            self.tell(&reason);
        }
        Ok(())
    }

    fn tell(&mut self, reason: &str) {
        self.recorder.on_event(&Event::TransientError { reason });
    }

    /// The message of an item.
    fn message(&self, item: &B::Item) -> Vec<u8> {
        let (message, _) = self
            .link
            .queue
            .seals
            .item(&self.epoch, item.number(), &item.payload());
        message
    }

    /// Publishes items until enough are in progress, and those that are to be tried again.
    async fn fill(&mut self, subject: &str) -> Result<(), TransientError> {
        let due = self.failures.due(Instant::now());
        let due = due.iter().filter_map(|number| self.published.get(number));
        let mut new: Vec<_> = due.map(|item| self.message(item)).collect();
        while self.published.len() < self.ahead && !self.has_ended {
            let next = self.backlog.lock().next();
            match next {
                Next::Item(item) => {
                    new.push(self.message(&item));
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
        let batch = results.batch().max_messages(BATCH).max_bytes(BATCH_BYTES);
        let mut batch = with_timeout(batch.expires(TICK).messages()).await?;
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
            let message = message.map_err(TransientError::server)?;
            self.record(&message.payload).map_err(SessionError::Final)?;
            // If this is lost the result comes again, and is ignored then.
            message.ack().await.map_err(TransientError::server)?;
        }
    }

    /// Records the first result of an item that is its output.
    fn record(&mut self, message: &[u8]) -> Result<(), R::Error> {
        let Some(result) = self.link.queue.seals.open_result(message) else {
            let detail = format!("{} bytes", message.len());
            if let Some(text) = self.forged.add(&detail, Instant::now()) {
                self.tell(&text);
            }
            return Ok(());
        };
        self.failures.saw(result.worker);
        let number = result.lease.number;
        let Some(item) = self.published.get(&number) else {
            return Ok(());
        };
        // Of an earlier run, or another item of the same number.
        let (_, lease) = self
            .link
            .queue
            .seals
            .item(&self.epoch, number, &item.payload());
        if lease != result.lease {
            return Ok(());
        }
        let reason = match result.outcome {
            Outcome::Output(bytes) => match (self.decode)(item, bytes) {
                Ok(output) => {
                    self.queue
                        .roster
                        .delivered(result.worker, Delivered::Recorded);
                    self.recorder.record(None, item, output)?;
                    self.finish(number);
                    return Ok(());
                }
                Err(refused) => refused.to_string(),
            },
            Outcome::Nothing(reason) => format!("no output: {}", String::from_utf8_lossy(reason)),
        };
        self.queue
            .roster
            .delivered(result.worker, Delivered::Failed);
        let detail = format!("item {number}, {}", begin_of(&reason));
        if let Some(text) = self.refused.add(&detail, Instant::now()) {
            self.tell(&text);
        }
        if self.failures.failed(number, result.worker, Instant::now()) == Fate::GivenUp {
            if let Some(item) = self.published.get(&number) {
                self.recorder.give_up(item)?;
            }
            self.finish(number);
        }
        Ok(())
    }

    /// An item is finished, or given up.
    fn finish(&mut self, number: u64) {
        if let Some(item) = self.published.remove(&number) {
            self.backlog.lock().ack(&item);
        }
        self.failures.finished(number);
    }

    /// Checks that the server still has a message for every item in progress: the item, or its result.
    async fn check(&self, stream: &Stream) -> Result<(), TransientError> {
        let info = with_timeout(stream.get_info()).await?;
        let waiting = self.failures.waiting();
        if info.state.messages + (waiting as u64) < self.published.len() as u64 {
            return Err(TransientError::LostItems);
        }
        Ok(())
    }
}

/// The beginning of a text of another machine, for people.
fn begin_of(text: &str) -> String {
    const MOST: usize = 300;
    let end = text
        .char_indices()
        .nth(MOST)
        .map_or(text.len(), |(end, _)| end);
    escaped(&text[..end])
}
