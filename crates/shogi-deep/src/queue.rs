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
    BatchEvaluator, EvaluationError, PolicyValue, PolicyValueEvaluator, PositionBatch,
    PositionQuery,
};

/// What is called with an answer, on the evaluator's thread.
type Completion = Box<dyn FnOnce(PositionBatch, Result<(), EvaluationError>) + Send>;

/// How requests are gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSettings {
    /// Most positions of a batch (at least one); a request that has more is evaluated alone, in parts.
    pub largest: usize,
    /// The time that an evaluator waits for more requests at least, while fewer are there than lately; it may wait as long as a batch takes, for
    /// then a batch that is twice as large costs nothing. While another evaluator is at work on the same device, only full batches begin. Zero:
    /// evaluators wait for nothing, as suits those to whom the size of a batch makes no difference.
    pub patience: Duration,
}

/// The longest that an evaluator waits for more requests, unless [`QueueSettings::patience`] is longer.
const LONGEST_PATIENCE: Duration = Duration::from_millis(100);

/// What a queue has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Batches that were evaluated.
    pub batches: u64,
    /// Their positions.
    pub positions: u64,
}

impl QueueCounts {
    /// Positions of a batch on average; 0 without batches.
    pub fn mean_batch(&self) -> f64 {
        self.positions as f64 / self.batches.max(1) as f64
    }
}

/// Evaluators on threads of their own, and the requests that wait for them.
///
/// An evaluator that is free takes all that is waiting, up to [`QueueSettings::largest`] positions. One that fails is not used again, and another one
/// gets its requests; the error of the last one goes to the requests of its batch. With the last evaluator that panics all requests fail. Dropping
/// the queue ends the threads.
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
    /// Devices of the evaluators.
    devices: usize,
}

struct Requests {
    /// Requests that wait, of each client in their order; the clients in the order in which they are next.
    waiting: VecDeque<(u64, VecDeque<Request>)>,
    /// Positions of those that wait.
    positions: usize,
    /// Requests that wait of one search each, and fill half a batch at least: they need no others.
    large: usize,
    /// Searches whose positions wait.
    searches: usize,
    /// Searches whose positions are evaluated, on each device.
    at_work: Vec<usize>,
    /// Searches that waited or were at work when the last two batches began.
    recent: [usize; 2],
    /// The time of the last batch.
    batch_time: Duration,
    /// Threads that evaluate.
    evaluators: usize,
    /// What happened to evaluators, for people.
    notices: Vec<String>,
    /// Why no more requests are taken.
    end: Option<EvaluationError>,
}

struct Request {
    client: u64,
    batch: PositionBatch,
    /// Searches that wait for it, as far as that is known.
    searches: usize,
    done: Completion,
}

