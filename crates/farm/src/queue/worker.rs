//! A worker of a queue: the run loop over its items, and the exchange of items and results with the server.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt as _;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::{Notify, mpsc};
use tokio::time::sleep;

use super::{Link, MAX_RESULT, Queue, RemoteItem, TransientError, pack, unpack, with_timeout};
use crate::worker::OutputOf;
use crate::{Event, FarmError, Recorder, RetryPolicy, RunControl, Source, Worker, Workers};

/// The time after which a worker without an item looks again.
const WAIT: Duration = Duration::from_millis(100);
/// The time limit for sending results when the run is to end.
const GRACE: Duration = Duration::from_secs(5);

/// Does the items of `queue` by `workers` until nothing is left or `control` ends the run, and sends what `encode` makes of
/// their outputs. `recorder` gets the outputs too, to count and report them.
///
/// # Errors
/// See [`run`](crate::run()); when the address of the queue is invalid.
pub fn work<W, R>(
    queue: &Queue,
    workers: &W,
    encode: impl Fn(&R::Item, &R::Output) -> Vec<u8>,
    control: &RunControl,
    policy: RetryPolicy,
    recorder: &mut R,
) -> Result<(), R::Error>
where
    W: Workers<Worker: Worker<Item = R::Item>>,
    R: Recorder<Item: RemoteItem, Output = OutputOf<W>>,
{
    let worker = ItemQueue::new(queue)?;
    let mut sender = ResultSender {
        worker: &worker,
        encode,
        recorder,
    };
    let result = crate::run(workers, &worker, control, policy, &mut sender);
    worker.finish(&|| control.is_quitting());
    result
}

/// Sends results before they are recorded.
struct ResultSender<'a, I: RemoteItem, F, R> {
    worker: &'a ItemQueue<I>,
    encode: F,
    recorder: &'a mut R,
}

impl<I, F, R> Recorder for ResultSender<'_, I, F, R>
where
    I: RemoteItem,
    R: Recorder<Item = I>,
    F: Fn(&I, &R::Output) -> Vec<u8>,
{
    type Kind = R::Kind;
    type Item = I;
    type Output = R::Output;
    type Error = R::Error;

    fn record(
        &mut self,
        worker: Option<usize>,
        item: &I,
        output: R::Output,
    ) -> Result<(), R::Error> {
        self.worker
            .put(item.number(), (self.encode)(item, &output))?;
        self.recorder.record(worker, item, output)
    }

    fn give_up(&mut self, item: &I) -> Result<(), R::Error> {
        self.worker.put(item.number(), Vec::new())?;
        self.recorder.give_up(item)
    }

    fn save_if_due(&mut self) -> Result<(), R::Error> {
        if let Some(reason) = self.worker.take_error() {
            let reason = reason.as_str();
            self.recorder.on_event(&Event::TransientError { reason });
        }
        self.recorder.save_if_due()
    }

    fn on_event(&mut self, event: &Event<'_, R::Kind>) {
        self.recorder.on_event(event);
    }
}

/// A worker of a queue: requests items and sends results. When it is dropped, items that it still holds
/// go to others.
///
/// As a [`Source`] it hands out items; their results are passed to [`Self::put`], before they are
/// acknowledged.
pub struct ItemQueue<I: RemoteItem> {
    shared: Arc<Exchange<I>>,
    results: UnboundedSender<u64>,
    thread: Option<JoinHandle<()>>,
}

/// State shared by the workers and the thread that talks to the server.
pub(super) struct Exchange<I> {
    state: Mutex<State<I>>,
    /// There is an item, a result was sent, or this is the end.
    changed: Condvar,
    /// A worker wants an item.
    pub(super) wanted: Notify,
    /// The queue worker is dropped.
    pub(super) stop: Notify,
}

pub(super) struct State<I> {
    /// Items that no worker has.
    pub(super) ready: VecDeque<I>,
    /// Workers that wait for an item.
    pub(super) waiting: usize,
    /// Items leased to this process, until the server knows their results.
    pub(super) held: HashMap<u64, Held<I>>,
    /// True if nothing is left to be done.
    pub(super) has_ended: bool,
    /// The last transient error.
    pub(super) error: Option<String>,
}

pub(super) struct Held<I> {
    /// The message by which the server knows the item.
    pub(super) message: Message,
    pub(super) item: I,
    pub(super) result: Option<Vec<u8>>,
}

