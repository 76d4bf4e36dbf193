//! The time that a run may take, over all its sessions.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::Value;
use yane_io::{Job, ReadLimit, Result};

use crate::files;

/// The name of the file that has the time of earlier sessions.
const FILE: &str = "evolve.time";

/// The time between two looks.
const LOOK: Duration = Duration::from_secs(30);

/// The time of a run.
#[derive(Debug)]
pub(crate) struct Budget {
    path: PathBuf,
    /// Seconds of earlier sessions.
    before: f64,
    begun: Instant,
    /// Most seconds.
    most: Option<f64>,
    is_used_up: AtomicBool,
}

impl Budget {
    /// The budget of the run in a folder.
    pub(crate) fn open(folder: &Path, hours: Option<f64>) -> Result<Self> {
        let path = folder.join(FILE);
        let bytes = ReadLimit::Settings
            .read_if_there(&path)?
            .unwrap_or_default();
        let known: Option<Value> = serde_json::from_slice(&bytes).ok();
        let before = known.and_then(|known| known["seconds"].as_f64());
        Ok(Self {
            path,
            before: before.unwrap_or(0.0).max(0.0),
            begun: Instant::now(),
            most: hours.map(|hours| hours * 3600.0),
            is_used_up: AtomicBool::new(false),
        })
    }

    /// Seconds of all sessions.
    pub(crate) fn used(&self) -> f64 {
        self.before + self.begun.elapsed().as_secs_f64()
    }

    /// Returns whether nothing is left.
    pub(crate) fn is_used_up(&self) -> bool {
        let is_used_up = self.most.is_some_and(|most| self.used() >= most);
        is_used_up || self.is_used_up.load(Ordering::Acquire)
    }

    /// Writes the time to its file.
    pub(crate) fn save(&self) -> Result<()> {
        files::write_text(&self.path, &files::time_text(self.used()))
    }

    /// Stops the job when nothing is left, until the other end of `over` is gone.
    pub(crate) fn watch(&self, job: &Job, over: &Receiver<()>) {
        loop {
            let left = self.most.map(|most| (most - self.used()).max(0.0));
            let left = left.and_then(|left| Duration::try_from_secs_f64(left).ok());
            let wait = left.unwrap_or(LOOK).min(LOOK);
            if over.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            // An error of the disk is told by whatever else writes there.
            self.save().ok();
            if self.is_used_up() {
                self.is_used_up.store(true, Ordering::Release);
                job.cancelled.store(true, Ordering::Release);
                job.pausing.wake();
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    #[test]
    fn sessions_add_up_and_the_end_stops_the_job() {
        let folder = TestFolder::new();
        folder.write(FILE, "{\"seconds\": 7200}");
        let job = Job::default();
        let budget = Budget::open(&folder.path(""), Some(3.0)).unwrap();
        assert!(!budget.is_used_up() && budget.used() >= 7200.0);
        let budget = Budget::open(&folder.path(""), Some(2.0)).unwrap();
        let (over, until) = std::sync::mpsc::channel();
        budget.watch(&job, &until);
        assert!(budget.is_used_up() && job.check().is_err());
        drop(over);
        let text = String::from_utf8(folder.read(FILE)).unwrap();
        assert!(text.contains("\"seconds\": 72"), "{text}");
        let endless = Budget::open(&folder.path(""), None).unwrap();
        endless.watch(&Job::default(), &until);
        assert!(!endless.is_used_up());
    }
}
