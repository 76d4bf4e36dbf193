//! Progress as lines, for logs: one each time an interval has passed.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Stage;
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
    work: Option<Work>,
    /// The number of times that work was over: who ticks for work that is over ends.
    overs: u64,
}

/// The work in progress.
struct Work {
    stage: Stage,
    begun: Instant,
    done: u64,
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

    pub(super) fn begin(&self, stage: Stage) {
        let mut state = self.shared.state();
        let before = state.work.replace(Work {
            begun: Instant::now(),
            done: stage.done,
            stage,
            details: String::new(),
        });
        if before.is_none() {
            let (shared, every, overs) = (Arc::clone(&self.shared), self.every, state.overs);
            // Without threads there are no lines, and the work goes on.
            let ticker = std::thread::Builder::new();
            ticker.spawn(move || shared.run(every, overs)).ok();
        }
    }

    pub(super) fn advance(&self, amount: u64) {
        if let Some(work) = &mut self.shared.state().work {
            work.done += amount;
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
                let line = work.line();
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

impl Work {
    /// `merging: 1,200/5,000 positions (24 %), 20/s, 3 min left`, and the details.
    fn line(&self) -> String {
        let Stage {
            name,
            total,
            unit,
            done: before,
            ..
        } = &self.stage;
        let time = self.begun.elapsed();
        let rate = self.done.saturating_sub(*before) as f64 / time.as_secs_f64().max(1e-3);
        let counts = console::counts(self.done, *total, *unit);
        let rate_text = console::rate(rate, *unit);
        let (share, time) = match *total {
            Some(total) => {
                let percent = 100 * u128::from(self.done) / u128::from(total.max(1));
                let left = total.saturating_sub(self.done) as f64 / rate;
                let left = Duration::try_from_secs_f64(left).ok();
                let left = left.map(|left| format!(", {} left", console::time_text(left)));
                (format!(" ({percent} %)"), left.unwrap_or_default())
            }
            None => (String::new(), format!(", for {}", console::time_text(time))),
        };
        let details = match self.details.as_str() {
            "" => String::new(),
            details => format!("; {details}"),
        };
        format!("{name}: {counts}{share}, {rate_text}{time}{details}")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use yane_io::Unit;

    use super::*;

    fn stage(name: &str, total: Option<u64>, done: u64) -> Stage {
        Stage {
            name: name.to_owned(),
            total,
            unit: Unit::Positions,
            done,
            details: false,
        }
    }

    #[test]
    fn a_line_shows_the_progress_of_the_whole_job() {
        let work = |total, before, done, seconds| Work {
            stage: stage("thinking", total, before),
            begun: Instant::now()
                .checked_sub(Duration::from_secs(seconds))
                .unwrap(),
            done,
            details: String::new(),
        };
        let line = work(Some(10_000), 1000, 2000, 500).line();
        // The work of an earlier run counts as done, but not for the rate.
        assert!(
            line.starts_with("thinking: 2,000/10,000 positions (20 %), "),
            "{line}"
        );
        assert!(line.ends_with("2.0/s, 1 h 06 min left"), "{line}");
        let line = work(None, 0, 60, 120).line();
        assert_eq!(line, "thinking: 60 positions, 0.5/s, for 2 min");
        let line = work(Some(10), 0, 0, 120).line();
        assert_eq!(line, "thinking: 0/10 positions (0 %), 0.0/s");
        let mut with_details = work(Some(0), 0, 0, 1);
        with_details.details = "saved 3 min ago".to_owned();
        assert!(with_details.line().ends_with("; saved 3 min ago"));
    }

    #[test]
    fn lines_come_at_intervals_until_the_work_is_over() {
        let (sender, receiver) = mpsc::channel();
        let sender = Mutex::new(sender);
        let every = Duration::from_millis(20);
        let lines = Lines::new(every, move |line| {
            sender.lock().unwrap().send(line.to_owned()).ok();
        });
        lines.begin(stage("reading", Some(10), 0));
        lines.advance(4);
        let wait = Duration::from_secs(60);
        let line = receiver.recv_timeout(wait).unwrap();
        assert!(line.starts_with("reading: "), "{line}");
        lines.begin(stage("writing", None, 0));
        lines.advance(3);
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
        lines.begin(stage("checking", None, 0));
        assert!(
            receiver
                .recv_timeout(wait)
                .unwrap()
                .starts_with("checking: ")
        );
    }
}
