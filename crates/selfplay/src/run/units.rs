//! The games that are still to be played.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::output::Output;

/// How long a seat without a game waits before it looks again.
const WAIT: Duration = Duration::from_millis(100);

/// Hands out games by number, those that failed first.
#[derive(Debug)]
pub(super) struct Units {
    state: Mutex<State>,
    changed: Condvar,
    total: Option<u64>,
}

#[derive(Debug)]
struct State {
    /// The next game that nobody has had.
    next: u64,
    /// Games that were finished by an earlier run, beyond `next`.
    finished: Vec<u64>,
    /// Games that failed.
    again: Vec<u64>,
    /// Games that are being played.
    out: u64,
}

impl Units {
    /// Those of `total` games that `output` does not have.
    pub(super) fn new(total: Option<u64>, output: &Output) -> Self {
        let mut finished: Vec<u64> = output.numbers().collect();
        finished.reverse();
        Self {
            state: Mutex::new(State {
                next: output.first(),
                finished,
                again: Vec::new(),
                out: 0,
            }),
            changed: Condvar::new(),
            total,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A game; `None` when none is left or `quits`. Waits while games that others play may fail.
    pub(super) fn next(&self, quits: impl Fn() -> bool) -> Option<u64> {
        let mut state = self.lock();
        loop {
            if quits() {
                return None;
            }
            if let Some(number) = state.take(self.total) {
                state.out += 1;
                return Some(number);
            }
            if state.out == 0 {
                return None;
            }
            let waited = self.changed.wait_timeout(state, WAIT);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A game is finished, or given up.
    pub(super) fn done(&self) {
        self.lock().out -= 1;
        self.changed.notify_all();
    }

    /// A game failed, and is to be played again.
    pub(super) fn again(&self, number: u64) {
        let mut state = self.lock();
        state.out -= 1;
        state.again.push(number);
        drop(state);
        self.changed.notify_all();
    }
}

impl State {
    fn take(&mut self, total: Option<u64>) -> Option<u64> {
        if let Some(number) = self.again.pop() {
            return Some(number);
        }
        while self.finished.last() == Some(&self.next) {
            self.finished.pop();
            self.next += 1;
        }
        if total.is_some_and(|total| self.next >= total) {
            return None;
        }
        self.next += 1;
        Some(self.next - 1)
    }
}
