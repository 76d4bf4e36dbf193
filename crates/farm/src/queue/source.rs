//! The items of a queue as a source, for those who work.
//!
//! A thread talks to the server: it requests items when workers wait for some, renews the leases of those that are in
//! progress, and sends results.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt as _;
use tokio::sync::Notify;
use tokio::time::sleep;
use yane_io::secret::random_bytes;

use super::link::{FoundState, Link, MAX_MESSAGE, with_timeout};
use super::publish::announce;
use super::retry::Complaints;
use super::roster::Announcement;
use super::seal::{ItemLease, Outcome, RESULT_BYTES, ResultMessage};
use super::shown::ShownSeals;
use super::transient::TransientError;
use super::{Queue, RemoteItem};
use crate::{FarmError, Source};

/// The largest output of an item.
const MAX_RESULT: usize = MAX_MESSAGE - RESULT_BYTES;
/// The time after which a worker without an item looks again.
const WAIT: Duration = Duration::from_millis(100);
/// The time limit for sending results when the run is to end.
const GRACE: Duration = Duration::from_secs(5);

/// A worker of a queue: requests items and sends results. When it is dropped, items that it still holds
/// go to others.
///
/// As a [`Source`] it hands out items; their results are passed to [`Self::put`], before they are
/// acknowledged.
pub struct ItemQueue<I: RemoteItem> {
    shared: Arc<Exchange<I>>,
    thread: Option<JoinHandle<()>>,
}

/// State shared by the workers and the thread that talks to the server.
struct Exchange<I> {
    state: Mutex<State<I>>,
    /// There is an item, a result was sent, or this is the end.
    changed: Condvar,
    /// A worker wants an item.
    wanted: Notify,
    /// There is a result to be sent.
    has_result: Notify,
    /// The queue worker is dropped.
    stop: Notify,
}

struct State<I> {
    /// Items that no worker has.
    ready: VecDeque<I>,
    /// Workers that wait for an item.
    waiting: usize,
    /// Items leased to this process, until the server knows their results.
    held: HashMap<u64, Held<I>>,
    /// True if nothing is left to be done.
    has_ended: bool,
    /// The last transient error.
    error: Option<String>,
}

struct Held<I> {
    /// The message by which the server knows the item.
    message: Message,
    item: I,
    /// What its result has to have.
    lease: ItemLease,
    result: Option<Produced>,
}

/// The result of an item.
#[derive(Clone)]
enum Produced {
    Output(Vec<u8>),
    /// There is none, for this reason.
    Nothing(String),
}

impl Produced {
    /// The message of this result.
    fn message(&self, lease: ItemLease, worker: u64) -> ResultMessage<'_> {
        let outcome = match self {
            Self::Output(bytes) => Outcome::Output(bytes),
            Self::Nothing(reason) => Outcome::Nothing(reason.as_bytes()),
        };
        ResultMessage {
            lease,
            worker,
            outcome,
        }
    }
}

impl<I: RemoteItem> State<I> {
    /// Returns true if an item with the number of this one, and another payload, is in progress here.
    fn is_other(&self, lease: &ItemLease, payload: &[u8]) -> bool {
        let held = self.held.get(&lease.number);
        held.is_some_and(|held| held.lease != *lease && held.item.payload() != payload)
    }

    /// The number of an item with a result that is to be sent.
    fn finished(&self) -> Option<u64> {
        let mut held = self.held.iter();
        held.find_map(|(&number, held)| held.result.as_ref().map(|_| number))
    }
}

impl<I> Exchange<I> {
    fn lock(&self) -> MutexGuard<'_, State<I>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State<I>)) {
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
        let address = queue.at();
        let link = runtime.block_on(Link::new(&address))?;
        let name = random_bytes().map_err(|error| address.error(error.to_string()))?;
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
            has_result: Notify::new(),
            stop: Notify::new(),
        });
        let tasks = run(link, u64::from_le_bytes(name), Arc::clone(&shared));
        let thread = std::thread::Builder::new()
            .name("queue".to_owned())
            .spawn(move || runtime.block_on(tasks))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Sends the output of an item as soon as the server can be reached. Without a byte there is none: see
    /// [`Self::put_nothing`].
    ///
    /// # Errors
    /// When it has too many bytes.
    pub fn put(&self, item: u64, output: Vec<u8>) -> Result<(), FarmError> {
        if output.len() > MAX_RESULT {
            return Err(FarmError::ResultTooLong {
                item,
                len: output.len(),
                max: MAX_RESULT,
            });
        }
        if output.is_empty() {
            self.put_nothing(item, "given up");
        } else {
            self.give(item, Produced::Output(output));
        }
        Ok(())
    }

    /// Sends that an item has no output here, and why. It is given up when several workers have said so.
    pub fn put_nothing(&self, item: u64, reason: &str) {
        const MOST: usize = 1000;
        let reason = reason.chars().take(MOST).collect();
        self.give(item, Produced::Nothing(reason));
    }

    fn give(&self, item: u64, result: Produced) {
        let mut state = self.shared.lock();
        if let Some(held) = state.held.get_mut(&item) {
            held.result = Some(result);
            self.shared.has_result.notify_one();
        }
    }

    /// Returns the last transient error and clears it.
    pub(crate) fn take_error(&self) -> Option<String> {
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
/// The delay before the server hands out an item again that cannot be done now.
const LATER: Duration = Duration::from_secs(5);
/// The delay after a transient error.
const PAUSE: Duration = Duration::from_millis(500);

/// Talks to the server until the queue worker is dropped.
async fn run<I: RemoteItem>(link: Link, name: u64, shared: Arc<Exchange<I>>) {
    tokio::select! {
        () = take(&link, name, &shared) => {}
        () = renew(&link, &shared) => {}
        () = send(&link, name, &shared) => {}
        () = say_what_there_is(&link, name, &shared) => {}
        () = shared.stop.notified() => {}
    }
    return_items(&link, &shared).await;
}

/// Says of this process that it is there, for those who watch the queue.
async fn say_what_there_is<I: RemoteItem>(link: &Link, name: u64, shared: &Exchange<I>) {
    let seals = ShownSeals::new(&link.queue.access.trust, &link.queue.id);
    let host = yane_io::host_name().unwrap_or_else(|| "?".to_owned());
    let title = format!("{host} {}", std::process::id());
    announce(link, || {
        seals.worker(&Announcement {
            worker: name,
            held: shared.lock().held.len() as u32,
            name: title.clone(),
        })
    })
    .await;
}

/// Requests items when workers wait for them.
async fn take<I: RemoteItem>(link: &Link, name: u64, shared: &Exchange<I>) {
    let mut taking = Taking {
        link,
        shared,
        consumer: None,
        name,
        forged: Complaints::about(
            "items without the right secret, or of another version, thrown away",
        ),
    };
    loop {
        let wanted = {
            let state = shared.lock();
            state.waiting.saturating_sub(state.ready.len())
        };
        if wanted == 0 {
            shared.wanted.notified().await;
        } else if let Err(error) = taking.some(wanted).await {
            taking.consumer = None;
            // The stream is deleted when the queue is done, which is no error.
            end_if_done(link, shared).await.ok();
            shared.change(|state| {
                if !state.has_ended {
                    state.error = Some(error.to_string());
                }
            });
            sleep(PAUSE).await;
        }
    }
}

/// Takes items from the server.
struct Taking<'a, I> {
    link: &'a Link,
    shared: &'a Exchange<I>,
    consumer: Option<PullConsumer>,
    /// A random number of this process.
    name: u64,
    forged: Complaints,
}

