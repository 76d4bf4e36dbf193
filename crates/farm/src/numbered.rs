//! Jobs told apart by their numbers: what they are need not be compared or copied.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::event::RunKind;
use crate::worker::{Finished, Stop, WorkError, Worker, Workers};

/// A job with its number, counted from 0.
pub(crate) struct Numbered<T> {
    pub(crate) number: u64,
    pub(crate) job: Arc<T>,
}

impl<T> Clone for Numbered<T> {
    fn clone(&self) -> Self {
        Self {
            number: self.number,
            job: Arc::clone(&self.job),
        }
    }
}

impl<T> PartialEq for Numbered<T> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl<T> Eq for Numbered<T> {}

impl<T> Hash for Numbered<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

/// The same workers for numbered jobs.
pub(crate) struct ByNumber<'a, W>(pub(crate) &'a W);

impl<W: Workers> Workers for ByNumber<'_, W> {
    type Worker = NumberedWorker<W::Worker>;

    fn count(&self) -> usize {
        self.0.count()
    }

    fn name(&self, number: usize) -> &str {
        self.0.name(number)
    }

    fn start(&self, number: usize) -> Result<Self::Worker, WorkError> {
        self.0.start(number).map(NumberedWorker)
    }

    fn enter(&self, number: usize) {
        self.0.enter(number);
    }

    fn take_notices(&self) -> Vec<(String, String)> {
        self.0.take_notices()
    }

    fn stack_bytes(&self) -> usize {
        self.0.stack_bytes()
    }
}

/// A worker of [`ByNumber`].
pub(crate) struct NumberedWorker<T>(T);

impl<T: Worker> Worker for NumberedWorker<T> {
    type Item = Numbered<T::Item>;
    type Output = T::Output;

    fn work(
        &mut self,
        item: &Numbered<T::Item>,
        stop: &Stop,
    ) -> Result<Finished<T::Output>, WorkError> {
        self.0.work(&item.job, stop)
    }
}

/// Runs that report nothing of their own.
#[derive(Debug)]
pub(crate) struct PlainRun;

impl RunKind for PlainRun {
    type Report<'a> = ();
    type Totals = ();
}
