//! The display of a long run that reports events: a [`Console`] with details, and events as JSON.

use std::cell::{Cell, RefCell};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use yane_io::job::JobMonitor;
use yane_io::{Job, Progress as _};

use super::figures::{MINUTE, Stage, time_text};
use super::following::{LastProgress, progress_event};
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
    /// When workers were told last.
    workers: Cell<Option<Instant>>,
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
            workers: Cell::new(None),
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

    /// True if somebody wants events: on standard output, or in the file of the process.
    pub fn has_events(&self) -> bool {
        self.json || self.console.log().is_on()
    }

    /// Tells an event: on standard output and in the file of the process, if they are asked for there.
    pub fn event(&self, value: &serde_json::Value) {
        self.console.log().write(value);
        self.print(value);
    }

    /// Tells an event in the file of the process only: standard output has another form of it.
    pub fn log(&self, value: &serde_json::Value) {
        self.console.log().write(value);
    }

    /// Tells what the workers do, a JSON object each, in the file of the process, at intervals. To be called often.
    pub fn tell_workers(&self, workers: impl FnOnce() -> Vec<serde_json::Value>) {
        let log = self.console.log();
        let told = self.workers.get();
        if !log.is_on() || told.is_some_and(|told| told.elapsed() < log.interval()) {
            return;
        }
        self.workers.set(Some(Instant::now()));
        log.write(&serde_json::json!({"event": "workers", "workers": workers()}));
    }

    fn print(&self, value: &serde_json::Value) {
        if self.json {
            // A closed standard output does not end a run.
            writeln!(std::io::stdout().lock(), "{value}").ok();
        }
    }

    /// Prints the status of the run as an event `progress` on standard output, if events are asked for there: when its state, its stage or its last good
    /// file is another than the last time, and once a minute. To be called often.
    pub fn tell_progress(&self) {
        if !self.json {
            return;
        }
        let status = self.monitor().status();
        let mut last = self.last.borrow_mut();
        if last
            .as_ref()
            .is_some_and(|last| last.is_enough(&status, MINUTE))
        {
            return;
        }
        self.print(&progress_event(&status));
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
            None => self.console.begin_unknown(),
        }
    }

    /// Advances the bar.
    pub fn advance(&self, amount: u64) {
        self.console.advance(amount);
    }

    /// Removes the bar.
    pub fn clear(&self) {
        self.console.hide();
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
        assert!(first.is_enough(&monitor.status(), MINUTE));
        let earlier = first.at.checked_sub(MINUTE).unwrap();
        first.at = earlier;
        assert!(!first.is_enough(&monitor.status(), MINUTE));
        let before = progress();
        monitor.pause();
        assert!(!before.is_enough(&monitor.status(), MINUTE));
        monitor.go_on();
        assert!(before.is_enough(&monitor.status(), MINUTE));
        monitor.saved(Path::new("a.pack"));
        assert!(!before.is_enough(&monitor.status(), MINUTE));
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
