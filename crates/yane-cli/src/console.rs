//! Progress bars on standard error.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use yane_io::{Progress, Unit};

/// One bar at a time; nothing when standard error is not a terminal or silence is asked for.
#[derive(Debug)]
pub struct Console {
    quiet: bool,
    bar: Mutex<Option<ProgressBar>>,
}

impl Console {
    /// A console; a `quiet` one shows neither bars nor notes.
    pub const fn new(quiet: bool) -> Self {
        Self {
            quiet,
            bar: Mutex::new(None),
        }
    }

    fn with_bar(&self, act: impl FnOnce(&mut Option<ProgressBar>)) {
        act(&mut self.bar.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Progress for Console {
    fn stage(&self, name: &str, total: Option<u64>, unit: Unit) {
        if self.quiet {
            return;
        }
        let counts = match (unit, total) {
            (Unit::Bytes, Some(_)) => "{bytes}/{total_bytes} {binary_bytes_per_sec} ETA {eta}",
            (Unit::Bytes, None) => "{bytes} {binary_bytes_per_sec} {elapsed}",
            (_, Some(_)) => "{human_pos}/{human_len} {rate} ETA {eta}",
            (_, None) => "{human_pos} {rate} {elapsed}",
        };
        let bar = if total.is_some() {
            "[{wide_bar}] "
        } else {
            "{spinner} "
        };
        let bar_style = ProgressStyle::with_template(&format!("{{msg:16}} {bar}{counts}"))
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .with_key("rate", write_rate);
        let new = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(5))
            .with_style(bar_style.progress_chars("=> "))
            .with_message(name.to_owned());
        new.enable_steady_tick(Duration::from_millis(200));
        self.with_bar(|bar| {
            if let Some(old) = bar.replace(new) {
                old.finish_and_clear();
            }
        });
    }

    fn advance(&self, amount: u64) {
        self.with_bar(|bar| {
            if let Some(bar) = bar {
                bar.inc(amount);
            }
        });
    }

    fn note(&self, text: &str) {
        if self.quiet {
            return;
        }
        self.with_bar(|bar| match bar {
            Some(bar) => bar.suspend(|| eprintln!("{text}")),
            None => eprintln!("{text}"),
        });
    }
}

/// Positions, or whatever is counted, a second, as a whole number.
fn write_rate(state: &ProgressState, out: &mut dyn Write) {
    // A bar that cannot be written to is not worth an error.
    let _ = write!(out, "{}/s", HumanCount(state.per_sec() as u64));
}

impl Drop for Console {
    fn drop(&mut self) {
        self.with_bar(|bar| {
            if let Some(bar) = bar.take() {
                bar.finish_and_clear();
            }
        });
    }
}
