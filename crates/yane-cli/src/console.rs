//! The progress of a job on standard error: a bar on a terminal, a line a minute elsewhere.

mod figures;
mod following;
mod lines;
mod run_screen;

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use yane_io::job::{JobMonitor, JobStatus};
use yane_io::{Job, Progress, Unit};

use figures::{MINUTE, counts, rate, time_left};
pub use figures::{Stage, counted, time_text};
use following::Following;
use lines::Lines;
pub use run_screen::{RunScreen, ScreenStyle};

use crate::events::EventLog;
use crate::stderr::tell;

/// The time between two drawings of the bar.
const REDRAW: Duration = Duration::from_millis(200);

/// The one progress display of all programs: name of the work, done of all, rate, time left. One bar at a time on
/// a terminal, a line a minute where standard error goes elsewhere (a log, a pipe); nothing when silence is asked for.
#[derive(Debug)]
pub struct Console {
    display: Mutex<Display>,
    /// What all displays show.
    job: JobMonitor,
    /// The text before the names of its stages.
    part: String,
    /// The events of the process.
    log: EventLog,
    /// Writes them while there is work.
    following: Mutex<Option<Following>>,
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
    job: JobMonitor,
    /// True once its details have had several lines.
    has_table: bool,
}

/// The flag `--quiet`: with it a [`Console`] shows neither progress nor notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuietFlag(pub bool);

impl Default for Console {
    /// A console without the flag.
    fn default() -> Self {
        Self::new(QuietFlag::default())
    }
}

impl Console {
    /// A console.
    pub fn new(quiet: QuietFlag) -> Self {
        Self::of_part(quiet, 1, 1)
    }

    /// A console for one of several pieces of work: number `part` of `parts`, counted from 1.
    pub(crate) fn of_part(quiet: QuietFlag, part: usize, parts: usize) -> Self {
        let display = if quiet.0 {
            Display::Quiet
        } else if std::io::stderr().is_terminal() {
            Display::Terminal(None)
        } else {
            Display::Lines(Lines::new(MINUTE, |line| tell(line)))
        };
        Self {
            display: Mutex::new(display),
            job: JobMonitor::default(),
            part: if parts > 1 {
                format!("[{part}/{parts}] ")
            } else {
                String::new()
            },
            log: EventLog::current(),
            following: Mutex::default(),
        }
    }

    /// The same for `job`, whose pauses it shows; the progress of the job is to be told to this.
    #[must_use]
    pub fn for_job(mut self, job: &Job) -> Self {
        self.job = JobMonitor::of_requests(job);
        self
    }

    /// The job that this shows, as others see it.
    pub const fn monitor(&self) -> &JobMonitor {
        &self.job
    }

