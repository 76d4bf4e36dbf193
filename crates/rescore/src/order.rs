//! Results in the order of their runs, with a bound on how far ahead threads work.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Keeps threads from working far ahead of a run that takes long: results would pile up.
pub(crate) struct Window {
    /// The number of the run that is waited for; `None` when the work has ended.
    next: Mutex<Option<usize>>,
    moved: Condvar,
    width: usize,
}

impl Window {
    /// A window of `width` runs.
    pub(crate) const fn new(width: usize) -> Self {
        Self {
            next: Mutex::new(Some(0)),
            moved: Condvar::new(),
            width,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<usize>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until run `number` may be begun; false when the work has ended.
    pub(crate) fn wait_for(&self, number: usize) -> bool {
        let mut next = self.lock();
        while next.is_some_and(|next| number >= next + self.width) {
            next = self
                .moved
                .wait(next)
                .unwrap_or_else(PoisonError::into_inner);
        }
        next.is_some()
    }

    fn advance(&self) {
        if let Some(next) = &mut *self.lock() {
            *next += 1;
        }
        self.moved.notify_all();
    }

    /// Ends the work: no run is begun any more.
    pub(crate) fn end(&self) {
        *self.lock() = None;
        self.moved.notify_all();
    }

    /// Ends the work when the thread panics while it has this.
    pub(crate) const fn guard(&self) -> PanicGuard<'_> {
        PanicGuard(self)
    }
}

/// See [`Window::guard`].
pub(crate) struct PanicGuard<'a>(&'a Window);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end();
        }
    }
}

/// Brings results into the order of their numbers.
pub(crate) struct InTurn<'a, T> {
    early: BTreeMap<usize, T>,
    next: usize,
    window: &'a Window,
}

impl<'a, T> InTurn<'a, T> {
    pub(crate) const fn new(window: &'a Window) -> Self {
        Self {
            early: BTreeMap::new(),
            next: 0,
            window,
        }
    }

    /// Adds a result.
    pub(crate) fn add(&mut self, number: usize, result: T) {
        self.early.insert(number, result);
    }

    /// The next result, if it is there.
    pub(crate) fn take(&mut self) -> Option<T> {
        let result = self.early.remove(&self.next)?;
        self.next += 1;
        self.window.advance();
        Some(result)
    }
}
