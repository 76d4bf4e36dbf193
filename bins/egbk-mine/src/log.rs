//! `debuglog.txt` of the classic program.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use yane_io::{Error, Result};

/// How much is told, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Error,
    Warning,
    Info,
    Debug,
}

impl Level {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "error" => Self::Error,
            "warning" | "warn" => Self::Warning,
            "info" => Self::Info,
            "debug" => Self::Debug,
            _ => return None,
        })
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Error => "ERROR",
            Self::Warning => "WARNING",
            Self::Info => "INFO",
            Self::Debug => "DEBUG",
        }
    }
}

/// A log to which lines are appended, each with the time (UTC). A new one begins with a byte order mark.
pub(crate) struct Log {
    path: PathBuf,
    level: Level,
}

impl Log {
    pub(crate) const fn new(path: PathBuf, level: Level) -> Self {
        Self { path, level }
    }

    /// Appends lines, if they are wanted.
    pub(crate) fn lines(&self, level: Level, lines: &[String]) -> Result<()> {
        if level > self.level || lines.is_empty() {
            return Ok(());
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let time = time_text(now.map_or(0, |since| since.as_secs()));
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)
            .map_err(Error::io(&self.path))?;
        let mut text = String::new();
        if file.metadata().is_ok_and(|data| data.len() == 0) {
            text.push('\u{feff}');
        }
        for line in lines {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{time} [{}] {line}", level.name());
        }
        file.write_all(text.as_bytes())
            .map_err(Error::io(&self.path))
    }
}

/// `2026-01-31 23:59:59` of seconds since 1970.
fn time_text(seconds: u64) -> String {
    let (days, time) = (seconds / 86400, seconds % 86400);
    // Years that begin in March, so that the leap day is their last.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = match month {
        0..=9 => (400 * era + year, month + 3),
        _ => (400 * era + year + 1, month - 9),
    };
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(time_text(0), "1970-01-01 00:00:00");
        assert_eq!(time_text(951_782_399), "2000-02-28 23:59:59");
        assert_eq!(time_text(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(time_text(1_767_225_599), "2025-12-31 23:59:59");
        assert_eq!(time_text(1_767_225_600), "2026-01-01 00:00:00");
    }
}
