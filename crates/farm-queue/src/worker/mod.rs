//! The side that does the work.

mod tasks;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use farm::Source;
use tokio::sync::Notify;
use tokio::sync::mpsc::{self, UnboundedSender};

use crate::{Job, QueueError, Unit, frame};

/// How long a seat without a unit waits before it looks again.
const WAIT: Duration = Duration::from_millis(100);
/// How long results are still sent when the run was told to quit.
const GRACE: Duration = Duration::from_secs(5);

/// Takes units of a job and gives results. When it goes, units that it still has go to others.
///
/// As a [`Source`] it hands out units; what comes of one has to be given to [`Self::put`], by whoever hears that it
/// is done or given up.
pub struct Worker {
    shared: Arc<Shared>,
    results: UnboundedSender<u64>,
    thread: Option<JoinHandle<()>>,
}

/// What the seats and the thread that talks to the server share.
struct Shared {
    state: Mutex<State>,
    /// There is a unit, a result was sent, or this is the end.
    changed: Condvar,
    /// A seat wants a unit.
    wish: Notify,
    /// The worker goes.
    stop: Notify,
}

#[derive(Default)]
struct State {
    /// Units that no seat has.
    ready: VecDeque<Unit>,
    /// Seats that wait for a unit.
    waiting: usize,
    /// Units that this worker has, until the server knows their results.
    held: HashMap<u64, Held>,
    /// Whether nothing is left to be done.
    has_ended: bool,
    /// What does not work just now.
    trouble: Option<String>,
}

struct Held {
    /// By which the server knows the unit.
    message: Message,
    payload: Vec<u8>,
    /// What came of it.
    result: Option<Vec<u8>>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }
}

impl Worker {
    /// Looks for units of `job` from now on.
    ///
    /// # Errors
    /// When the address of the job is wrong, or the system gives no thread.
    pub fn new(job: &Job) -> Result<Self, QueueError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let link = runtime.block_on(crate::link::Link::new(job))?;
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            wish: Notify::new(),
            stop: Notify::new(),
        });
        let (results, sent) = mpsc::unbounded_channel();
        let tasks = tasks::run(link, Arc::clone(&shared), sent);
        let thread = std::thread::Builder::new()
            .name("queue".to_owned())
            .spawn(move || runtime.block_on(tasks))?;
        Ok(Self {
            shared,
            results,
            thread: Some(thread),
        })
    }

    /// Gives the result of a unit. It is sent as soon as the server can be reached.
    ///
    /// # Errors
    /// When it has too many bytes.
    pub fn put(&self, unit: u64, result: Vec<u8>) -> Result<(), QueueError> {
        if result.len() > frame::MOST {
            return Err(QueueError::TooLong {
                unit,
                len: result.len(),
                most: frame::MOST,
            });
        }
        let mut state = self.shared.lock();
        if let Some(held) = state.held.get_mut(&unit) {
            held.result = Some(result);
            // The thread ends after this worker alone.
            self.results.send(unit).ok();
        }
        Ok(())
    }

    /// What does not work just now, if it was not told already.
    pub fn trouble(&self) -> Option<String> {
        self.shared.lock().trouble.take()
    }

    /// The units as numbers, for work that needs no more.
    pub const fn numbers(&self) -> Numbers<'_> {
        Numbers(self)
    }

    /// Waits until the server has all results that were given; some seconds at most once `quits`.
    pub fn finish(self, quits: &dyn Fn() -> bool) {
        let mut end = None;
        let mut state = self.shared.lock();
        while state.held.values().any(|held| held.result.is_some()) {
            if quits() {
                let end = *end.get_or_insert_with(|| Instant::now() + GRACE);
                if Instant::now() >= end {
                    return;
                }
            }
            let waited = self.shared.changed.wait_timeout(state, WAIT);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn next_unit(&self, quits: &dyn Fn() -> bool) -> Option<Unit> {
        let mut state = self.shared.lock();
        state.waiting += 1;
        self.shared.wish.notify_one();
        let unit = loop {
            if quits() {
                break None;
            }
            if let Some(unit) = state.ready.pop_front() {
                break Some(unit);
            }
            if state.has_ended {
                break None;
            }
            let waited = self.shared.changed.wait_timeout(state, WAIT);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        };
        state.waiting -= 1;
        unit
    }

    fn hand_out_again(&self, number: u64) {
        self.shared.change(|state| {
            let Some(held) = state.held.get(&number) else {
                return;
            };
            let payload = held.payload.clone();
            state.ready.push_front(Unit { number, payload });
        });
    }
}

impl Source for Worker {
    type Unit = Unit;

    fn next(&self, quits: &dyn Fn() -> bool) -> Option<Unit> {
        self.next_unit(quits)
    }

    fn done(&self, _: &Unit) {}

    fn again(&self, unit: &Unit) {
        self.hand_out_again(unit.number);
    }
}

/// The units of a [`Worker`] without their payloads.
#[derive(Clone, Copy)]
pub struct Numbers<'a>(&'a Worker);

impl Source for Numbers<'_> {
    type Unit = u64;

    fn next(&self, quits: &dyn Fn() -> bool) -> Option<u64> {
        self.0.next_unit(quits).map(|unit| unit.number)
    }

    fn done(&self, _: &u64) {}

    fn again(&self, unit: &u64) {
        self.0.hand_out_again(*unit);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            // It has nothing to say, and was not expected to panic.
            drop(thread.join());
        }
    }
}
