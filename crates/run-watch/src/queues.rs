//! Runs that are shared over a queue, as those show them who serve them.

use std::collections::BTreeMap;

use farm::queue::{QueueWatch, WatchStatus, WatchedRun};

use crate::runs::FileRuns;

/// Milliseconds without a message after which such a run is lost: there is one every few seconds.
const LOST_AFTER: u64 = 20_000;

/// Runs that are kept.
const MOST_RUNS: usize = 500;

/// The runs of the queues of a server.
#[derive(Debug)]
pub(crate) struct SharedRuns {
    watch: QueueWatch,
    /// By the names of their queues, with the time when they were seen.
    runs: BTreeMap<String, (u64, FileRuns)>,
}

impl SharedRuns {
    pub(crate) const fn new(watch: QueueWatch) -> Self {
        Self {
            watch,
            runs: BTreeMap::new(),
        }
    }

    /// The address, for people.
    pub(crate) fn address(&self) -> &str {
        self.watch.address()
    }

    pub(crate) fn status(&self) -> WatchStatus {
        self.watch.status()
    }

    /// Takes what is new.
    pub(crate) fn read(&mut self) {
        for WatchedRun { id, at, text } in self.watch.take() {
            let runs = FileRuns::shown(&id, &text, at, LOST_AFTER);
            self.runs.insert(id, (at, runs));
        }
        while self.runs.len() > MOST_RUNS {
            let oldest = self.runs.iter().min_by_key(|(_, (at, _))| *at);
            let Some(oldest) = oldest.map(|(id, _)| id.clone()) else {
                return;
            };
            self.runs.remove(&oldest);
        }
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = &FileRuns> {
        self.runs.values().map(|(_, runs)| runs)
    }
}
