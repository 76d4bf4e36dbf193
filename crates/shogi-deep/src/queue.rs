//! One queue of positions for many searches: evaluators take what is waiting, so that batches are full although each search waits for few.
//!
//! A position's result does not depend on what else is in its batch, so searches come out the same however their requests are gathered.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use shogi_core::Position;

use crate::evaluator::expect_evaluated;
use crate::{
    BatchEvaluator, EvaluationError, LabelledPosition, PolicyValue, PolicyValueEvaluator, PositionBatch,
};

/// What is called with an answer, on the evaluator's thread.
type Completion = Box<dyn FnOnce(PositionBatch, Result<(), EvaluationError>) + Send>;

/// How requests are gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSettings {
    /// Most positions of a batch (at least one); a request that has more is evaluated alone, in parts.
    pub largest: usize,
    /// The longest that an evaluator waits for more requests while fewer are there than came together lately.
    pub patience: Duration,
}

/// What a queue has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Batches that were evaluated.
    pub batches: u64,
    /// Their positions.
    pub positions: u64,
}

/// Evaluators on threads of their own, and the requests that wait for them.
///
/// An evaluator that is free takes all that is waiting, up to [`QueueSettings::largest`] positions. An error goes to the requests of the batch; an
/// evaluator that panics is not used again, and with the last one all requests fail. Dropping the queue ends the threads.
pub struct EvaluationQueue {
    state: Arc<QueueState>,
    threads: Vec<JoinHandle<()>>,
}

struct QueueState {
    settings: QueueSettings,
    requests: Mutex<Requests>,
    /// Something was added to [`Self::requests`], or they are closed.
    added: Condvar,
    batches: AtomicU64,
    positions: AtomicU64,
}

struct Requests {
    /// Requests that wait, of each client in their order; the clients in the order in which they are next.
    waiting: VecDeque<(u64, VecDeque<Request>)>,
    /// Positions of those that wait.
    positions: usize,
    /// Requests of the last two batches.
    recent: [usize; 2],
    /// Threads that evaluate.
    evaluators: usize,
    /// Why no more requests are taken.
    end: Option<EvaluationError>,
}

struct Request {
    batch: PositionBatch,
    done: Completion,
}

impl Request {
    fn answer(self, result: Result<(), EvaluationError>) {
        (self.done)(self.batch, result);
    }
}

impl EvaluationQueue {
    /// A queue for these evaluators, each on a thread.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new(
        evaluators: Vec<Box<dyn BatchEvaluator>>,
        settings: QueueSettings,
    ) -> io::Result<Self> {
        let state = Arc::new(QueueState {
            settings,
            requests: Mutex::new(Requests {
                waiting: VecDeque::new(),
                positions: 0,
                recent: [1; 2],
                evaluators: evaluators.len(),
                end: evaluators.is_empty().then_some(EvaluationError::Closed),
            }),
            added: Condvar::new(),
            batches: AtomicU64::new(0),
            positions: AtomicU64::new(0),
        });
        let mut queue = Self {
            state,
            threads: Vec::new(),
        };
        for mut evaluator in evaluators {
            let state = Arc::clone(&queue.state);
            let builder = thread::Builder::new().name("evaluator".to_owned());
            // When this fails, dropping the queue ends the threads that were made.
            let thread = builder.spawn(move || state.serve(&mut *evaluator))?;
            queue.threads.push(thread);
        }
        Ok(queue)
    }

    /// Adds a request of the client 0: see [`Self::submit_for`].
    pub fn submit(
        &self,
        batch: PositionBatch,
        done: impl FnOnce(PositionBatch, Result<(), EvaluationError>) + Send + 'static,
    ) {
        self.submit_for(0, batch, done);
    }

    /// Adds a request of a client; each has one evaluated in turn, so that none waits for all that another one wants. `done` gets it back with its results, on another thread or, when the queue has ended, on this one.
    pub fn submit_for(
        &self,
        client: u64,
        batch: PositionBatch,
        done: impl FnOnce(PositionBatch, Result<(), EvaluationError>) + Send + 'static,
    ) {
        let request = Request {
            batch,
            done: Box::new(done),
        };
        let mut requests = self.state.lock();
        if let Some(end) = requests.end.clone() {
            drop(requests);
            return request.answer(Err(end));
        }
        requests.add(client, request);
        drop(requests);
        self.state.added.notify_one();
    }

    /// Has a request evaluated, and waits for it.
    ///
    /// # Errors
    /// When the evaluation fails, or the queue has ended. The batch comes back in any case.
    pub fn evaluate(&self, batch: PositionBatch) -> (PositionBatch, Result<(), EvaluationError>) {
        let places = batch.places();
        let (sender, receiver) = mpsc::sync_channel(1);
        self.submit(batch, move |batch, result| {
            sender.send((batch, result)).ok();
        });
        let lost = |_| {
            let batch = PositionBatch::with_places(places);
            (batch, Err(EvaluationError::Closed))
        };
        receiver.recv().unwrap_or_else(lost)
    }

    /// An evaluator for one thread of a search that has its positions evaluated here, with so many places (at least one).
    pub fn evaluator(self: &Arc<Self>, places: usize) -> QueuedEvaluator {
        QueuedEvaluator {
            queue: Arc::clone(self),
            batch: PositionBatch::with_places(places),
        }
    }

    /// What was evaluated so far.
    pub fn counts(&self) -> QueueCounts {
        QueueCounts {
            batches: self.state.batches.load(Relaxed),
            positions: self.state.positions.load(Relaxed),
        }
    }

    /// Requests that wait.
    pub fn waiting(&self) -> usize {
        self.state.lock().count()
    }

    /// Ends the queue: requests that wait, and later ones, fail. What is being evaluated is still answered.
    pub fn close(&self) {
        self.state.end(EvaluationError::Closed);
    }
}

