//! The positions of a client that are not answered yet.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time after which one who waits looks whether he still has to.
const LOOK: Duration = Duration::from_millis(100);

/// So many positions may be without an answer; a request that has more is let through alone.
#[derive(Debug)]
pub(super) struct Window {
    limit: usize,
    state: Mutex<WindowState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct WindowState {
    unanswered: usize,
    is_over: bool,
}

impl Window {
    /// A window of so many positions.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, WindowState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for `count` positions; false once nobody takes answers, or the server ends.
    pub(super) fn enter(&self, count: usize, is_ending: impl Fn() -> bool) -> bool {
        let mut state = self.lock();
        while state.unanswered > 0 && state.unanswered + count > self.limit {
            if state.is_over || is_ending() {
                return false;
            }
            let waited = self.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.unanswered += count;
        !state.is_over
    }

    /// So many were answered.
    pub(super) fn leave(&self, count: usize) {
        let mut state = self.lock();
        state.unanswered = state.unanswered.saturating_sub(count);
        drop(state);
        self.changed.notify_all();
    }

    /// Nobody takes answers any more.
    pub(super) fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    /// Returns whether nobody takes answers any more.
    pub(super) fn is_over(&self) -> bool {
        self.lock().is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_wait_for_answers_to_others() {
        let window = Window::new(512);
        let never = || false;
        assert!(window.enter(300, never) && window.enter(200, never));
        assert!(!window.enter(100, || true), "the server ends");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| window.enter(100, never));
            window.leave(300);
            assert!(waiting.join().unwrap());
        });
        window.leave(300);
        // One that is larger than the window comes in alone.
        assert!(window.enter(600, never));
        window.end();
        assert!(window.is_over() && !window.enter(1, never));
    }
}
