//! Workers: who does the work of a run, whatever it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use crate::control::RunControl;
use crate::status::WorkerStatus;

/// Stack of a worker's thread in bytes, if its [`Workers`] say nothing else.
pub(crate) const STACK_BYTES: usize = 4 << 20;

/// Does items, one after the other, on a thread of its own: an engine, a searcher, a program. It is made and dropped on
/// that thread.
pub trait Worker {
    /// A work item: a number, a position.
    type Item;
    /// The output of an item.
    type Output: Send;

    /// Does `item`. Searches are [timed](Stop::timed), and end early when the [flag](Stop::flag) is set; what they found
    /// by then counts only if [`Stop::check`] says so.
    ///
    /// # Errors
    /// See [`WorkError`]: this worker is dropped and made anew, and the item tried again, maybe by another one.
    fn work(&mut self, item: &Self::Item, stop: &Stop)
    -> Result<Finished<Self::Output>, WorkError>;
}

/// The workers of a run: how many there are, and how each is started, again after a failure too. [`threads`](crate::threads) makes
/// them of two closures.
pub trait Workers: Sync {
    /// A worker.
    type Worker: Worker;

    /// The number of workers: items in progress at a time.
    fn count(&self) -> usize;

    /// The name of worker `number`, counted from 0, for people; several may have the same.
    fn name(&self, number: usize) -> &str;

    /// Makes worker `number`. Called on its thread, before its first item and after each failure.
    ///
    /// # Errors
    /// When that fails: it counts as a failure of the worker.
    fn start(&self, number: usize) -> Result<Self::Worker, WorkError>;

    /// Called once on the thread of worker `number` before anything else: to pin it to a processor.
    fn enter(&self, number: usize) {
        let _ = number;
    }

    /// Takes what users should know since the last time: the name of a worker, and a line. Called several times a second on
    /// the thread of the run.
    fn take_notices(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The stack of each thread, in bytes.
    fn stack_bytes(&self) -> usize {
        STACK_BYTES
    }
}

impl<W: Workers> Workers for &W {
    type Worker = W::Worker;

    fn count(&self) -> usize {
        (**self).count()
    }

    fn name(&self, number: usize) -> &str {
        (**self).name(number)
    }

    fn start(&self, number: usize) -> Result<Self::Worker, WorkError> {
        (**self).start(number)
    }

    fn enter(&self, number: usize) {
        (**self).enter(number);
    }

    fn take_notices(&self) -> Vec<(String, String)> {
        (**self).take_notices()
    }

    fn stack_bytes(&self) -> usize {
        (**self).stack_bytes()
    }
}

/// The items of workers.
pub type ItemOf<W> = <<W as Workers>::Worker as Worker>::Item;
/// The outputs of workers.
pub type OutputOf<W> = <<W as Workers>::Worker as Worker>::Output;

/// What a worker needs to know of its run: whether it has to stop, and how it tells what it does. Cheap to clone.
///
/// [`Stop::default`] is that of work outside of a run, which nothing stops.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    status: Arc<WorkerStatus>,
    control: RunControl,
}

impl Stop {
    pub(crate) const fn new(status: Arc<WorkerStatus>, control: RunControl) -> Self {
        Self { status, control }
    }

    /// The flag that is set to have the work end at once, because the run ends or the time limit passed: for searches that
    /// take such a flag.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.status.stop
    }

    /// True if the work is to end at once.
    pub fn is_set(&self) -> bool {
        self.status.stop.load(Ordering::Acquire)
    }

    /// True if the work is to end because its search took too long.
    pub fn is_timed_out(&self) -> bool {
        self.status.timed_out.load(Ordering::Acquire)
    }

    /// Waits as long as the run is paused.
    pub fn wait_if_paused(&self) {
        self.control.wait_with_item();
    }

    /// Waits as long as the run is paused; then makes a search, to which the time limit applies.
    pub fn timed<T>(&self, search: impl FnOnce() -> T) -> T {
        self.wait_if_paused();
        self.status.begin();
        let found = search();
        self.status.end();
        found
    }

    /// Counts positions that were visited, for the screen.
    pub fn add_nodes(&self, nodes: u64) {
        self.status.add_nodes(nodes);
    }

    /// Checks after a search that it was not cut short.
    ///
    /// # Errors
    /// [`WorkError::Failed`] when it took too long, [`WorkError::Stopped`] when the run ends.
    pub fn check(&self) -> Result<(), WorkError> {
        if self.is_timed_out() {
            return Err(WorkError::Failed("no answer in time".to_owned()));
        }
        if self.is_set() {
            return Err(WorkError::Stopped);
        }
        Ok(())
    }

    /// Forgets the stop of an earlier item.
    pub(crate) fn clear(&self) {
        self.status.clear();
    }
}

/// A finished work item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished<O> {
    /// Output of the item.
    pub output: O,
    /// A protocol violation of the worker, if that is part of the output: the worker is made anew then, and
    /// closed when it happens again and again.
    pub violation: Option<String>,
}

impl<O> From<O> for Finished<O> {
    fn from(output: O) -> Self {
        Self {
            output,
            violation: None,
        }
    }
}

/// The reason why an item has no output.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorkError {
    /// The worker failed, for this reason. It is made anew.
    #[error("{0}")]
    Failed(String),
    /// The worker cannot do what it was told, in these words, which say who it is; no other try would tell anything else. The run ends.
    #[error("{0}")]
    Refused(String),
    /// The run is ending.
    #[error("the run is ending")]
    Stopped,
}
