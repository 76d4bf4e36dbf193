//! What jobs tell: files that they wrote at once, and their progress to all pages a few times a second.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use page_messages::AllPages;
use serde_json::Value;
use yane_io::job::JobMonitor;
use yane_io::{Progress, Unit};

use super::work::JobWork;

/// The least time between two broadcasts of a job.
pub(crate) const INTERVAL: Duration = Duration::from_millis(250);

/// The progress of a job: to its monitor, and files also to whoever knows what the work is.
pub(crate) struct WorkProgress {
    pub(crate) monitor: JobMonitor,
    pub(crate) work: Arc<dyn JobWork>,
}

impl Progress for WorkProgress {
    fn stage(&self, name: &str, total: Option<u64>, unit: Unit) {
        self.monitor.stage(name, total, unit);
    }

    fn resumed_stage(&self, name: &str, total: Option<u64>, unit: Unit, done: u64) {
        self.monitor.resumed_stage(name, total, unit, done);
    }

    fn advance(&self, amount: u64) {
        self.monitor.advance(amount);
    }

    fn note(&self, text: &str) {
        self.monitor.note(text);
    }

    fn saved(&self, path: &Path) {
        self.monitor.saved(path);
        self.work.written(path);
    }
}

/// What pages were told last of each job.
#[derive(Debug, Default)]
pub(crate) struct Broadcasts {
    told: HashMap<u64, Value>,
    at: Option<Instant>,
}

impl Broadcasts {
    /// The time until pages may be told something again.
    pub(crate) fn wait(&self) -> Duration {
        self.at
            .map_or(Duration::ZERO, |at| INTERVAL.saturating_sub(at.elapsed()))
    }

    /// Tells all pages of the jobs that are not as they were told last.
    pub(crate) fn tell(&mut self, jobs: Vec<(u64, Value)>, pages: &dyn AllPages) {
        self.told
            .retain(|told, _| jobs.iter().any(|(job, _)| job == told));
        for (job, fields) in jobs {
            if self.told.get(&job) != Some(&fields) {
                pages.broadcast("job", fields.clone());
                self.told.insert(job, fields);
                self.at = Some(Instant::now());
            }
        }
    }

    /// Returns whether pages were told all this.
    pub(crate) fn is_told(&self, jobs: &[(u64, Value)]) -> bool {
        jobs.iter()
            .all(|(job, fields)| self.told.get(job) == Some(fields))
    }

    /// Notes what pages know that ask for the list themselves.
    pub(crate) fn begin(&mut self, jobs: Vec<(u64, Value)>) {
        self.told = jobs.into_iter().collect();
    }
}
