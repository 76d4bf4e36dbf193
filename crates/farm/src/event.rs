//! Events, summary and recorder of a run, whatever its work is.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::control::RunControl;
use crate::error::FarmError;
use crate::status::WorkerStatus;

/// A kind of run: games, positions of a book.
pub trait RunKind {
    /// Reports of this kind of run only.
    type Report<'a>: Debug;
    /// Counters of this kind of run only.
    type Totals: Clone + Debug + Default + PartialEq + Eq;
}

/// An event of a run of kind `K`.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a, K: RunKind> {
    /// A report that only runs of this kind make.
    Report(K::Report<'a>),
    /// A worker failed, or its work panicked: it is made anew.
    WorkerFailed {
        /// Number of the worker.
        worker: usize,
        /// Name of the worker.
        name: &'a str,
        /// The error.
        reason: &'a str,
    },
    /// A worker failed too often: it is closed.
    WorkerClosed {
        /// Number of the worker.
        worker: usize,
        /// Name of the worker.
        name: &'a str,
        /// The last error.
        reason: &'a str,
    },
    /// What users should know of a worker, such as that a server which it needs was lost, or is there again.
    Notice {
        /// Name of the worker.
        name: &'a str,
        /// A line.
        text: &'a str,
    },
    /// A transient error of the queue: the operation is retried.
    TransientError {
        /// The error.
        reason: &'a str,
    },
    /// A checkpoint: the output file is up to date.
    Saved {
        /// The file.
        path: &'a Path,
        /// The number of its outputs of this run, or that are new in it.
        count: u64,
    },
    /// Time passes. Comes after every other event of a worker, and several times a second.
    Tick {
        /// The workers, in order; none where other machines do the work.
        workers: &'a [Arc<WorkerStatus>],
    },
}

impl<K: RunKind> Event<'_, K> {
    /// The event in a sentence, if it is an error of a worker or a queue, or a notice.
    pub fn message(&self) -> Option<String> {
        match self {
            Self::WorkerFailed {
                worker,
                name,
                reason,
            } => Some(format!(
                "worker {worker}, {name}: {reason}; starting it again"
            )),
            Self::WorkerClosed {
                worker,
                name,
                reason,
            } => Some(format!(
                "worker {worker}, {name}: failed too often, not started again: {reason}"
            )),
            Self::Notice { name, text } => Some(format!("{name}: {text}")),
            Self::TransientError { reason } => Some(format!("queue: {reason}; trying again")),
            _ => None,
        }
    }

    /// The same event as JSON.
    pub fn json(&self) -> Option<serde_json::Value> {
        // "engine" is the documented word for the name of any worker.
        let engine = |event: &str, worker: &usize, name: &str, reason: &str| json!({"event": event, "worker": worker, "engine": name, "reason": reason});
        match self {
            Self::WorkerFailed {
                worker,
                name,
                reason,
            } => Some(engine("failed", worker, name, reason)),
            Self::WorkerClosed {
                worker,
                name,
                reason,
            } => Some(engine("closed", worker, name, reason)),
            Self::Notice { name, text } => {
                Some(json!({"event": "notice", "engine": name, "text": text}))
            }
            Self::TransientError { reason } => {
                Some(json!({"event": "transient_error", "reason": reason}))
            }
            _ => None,
        }
    }
}

/// Called with every event of a run, on the thread that called the run.
pub type RunObserver<'o, K> = dyn Fn(&Event<'_, K>) + 'o;

/// A run in numbers. What earlier runs did does not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary<T> {
    /// Work items that were finished.
    pub finished: u64,
    /// Work items at which workers failed again and again.
    pub given_up: u64,
    /// Failures of workers.
    pub failures: u64,
    /// Checkpoints that wrote anything new.
    pub saves: u64,
    /// Time since the start.
    pub elapsed: Duration,
    /// True if nothing is left to do, but for what was given up.
    pub is_complete: bool,
    /// Counters of this kind of run.
    pub totals: T,
}

impl<T> Summary<T> {
    /// `count` in a second of the run.
    pub fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }

    /// Adds a later part of the same run; `add` adds the totals.
    pub fn add(&mut self, later: &Self, add: impl FnOnce(&mut T, &T)) {
        self.finished += later.finished;
        self.given_up += later.given_up;
        self.failures += later.failures;
        self.saves += later.saves;
        self.elapsed += later.elapsed;
        add(&mut self.totals, &later.totals);
    }
}

/// Records the outputs of the items of a run. All methods are called on the thread of the run.
pub trait Recorder {
    /// The kind of the run.
    type Kind: RunKind;
    /// A work item.
    type Item;
    /// The output of an item.
    type Output;
    /// The error with which the run cannot continue.
    type Error: From<FarmError>;

