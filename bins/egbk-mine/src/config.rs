//! The program without arguments: the files of its folder, `config.ini` and the log.

use std::cell::Cell;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use othello_book::miner;
use othello_book::miner::{MineLimits, MineOptions, MismatchLine, Mode};
use othello_book::store::OnDamage;
use yane_cli::{Console, UsageError, print, with_causes};
use yane_io::{Error, Job, ReadLimit, decode_text};

use crate::search::{Output, Report, Source, Style};
use crate::{LineFormat, inspect};

/// The settings of `config.ini`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) mode: u8,
    pub(crate) level: Level,
    auto_adjust: bool,
    adjusted: Level,
    /// True if the limit of plies is ignored, as the book's own depth is meant.
    auto_depth: bool,
    pub(crate) limits: MineLimits,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            mode: 4,
            level: Level::Error,
            auto_adjust: false,
            adjusted: Level::Info,
            auto_depth: false,
            limits: MineLimits::default(),
        }
    }
}

/// The keys, for the error of an unknown one.
const KEYS: &str = "mode, log_level, auto_adjust_level, adjusted_level, per_move_error, cumulative_error, \
                    max_book_move_depth, auto_detect_book_depth, progress_update_interval";

impl Config {
    /// Reads the file; the defaults without one.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let Some(bytes) = ReadLimit::Settings.read_if_there(path)? else {
            return Ok(Self::default());
        };
        Ok(Self::parse(&String::from_utf8_lossy(&decode_text(&bytes)))?)
    }

    fn parse(text: &str) -> Result<Self, UsageError> {
        let mut config = Self::default();
        for (n, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let wrong = |text: String| UsageError(format!("config.ini: line {}: {text}", n + 1));
            let line = setting(line);
            if line.is_empty() || line.starts_with('[') && line.ends_with(']') {
                continue;
            }
            let pair = line.split_once('=');
            let (key, value) =
                pair.ok_or_else(|| wrong(format!("'{line}': key=value was expected")))?;
            config.set(key.trim(), value.trim()).map_err(wrong)?;
        }
        if config.auto_depth {
            config.limits.plies = None;
        }
        Ok(config)
    }

    /// Applies a setting.
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let wrong = |expected: &str| format!("'{value}': {expected} was expected");
        let level = || {
            let all = "none, error, warning, info or debug";
            Level::from_name(value).ok_or_else(|| wrong(all))
        };
        // −1 is none.
        let limit = || match value.parse::<i64>() {
            Ok(-1) => Ok(None),
            Ok(n) if n >= 0 => Ok(u32::try_from(n).ok()),
            _ => Err(wrong("a number from -1 on")),
        };
        let truth = || match value.to_ascii_lowercase().as_str() {
            "true" | "1" | "on" | "yes" => Ok(true),
            "false" | "0" | "off" | "no" => Ok(false),
            _ => Err(wrong("true or false")),
        };
        match key.to_ascii_lowercase().as_str() {
            "mode" => {
                let mode = value.parse().ok().filter(|mode| (1..=7).contains(mode));
                self.mode = mode.ok_or_else(|| wrong("a mode from 1 to 7"))?;
            }
            "per_move_error" => self.limits.error = limit()?,
            "cumulative_error" => self.limits.sum = limit()?,
            "max_book_move_depth" => self.limits.plies = limit()?,
            "log_level" => self.level = level()?,
            "adjusted_level" => self.adjusted = level()?,
            "auto_adjust_level" => self.auto_adjust = truth()?,
            "auto_detect_book_depth" => self.auto_depth = truth()?,
            // Progress is shown by time, however fast positions come.
            "progress_update_interval" => {
                let interval = value.parse::<u64>().ok().filter(|&interval| interval > 0);
                interval.ok_or_else(|| wrong("a number from 1 on"))?;
            }
            "max_leaf_moves" => {
                let text = "'max_leaf_moves' is called max_book_move_depth in newer versions";
                return Err(text.to_owned());
            }
            _ => return Err(format!("'{key}' is not a key; there are {KEYS}")),
        }
        Ok(())
    }

    /// The log level from the first warning or error on, if it changes then.
    pub(crate) fn adjusted_level(self) -> Option<Level> {
        self.auto_adjust.then_some(self.adjusted)
    }
}

/// Removes comments (`;`, `#`, `//`) and blanks.
fn setting(line: &str) -> &str {
    let comment = [";", "#", "//"]
        .iter()
        .filter_map(|sign| line.find(sign))
        .min();
    line[..comment.unwrap_or(line.len())].trim()
}

// The program without arguments: the files of the folder.

/// Lines are appended to `mismatched_positions.txt`, with line ends as the system has them.
const STYLE: Style = Style {
    format: LineFormat::Text,
    bom: true,
    crlf: cfg!(windows),
};

