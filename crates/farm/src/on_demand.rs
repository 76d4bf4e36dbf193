//! Work that threads ask for one item at a time, each waiting for the output of its own.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crate::control::RunControl;
use crate::error::{FarmError, Result};
use crate::event::{Event, Recorder};
use crate::numbered::{ByNumber, Numbered, PlainRun};
use crate::policy::RetryPolicy;
use crate::run::run;
use crate::source::Source;
use crate::worker::{Worker, Workers};

/// The time after which a worker without an item looks again whether the run ends.
const WAIT: Duration = Duration::from_millis(100);

/// Workers that wait to be asked, by any number of threads: for work whose items come up in the middle of something else. Failures,
/// panics and retries are those of [`run`](fn@crate::run).
///
/// The workers have a run of their own, on a thread of its own, which lasts until this is dropped.
///
/// ```
/// use farm::{OnDemand, RetryPolicy, threads};
///
/// let squares = threads(2, |_| (), |(), &item: &u64, _| Ok((item * item).into()));
/// let squares = OnDemand::start(squares, RetryPolicy::default(), |_| ())?;
/// assert_eq!(squares.ask(7)?, 49);
/// # Ok::<(), farm::FarmError>(())
/// ```
pub struct OnDemand<I, O> {
    requests: Arc<Requests<I, O>>,
    control: RunControl,
    thread: Option<JoinHandle<()>>,
}

impl<I, O> OnDemand<I, O>
where
    I: Send + Sync + 'static,
    O: Send + 'static,
{
    /// Starts the run of `workers`. `note` gets failures of theirs in sentences.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start<W>(
        workers: W,
        policy: RetryPolicy,
        note: impl Fn(&str) + Send + 'static,
    ) -> io::Result<Self>
    where
        W: Workers<Worker: Worker<Item = I, Output = O>> + Send + 'static,
    {
        let requests = Arc::new(Requests::default());
        let control = RunControl::default();
        let (own, source) = (control.clone(), Arc::clone(&requests));
        let serve = move || {
            let _end = EndOfRequests(&source);
            let mut recorder = Answering {
                requests: &source,
                note: &note,
                reason: String::new(),
            };
            let ran = run(&ByNumber(&workers), &*source, &own, policy, &mut recorder);
            source.lock().failure = ran.err().map(Arc::new);
        };
        let thread = Builder::new().name("on demand".to_owned()).spawn(serve)?;
        Ok(Self {
            requests,
            control,
            thread: Some(thread),
        })
    }

    /// The output of `item`, waited for.
    ///
    /// # Errors
    /// [`FarmError::GivenUp`] when the item has no output after all tries; [`FarmError::Ended`] when the run has ended by an error, of
    /// this item or of another.
    pub fn ask(&self, item: I) -> Result<O> {
        let (reply, answer) = sync_channel(1);
        let mut state = self.requests.lock();
        if !state.has_ended {
            let number = state.next;
            state.next += 1;
            state.replies.insert(number, reply);
            let job = Arc::new(item);
            state.waiting.push_back(Numbered { number, job });
            drop(state);
            self.requests.changed.notify_one();
            if let Ok(answer) = answer.recv() {
                return answer;
            }
            state = self.requests.lock();
        }
        Err(FarmError::Ended(state.failure.clone()))
    }
}

impl<I, O> Drop for OnDemand<I, O> {
    fn drop(&mut self) {
        self.control.quit();
        self.requests.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic there was one of `note`, and its message was printed.
            thread.join().ok();
        }
    }
}

/// What was asked for and has no answer yet.
struct Requests<I, O> {
    state: Mutex<State<I, O>>,
    changed: Condvar,
}

struct State<I, O> {
    /// Items for whoever is free, the first one first.
    waiting: VecDeque<Numbered<I>>,
    /// The number of the next item.
    next: u64,
    /// Where the answer about an item goes.
    replies: HashMap<u64, SyncSender<Result<O>>>,
    has_ended: bool,
    /// The error that ended the run.
    failure: Option<Arc<FarmError>>,
}

impl<I, O> Default for Requests<I, O> {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                waiting: VecDeque::new(),
                next: 0,
                replies: HashMap::new(),
                has_ended: false,
                failure: None,
            }),
            changed: Condvar::new(),
        }
    }
}

impl<I, O> Requests<I, O> {
    fn lock(&self) -> MutexGuard<'_, State<I, O>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, number: u64, answer: Result<O>) {
        let reply = self.lock().replies.remove(&number);
        if let Some(reply) = reply {
            // There is room for one, and one is sent.
            reply.send(answer).ok();
        }
    }
}

/// Ends the wait of all who have asked, however the run ends.
struct EndOfRequests<'a, I, O>(&'a Requests<I, O>);

impl<I, O> Drop for EndOfRequests<'_, I, O> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.has_ended = true;
        state.waiting.clear();
        state.replies.clear();
    }
}

impl<I: Send + Sync, O: Send> Source for Requests<I, O> {
    type Item = Numbered<I>;

    fn next(&self, is_quitting: &dyn Fn() -> bool) -> Option<Numbered<I>> {
        let mut state = self.lock();
        while !is_quitting() {
            if let Some(item) = state.waiting.pop_front() {
                return Some(item);
            }
            let waited = self.changed.wait_timeout(state, WAIT);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }

    fn ack(&self, _: &Numbered<I>) {}

    fn nack(&self, item: &Numbered<I>) {
        self.lock().waiting.push_front(item.clone());
        self.changed.notify_one();
    }
}

/// Gives outputs to those who have asked.
struct Answering<'a, I, O> {
    requests: &'a Requests<I, O>,
    note: &'a dyn Fn(&str),
    /// That of the last failure.
    reason: String,
}

impl<I, O> Recorder for Answering<'_, I, O> {
    type Kind = PlainRun;
    type Item = Numbered<I>;
    type Output = O;
    type Error = FarmError;

    fn record(&mut self, _: Option<usize>, item: &Numbered<I>, output: O) -> Result<()> {
        self.requests.answer(item.number, Ok(output));
        Ok(())
    }

    fn give_up(&mut self, item: &Numbered<I>) -> Result<()> {
        let reason = std::mem::take(&mut self.reason);
        self.requests
            .answer(item.number, Err(FarmError::GivenUp(reason)));
        Ok(())
    }

    fn on_event(&mut self, event: &Event<'_, PlainRun>) {
        if let Event::WorkerFailed { reason, .. } = event {
            (*reason).clone_into(&mut self.reason);
        }
        if let Some(text) = event.message() {
            (self.note)(&text);
        }
    }
}
