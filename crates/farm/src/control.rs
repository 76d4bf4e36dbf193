//! Pausing and ending a run from outside.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Pauses and ends a run. Cheap to clone; clones control the same run.
#[derive(Clone, Debug, Default)]
pub struct RunControl(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    quit: Arc<AtomicBool>,
    pausing: Arc<Pausing>,
    /// Ends this run too.
    parent: Option<RunControl>,
}

#[derive(Debug, Default)]
struct Pausing {
    paused: Mutex<bool>,
    changed: Condvar,
}

impl RunControl {
    /// A new control that ends the run when the shared flag `quit` is set.
    pub fn with_flag(quit: Arc<AtomicBool>) -> Self {
        Self(Arc::new(Inner {
            quit,
            ..Inner::default()
        }))
    }

    /// The control of a part of the run, which ends and pauses with the run, and can end before it.
    pub fn child(&self) -> Self {
        Self(Arc::new(Inner {
            quit: Arc::default(),
            pausing: Arc::clone(&self.0.pausing),
            parent: Some(self.clone()),
        }))
    }

    /// Ends the run: work in progress is dropped.
    pub fn quit(&self) {
        self.0.quit.store(true, Ordering::Release);
        self.0.pausing.changed.notify_all();
    }

    /// True if the run is to end.
    pub fn is_quitting(&self) -> bool {
        let parent = self.0.parent.as_ref();
        self.0.quit.load(Ordering::Acquire) || parent.is_some_and(Self::is_quitting)
    }

    /// Pauses the run until [`Self::go_on`]: searches in progress finish first.
    pub fn pause(&self) {
        *self.paused() = true;
        self.0.pausing.changed.notify_all();
    }

    /// Ends a pause.
    pub fn go_on(&self) {
        *self.paused() = false;
        self.0.pausing.changed.notify_all();
    }

    /// True if the run is paused.
    pub fn is_paused(&self) -> bool {
        *self.paused()
    }

    fn paused(&self) -> MutexGuard<'_, bool> {
        let paused = self.0.pausing.paused.lock();
        paused.unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits as long as the run is paused, unless it is to end.
    pub fn wait_if_paused(&self) {
        let mut paused = self.paused();
        while *paused && !self.is_quitting() {
            // The flag may be set by a signal handler, which wakes nobody.
            let waited = self
                .0
                .pausing
                .changed
                .wait_timeout(paused, Duration::from_millis(200));
            paused = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
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
