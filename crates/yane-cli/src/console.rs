//! The progress of a job on standard error: a bar on a terminal, a line a minute elsewhere.

mod figures;
mod lines;

use std::cell::{Cell, RefCell};
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use yane_io::{Progress, Unit};

use figures::{MINUTE, counts, left, rate};
pub use figures::{Stage, counted, time_text};
use lines::Lines;

/// The time between two drawings of the bar.
const REDRAW: Duration = Duration::from_millis(200);

/// The one progress display of all programs: name of the work, done of all, rate, time left. One bar at a time on
/// a terminal, a line a minute where standard error goes elsewhere (a log, a pipe); nothing when silence is asked for.
#[derive(Debug)]
pub struct Console {
    display: Mutex<Display>,
    /// The text before the names of its stages.
    part: String,
}

#[derive(Debug)]
enum Display {
    Quiet,
    Terminal(Option<StageBar>),
    Lines(Lines),
}

/// A bar, and what its style depends on.
#[derive(Debug)]
struct StageBar {
    bar: ProgressBar,
    has_total: bool,
    unit: Unit,
    /// True once its details have had several lines.
    has_table: bool,
}

impl Console {
    /// A console; a `quiet` one shows neither progress nor notes.
    pub fn new(quiet: bool) -> Self {
        Self::of_part(quiet, 1, 1)
    }

    /// A console for one of several pieces of work: number `part` of `parts`, counted from 1.
    pub(crate) fn of_part(quiet: bool, part: usize, parts: usize) -> Self {
        let display = if quiet {
            Display::Quiet
        } else if std::io::stderr().is_terminal() {
            Display::Terminal(None)
        } else {
            Display::Lines(Lines::new(MINUTE, |line| eprintln!("{line}")))
        };
        Self {
            display: Mutex::new(display),
            part: if parts > 1 {
                format!("[{part}/{parts}] ")
            } else {
                String::new()
            },
        }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Display) -> T) -> T {
        act(&mut self.display.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins a piece of work; the one before it is over.
    pub fn begin(&self, mut stage: Stage) {
        stage.name.insert_str(0, &self.part);
        self.with(|display| match display {
            Display::Quiet => {}
            Display::Terminal(bar) => {
                if let Some(old) = bar.replace(StageBar::new(stage)) {
                    old.bar.finish_and_clear();
                }
            }
            Display::Lines(lines) => lines.begin(stage),
        });
    }

    /// Replaces the details behind the counts, such as the activity of engines: a line, or a table of several lines.
    pub fn tell(&self, details: String) {
        self.with(|display| match display {
            Display::Quiet | Display::Terminal(None) => {}
            Display::Terminal(Some(bar)) => bar.tell(details),
            Display::Lines(lines) => lines.tell(details),
        });
    }

    /// Ends the work: the bar goes.
    pub fn clear(&self) {
        self.with(|display| match display {
            Display::Quiet => {}
            Display::Terminal(bar) => {
                if let Some(bar) = bar.take() {
                    bar.bar.finish_and_clear();
                }
            }
            Display::Lines(lines) => lines.end(),
        });
    }
}

impl Progress for Console {
    fn stage(&self, name: &str, total: Option<u64>, unit: Unit) {
        self.begin(Stage {
            name: name.to_owned(),
            total,
            unit,
            done: 0,
            details: false,
        });
    }

    fn advance(&self, amount: u64) {
        self.with(|display| match display {
            Display::Quiet | Display::Terminal(None) => {}
            Display::Terminal(Some(bar)) => bar.bar.inc(amount),
            Display::Lines(lines) => lines.advance(amount),
        });
    }

    fn note(&self, text: &str) {
        let text = &*yane_io::escaped_lines(text);
        self.with(|display| match display {
            Display::Quiet => {}
            Display::Terminal(Some(bar)) => bar.bar.suspend(|| eprintln!("{text}")),
            Display::Terminal(None) => eprintln!("{text}"),
            Display::Lines(lines) => lines.note(text),
        });
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.clear();
    }
}

impl StageBar {
    fn new(stage: Stage) -> Self {
        let Stage {
            name,
            total,
            unit,
            done,
            details,
        } = stage;
        let target = ProgressDrawTarget::stderr_with_hz(5);
        let bar = ProgressBar::with_draw_target(total, target);
        let below = if details { Below::Line } else { Below::Nothing };
        bar.set_style(bar_style(total.is_some(), unit, below));
        bar.set_prefix(name);
        bar.set_position(done);
        bar.reset_eta();
        bar.enable_steady_tick(REDRAW);
        Self {
            bar,
            has_total: total.is_some(),
            unit,
            has_table: false,
        }
    }

    fn tell(&mut self, details: String) {
        if details.contains('\n') && !self.has_table {
            self.has_table = true;
            self.bar
                .set_style(bar_style(self.has_total, self.unit, Below::Table));
        }
        self.bar.set_message(details);
    }
}

/// What stands below the line of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Below {
    Nothing,
    /// A line, cut to the width of the terminal.
    Line,
    /// Several lines.
    Table,
}

