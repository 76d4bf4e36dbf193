//! Progress as events: `progress`, whenever the state, the stage or the last good file is another, and at intervals.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use yane_io::job::{JobMonitor, JobStatus};

use crate::events::EventLog;

/// The time between two looks at a job.
const LOOK: Duration = Duration::from_millis(250);

/// A status that was told.
#[derive(Debug)]
pub(super) struct LastProgress {
    pub(super) at: Instant,
    pub(super) status: JobStatus,
}

impl LastProgress {
    /// True if `status` need not be told yet.
    pub(super) fn is_enough(&self, status: &JobStatus, interval: Duration) -> bool {
        let JobStatus {
            state,
            stage,
            last_good_file,
            ..
        } = &self.status;
        (state, stage, last_good_file) == (&status.state, &status.stage, &status.last_good_file)
            && self.at.elapsed() < interval
    }
}

/// The event of a status: its fields, and `event`.
pub(super) fn progress_event(status: &JobStatus) -> serde_json::Value {
    let mut event = serde_json::json!(status);
    event["event"] = "progress".into();
    event
}

/// Writes the progress of a job to the events of the process on a thread of its own, until this is dropped: work that is stuck is
/// told, too.
#[derive(Debug)]
pub(super) struct Following(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    log: EventLog,
    job: JobMonitor,
    last: Mutex<Option<LastProgress>>,
    is_over: Mutex<bool>,
    over: Condvar,
}

impl Following {
    /// Begins; `None` where events go nowhere.
    pub(super) fn begin(log: &EventLog, job: &JobMonitor) -> Option<Self> {
        if !log.is_on() {
            return None;
        }
        let shared = Arc::new(Shared {
            log: log.clone(),
            job: job.clone(),
            last: Mutex::default(),
            is_over: Mutex::default(),
            over: Condvar::new(),
        });
        let thread = std::thread::Builder::new().name("events".to_owned());
        let own = Arc::clone(&shared);
        // Without threads there are fewer events, and the work goes on.
        thread.spawn(move || own.run()).ok();
        Some(Self(shared))
    }

    /// Looks now.
    pub(super) fn look(&self) {
        self.0.look(self.0.log.interval());
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        *lock(&self.0.is_over) = true;
        self.0.over.notify_all();
        // The last state.
        self.0.look(Duration::ZERO);
    }
}

impl Shared {
    fn run(&self) {
        let mut is_over = lock(&self.is_over);
        while !*is_over {
            drop(is_over);
            self.look(self.log.interval());
            let waited = self.over.wait_timeout(lock(&self.is_over), LOOK);
            is_over = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn look(&self, interval: Duration) {
        let mut last = lock(&self.last);
        let status = self.job.status();
        if last
            .as_ref()
            .is_some_and(|last| last.is_enough(&status, interval))
        {
            return;
        }
        self.log.write(&progress_event(&status));
        *last = Some(LastProgress {
            at: Instant::now(),
            status,
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
