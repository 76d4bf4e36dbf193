//! Where units of work come from.

use std::hash::Hash;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a seat without a unit waits before it looks again.
const WAIT: Duration = Duration::from_millis(100);

/// Hands out units of work. Every unit that was handed out comes back by [`Self::done`] or [`Self::again`],
/// unless the run ends.
pub trait Source: Sync {
    /// What is handed out.
    type Unit: Clone + Eq + Hash + Send;

    /// A unit; `None` when there will be none any more, or `quits`. Waits, looking at `quits` often, while
    /// units may still come: those that others have may fail. Called on the threads of the seats.
    fn next(&self, quits: &dyn Fn() -> bool) -> Option<Self::Unit>;

    /// A unit is finished, and what came of it is safe; or it was given up. Called on the thread of the run.
    fn done(&self, unit: &Self::Unit);

    /// A unit failed, and is to be handed out again. Called on the thread of the run.
    fn again(&self, unit: &Self::Unit);
}

/// Hands out numbers in order, those that failed first.
#[derive(Debug)]
pub struct Units {
    state: Mutex<State>,
    changed: Condvar,
    total: Option<u64>,
}

#[derive(Debug)]
struct State {
    /// The next unit that nobody has had.
    next: u64,
    /// Units that were finished by an earlier run, beyond `next`, the last one first.
    finished: Vec<u64>,
    /// Units that failed.
    again: Vec<u64>,
    /// Units that are being done.
    out: u64,
}

impl Units {
    /// The numbers from `first` on but those of `finished`, which are in order; below `total`, or without
    /// end.
    pub fn new(first: u64, total: Option<u64>, finished: impl Iterator<Item = u64>) -> Self {
        let mut finished: Vec<u64> = finished.filter(|&unit| unit >= first).collect();
        finished.reverse();
        Self {
            state: Mutex::new(State {
                next: first,
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
}

impl Source for Units {
    type Unit = u64;

    fn next(&self, quits: &dyn Fn() -> bool) -> Option<u64> {
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

    fn done(&self, _: &u64) {
        self.lock().out -= 1;
        self.changed.notify_all();
    }

    fn again(&self, &unit: &u64) {
        let mut state = self.lock();
        state.out -= 1;
        state.again.push(unit);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_once_and_failed_ones_again() {
        let units = Units::new(1, Some(6), [0, 2, 4].into_iter());
        let next = || units.next(&|| false);
        assert_eq!([next(), next(), next()], [Some(1), Some(3), Some(5)]);
        units.done(&1);
        units.again(&3);
        assert_eq!(next(), Some(3));
        units.done(&3);
        units.done(&5);
        assert_eq!(next(), None);
    }

    #[test]
    fn nothing_is_handed_out_at_the_end() {
        let units = Units::new(0, None, [].into_iter());
        assert_eq!(units.next(&|| true), None);
        assert_eq!(units.next(&|| false), Some(0));
    }
}
