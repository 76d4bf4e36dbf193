//! The display of a long run that reports events: a [`Console`] with details, and events as JSON.

use std::cell::{Cell, RefCell};
use std::io::Write as _;
use std::time::{Duration, Instant};

use yane_io::Progress as _;

use crate::{Console, Stage, time_text};

/// The least time between two drawings of details.
const REDRAW: Duration = Duration::from_millis(500);

/// Progress of a run on standard error, and its events as JSON on standard output if they are asked for.
#[derive(Debug)]
pub struct RunScreen {
    console: Console,
    json: bool,
    started: Cell<Option<Instant>>,
    drawn: Cell<Option<Instant>>,
    saved: Cell<Option<Instant>>,
    last_error: RefCell<String>,
}

impl RunScreen {
    /// A screen; a `quiet` one shows neither progress nor notes.
    pub fn new(quiet: bool, json: bool) -> Self {
        Self {
            console: Console::new(quiet),
            json,
            started: Cell::new(None),
            drawn: Cell::new(None),
            saved: Cell::new(None),
            last_error: RefCell::default(),
        }
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

    /// Starts the clock, and the bar of `stage` if there is one.
    pub fn start(&self, stage: Option<Stage>) {
        self.started.set(Some(Instant::now()));
        if let Some(stage) = stage {
            self.console.begin(stage);
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

    /// Notes that the output was saved just now.
    pub fn saved(&self) {
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
        if drawn.is_some_and(|drawn| drawn.elapsed() < REDRAW) {
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