impl<I> Exchange<I> {
    pub(super) fn lock(&self) -> MutexGuard<'_, State<I>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut State<I>)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

impl<I: RemoteItem> ItemQueue<I> {
    /// Starts requesting items of `queue`.
    ///
    /// # Errors
    /// When the address of the queue is invalid, or the system gives no thread.
    pub fn new(queue: &Queue) -> Result<Self, FarmError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let link = runtime.block_on(Link::new(queue))?;
        let shared = Arc::new(Exchange {
            state: Mutex::new(State {
                ready: VecDeque::new(),
                waiting: 0,
                held: HashMap::new(),
                has_ended: false,
                error: None,
            }),
            changed: Condvar::new(),
            wanted: Notify::new(),
            stop: Notify::new(),
        });
        let (results, numbers) = mpsc::unbounded_channel();
        let tasks = run(link, Arc::clone(&shared), numbers);
        let thread = std::thread::Builder::new()
            .name("queue".to_owned())
            .spawn(move || runtime.block_on(tasks))?;
        Ok(Self {
            shared,
            results,
            thread: Some(thread),
        })
    }

    /// Sends the result of an item as soon as the server can be reached.
    ///
    /// # Errors
    /// When it has too many bytes.
    pub fn put(&self, item: u64, result: Vec<u8>) -> Result<(), FarmError> {
        if result.len() > MAX_RESULT {
            return Err(FarmError::ResultTooLong {
                item,
                len: result.len(),
                max: MAX_RESULT,
            });
        }
        let mut state = self.shared.lock();
        if let Some(held) = state.held.get_mut(&item) {
            held.result = Some(result);
            // The thread ends after this worker alone.
            self.results.send(item).ok();
        }
        Ok(())
    }

    /// Returns the last transient error and clears it.
    pub fn take_error(&self) -> Option<String> {
        self.shared.lock().error.take()
    }