    /// Makes the output of an item safe: when this returns without an error, the item is acknowledged and never
    /// handed out again. `worker` is the one that did it, none when another machine did.
    ///
    /// # Errors
    /// They end the run.
    fn record(
        &mut self,
        worker: Option<usize>,
        item: &Self::Item,
        output: Self::Output,
    ) -> Result<(), Self::Error>;

    /// Notes that an item has no output, as workers failed at it again and again.
    ///
    /// # Errors
    /// They end the run.
    fn give_up(&mut self, item: &Self::Item) -> Result<(), Self::Error>;

    /// Writes a checkpoint if it is time for one. Called several times a second.
    ///
    /// # Errors
    /// They end the run.
    fn save_if_due(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Passes an event on, usually to [`RunLog::on_event`].
    fn on_event(&mut self, event: &Event<'_, Self::Kind>);
}

/// The part that all recorders share: the observer, the summary, and the clock of checkpoints.
pub struct RunLog<'o, K: RunKind> {
    observer: &'o RunObserver<'o, K>,
    /// The run so far.
    pub summary: Summary<K::Totals>,
    started: Instant,
    saved: Instant,
}

impl<'o, K: RunKind> RunLog<'o, K> {
    /// The log of a run that starts now.
    pub fn new(observer: &'o RunObserver<'o, K>) -> Self {
        Self {
            observer,
            summary: Summary::default(),
            started: Instant::now(),
            saved: Instant::now(),
        }
    }

    /// Counts failures, and passes the event to the observer.
    pub fn on_event(&mut self, event: &Event<'_, K>) {
        self.summary.failures += u64::from(matches!(event, Event::WorkerFailed { .. }));
        (self.observer)(event);
    }

    /// Passes a report to the observer.
    pub fn report(&self, report: K::Report<'_>) {
        (self.observer)(&Event::Report(report));
    }

    /// Counts a finished item.
    pub fn count(&mut self) {
        self.summary.finished += 1;
        self.summary.elapsed = self.started.elapsed();
    }

    /// True if the last checkpoint is `interval` ago.
    pub fn is_save_due(&self, interval: Duration) -> bool {
        self.saved.elapsed() >= interval
    }

    /// Notes a checkpoint, with `count` outputs in the file.
    pub fn saved(&mut self, path: &Path, count: u64) {
        self.saved = Instant::now();
        self.summary.saves += u64::from(count > 0);
        (self.observer)(&Event::Saved { path, count });
    }

    /// The summary at the end of the run.
    pub fn finish(self, completion: RunCompletion) -> Summary<K::Totals> {
        Summary {
            elapsed: self.started.elapsed(),
            is_complete: completion.is_complete(),
            ..self.summary
        }
    }
}

/// Whether a run did all that it was to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunCompletion {
    /// Everything is done.
    Complete,
    /// It was ended before.
    Early,
}

impl RunCompletion {
    /// Complete when `done` of `total` are done, or more.
    pub const fn of_counts(done: u64, total: u64) -> Self {
        if done >= total {
            Self::Complete
        } else {
            Self::Early
        }
    }

    /// That of a run without a failure: complete unless `control` asked it to end.
    pub fn of_control(control: &RunControl) -> Self {
        if control.is_quitting() {
            Self::Early
        } else {
            Self::Complete
        }
    }

    /// Complete unless an error ended the run.
    pub const fn of_result<T, E>(result: &Result<T, E>) -> Self {
        match result {
            Ok(_) => Self::Complete,
            Err(_) => Self::Early,
        }
    }

    /// Returns whether everything is done.
    pub fn is_complete(self) -> bool {
        self == Self::Complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs without reports.
    #[derive(Debug)]
    struct Plain;

    impl RunKind for Plain {
        type Report<'a> = ();
        type Totals = ();
    }

    #[test]
    fn events_have_the_words_that_are_documented() {
        let (worker, name, reason) = (3, "e", "gone");
        let json = |event: Event<'_, Plain>| event.json().unwrap();
        let failed = Event::WorkerFailed {
            worker,
            name,
            reason,
        };
        let closed = Event::WorkerClosed {
            worker,
            name,
            reason,
        };
        for (event, word) in [(failed, "failed"), (closed, "closed")] {
            let expected = json!({"event": word, "worker": 3, "engine": "e", "reason": "gone"});
            assert_eq!(json(event), expected);
        }
        assert_eq!(
            json(Event::TransientError { reason }),
            json!({"event": "transient_error", "reason": "gone"})
        );
    }
}
