//! The program without arguments: the files of its folder, and `config.ini`, `key=value` lines in any case.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use othello_book::miner;
use othello_book::miner::{MineLimits, MineOptions, MismatchLine, Mode};
use othello_book::store::OnDamage;
use yane_cli::{Console, UsageError, print};
use yane_io::{Error, Job, decode_text};

use crate::log::{Level, Log};
use crate::output::{Output, Style};
use crate::search::{Report, Source};
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
        match std::fs::read(path) {
            Ok(bytes) => Ok(Self::parse(&String::from_utf8_lossy(&decode_text(&bytes)))?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Error::io(path)(error).into()),
        }
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
        log.lines(Level::Error, &[format!("{error:#}")])?;
    }
    done
}

fn work(folder: &Path, config: Config, log: &Log) -> anyhow::Result<ExitCode> {
    let job = Job {
        progress: Arc::new(Console::new(false)),
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
}
