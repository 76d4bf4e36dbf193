//! The progress of a job on standard error: a bar on a terminal, a line a minute elsewhere.

mod lines;
mod text;

use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use yane_io::{Progress, Unit};

use lines::Lines;

pub use text::duration as time_text;

/// The time between two drawings of the bar.
const REDRAW: Duration = Duration::from_millis(200);
/// The time between two lines where there is no terminal.
const MINUTE: Duration = Duration::from_secs(60);

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
    Terminal(Option<ProgressBar>),
    Lines(Lines),
}

/// A piece of work, as the bar shows it.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The name of the work, for people.
    pub name: String,
    /// The amount of work in all, if it is known.
    pub total: Option<u64>,
    /// The unit that is counted.
    pub unit: Unit,
    /// The amount that an earlier run did: it counts as done, but not for the rate.
    pub done: u64,
    /// Makes [`Console::tell`] add details, which have a line of their own on a terminal.
    pub details: bool,
}

impl Console {
    /// A console; a `quiet` one shows neither progress nor notes.
    pub fn new(quiet: bool) -> Self {
        Self::of_part(quiet, 1, 1)
    }

    /// A console for one of several pieces of work: number `part` of `parts`, counted from 1.
    pub fn of_part(quiet: bool, part: usize, parts: usize) -> Self {
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
                if let Some(old) = bar.replace(new_bar(stage)) {
                    old.finish_and_clear();
                }
            }
            Display::Lines(lines) => lines.begin(stage),
        });
    }

    /// Replaces the details behind the counts: what engines do, when the output was saved.
    pub fn tell(&self, details: String) {
        self.with(|display| match display {
            Display::Quiet | Display::Terminal(None) => {}
            Display::Terminal(Some(bar)) => bar.set_message(details),
            Display::Lines(lines) => lines.tell(details),
        });
    }

    /// Ends the work: the bar goes.
    pub fn clear(&self) {
        self.with(|display| match display {
            Display::Quiet => {}
            Display::Terminal(bar) => {
                if let Some(bar) = bar.take() {
                    bar.finish_and_clear();
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
            Display::Terminal(Some(bar)) => bar.inc(amount),
            Display::Lines(lines) => lines.advance(amount),
        });
    }

    fn note(&self, text: &str) {
        self.with(|display| match display {
            Display::Quiet => {}
            Display::Terminal(Some(bar)) => bar.suspend(|| eprintln!("{text}")),
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

fn new_bar(stage: Stage) -> ProgressBar {
    let Stage {
        name,
        total,
        unit,
        done,
        details,
    } = stage;
    let target = ProgressDrawTarget::stderr_with_hz(5);
    let bar = ProgressBar::with_draw_target(total, target);
    bar.set_style(bar_style(total.is_some(), unit, details));
    bar.set_prefix(name);
    bar.set_position(done);
    bar.reset_eta();
    bar.enable_steady_tick(REDRAW);
    bar
}

fn bar_style(has_total: bool, unit: Unit, details: bool) -> ProgressStyle {
    let line = if has_total {
        "{prefix:16} [{wide_bar}] {counts} {rate} {left} left"
    } else {
        "{prefix:16} {spinner} {counts} {rate} {elapsed}"
    };
    let template = if details {
        format!("{line}\n{{wide_msg}}")
    } else {
        line.to_owned()
    };
    // Bars that cannot be written to are not worth an error.
    ProgressStyle::with_template(&template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key(
            "counts",
            move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = out.write_str(&text::counts(state.pos(), state.len(), unit));
            },
        )
        .with_key(
            "rate",
            move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = out.write_str(&text::rate(state.per_sec(), unit));
            },
        )
        .with_key(
            "left",
            |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                let _ = out.write_str(&text::left(state.per_sec(), state.eta()));
            },
        )
        .progress_chars("=> ")
}
