//! Steering a run from outside.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Pauses and ends a run. Cheap to clone; clones steer the same run.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    quit: Arc<AtomicBool>,
    paused: Mutex<bool>,
    changed: Condvar,
}

impl Control {
    /// As new, with a switch that others have too.
    pub fn with_switch(quit: Arc<AtomicBool>) -> Self {
        Self(Arc::new(Inner {
            quit,
            ..Inner::default()
        }))
    }

    /// Ends the run: work that is being done is dropped.
    pub fn quit(&self) {
        self.0.quit.store(true, Ordering::Release);
        self.0.changed.notify_all();
    }

    /// Whether the run is to end.
    pub fn is_quitting(&self) -> bool {
        self.0.quit.load(Ordering::Acquire)
    }

    /// Pauses, or goes on: engines that think finish first.
    pub fn pause(&self, paused: bool) {
        *self.0.paused.lock().unwrap_or_else(PoisonError::into_inner) = paused;
        self.0.changed.notify_all();
    }

    /// Whether the run is paused.
    pub fn is_paused(&self) -> bool {
        *self.0.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits as long as the run is paused.
    pub(crate) fn wait_if_paused(&self) {
        let mut paused = self.0.paused.lock().unwrap_or_else(PoisonError::into_inner);
        while *paused && !self.is_quitting() {
            // The switch may be turned by a signal, which wakes nobody.
            let waited = self
                .0
                .changed
                .wait_timeout(paused, Duration::from_millis(200));
            paused = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for some time, or until the run is to end.
    pub(crate) fn sleep(&self, time: Duration) {
        let end = std::time::Instant::now() + time;
        while !self.is_quitting() {
            let left = end.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(Duration::from_millis(50)));
        }
    }
}