    fn with<T>(&self, act: impl FnOnce(&mut Display) -> T) -> T {
        act(&mut self.display.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The events of the process, to which the progress goes, too.
    pub const fn log(&self) -> &EventLog {
        &self.log
    }

    /// Begins to write the progress to the events of the process, or looks what it is now.
    fn follow(&self) {
        let following = &mut *self.following();
        match following {
            Some(following) => following.look(),
            None => *following = Following::begin(&self.log, &self.job),
        }
    }

    /// Begins work of which no stage is known.
    fn begin_unknown(&self) {
        self.job.begin();
        self.follow();
    }

    /// Begins a piece of work; the one before it is over.
    pub fn begin(&self, mut stage: Stage) {
        stage.name.insert_str(0, &self.part);
        self.with(|display| {
            let Stage {
                name, total, unit, ..
            } = &stage;
            self.job.begin_stage(name, *total, *unit, stage.done);
            match display {
                Display::Quiet => {}
                Display::Terminal(bar) => {
                    if let Some(old) = bar.replace(StageBar::new(stage, self.job.clone())) {
                        old.bar.finish_and_clear();
                    }
                }
                Display::Lines(lines) => lines.begin(self.job.clone()),
            }
        });
        self.follow();
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
        self.hide();
        drop(self.following().take());
    }

    /// The bar goes, and the run goes on: its progress is still written to the events of the process.
    fn hide(&self) {
        self.with(|display| match display {
            Display::Quiet => {}
            Display::Terminal(bar) => {
                if let Some(bar) = bar.take() {
                    bar.bar.finish_and_clear();
                }
            }
            Display::Lines(lines) => lines.end(),
        });
        if let Some(following) = &*self.following() {
            following.look_at_end();
        }
    }

    fn following(&self) -> MutexGuard<'_, Option<Following>> {
        let following = self.following.lock();
        following.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Console {
    fn stage(&self, name: &str, total: Option<u64>, unit: Unit) {
        self.resumed_stage(name, total, unit, 0);
    }

    fn resumed_stage(&self, name: &str, total: Option<u64>, unit: Unit, done: u64) {
        self.begin(Stage {
            name: name.to_owned(),
            total,
            unit,
            done,
            details: false,
        });
    }

    fn advance(&self, amount: u64) {
        self.job.advance(amount);
        self.with(|display| {
            if let Display::Terminal(Some(bar)) = display {
                bar.bar.inc(amount);
            }
        });
    }

    fn note(&self, text: &str) {
        self.job.note(text);
        let text = &*yane_io::escaped_lines(text);
        self.with(|display| match display {
            Display::Quiet => {}
            Display::Terminal(Some(bar)) => bar.bar.suspend(|| tell(text)),
            Display::Terminal(None) => tell(text),
            Display::Lines(lines) => lines.note(text),
        });
    }

    fn saved(&self, path: &Path) {
        self.job.saved(path);
    }

    fn figure(&self, name: &str, at: Option<(&str, f64)>, value: f64) {
        if self.log.is_on() {
            let (x_name, x) = at.unzip();
            let event = serde_json::json!({"event": "figure", "name": name, "x_name": x_name, "x": x, "value": value});
            self.log.write(&event);
        }
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.clear();
    }
}

impl StageBar {
    fn new(stage: Stage, job: JobMonitor) -> Self {
        let Stage {
            name,
            total,
            done,
            details,
            ..
        } = stage;
        let target = ProgressDrawTarget::stderr_with_hz(5);
        let bar = ProgressBar::with_draw_target(total, target);
        let below = if details { Below::Line } else { Below::Nothing };
        bar.set_style(bar_style(total.is_some(), &job, below));
        bar.set_prefix(name);
        bar.set_position(done);
        bar.enable_steady_tick(REDRAW);
        Self {
            bar,
            has_total: total.is_some(),
            job,
            has_table: false,
        }
    }

    fn tell(&mut self, details: String) {
        if details.contains('\n') && !self.has_table {
            self.has_table = true;
            self.bar
                .set_style(bar_style(self.has_total, &self.job, Below::Table));
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

fn bar_style(has_total: bool, job: &JobMonitor, below: Below) -> ProgressStyle {
    let line = if has_total {
        "{prefix:16} [{wide_bar}] {counts} {rate} {time}"
    } else {
        "{prefix:16} {spinner} {counts} {rate} {elapsed}"
    };
    let template = match below {
        Below::Nothing => line.to_owned(),
        Below::Line => format!("{line}\n{{wide_msg}}"),
        Below::Table => format!("{line}\n{{msg}}"),
    };
    // What stands in the place of a key of the template.
    let shows = |text: fn(&JobStatus) -> String| {
        let job = job.clone();
        move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = out.write_str(&text(&job.status()));
        }
    };
    // Bars that cannot be written to are not worth an error.
    ProgressStyle::with_template(&template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("counts", shows(|job| counts(job.done, job.total, job.unit)))
        .with_key("rate", shows(|job| rate(job.rate, job.unit)))
        .with_key("time", shows(time_left))
        .progress_chars("=> ")
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
    fn what_earlier_runs_did_is_no_work_of_this_one() {
        let console = Console::new(QuietFlag(true));
        console.resumed_stage("training", Some(5_000_000), Unit::Positions, 4_000_000);
        let status = console.job.status();
        assert_eq!(status.done, 4_000_000);
        assert!(status.rate.abs() < 1e-9, "{status:?}");
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
        let mut job = JobStatus::default();
        assert_eq!(time_left(&job), "? left");
        job.eta = Some(Duration::from_secs(90));
        assert_eq!(time_left(&job), "1 min left");
        job.state = yane_io::job::JobState::Pausing;
        assert_eq!(time_left(&job), "pausing");
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