fn bar_style(has_total: bool, unit: Unit, below: Below) -> ProgressStyle {
    let line = if has_total {
        "{prefix:16} [{wide_bar}] {counts} {rate} {left} left"
    } else {
        "{prefix:16} {spinner} {counts} {rate} {elapsed}"
    };
    let template = match below {
        Below::Nothing => line.to_owned(),
        Below::Line => format!("{line}\n{{wide_msg}}"),
        Below::Table => format!("{line}\n{{msg}}"),
    };
    // Bars that cannot be written to are not worth an error.
    ProgressStyle::with_template(&template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key(
            "counts",
            move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = out.write_str(&counts(state.pos(), state.len(), unit));
            },
        )
        .with_key(
            "rate",
            move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = out.write_str(&rate(state.per_sec(), unit));
            },
        )
        .with_key(
            "left",
            |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = out.write_str(&left(state.per_sec(), state.eta()));
            },
        )
        .progress_chars("=> ")
}

// The display of a long run that reports events: a [`Console`] with details, and events as JSON.

/// The least time between two drawings of details.
const STATUS_REDRAW: Duration = Duration::from_millis(500);

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
    use super::*;

    #[test]
    fn counts_have_their_unit() {
        let all = Some(5000);
        assert_eq!(counts(1200, all, Unit::Positions), "1,200/5,000 positions");
        assert_eq!(counts(3, None, Unit::Games), "3 games");
        assert_eq!(counts(1, None, Unit::Games), "1 game");
        assert_eq!(counts(0, Some(1), Unit::Positions), "0/1 position");
        assert_eq!(counted(1, "disc", "discs"), "1 disc");
        assert_eq!(counted(1234, "disc", "discs"), "1,234 discs");
        let bytes = Some(3 << 30);
        assert_eq!(counts(1 << 20, bytes, Unit::Bytes), "1.00 MiB/3.00 GiB");
    }

    #[test]
    fn slow_work_has_a_rate_too() {
        assert_eq!(rate(12345.6, Unit::Records), "12,345/s");
        assert_eq!(rate(1.54, Unit::Games), "1.5/s");
        assert_eq!(rate(0.042, Unit::Positions), "2.5/min");
        assert_eq!(rate(0.0, Unit::Positions), "0.0/s");
        assert_eq!(rate(2048.0, Unit::Bytes), "2.00 KiB/s");
    }

    #[test]
    fn no_time_is_estimated_without_progress() {
        assert_eq!(left(0.0, Duration::ZERO), "?");
        assert_eq!(left(2.0, Duration::from_secs(90)), "1 min");
    }

    #[test]
    fn long_times_are_printed_in_hours() {
        for (seconds, text) in [
            (45, "45 s"),
            (12 * 60 + 59, "12 min"),
            (3 * 3600 + 5 * 60, "3 h 05 min"),
            (47 * 3600, "47 h 00 min"),
            (52 * 3600, "2 d 04 h"),
        ] {
            assert_eq!(time_text(Duration::from_secs(seconds)), text);
        }
    }
}