impl Request {
    /// Returns whether it is of one search, and fills half a batch at least.
    const fn is_large(&self, largest: usize) -> bool {
        self.searches == 1 && self.batch.count() > 1 && 2 * self.batch.count() >= largest
    }

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
        let devices = evaluators.iter().map(|evaluator| evaluator.device() + 1);
        let devices = devices.max().unwrap_or(1);
        let state = Arc::new(QueueState {
            settings,
            devices,
            requests: Mutex::new(Requests {
                waiting: VecDeque::new(),
                positions: 0,
                large: 0,
                searches: 0,
                at_work: vec![0; devices],
                recent: [1; 2],
                batch_time: Duration::ZERO,
                notices: Vec::new(),
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

    /// Adds a request of one search of this process, the client 0: see [`Self::submit_for`].
    pub fn submit(
        &self,
        batch: PositionBatch,
        done: impl FnOnce(PositionBatch, Result<(), EvaluationError>) + Send + 'static,
    ) {
        self.add(Request {
            client: 0,
            batch,
            searches: 1,
            done: Box::new(done),
        });
    }

    /// Adds a request of a client, for each of whose positions another search may wait. Each client has one request evaluated in turn, so that none
    /// waits for all that another one wants. `done` gets it back with its results, on another thread or, when the queue has ended, on this one.
    pub fn submit_for(
        &self,
        client: u64,
        batch: PositionBatch,
        done: impl FnOnce(PositionBatch, Result<(), EvaluationError>) + Send + 'static,
    ) {
        self.add(Request {
            client,
            searches: batch.count().max(1),
            batch,
            done: Box::new(done),
        });
    }

    fn add(&self, request: Request) {
        let mut requests = self.state.lock();
        if let Some(end) = requests.end.clone() {
            drop(requests);
            return request.answer(Err(end));
        }
        let was_empty = requests.waiting.is_empty();
        requests.add(request, self.largest());
        let is_worth_a_look = was_empty || self.state.is_enough(&requests);
        drop(requests);
        if self.state.devices > 1 && is_worth_a_look {
            self.state.added.notify_all();
        } else if is_worth_a_look {
            self.state.added.notify_one();
        }
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
            places: places.max(1),
            answer: None,
        }
    }

    /// What was evaluated so far.
    pub fn counts(&self) -> QueueCounts {
        QueueCounts {
            batches: self.state.batches.load(Relaxed),
            positions: self.state.positions.load(Relaxed),
        }
    }

    /// Most positions of a batch.
    pub fn largest(&self) -> usize {
        self.state.settings.largest.max(1)
    }

    /// Takes what has happened to evaluators since the last time, as lines for people.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().notices)
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
        (requests.positions, requests.searches, requests.large) = (0, 0, 0);
        drop(requests);
        self.added.notify_all();
        for request in waiting.into_iter().flat_map(|(_, requests)| requests) {
            request.answer(Err(reason.clone()));
        }
    }

    /// The work of an evaluator's thread.
    fn serve(&self, evaluator: &mut dyn BatchEvaluator) {
        let mut gathered = Gathered::default();
        let device = evaluator.device();
        while let Some(requests) = self.gather(device) {
            let begin = Instant::now();
            let count: usize = requests.iter().map(|request| request.batch.count()).sum();
            let searches: usize = requests.iter().map(|request| request.searches).sum();
            let (requests, result) = gathered.evaluate(requests, evaluator, self.settings.largest);
            self.batches.fetch_add(1, Relaxed);
            self.positions.fetch_add(count as u64, Relaxed);
            let mut state = self.lock();
            state.at_work[device] -= searches;
            state.batch_time = begin.elapsed();
            drop(state);
            // Those who wait for this one to end look again.
            self.added.notify_all();
            let result = match result {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) => match self.leave_to_others(requests, error) {
                    Some((requests, error)) => {
                        answer_all(requests, &Err(error));
                        continue;
                    }
                    None => return,
                },
                Err(panic) => {
                    let result = Err(EvaluationError::Failed(panic.message));
                    self.lose_evaluator(&result);
                    answer_all(requests, &result);
                    return;
                }
            };
            answer_all(requests, &result);
        }
    }

    /// An evaluator has failed: others get its requests, if there are some, and it is not used again. Without others the requests come back.
    fn leave_to_others(
        &self,
        requests: Vec<Request>,
        error: EvaluationError,
    ) -> Option<(Vec<Request>, EvaluationError)> {
        let mut state = self.lock();
        if state.evaluators <= 1 || state.end.is_some() {
            return Some((requests, error));
        }
        state.evaluators -= 1;
        let text = format!("{error} : it is left out, others evaluate");
        state.notices.push(text);
        for request in requests {
            state.add(request, self.settings.largest);
        }
        drop(state);
        self.added.notify_all();
        None
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

    /// Returns whether those that wait fill a batch.
    const fn is_full(&self, requests: &Requests) -> bool {
        requests.positions >= self.settings.largest || requests.large > 0
    }

    /// Returns whether those that wait are as many as there were lately, or fill a batch.
    fn is_enough(&self, requests: &Requests) -> bool {
        let expected = requests.recent[0].max(requests.recent[1]);
        self.settings.patience.is_zero()
            || self.is_full(requests)
            || requests.searches >= expected.div_ceil(self.devices)
    }

    /// Waits for requests and takes as many as fit into a batch; `None` when the queue has ended.
    fn gather(&self, device: usize) -> Option<Vec<Request>> {
        let mut requests = self.lock();
        let mut deadline = None;
        loop {
            if requests.end.is_some() {
                return None;
            }
            let is_patient = !self.settings.patience.is_zero();
            let is_full = self.is_full(&requests);
            let is_busy = is_patient && !is_full && requests.at_work[device] > 0;
            if requests.waiting.is_empty() || is_busy {
                deadline = None;
                requests = self
                    .added
                    .wait(requests)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let now = Instant::now();
            let patience = requests.batch_time.min(LONGEST_PATIENCE);
            let until = *deadline.get_or_insert(now + patience.max(self.settings.patience));
            if self.is_enough(&requests) || now >= until {
                let taken = requests.take(self.settings.largest, device);
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

fn answer_all(requests: Vec<Request>, result: &Result<(), EvaluationError>) {
    for request in requests {
        request.answer(result.clone());
    }
}

impl Requests {
    fn add(&mut self, request: Request, largest: usize) {
        self.positions += request.batch.count();
        self.searches += request.searches;
        self.large += usize::from(request.is_large(largest));
        let client = request.client;
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

    /// The next requests for a device, one of each client in turn: at least one, and no more than fit into `largest` positions.
    fn take(&mut self, largest: usize, device: usize) -> Vec<Request> {
        let all = self.searches + self.at_work.iter().sum::<usize>();
        self.recent = [self.recent[1], all];
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
        let searches: usize = taken.iter().map(|request| request.searches).sum();
        self.searches -= searches;
        let large = taken.iter().filter(|request| request.is_large(largest));
        self.large -= large.count();
        self.at_work[device] += searches;
        taken
    }
}

/// The buffers of an evaluator's thread.
#[derive(Default)]
struct Gathered {
    positions: Vec<PositionQuery>,
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
        let size = largest.max(1);
        if let [request] = &mut requests[..]
            && request.batch.count() <= size
        {
            // One request needs no copy.
            let batch = &mut request.batch;
            let result = catch_unwind(AssertUnwindSafe(|| batch.evaluate(evaluator)));
            return (requests, result.map_err(|panic| Panic::of(&*panic)));
        }
        let count: usize = requests.iter().map(|request| request.batch.count()).sum();
        while self.positions.len() < count {
            let empty = PositionQuery::new(&Position::startpos());
            self.positions.push(empty);
        }
        if self.results.len() < count {
            self.results.resize_with(count, PolicyValue::default);
        }
        self.swap_positions(&mut requests);
        let result = catch_unwind(AssertUnwindSafe(|| {
            let parts = self.positions[..count].chunks(size);
            let mut parts = parts.zip(self.results.chunks_mut(size));
            parts.try_for_each(|(positions, results)| evaluator.evaluate_batch(positions, results))
        }));
        self.swap_positions(&mut requests);
        let places = requests
            .iter_mut()
            .flat_map(|request| request.batch.results_mut());
        for (place, result) in places.zip(&mut self.results) {
            std::mem::swap(place, result);
        }
        (requests, result.map_err(|panic| Panic::of(&*panic)))
    }

    /// Exchanges the positions of requests with those here, in order.
    fn swap_positions(&mut self, requests: &mut [Request]) {
        let places = requests
            .iter_mut()
            .flat_map(|request| request.batch.positions_mut());
        for (place, position) in places.zip(&mut self.positions) {
            std::mem::swap(place, position);
        }
    }
}

/// A panic of an evaluator.
struct Panic {
    message: String,
}

impl Panic {
    fn of(panic: &(dyn std::any::Any + Send)) -> Self {
        Self {
            message: panic_text(panic),
        }
    }
}

/// What a panic says.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "the evaluator has panicked".to_owned())
}

/// What comes back of a request.
type Answer = (PositionBatch, Result<(), EvaluationError>);

/// One thread's access to an [`EvaluationQueue`].
pub struct QueuedEvaluator {
    queue: Arc<EvaluationQueue>,
    batch: PositionBatch,
    places: usize,
    /// The way of the answer, while the batch is away.
    answer: Option<mpsc::Receiver<Answer>>,
}

impl PolicyValueEvaluator for QueuedEvaluator {
    fn max_batch(&self) -> usize {
        self.places
    }

    fn put(&mut self, place: usize, position: &Position) {
        self.batch.put(place, position);
    }

    fn put_query(&mut self, place: usize, _: &Position, query: PositionQuery) {
        self.batch.put_query(place, query);
    }

    fn evaluate(&mut self, count: usize) {
        expect_evaluated(self.try_evaluate(count));
    }

    fn try_evaluate(&mut self, count: usize) -> Result<(), EvaluationError> {
        self.begin(count)?;
        self.finish()
    }

    fn begin(&mut self, count: usize) -> Result<(), EvaluationError> {
        if count == 0 {
            return Ok(());
        }
        let empty = PositionBatch::of(Vec::new());
        let mut batch = std::mem::replace(&mut self.batch, empty);
        batch.set_count(count);
        let (sender, receiver) = mpsc::sync_channel(1);
        self.queue.submit(batch, move |batch, result| {
            sender.send((batch, result)).ok();
        });
        self.answer = Some(receiver);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), EvaluationError> {
        let Some(answer) = self.answer.take() else {
            return Ok(());
        };
        let lost = |_| {
            let batch = PositionBatch::with_places(self.places);
            (batch, Err(EvaluationError::Closed))
        };
        let (batch, result) = answer.recv().unwrap_or_else(lost);
        self.batch = batch;
        result
    }

    fn output(&self, place: usize) -> &PolicyValue {
        &self.batch.results()[place]
    }
}