impl Drop for EvaluationQueue {
    fn drop(&mut self) {
        self.close();
        for thread in self.threads.drain(..) {
            thread.join().ok();
        }
    }
}

impl QueueState {
    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes no more requests, and fails those that wait.
    fn end(&self, reason: EvaluationError) {
        let mut requests = self.lock();
        let reason = requests.end.get_or_insert(reason).clone();
        let waiting = std::mem::take(&mut requests.waiting);
        requests.positions = 0;
        drop(requests);
        self.added.notify_all();
        for request in waiting.into_iter().flat_map(|(_, requests)| requests) {
            request.answer(Err(reason.clone()));
        }
    }

    /// The work of an evaluator's thread.
    fn serve(&self, evaluator: &mut dyn BatchEvaluator) {
        let mut gathered = Gathered::default();
        while let Some(requests) = self.gather() {
            let count: usize = requests.iter().map(|request| request.batch.count()).sum();
            let (requests, result) = gathered.evaluate(requests, evaluator, self.settings.largest);
            self.batches.fetch_add(1, Relaxed);
            self.positions.fetch_add(count as u64, Relaxed);
            let (result, has_panicked) = match result {
                Ok(result) => (result, false),
                Err(panic) => (Err(EvaluationError::Failed(panic.message)), true),
            };
            if has_panicked {
                self.lose_evaluator(&result);
            }
            for request in requests {
                request.answer(result.clone());
            }
            if has_panicked {
                return;
            }
        }
    }

    /// An evaluator is not used again; without another one the queue ends.
    fn lose_evaluator(&self, result: &Result<(), EvaluationError>) {
        let mut requests = self.lock();
        requests.evaluators -= 1;
        let is_last = requests.evaluators == 0;
        drop(requests);
        if let (true, Err(reason)) = (is_last, result) {
            self.end(reason.clone());
        }
    }

