//! Progress as lines, for logs: one each time an interval has passed.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use yane_io::job::{JobMonitor, JobState, JobStatus};

use crate::console;

/// The time of the last line, or of the first piece of work: many short ones make a long job.
static LAST: Mutex<Option<Instant>> = Mutex::new(None);

/// Writes a line about the work whenever an interval has passed, on a thread of its own: work that is stuck is told,
/// too.
pub(super) struct Lines {
    every: Duration,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    over: Condvar,
    write: Box<dyn Fn(&str) + Send + Sync>,
}

#[derive(Default)]
struct State {
    /// The work in progress.
    work: Option<Work>,
    /// The number of times that work was over: who ticks for work that is over ends.
    overs: u64,
}

/// Work, and what its lines say behind its status.
struct Work {
    job: JobMonitor,
    details: String,
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines")
            .field("every", &self.every)
            .finish_non_exhaustive()
    }
}

impl Lines {
    pub(super) fn new(every: Duration, write: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self {
            every,
            shared: Arc::new(Shared {
                state: Mutex::default(),
                over: Condvar::new(),
                write: Box::new(write),
            }),
        }
    }

    /// Begins work that `job` tells of; the one before it is over.
    pub(super) fn begin(&self, job: JobMonitor) {
        let mut state = self.shared.state();
        let before = state.work.replace(Work {
            job,
            details: String::new(),
        });
        if before.is_none() {
            let (shared, every, overs) = (Arc::clone(&self.shared), self.every, state.overs);
            // Without threads there are no lines, and the work goes on.
            let ticker = std::thread::Builder::new();
            ticker.spawn(move || shared.run(every, overs)).ok();
        }
    }

    pub(super) fn tell(&self, details: String) {
        if let Some(work) = &mut self.shared.state().work {
            work.details = details;
        }
    }

    pub(super) fn note(&self, text: &str) {
        (self.shared.write)(text);
    }

    /// Ends the work. Does not wait for a line that is being written, as its reader may be stuck.
    pub(super) fn end(&self) {
        let mut state = self.shared.state();
        state.work = None;
        state.overs += 1;
        self.shared.over.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes lines until the work is over, as it was `overs` times before.
    fn run(&self, every: Duration, overs: u64) {
        let mut state = self.state();
        while let Some(work) = state.work.as_ref().filter(|_| state.overs == overs) {
            let wait = until_next(every);
            if wait.is_zero() {
                *last() = Some(Instant::now());
                let line = line(&work.job.status(), &work.details);
                // The work goes on while nobody reads.
                drop(state);
                (self.write)(&line);
                state = self.state();
            } else {
                let waited = self.over.wait_timeout(state, wait);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }
}

fn last() -> MutexGuard<'static, Option<Instant>> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time until the next line is due.
fn until_next(every: Duration) -> Duration {
    let last = *last().get_or_insert_with(Instant::now);
    every.saturating_sub(last.elapsed())
}

/// `merging: 1,200/5,000 positions (24 %), 20/s, 3 min left`, and the details.
fn line(job: &JobStatus, details: &str) -> String {
    let JobStatus {
        stage,
        done,
        total,
        unit,
        ..
    } = job;
    let counts = console::counts(*done, *total, *unit);
    let rate = console::rate(job.rate, *unit);
    let share = total.map_or_else(String::new, |total| {
        let percent = 100 * u128::from(*done) / u128::from(total.max(1));
        format!(" ({percent} %)")
    });
    let time = match (&job.state, job.eta) {
        (JobState::Pausing | JobState::Paused, _) => format!(", {}", job.state.name()),
        (_, Some(left)) => format!(", {} left", console::time_text(left)),
        (_, None) if total.is_none() => format!(", for {}", console::time_text(job.elapsed)),
        _ => String::new(),
    };
    let details = match details {
        "" => String::new(),
        details => format!("; {details}"),
    };
    format!("{stage}: {counts}{share}, {rate}{time}{details}")
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use yane_io::{Progress as _, Unit};

    use super::*;

    /// Thinking of so many seconds, of which earlier runs did a part.
    fn thinking(total: Option<u64>, before: u64, done: u64, seconds: u64) -> JobStatus {
        let rate = (done - before) as f64 / seconds as f64;
        let left = |total: u64| Duration::try_from_secs_f64((total - done) as f64 / rate).ok();
        JobStatus {
            state: JobState::Running,
            stage: "thinking".to_owned(),
            done,
            total,
            rate,
            elapsed: Duration::from_secs(seconds),
            eta: total.and_then(left),
            ..JobStatus::default()
        }
    }

    #[test]
    fn a_line_shows_the_progress_of_the_whole_job() {
        for (status, text) in [
            (
                thinking(Some(10_000), 1000, 2000, 500),
                "thinking: 2,000/10,000 positions (20 %), 2.0/s, 1 h 06 min left",
            ),
            (
                thinking(None, 0, 60, 120),
                "thinking: 60 positions, 0.5/s, for 2 min",
            ),
            (
                thinking(Some(10), 0, 0, 120),
                "thinking: 0/10 positions (0 %), 0.0/s",
            ),
            (
                JobStatus {
                    state: JobState::Paused,
                    ..thinking(Some(10), 0, 5, 5)
                },
                "thinking: 5/10 positions (50 %), 1.0/s, paused",
            ),
        ] {
            assert_eq!(line(&status, ""), text);
        }
        let with_details = line(&thinking(Some(0), 0, 0, 1), "saved 3 min ago");
        assert!(
            with_details.ends_with("; saved 3 min ago"),
            "{with_details}"
        );
    }

    #[test]
    fn lines_come_at_intervals_until_the_work_is_over() {
        let (sender, receiver) = mpsc::channel();
        let sender = Mutex::new(sender);
        let every = Duration::from_millis(20);
        let lines = Lines::new(every, move |line| {
            sender.lock().unwrap().send(line.to_owned()).ok();
        });
        let job = JobMonitor::default();
        job.stage("reading", Some(10), Unit::Positions);
        lines.begin(job.clone());
        let wait = Duration::from_secs(60);
        let line = receiver.recv_timeout(wait).unwrap();
        assert!(line.starts_with("reading: "), "{line}");
        job.stage("writing", None, Unit::Positions);
        lines.begin(job.clone());
        job.advance(3);
        lines.tell("almost there".to_owned());
        let is_last = |line: &String| {
            line.starts_with("writing: 3 positions") && line.ends_with("; almost there")
        };
        assert!(receiver.iter().any(|line| is_last(&line)));
        lines.end();
        std::thread::sleep(10 * every);
        while receiver.try_recv().is_ok() {}
        assert!(receiver.recv_timeout(5 * every).is_err());
        // Work may begin again.
        job.stage("checking", None, Unit::Positions);
        lines.begin(job);
        assert!(
            receiver
                .recv_timeout(wait)
                .unwrap()
                .starts_with("checking: ")
        );
    }
}
