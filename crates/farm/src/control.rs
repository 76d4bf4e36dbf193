//! Pausing and ending a run from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use yane_io::Job;
use yane_io::job::{Crew, Pausing};

/// Pauses and ends a run. Cheap to clone; clones control the same run.
#[derive(Clone, Debug, Default)]
pub struct RunControl(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    quit: Arc<AtomicBool>,
    pausing: Pausing,
    /// Ends this run too.
    parent: Option<RunControl>,
}

impl RunControl {
    /// A new control that ends the run when the shared flag `quit` is set.
    pub fn with_flag(quit: Arc<AtomicBool>) -> Self {
        Self(Arc::new(Inner {
            quit,
            ..Inner::default()
        }))
    }

    /// The control of a run that is all of `job`, or a part of it: it pauses when that is asked to pause, and ends when it is
    /// cancelled.
    pub fn of_job(job: &Job) -> Self {
        Self(Arc::new(Inner {
            quit: Arc::clone(&job.cancelled),
            pausing: job.pausing.clone(),
            parent: None,
        }))
    }

    /// The control of a part of the run, which ends and pauses with the run, and can end before it.
    pub fn child(&self) -> Self {
        Self(Arc::new(Inner {
            quit: Arc::default(),
            pausing: self.0.pausing.clone(),
            parent: Some(self.clone()),
        }))
    }

    /// Ends the run: work in progress is dropped.
    pub fn quit(&self) {
        self.0.quit.store(true, Ordering::Release);
        self.0.pausing.wake();
    }

    /// True if the run is to end.
    pub fn is_quitting(&self) -> bool {
        let parent = self.0.parent.as_ref();
        self.0.quit.load(Ordering::Acquire) || parent.is_some_and(Self::is_quitting)
    }

    /// Pauses the run until [`Self::go_on`]: searches in progress finish first.
    pub fn pause(&self) {
        self.0.pausing.request();
    }

    /// Ends a pause.
    pub fn go_on(&self) {
        self.0.pausing.release();
    }

    /// True if the run was told to pause.
    pub fn is_paused(&self) -> bool {
        self.0.pausing.is_requested()
    }

    /// Waits as long as the run is paused, unless it is to end.
    pub fn wait_if_paused(&self) {
        self.0.pausing.wait(&|| self.is_quitting());
    }

    /// As [`Self::wait_if_paused`], for a worker that has an item: it is busy but for this wait.
    pub(crate) fn wait_with_item(&self) {
        self.0.pausing.wait_busy(&|| self.is_quitting());
    }

    /// Counts the workers that are busy from here on.
    pub(crate) fn crew(&self) -> Crew {
        self.0.pausing.crew()
    }

    /// Waits for some time, or until the run is to end.
    pub fn sleep(&self, time: Duration) {
        let end = Instant::now() + time;
        while !self.is_quitting() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(Duration::from_millis(50)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_and_pauses_with_the_run_and_may_end_before_it() {
        let run = RunControl::default();
        let (part, other) = (run.child(), run.child());
        run.pause();
        assert!(part.is_paused());
        part.quit();
        assert!(part.is_quitting() && !run.is_quitting() && !other.is_quitting());
        // Does not wait: it is over.
        part.wait_if_paused();
        run.quit();
        assert!(other.is_quitting() && other.child().is_quitting());
    }
}