    /// Waits for requests and takes as many as fit into a batch; `None` when the queue has ended.
    fn gather(&self) -> Option<Vec<Request>> {
        let mut requests = self.lock();
        let mut deadline = None;
        loop {
            if requests.end.is_some() {
                return None;
            }
            if requests.waiting.is_empty() {
                deadline = None;
                requests = self
                    .added
                    .wait(requests)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let usual = requests.recent.iter().sum::<usize>() / 2;
            let is_enough = requests.count() >= usual
                || requests.positions >= self.settings.largest
                || self.settings.patience.is_zero();
            let now = Instant::now();
            let until = *deadline.get_or_insert(now + self.settings.patience);
            if is_enough || now >= until {
                let taken = requests.take(self.settings.largest);
                if !requests.waiting.is_empty() {
                    self.added.notify_one();
                }
                return Some(taken);
            }
            let waited = self.added.wait_timeout(requests, until - now);
            requests = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Requests {
    fn add(&mut self, client: u64, request: Request) {
        self.positions += request.batch.count();
        let mut waiting = self.waiting.iter_mut();
        match waiting.find(|(other, _)| *other == client) {
            Some((_, requests)) => requests.push_back(request),
            None => self.waiting.push_back((client, VecDeque::from([request]))),
        }
    }

    /// Requests that wait.
    fn count(&self) -> usize {
        self.waiting
            .iter()
            .map(|(_, requests)| requests.len())
            .sum()
    }

    /// The next requests, one of each client in turn: at least one, and no more than fit into `largest` positions.
    fn take(&mut self, largest: usize) -> Vec<Request> {
        let mut taken = Vec::new();
        let mut count = 0;
        while let Some((_, requests)) = self.waiting.front() {
            let size = requests.front().map_or(0, |next| next.batch.count());
            if !taken.is_empty() && count + size > largest {
                break;
            }
            let Some((client, mut requests)) = self.waiting.pop_front() else {
                break;
            };
            count += size;
            taken.extend(requests.pop_front());
            if !requests.is_empty() {
                self.waiting.push_back((client, requests));
            }
        }
        self.positions -= count;
        self.recent = [self.recent[1], taken.len()];
        taken
    }
}

/// The buffers of an evaluator's thread.
#[derive(Default)]
struct Gathered {
    positions: Vec<LabelledPosition>,
    results: Vec<PolicyValue>,
}

impl Gathered {
    /// Evaluates requests together. The outer error is what a panic says.
    fn evaluate(
        &mut self,
        mut requests: Vec<Request>,
        evaluator: &mut dyn BatchEvaluator,
        largest: usize,
    ) -> (Vec<Request>, Result<Result<(), EvaluationError>, Panic>) {
        self.positions.clear();
        for request in &requests {
            self.positions.extend_from_slice(request.batch.positions());
        }
        let count = self.positions.len();
        if self.results.len() < count {
            self.results.resize_with(count, PolicyValue::default);
        }
        let size = largest.max(1);
        let result = catch_unwind(AssertUnwindSafe(|| {
            let mut parts = self
                .positions
                .chunks(size)
                .zip(self.results.chunks_mut(size));
            parts.try_for_each(|(positions, results)| evaluator.evaluate_batch(positions, results))
        }));
        let places = requests
            .iter_mut()
            .flat_map(|request| request.batch.results_mut());
        for (place, result) in places.zip(&mut self.results) {
            std::mem::swap(place, result);
        }
        let result = result.map_err(|panic| Panic {
            message: panic_text(&*panic),
        });
        (requests, result)
    }
}

/// A panic of an evaluator.
struct Panic {
    message: String,
}

/// What a panic says.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "the evaluator has panicked".to_owned())
}

/// One thread's access to an [`EvaluationQueue`].
pub struct QueuedEvaluator {
    queue: Arc<EvaluationQueue>,
    batch: PositionBatch,
}

impl PolicyValueEvaluator for QueuedEvaluator {
    fn max_batch(&self) -> usize {
        self.batch.places()
    }

    fn put(&mut self, place: usize, position: &Position) {
        self.batch.put(place, position);
    }

    fn evaluate(&mut self, count: usize) {
        expect_evaluated(self.try_evaluate(count));
    }

    fn try_evaluate(&mut self, count: usize) -> Result<(), EvaluationError> {
        if count == 0 {
            return Ok(());
        }
        let empty = PositionBatch::of(Vec::new());
        let mut batch = std::mem::replace(&mut self.batch, empty);
        batch.set_count(count);
        let (batch, result) = self.queue.evaluate(batch);
        self.batch = batch;
        result
    }

    fn output(&self, place: usize) -> &PolicyValue {
        &self.batch.results()[place]
    }
}
