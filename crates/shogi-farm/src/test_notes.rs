//! For tests: remarks of jobs.

use std::sync::{Mutex, MutexGuard, PoisonError};

use yane_io::{Progress, Unit};

/// Remembers the remarks of a job.
#[derive(Default)]
pub(crate) struct Notes(Mutex<String>);

impl Notes {
    /// All remarks, one behind the other.
    pub(crate) fn text(&self) -> String {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Notes {
    fn stage(&self, _: &str, _: Option<u64>, _: Unit) {}

    fn advance(&self, _: u64) {}

    fn note(&self, text: &str) {
        *self.lock() += text;
    }
}
