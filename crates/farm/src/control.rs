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

    /// Ends the run: work in progress is dropped.
    pub fn quit(&self) {
        self.0.quit.store(true, Ordering::Release);
        self.0.changed.notify_all();
    }

    /// True if the run is to end.
    pub fn is_quitting(&self) -> bool {
        self.0.quit.load(Ordering::Acquire)
    }

    /// Pauses or resumes the run: engines that think finish first.
    pub fn pause(&self, paused: bool) {
        *self.paused() = paused;
        self.0.changed.notify_all();
    }

    /// True if the run is paused.
    pub fn is_paused(&self) -> bool {
        *self.paused()
    }

    fn paused(&self) -> MutexGuard<'_, bool> {
        self.0.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits as long as the run is paused.
    pub(crate) fn wait_if_paused(&self) {
        let mut paused = self.paused();
        while *paused && !self.is_quitting() {
            // The flag may be set by a signal handler, which wakes nobody.
            let waited = self
                .0
                .changed
                .wait_timeout(paused, Duration::from_millis(200));
            paused = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for some time, or until the run is to end.
    pub(crate) fn sleep(&self, time: Duration) {
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