    /// Waits until the server has all results that were given; some seconds at most once `is_quitting`.
    pub fn finish(self, is_quitting: &dyn Fn() -> bool) {
        let mut end = None;
        let mut state = self.shared.lock();
        while state.held.values().any(|held| held.result.is_some()) {
            if is_quitting() {
                let end = *end.get_or_insert_with(|| Instant::now() + GRACE);
                if Instant::now() >= end {
                    return;
                }
            }
            let waited = self.shared.changed.wait_timeout(state, WAIT);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl<I: RemoteItem> Source for ItemQueue<I> {
    type Item = I;

    fn next(&self, is_quitting: &dyn Fn() -> bool) -> Option<I> {
        let mut state = self.shared.lock();
        state.waiting += 1;
        self.shared.wanted.notify_one();
        let item = loop {
            if is_quitting() {
                break None;
            }
            if let Some(item) = state.ready.pop_front() {
                break Some(item);
            }
            if state.has_ended {
                break None;
            }
            let waited = self.shared.changed.wait_timeout(state, WAIT);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        };
        state.waiting -= 1;
        item
    }

    fn ack(&self, _: &I) {}

    fn nack(&self, item: &I) {
        self.shared.change(|state| {
            if let Some(held) = state.held.get(&item.number()) {
                state.ready.push_front(held.item.clone());
            }
        });
    }
}

impl<I: RemoteItem> Drop for ItemQueue<I> {
    fn drop(&mut self) {
        self.shared.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            // It returns nothing, and is not expected to panic.
            drop(thread.join());
        }
    }
}

// The tasks of the thread that talks to the server for a queue worker.

/// The time that the server waits for items before it answers that there are none.
const EXPIRES: Duration = Duration::from_secs(1);
/// The delay after a transient error.
const PAUSE: Duration = Duration::from_millis(500);

/// Talks to the server until the queue worker is dropped.
pub(super) async fn run<I: RemoteItem>(
    link: Link,
    shared: Arc<Exchange<I>>,
    results: UnboundedReceiver<u64>,
) {
    tokio::select! {
        () = take(&link, &shared) => {}
        () = renew(&link, &shared) => {}
        () = send(&link, &shared, results) => {}
        () = shared.stop.notified() => {}
    }
    return_items(&link, &shared).await;
}

/// Requests items when workers wait for them.
async fn take<I: RemoteItem>(link: &Link, shared: &Exchange<I>) {
    let mut consumer = None;
    loop {
        let wanted = {
            let state = shared.lock();
            state.waiting.saturating_sub(state.ready.len())
        };
        if wanted == 0 {
            shared.wanted.notified().await;
        } else if let Err(reason) = take_some(link, shared, &mut consumer, wanted).await {
            consumer = None;
            // The stream is deleted when the queue is done, which is no error.
            end_if_done(link, shared).await.ok();
            shared.change(|state| {
                if !state.has_ended {
                    state.error = Some(reason);
                }
            });
            sleep(PAUSE).await;
        }
    }
}

/// Requests items once; checks if the queue is done when there are none.
async fn take_some<I: RemoteItem>(
    link: &Link,
    shared: &Exchange<I>,
    consumer: &mut Option<PullConsumer>,
    wanted: usize,
) -> Result<(), TransientError> {
    let items = match consumer {
        Some(items) => items,
        None => match open(link).await {
            Ok(items) => consumer.insert(items),
            Err(reason) => return Err(format!("no work yet: {reason}")),
        },
    };
    let batch = items.batch().max_messages(wanted).expires(EXPIRES);
    let mut batch = with_timeout(batch.messages()).await?;
    let mut is_empty = true;
    while let Some(message) = batch.next().await {
        let message = message.map_err(|error| error.to_string())?;
        is_empty = false;
        let Some((number, payload)) = unpack(&message.payload) else {
            // No worker can do anything with it.
            with_timeout(message.ack_with(AckKind::Term)).await?;
            continue;
        };
        let Some(item) = I::from_message(number, payload) else {
            // No result: the item is given up.
            let result = std::iter::once(pack(number, &[]));
            link.publish(&link.queue.results(), result).await?;
            with_timeout(message.ack_with(AckKind::Term)).await?;
            continue;
        };
        shared.change(|state| {
            if let Some(held) = state.held.get_mut(&number) {
                // It was published again, or the lease expired: it is still in progress here.
                held.message = message;
                return;
            }
            let held = Held {
                message,
                item: item.clone(),
                result: None,
            };
            state.held.insert(number, held);
            state.ready.push_back(item);
        });
    }
    if is_empty {
        end_if_done(link, shared).await?;
        // The stream may have been created anew.
        *consumer = None;
    }
    Ok(())
}

async fn open(link: &Link) -> Result<PullConsumer, TransientError> {
    let stream = link.stream().await?;
    link.consumer(&stream, "workers", link.queue.items()).await
}

async fn end_if_done<I: RemoteItem>(
    link: &Link,
    shared: &Exchange<I>,
) -> Result<(), TransientError> {
    if link.is_done().await? {
        shared.change(|state| state.has_ended = true);
    }
    Ok(())
}

/// Renews the leases of held items.
async fn renew<I: RemoteItem>(link: &Link, shared: &Exchange<I>) {
    loop {
        sleep(link.queue.lease / 3).await;
        let held: Vec<_> = {
            let state = shared.lock();
            let held = state.held.values();
            held.map(|held| held.message.clone()).collect()
        };
        for message in held {
            // A lease that expires costs time and nothing else.
            with_timeout(message.ack_with(AckKind::Progress)).await.ok();
        }
    }
}

/// Sends results, however long it takes, unless the queue is done.
async fn send<I: RemoteItem>(
    link: &Link,
    shared: &Exchange<I>,
    mut results: UnboundedReceiver<u64>,
) {
    while let Some(number) = results.recv().await {
        while let Err(reason) = send_one(link, shared, number).await {
            // A duplicate may come when everything is done.
            if matches!(link.is_done().await, Ok(true)) {
                break;
            }
            shared.change(|state| state.error = Some(reason));
            sleep(PAUSE).await;
        }
        shared.change(|state| {
            state.held.remove(&number);
        });
    }
}

async fn send_one<I: RemoteItem>(
    link: &Link,
    shared: &Exchange<I>,
    number: u64,
) -> Result<(), TransientError> {
    let result = {
        let state = shared.lock();
        let held = state.held.get(&number);
        held.and_then(|held| held.result.clone())
    };
    let Some(result) = result else { return Ok(()) };
    let message = pack(number, &result);
    link.publish(&link.queue.results(), std::iter::once(message))
        .await?;
    // The server has the result. If this acknowledgement is lost, the item is done twice.
    let message = {
        let state = shared.lock();
        state.held.get(&number).map(|held| held.message.clone())
    };
    if let Some(message) = message {
        with_timeout(message.ack()).await.ok();
    }
    Ok(())
}

/// Returns unfinished items to the server.
async fn return_items<I: RemoteItem>(link: &Link, shared: &Exchange<I>) {
    let held: Vec<_> = shared.lock().held.drain().collect();
    for (_, held) in held {
        if with_timeout(held.message.ack_with(AckKind::Nak(None)))
            .await
            .is_err()
        {
            return;
        }
    }
    link.flush().await.ok();
}
