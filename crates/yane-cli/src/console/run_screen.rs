//! The display of a long run that reports events: a [`Console`] with details, and events as JSON.

use std::cell::{Cell, RefCell};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use yane_io::job::{JobMonitor, JobStatus};
use yane_io::{Job, Progress as _};

use super::figures::{MINUTE, Stage, time_text};
use super::{Console, QuietFlag};

/// The least time between two drawings of details.
const STATUS_REDRAW: Duration = Duration::from_millis(500);

/// What a [`RunScreen`] shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScreenStyle {
    /// Neither progress nor notes.
    pub quiet: bool,
    /// Events as JSON.
    pub json: bool,
}

/// Progress of a run on standard error, and its events as JSON on standard output if they are asked for.
#[derive(Debug)]
pub struct RunScreen {
    console: Console,
    json: bool,
    started: Cell<Option<Instant>>,
    drawn: Cell<Option<Instant>>,
    saved: Cell<Option<Instant>>,
    last: RefCell<Option<LastProgress>>,
    last_error: RefCell<String>,
}

impl RunScreen {
    /// A screen.
    pub fn new(style: ScreenStyle) -> Self {
        Self {
            console: Console::new(QuietFlag(style.quiet)),
            json: style.json,
            started: Cell::new(None),
            drawn: Cell::new(None),
            saved: Cell::new(None),
            last: RefCell::default(),
            last_error: RefCell::default(),
        }
    }

    /// The same for `job`, whose pauses it shows.
    #[must_use]
    pub fn for_job(mut self, job: &Job) -> Self {
        self.console = self.console.for_job(job);
        self
    }

    /// The run as others see it.
    pub const fn monitor(&self) -> &JobMonitor {
        self.console.monitor()
    }

    /// Writes a note to standard error.
    pub fn note(&self, text: &str) {
        self.console.note(text);
    }

    /// True if events are printed as JSON.
    pub const fn json(&self) -> bool {
        self.json
    }

    /// Prints an event on standard output if events are asked for.
    pub fn event(&self, value: &serde_json::Value) {
        if self.json {
            // A closed standard output does not end a run.
            writeln!(std::io::stdout().lock(), "{value}").ok();
        }
    }

    /// Prints the status of the run as an event `progress`, if events are asked for: when its state, its stage or its last good
    /// file is another than the last time, and once a minute. To be called often.
    pub fn tell_progress(&self) {
        if !self.json {
            return;
        }
        let status = self.monitor().status();
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_some_and(|last| last.is_enough(&status)) {
            return;
        }
        self.event(&progress_event(&status));
        *last = Some(LastProgress {
            at: Instant::now(),
            status,
        });
    }

    /// Starts the clock, and the bar of `stage` if there is one.
    pub fn start(&self, stage: Option<Stage>) {
        self.started.set(Some(Instant::now()));
        match stage {
            Some(stage) => self.console.begin(stage),
            None => self.monitor().begin(),
        }
    }

    /// Advances the bar.
    pub fn advance(&self, amount: u64) {
        self.console.advance(amount);
    }

    /// Removes the bar.
    pub fn clear(&self) {
        self.console.clear();
    }

    /// Notes that the output `path` was saved just now.
    pub fn saved(&self, path: &Path) {
        self.console.saved(path);
        self.saved.set(Some(Instant::now()));
    }

    /// True if a transient error differs from the last.
    pub fn is_new_error(&self, reason: &str) -> bool {
        let is_new = *self.last_error.borrow() != reason;
        if is_new {
            self.last_error.replace(reason.to_owned());
        }
        is_new
    }

    /// Draws details behind the counts, a few times a second at most: what `details` says of the time since the
    /// start, and when the output was saved.
    pub fn draw(&self, details: impl FnOnce(Duration) -> Vec<String>) {
        let Some(started) = self.started.get() else {
            return;
        };
        let drawn = self.drawn.get();
        if drawn.is_some_and(|drawn| drawn.elapsed() < STATUS_REDRAW) {
            return;
        }
        self.drawn.set(Some(Instant::now()));
        let mut details = details(started.elapsed());
        if let Some(saved) = self.saved.get() {
            details.push(format!("saved {} ago", time_text(saved.elapsed())));
        }
        self.console.tell(details.join("  "));
    }
}

/// A status that was printed.
#[derive(Debug)]
struct LastProgress {
    at: Instant,
    status: JobStatus,
}

impl LastProgress {
    /// True if `status` need not be printed yet.
    fn is_enough(&self, status: &JobStatus) -> bool {
        let JobStatus {
            state,
            stage,
            last_good_file,
            ..
        } = &self.status;
        (state, stage, last_good_file) == (&status.state, &status.stage, &status.last_good_file)
            && self.at.elapsed() < MINUTE
    }
}

/// The event of a status: its fields, and `event`.
fn progress_event(status: &JobStatus) -> serde_json::Value {
    let mut event = serde_json::json!(status);
    event["event"] = "progress".into();
    event
}

#[cfg(test)]
mod tests {
    use yane_io::Unit;

    use super::*;

    #[test]
    fn a_status_is_told_when_it_changes_and_once_a_minute() {
        let monitor = JobMonitor::default();
        monitor.begin_stage("playing", Some(10), Unit::Games, 2);
        let progress = || LastProgress {
            at: Instant::now(),
            status: monitor.status(),
        };
        let mut first = progress();
        monitor.advance(3);
        assert!(first.is_enough(&monitor.status()));
        let earlier = first.at.checked_sub(MINUTE).unwrap();
        first.at = earlier;
        assert!(!first.is_enough(&monitor.status()));
        let before = progress();
        monitor.pause();
        assert!(!before.is_enough(&monitor.status()));
        monitor.go_on();
        assert!(before.is_enough(&monitor.status()));
        monitor.saved(Path::new("a.pack"));
        assert!(!before.is_enough(&monitor.status()));
    }

    #[test]
    fn a_status_is_an_event() {
        let monitor = JobMonitor::default();
        monitor.begin_stage("playing", Some(10), Unit::Games, 2);
        let event = progress_event(&monitor.status());
        assert_eq!([&event["event"], &event["state"]], ["progress", "running"]);
        assert_eq!([&event["stage"], &event["unit"]], ["playing", "games"]);
        assert_eq!([&event["done"], &event["total"]], [2, 10]);
    }
}
