//! The side that does the work.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Notify, mpsc};

use super::{Link, MAX_RESULT, Queue, RemoteItem, exchange};
use crate::{EnginePool, Event, FarmError, Recorder, RetryPolicy, RunControl, Source, Work};

/// The time after which a worker without an item looks again.
const WAIT: Duration = Duration::from_millis(100);
/// The time limit for sending results when the run is to end.
const GRACE: Duration = Duration::from_secs(5);

/// Does the items of `queue` until nothing is left or `control` ends the run, and sends what `encode` makes of
/// their outputs. `recorder` gets the outputs too, to count and report them.
///
/// # Errors
/// When no engine is left, the address of the queue is invalid, and errors of `recorder`.
pub fn work<W, R>(
    queue: &Queue,
    pool: &EnginePool,
    work: &W,
    encode: impl Fn(&W::Item, &W::Output) -> Vec<u8>,
    control: &RunControl,
    policy: RetryPolicy,
    recorder: &mut R,
) -> Result<(), R::Error>
where
    W: Work<Item: RemoteItem>,
    R: Recorder<Item = W::Item, Output = W::Output>,
{
    let worker = QueueWorker::new(queue)?;
    let mut sender = ResultSender {
        worker: &worker,
        encode,
        recorder,
    };
    let result = crate::run(pool, work, &worker, control, policy, &mut sender);
    worker.finish(&|| control.is_quitting());
    result
}

/// Sends results before they are recorded.
struct ResultSender<'a, I: RemoteItem, F, R> {
    worker: &'a QueueWorker<I>,
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

/// Takes items of a queue and sends results. When it is dropped, items that it still holds go to others.
///
/// As a [`Source`] it hands out items; their results have to be given to [`Self::put`], before they are
/// acknowledged.
struct QueueWorker<I: RemoteItem> {
    shared: Arc<Shared<I>>,
    results: UnboundedSender<u64>,
    thread: Option<JoinHandle<()>>,
}

/// State shared by the workers and the thread that talks to the server.
pub(super) struct Shared<I> {
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

impl<I> Shared<I> {
    pub(super) fn lock(&self) -> MutexGuard<'_, State<I>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut State<I>)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

impl<I: RemoteItem> QueueWorker<I> {
    /// Starts to look for items of `queue`.
    ///
    /// # Errors
    /// When the address of the queue is invalid, or the system gives no thread.
    fn new(queue: &Queue) -> Result<Self, FarmError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let link = runtime.block_on(Link::new(queue))?;
        let shared = Arc::new(Shared {
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
        let tasks = exchange::run(link, Arc::clone(&shared), numbers);
        let thread = std::thread::Builder::new()
            .name("queue".to_owned())
            .spawn(move || runtime.block_on(tasks))?;
        Ok(Self {
            shared,
            results,
            thread: Some(thread),
        })
    }

    /// Gives the result of an item. It is sent as soon as the server can be reached.
    ///
    /// # Errors
    /// When it has too many bytes.
    fn put(&self, item: u64, result: Vec<u8>) -> Result<(), FarmError> {
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

    /// Takes the last transient error.
    fn take_error(&self) -> Option<String> {
        self.shared.lock().error.take()
    }

    /// Waits until the server has all results that were given; some seconds at most once `is_quitting`.
    fn finish(self, is_quitting: &dyn Fn() -> bool) {
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

impl<I: RemoteItem> Source for QueueWorker<I> {
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

impl<I: RemoteItem> Drop for QueueWorker<I> {
    fn drop(&mut self) {
        self.shared.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            // It returns nothing, and is not expected to panic.
            drop(thread.join());
        }
    }
}
