//! Results in the order of their jobs, with a bound on how far ahead the workers are.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use yane_io::Job;

use crate::control::RunControl;
use crate::error::FarmError;
use crate::event::{Event, Recorder};
use crate::numbered::{ByNumber, Numbered, PlainRun};
use crate::policy::RetryPolicy;
use crate::run::run;
use crate::source::{Backlog, Next, SharedBacklog};
use crate::worker::{ItemOf, OutputOf, Workers};

/// Jobs for each worker that may be ahead of the one that is waited for.
const AHEAD: u64 = 4;

/// Does `jobs` by `workers` and gives the results to `take` in the order of the jobs, on this thread. Returns true if all
/// were taken, false if `control` ended the work before. Workers are kept from working far ahead of a job that takes long, so memory
/// is bounded by a few jobs and results for each. Failures, panics and retries are those of [`run`](crate::run());
/// `note` gets them in sentences.
///
/// Jobs are taken from the iterator one by one, as workers become free, on their threads.
///
/// # Errors
/// The first error in the order of the jobs, of a job itself or of `take`: later results are dropped, and no more jobs are
/// begun; errors of a run, and [`FarmError::GivenUp`] when a job has no result after all tries.
pub fn map_in_order<W, J, E>(
    workers: &W,
    jobs: J,
    control: &RunControl,
    policy: RetryPolicy,
    note: &dyn Fn(&str),
    take: impl FnMut(OutputOf<W>) -> Result<(), E>,
) -> Result<bool, E>
where
    W: Workers,
    J: Iterator<Item = Result<ItemOf<W>, E>> + Send,
    ItemOf<W>: Send + Sync,
    E: From<FarmError> + Send,
{
    // An error here is not the end of what the caller does besides.
    let control = control.child();
    let due = AtomicU64::new(0);
    let source = SharedBacklog::new(Window {
        jobs: Jobs::Left(jobs),
        failed: Vec::new(),
        begun: 0,
        in_progress: 0,
        due: &due,
        width: workers.count() as u64 * AHEAD,
    });
    let mut recorder = InOrderRecorder {
        early: BTreeMap::new(),
        due: &due,
        take,
        note,
        reason: String::new(),
        kinds: PhantomData,
    };
    run(&ByNumber(workers), &source, &control, policy, &mut recorder)?;
    let window = source.into_inner();
    let has_all = due.load(Ordering::Relaxed) == window.begun;
    match window.jobs {
        Jobs::Ended => Ok(has_all),
        Jobs::Failed(error) if has_all => Err(error),
        Jobs::Left(_) | Jobs::Failed(_) | Jobs::Broken => Ok(false),
    }
}

/// The same as the work of `job`, which is asked to stop and to pause, and has failures of workers as remarks.
///
/// # Errors
/// [`yane_io::Error::Cancelled`] when `job` was stopped before all results were taken, and as [`map_in_order`].
pub fn map_job_in_order<W, J, E>(
    workers: &W,
    jobs: J,
    job: &Job,
    policy: RetryPolicy,
    take: impl FnMut(OutputOf<W>) -> Result<(), E>,
) -> Result<(), E>
where
    W: Workers,
    J: Iterator<Item = Result<ItemOf<W>, E>> + Send,
    ItemOf<W>: Send + Sync,
    E: From<FarmError> + From<yane_io::Error> + Send,
{
    let note = |text: &str| job.progress.note(text);
    let control = RunControl::of_job(job);
    if map_in_order(workers, jobs, &control, policy, &note, take)? {
        Ok(())
    } else {
        Err(yane_io::Error::Cancelled.into())
    }
}

/// The jobs of an iterator, those that failed before new ones, and none that is too far ahead.
struct Window<'a, T, I, E> {
    jobs: Jobs<I, E>,
    failed: Vec<Numbered<T>>,
    /// Number of jobs that were begun.
    begun: u64,
    in_progress: u64,
    /// The number of the job that is waited for.
    due: &'a AtomicU64,
    width: u64,
}

/// What is left of the jobs.
enum Jobs<I, E> {
    Left(I),
    Ended,
    /// A job cannot be made; those before it can.
    Failed(E),
    /// The iterator panicked.
    Broken,
}

impl<T, I, E> Window<'_, T, I, E>
where
    I: Iterator<Item = Result<T, E>>,
{
    /// The next job of the iterator.
    fn begin(&mut self) -> Option<Numbered<T>> {
        let jobs = std::mem::replace(&mut self.jobs, Jobs::Broken);
        let Jobs::Left(mut iterator) = jobs else {
            self.jobs = jobs;
            return None;
        };
        match iterator.next() {
            None => {
                self.jobs = Jobs::Ended;
                None
            }
            Some(Err(error)) => {
                self.jobs = Jobs::Failed(error);
                None
            }
            Some(Ok(job)) => {
                self.jobs = Jobs::Left(iterator);
                self.begun += 1;
                Some(Numbered {
                    number: self.begun - 1,
                    job: Arc::new(job),
                })
            }
        }
    }
}

impl<T, I, E> Backlog for Window<'_, T, I, E>
where
    T: Send + Sync,
    I: Iterator<Item = Result<T, E>>,
{
    type Item = Numbered<T>;

    fn next(&mut self) -> Next<Numbered<T>> {
        let is_too_far = self.begun >= self.due.load(Ordering::Relaxed) + self.width;
        let job = match self.failed.pop() {
            None if is_too_far => return Next::Later,
            None => self.begin(),
            failed => failed,
        };
        match job {
            Some(job) => {
                self.in_progress += 1;
                Next::Item(job)
            }
            None if self.in_progress > 0 => Next::Later,
            None => Next::End,
        }
    }

    fn ack(&mut self, _: &Numbered<T>) {
        self.in_progress -= 1;
    }

    fn nack(&mut self, job: &Numbered<T>) {
        self.in_progress -= 1;
        self.failed.push(job.clone());
    }
}

/// Keeps results until it is their turn.
struct InOrderRecorder<'a, T, O, F, E> {
    early: BTreeMap<u64, O>,
    due: &'a AtomicU64,
    take: F,
    note: &'a dyn Fn(&str),
    /// That of the last failure.
    reason: String,
    kinds: PhantomData<fn(&T) -> E>,
}

impl<T, O, F, E> Recorder for InOrderRecorder<'_, T, O, F, E>
where
    F: FnMut(O) -> Result<(), E>,
    E: From<FarmError>,
{
    type Kind = PlainRun;
    type Item = Numbered<T>;
    type Output = O;
    type Error = E;

    fn record(&mut self, _: Option<usize>, job: &Numbered<T>, output: O) -> Result<(), E> {
        self.early.insert(job.number, output);
        loop {
            let due = self.due.load(Ordering::Relaxed);
            let Some(output) = self.early.remove(&due) else {
                return Ok(());
            };
            self.due.store(due + 1, Ordering::Relaxed);
            (self.take)(output)?;
        }
    }

    fn give_up(&mut self, _: &Numbered<T>) -> Result<(), E> {
        Err(FarmError::GivenUp(std::mem::take(&mut self.reason)).into())
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
