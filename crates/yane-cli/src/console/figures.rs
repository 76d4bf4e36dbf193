//! Numbers and times as a screen shows them.

use std::time::Duration;

use indicatif::{BinaryBytes, HumanCount};
use yane_io::Unit;
use yane_io::job::{JobState, JobStatus};

/// The time between two lines where there is no terminal.
pub(super) const MINUTE: Duration = Duration::from_secs(60);

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
    /// Makes `Console::tell` add details, which have a line of their own on a terminal.
    pub details: bool,
}

// Counts, rates and times, as people read them.

/// `1,200/5,000 positions`, `1.20 GiB/3.40 GiB`; without a total `1,200 positions`.
pub(super) fn counts(done: u64, total: Option<u64>, unit: Unit) -> String {
    let (amount, what) = match unit {
        Unit::Bytes => {
            let done = BinaryBytes(done);
            return match total {
                Some(total) => format!("{done}/{}", BinaryBytes(total)),
                None => done.to_string(),
            };
        }
        Unit::Records => (HumanCount(done), " record"),
        Unit::Games => (HumanCount(done), " game"),
        Unit::Positions => (HumanCount(done), " position"),
        _ => (HumanCount(done), ""),
    };
    let end = if what.is_empty() || total.unwrap_or(done) == 1 {
        ""
    } else {
        "s"
    };
    match total {
        Some(total) => format!("{amount}/{}{what}{end}", HumanCount(total)),
        None => format!("{amount}{what}{end}"),
    }
}

/// A number of things with commas between thousands: `1 disc`, `1,234 positions`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        HumanCount(number),
        if number == 1 { one } else { many }
    )
}

/// Units a second: `12,345/s`, `1.5/s`; what takes longer than ten seconds each is told by the minute: `2.5/min`.
pub(super) fn rate(per_second: f64, unit: Unit) -> String {
    if unit == Unit::Bytes {
        return format!("{}/s", BinaryBytes(per_second as u64));
    }
    if per_second >= 10.0 {
        format!("{}/s", HumanCount(per_second as u64))
    } else if per_second >= 0.1 || per_second <= 0.0 {
        format!("{per_second:.1}/s")
    } else {
        format!("{:.1}/min", per_second * 60.0)
    }
}

/// A time for people: `45 s`, `12 min`, `3 h 05 min`, `2 d 04 h`.
pub fn time_text(time: Duration) -> String {
    let seconds = time.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match hours {
        0 if minutes == 0 => format!("{seconds} s"),
        0 => format!("{minutes} min"),
        1..48 => format!("{hours} h {:02} min", minutes % 60),
        _ => format!("{} d {:02} h", hours / 24, hours % 24),
    }
}

/// `3 min left`, with `?` as long as nothing was done from which it could be reckoned; the state of a job that pauses.
pub(super) fn time_left(job: &JobStatus) -> String {
    match (&job.state, job.eta) {
        (JobState::Pausing | JobState::Paused, _) => job.state.name().to_owned(),
        (_, Some(time)) => format!("{} left", time_text(time)),
        (_, None) => "? left".to_owned(),
    }
}
