//! Pausing and ending a run from outside, and what is to be seen of its workers.

#![cfg_attr(not(feature = "engines"), allow(dead_code))]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
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

// The state of a worker.

/// The state of a worker, as other threads see it.
#[derive(Debug, Default)]
pub struct Worker {
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) timed_out: AtomicBool,
    /// Time at which the engine began to think: milliseconds since [`epoch`], plus 1; 0 when it
    /// does not.
    pub(crate) since: AtomicU64,
    /// Positions that its engines visited.
    pub(crate) nodes: AtomicU64,
    is_closed: AtomicBool,
}

/// The time of the first call.
fn epoch() -> Instant {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    *EPOCH.get_or_init(Instant::now)
}

pub(crate) fn now() -> u64 {
    epoch().elapsed().as_millis() as u64 + 1
}

impl Worker {
    /// The positions visited here, as far as engines report.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// The time of the search in progress; `None` when there is none.
    pub fn thinking(&self) -> Option<Duration> {
        let since = self.since.load(Ordering::Acquire);
        (since > 0).then(|| Duration::from_millis(now().saturating_sub(since)))
    }

    /// True if the engine failed too often, and works no more.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Makes the engine answer at once.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Stops the engine if it has been thinking longer than `limit`.
    pub(crate) fn check_time(&self, limit: Duration) {
        if self.thinking().is_some_and(|time| time > limit) {
            self.timed_out.store(true, Ordering::Release);
            self.stop();
        }
    }

    pub(crate) fn clear(&self) {
        self.timed_out.store(false, Ordering::Release);
        self.stop.store(false, Ordering::Release);
    }
}
