//! Workers made of closures, and of two kinds of workers.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::worker::{Finished, ItemOf, OutputOf, STACK_BYTES, Stop, WorkError, Worker, Workers};

/// `count` workers with a state each, which `make` makes of the worker's number on its thread, and whose items `work` does with
/// it.
///
/// ```
/// use farm::{FarmError, RetryPolicy, RunControl, map_in_order, threads};
///
/// let squares = threads(2, |_| 0, |seen, &item: &u64, _| {
///     *seen += 1;
///     Ok((item * item).into())
/// });
/// let mut sum = 0;
/// let jobs = (0..100).map(Ok);
/// let (control, policy) = (RunControl::default(), RetryPolicy::default());
/// let is_complete = map_in_order(&squares, jobs, &control, policy, &|_| (), |square| {
///     sum += square;
///     Ok::<_, FarmError>(())
/// })?;
/// assert!(is_complete && sum == 328_350);
/// # Ok::<(), FarmError>(())
/// ```
pub fn threads<S, I, O, M, F>(count: usize, make: M, work: F) -> Threads<S, I, O, M, F>
where
    M: Fn(usize) -> S + Sync,
    F: Fn(&mut S, &I, &Stop) -> Result<Finished<O>, WorkError> + Send + Sync,
    O: Send,
{
    let threads = Threads {
        names: vec![String::new(); count],
        stack_bytes: STACK_BYTES,
        make,
        work: Arc::new(work),
        kinds: PhantomData,
    };
    threads.named("worker")
}

/// A state, an item and an output, of which [`Threads`] has none itself.
type Kinds<S, I, O> = fn(&I) -> (S, O);

/// Workers made of two closures: see [`threads`].
pub struct Threads<S, I, O, M, F> {
    names: Vec<String>,
    stack_bytes: usize,
    make: M,
    work: Arc<F>,
    kinds: PhantomData<Kinds<S, I, O>>,
}

impl<S, I, O, M, F> Threads<S, I, O, M, F> {
    /// The same with the names `NAME 0`, `NAME 1` and so on.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        for (number, own) in self.names.iter_mut().enumerate() {
            *own = format!("{name} {number}");
        }
        self
    }

    /// The same with a stack of so many bytes for each thread.
    #[must_use]
    pub const fn with_stack(mut self, bytes: usize) -> Self {
        self.stack_bytes = bytes;
        self
    }
}

impl<S, I, O, M, F> Workers for Threads<S, I, O, M, F>
where
    M: Fn(usize) -> S + Sync,
    F: Fn(&mut S, &I, &Stop) -> Result<Finished<O>, WorkError> + Send + Sync,
    O: Send,
{
    type Worker = ThreadWorker<S, I, O, F>;

    fn count(&self) -> usize {
        self.names.len()
    }

    fn name(&self, number: usize) -> &str {
        &self.names[number]
    }

    fn start(&self, number: usize) -> Result<Self::Worker, WorkError> {
        Ok(ThreadWorker {
            state: (self.make)(number),
            work: Arc::clone(&self.work),
            kinds: PhantomData,
        })
    }

    fn stack_bytes(&self) -> usize {
        self.stack_bytes
    }
}

/// A worker of [`Threads`].
pub struct ThreadWorker<S, I, O, F> {
    state: S,
    work: Arc<F>,
    kinds: PhantomData<fn(&I) -> O>,
}

impl<S, I, O, F> Worker for ThreadWorker<S, I, O, F>
where
    F: Fn(&mut S, &I, &Stop) -> Result<Finished<O>, WorkError>,
    O: Send,
{
    type Item = I;
    type Output = O;

    fn work(&mut self, item: &I, stop: &Stop) -> Result<Finished<O>, WorkError> {
        (self.work)(&mut self.state, item, stop)
    }
}

/// Two kinds of workers that do the same items, such as threads of this process and programs.
#[derive(Clone, Debug)]
pub struct Both<A, B>(pub A, pub B);

impl<A, B> Workers for Both<A, B>
where
    A: Workers,
    B: Workers,
    B::Worker: Worker<Item = ItemOf<A>, Output = OutputOf<A>>,
{
    type Worker = OneOfBoth<A::Worker, B::Worker>;

    fn count(&self) -> usize {
        self.0.count() + self.1.count()
    }

    fn name(&self, number: usize) -> &str {
        match number.checked_sub(self.0.count()) {
            None => self.0.name(number),
            Some(number) => self.1.name(number),
        }
    }

    fn start(&self, number: usize) -> Result<Self::Worker, WorkError> {
        Ok(match number.checked_sub(self.0.count()) {
            None => OneOfBoth::First(self.0.start(number)?),
            Some(number) => OneOfBoth::Second(self.1.start(number)?),
        })
    }

    fn enter(&self, number: usize) {
        match number.checked_sub(self.0.count()) {
            None => self.0.enter(number),
            Some(number) => self.1.enter(number),
        }
    }

    fn take_notices(&self) -> Vec<(String, String)> {
        let mut notices = self.0.take_notices();
        notices.extend(self.1.take_notices());
        notices
    }

    fn stack_bytes(&self) -> usize {
        self.0.stack_bytes().max(self.1.stack_bytes())
    }
}

/// A worker of [`Both`].
#[derive(Debug)]
pub enum OneOfBoth<A, B> {
    /// One of the first kind.
    First(A),
    /// One of the second kind.
    Second(B),
}

impl<A, B> Worker for OneOfBoth<A, B>
where
    A: Worker,
    B: Worker<Item = A::Item, Output = A::Output>,
{
    type Item = A::Item;
    type Output = A::Output;

    fn work(&mut self, item: &A::Item, stop: &Stop) -> Result<Finished<A::Output>, WorkError> {
        match self {
            Self::First(worker) => worker.work(item, stop),
            Self::Second(worker) => worker.work(item, stop),
        }
    }
}