pub(crate) fn run(folder: &Path) -> anyhow::Result<ExitCode> {
    let (book, config) = (folder.join("book.dat"), folder.join("config.ini"));
    if !book.exists() && !config.exists() {
        let text = "there is no book.dat here; name a book, or see egbk-mine --help";
        return Err(UsageError(text.to_owned()).into());
    }
    let config = Config::read(&config)?;
    let log = folder.join("debuglog.txt");
    let log = Log::begin(log, config.level, config.adjusted_level())?;
    let done = work(folder, config, &log);
    if let Err(error) = &done {
        log.lines(Level::Error, &[with_causes(error)])?;
    }
    done
}

fn work(folder: &Path, config: Config, log: &Log) -> anyhow::Result<ExitCode> {
    let job = Job {
        progress: Arc::new(Console::default()),
        ..Job::default()
    };
    yane_cli::stop_on_request(&job.cancelled)?;
    let source = Source::open(&folder.join("book.dat"), OnDamage::Stop)?;
    let mut index = source.index(OnDamage::Stop, &job)?;
    log.lines(Level::Info, &[format!("{} positions", index.len())])?;
    let Some(mode) = Mode::from_number(config.mode) else {
        let answers = inspect::answers(&index, &folder.join("specified_positions.txt"))?;
        let lines: Vec<_> = answers.iter().map(inspect::Answer::text).collect();
        // Answers are logged at every level but none.
        log.lines(Level::Error, &lines)?;
        print::lines(lines)?;
        return Ok(inspect::code(&answers));
    };
    let mut output = Output::append(&folder.join("mismatched_positions.txt"), STYLE)?;
    let mut options = MineOptions::new(mode);
    options.limits = Some(config.limits);
    let summary = miner::mine(&mut index, &options, &job, &mut |line| {
        if log.wants(Level::Debug) {
            log.lines(Level::Debug, &[found(line)])?;
        }
        output.line(line)
    })?;
    output.finish()?;
    let lines = Report::new(&summary, &source, &index).lines();
    log.lines(Level::Warning, &lines)?;
    print::lines(lines)?;
    Ok(ExitCode::SUCCESS)
}

fn found(line: &MismatchLine<'_>) -> String {
    let MismatchLine {
        transcript,
        expected,
        found,
        ..
    } = line;
    format!("{transcript}: {expected:+} expected, {found:+} found")
}

// `debuglog.txt` of the classic program.

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
    pub(crate) fn begin(
        path: PathBuf,
        level: Level,
        adjusted: Option<Level>,
    ) -> yane_io::Result<Self> {
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
    pub(crate) fn lines(&self, level: Level, lines: &[String]) -> yane_io::Result<()> {
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
    fn keys_and_values_are_read_in_any_case() {
        let text = "\u{feff}; settings\r\nMODE = 2\r\nLog_Level=Info\r\nauto_adjust_level=TRUE\nadjusted_level=debug\nper_move_error=2\ncumulative_error=-1\n";
        let config = Config::parse(text).unwrap();
        assert_eq!((config.mode, config.level), (2, Level::Info));
        assert_eq!(config.adjusted_level(), Some(Level::Debug));
        assert_eq!((config.limits.error, config.limits.sum), (Some(2), None));
        assert_eq!(Config::parse("").unwrap(), Config::default());
        let config = Config::parse("log_level=NONE\nmax_book_move_depth=8\n").unwrap();
        assert_eq!((config.level, config.limits.plies), (Level::None, Some(8)));
        assert_eq!(config.adjusted_level(), None);
    }

    #[test]
    fn automatic_depth_ignores_the_limit() {
        for text in [
            "max_book_move_depth=8\nauto_detect_book_depth=True",
            "auto_detect_book_depth=True\nmax_book_move_depth=8",
        ] {
            assert_eq!(Config::parse(text).unwrap().limits, MineLimits::default());
        }
    }

    #[test]
    fn comments_and_sections_are_ignored() {
        let text = "[settings]\n; mode=1\n# mode=2\n// mode=3\n\nmode = 6 ; replies\nlog_level=INFO // more\n\
                progress_update_interval=1000\n";
        let config = Config::parse(text).unwrap();
        assert_eq!((config.mode, config.level), (6, Level::Info));
    }

    #[test]
    fn unknown_settings_are_reported_with_their_line() {
        for (text, expected) in [
            (
                "\nmdoe=5",
                "config.ini: line 2: 'mdoe' is not a key; there are mode, ",
            ),
            (
                "mode=5\n\nmode 4",
                "config.ini: line 3: 'mode 4': key=value was expected",
            ),
            (
                "max_leaf_moves=30",
                "config.ini: line 1: 'max_leaf_moves' is called max_book_move_depth",
            ),
        ] {
            let error = Config::parse(text).unwrap_err().0;
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn invalid_values_are_reported() {
        for text in [
            "mode=0",
            "progress_update_interval=0",
            "mode=8",
            "mode=",
            "log_level=loud",
            "per_move_error=-2",
            "auto_adjust_level=maybe",
            "auto_detect_book_depth=",
        ] {
            let error = Config::parse(text).unwrap_err();
            assert!(error.0.starts_with("config.ini: line 1:"), "{}", error.0);
        }
    }

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
