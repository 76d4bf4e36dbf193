//! `debuglog.txt` of the classic program.

use std::cell::Cell;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use yane_io::{Error, Result};

/// The log levels, the least verbose first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    None,
    Error,
    Warning,
    Info,
    Debug,
}

impl Level {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "none" => Self::None,
            "error" => Self::Error,
            "warning" | "warn" => Self::Warning,
            "info" => Self::Info,
            "debug" => Self::Debug,
            _ => return None,
        })
    }

    const fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Error => "ERROR",
            Self::Warning => "WARNING",
            Self::Info => "INFO",
            Self::Debug => "DEBUG",
        }
    }
}

/// The log of one run: a byte order mark, the time (UTC) and the level, then messages.
pub(crate) struct Log {
    path: PathBuf,
    level: Cell<Level>,
    /// The level from the first warning or error on, if it changes then.
    adjusted: Option<Level>,
}

impl Log {
    /// Creates the log, replacing that of the last run.
    pub(crate) fn begin(path: PathBuf, level: Level, adjusted: Option<Level>) -> Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let time = time_text(now.map_or(0, |since| since.as_secs()));
        let head = format!("\u{feff}[{time} UTC] [{}]\n", level.name());
        std::fs::write(&path, head).map_err(Error::io(&path))?;
        Ok(Self {
            path,
            level: Cell::new(level),
            adjusted,
        })
    }

    /// Returns whether messages of a level are logged.
    pub(crate) fn wants(&self, level: Level) -> bool {
        level <= self.level.get()
    }

    /// Logs messages of a level.
    pub(crate) fn lines(&self, level: Level, lines: &[String]) -> Result<()> {
        if !self.wants(level) || lines.is_empty() {
            return Ok(());
        }
        let mut text = String::new();
        for line in lines {
            // Writing to a string does not fail.
            let _ = writeln!(text, "[{}] {line}", level.name());
        }
        let old = self.level.get();
        if let Some(new) = self.adjusted.filter(|&new| new > old)
            && level <= Level::Warning
        {
            self.level.set(new);
            let (old, new) = (old.name(), new.name());
            let _ = writeln!(text, "the level of the log goes from {old} to {new}");
        }
        let file = std::fs::OpenOptions::new().append(true).open(&self.path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(Error::io(&self.path))
    }
}

/// Formats seconds since 1970 as `2026-01-31 23:59:59`.
fn time_text(seconds: u64) -> String {
    let (days, time) = (seconds / 86400, seconds % 86400);
    // Years that begin in March, so that the leap day is the last day.
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
    fn a_log_has_the_lines_of_its_level() {
        let folder = test_support::TestFolder::new();
        let path = folder.path("debuglog.txt");
        let text = |lines: &[&str]| lines.iter().map(|&l| l.to_owned()).collect::<Vec<_>>();
        for (level, adjusted, expected) in [
            (Level::None, None, ""),
            (Level::Warning, None, "[ERROR] b\n[ERROR] c\n"),
            (
                Level::Error,
                Some(Level::Info),
                "[ERROR] b\n[ERROR] c\nthe level of the log goes from ERROR to INFO\n[INFO] d\n",
            ),
        ] {
            let log = Log::begin(path.clone(), level, adjusted).unwrap();
            log.lines(Level::Info, &text(&["a"])).unwrap();
            log.lines(Level::Error, &text(&["b", "c"])).unwrap();
            log.lines(Level::Info, &text(&["d"])).unwrap();
            let log = std::fs::read_to_string(&path).unwrap();
            let (head, rest) = log.split_once('\n').unwrap();
            assert!(head.starts_with("\u{feff}[20"), "{head}");
            assert!(
                head.ends_with(&format!(" UTC] [{}]", level.name())),
                "{head}"
            );
            assert_eq!(rest, expected);
        }
    }

    #[test]
    fn seconds_become_calendar_times() {
        assert_eq!(time_text(0), "1970-01-01 00:00:00");
        assert_eq!(time_text(951_782_399), "2000-02-28 23:59:59");
        assert_eq!(time_text(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(time_text(1_767_225_599), "2025-12-31 23:59:59");
        assert_eq!(time_text(1_767_225_600), "2026-01-01 00:00:00");
    }
}