impl<I: RemoteItem> Taking<'_, I> {
    /// Requests items once; checks if the queue is done when there are none.
    async fn some(&mut self, wanted: usize) -> Result<(), TransientError> {
        let items = match &mut self.consumer {
            Some(items) => items,
            none => match open(self.link).await {
                Ok(items) => none.insert(items),
                Err(error) => return Err(TransientError::NoWork(Box::new(error))),
            },
        };
        let batch = items.batch().max_messages(wanted).expires(EXPIRES);
        let mut batch = with_timeout(batch.messages()).await?;
        let mut is_empty = true;
        while let Some(message) = batch.next().await {
            is_empty = false;
            self.accept(message.map_err(TransientError::server)?)
                .await?;
        }
        if is_empty {
            end_if_done(self.link, self.shared).await?;
            // The stream may have been created anew.
            self.consumer = None;
        }
        Ok(())
    }

    /// Holds an item, if it is one of the server's.
    async fn accept(&mut self, message: Message) -> Result<(), TransientError> {
        let Some(found) = self.link.queue.seals.open_item(&message.payload) else {
            let detail = format!("{} bytes", message.payload.len());
            if let Some(text) = self.forged.add(&detail, Instant::now()) {
                self.shared.change(|state| state.error = Some(text));
            }
            with_timeout(message.ack_with(AckKind::Term)).await?;
            return Ok(());
        };
        let lease = found.lease;
        let Some(item) = I::from_message(lease.number, found.payload) else {
            // Perhaps others can do it.
            let nothing = Produced::Nothing("the item is none here".to_owned());
            let result = self
                .link
                .queue
                .seals
                .result(&nothing.message(lease, self.name));
            let results = self.link.queue.results();
            self.link.publish(&results, std::iter::once(result)).await?;
            with_timeout(message.ack_with(AckKind::Term)).await?;
            return Ok(());
        };
        let is_other = self.shared.lock().is_other(&lease, found.payload);
        if is_other {
            // Another item of a number that is in progress here: of a run that was begun anew.
            let later = AckKind::Nak(Some(LATER));
            return with_timeout(message.ack_with(later)).await;
        }
        self.shared.change(|state| {
            if let Some(held) = state.held.get_mut(&lease.number) {
                // It was published again, or the lease expired: it is still in progress here.
                held.message = message;
                held.lease = lease;
                return;
            }
            let held = Held {
                message,
                item: item.clone(),
                lease,
                result: None,
            };
            state.held.insert(lease.number, held);
            state.ready.push_back(item);
        });
        Ok(())
    }
}

/// The consumer of items, if who serves them has the same secret: an item is thrown away where it cannot be opened.
async fn open(link: &Link) -> Result<PullConsumer, TransientError> {
    if matches!(link.last_state().await?, FoundState::Forged { .. }) {
        return Err(TransientError::OtherSecret);
    }
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
        sleep(link.queue.access.lease / 3).await;
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
async fn send<I: RemoteItem>(link: &Link, name: u64, shared: &Exchange<I>) {
    loop {
        let finished = shared.lock().finished();
        let Some(number) = finished else {
            shared.has_result.notified().await;
            continue;
        };
        while let Err(error) = send_one(link, name, shared, number).await {
            // A duplicate may come when everything is done.
            if matches!(link.is_done().await, Ok(true)) {
                break;
            }
            shared.change(|state| state.error = Some(error.to_string()));
            sleep(PAUSE).await;
        }
        shared.change(|state| {
            state.held.remove(&number);
        });
    }
}

async fn send_one<I: RemoteItem>(
    link: &Link,
    name: u64,
    shared: &Exchange<I>,
    number: u64,
) -> Result<(), TransientError> {
    let message = {
        let state = shared.lock();
        let Some(held) = state.held.get(&number) else {
            return Ok(());
        };
        let Some(result) = &held.result else {
            return Ok(());
        };
        link.queue.seals.result(&result.message(held.lease, name))
    };
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
