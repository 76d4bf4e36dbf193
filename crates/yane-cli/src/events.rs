//! The events of the run of this process, in a file that other programs follow: lines of JSON, each with the name of the run and
//! the time.
//!
//! A process has one such file at most, as it has one standard output: [`EventArgs::begin`](crate::EventArgs::begin) opens it, and
//! whatever shows progress ([`Console`](crate::Console), [`RunScreen`](crate::RunScreen)) writes to it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use yane_io::{command_text, text_of_name};

use crate::stderr::tell;

/// The file of this process.
static CURRENT: Mutex<Option<EventLog>> = Mutex::new(None);

/// The least time between two events about the same state.
const FASTEST: Duration = Duration::from_secs(1);

/// The longest time between them: followers take a run for lost that is silent for three times as long.
const SLOWEST: Duration = Duration::from_secs(60);

/// The longest time where another program waits for them.
const SLOWEST_CONTROLLED: Duration = Duration::from_secs(10);

/// The events of a run, which go to a file or nowhere. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct EventLog(Option<Arc<Inner>>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    /// The name of the run: the time and the process.
    run: String,
    begun: Instant,
    slowest: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    file: Option<File>,
    /// An error was told.
    has_failed: bool,
    /// The last line is not whole.
    is_broken: bool,
    /// The end of the run is written.
    has_ended: bool,
}

/// Whether another program follows the events at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventPace {
    Free,
    Controlled,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunEnd<'a> {
    Done,
    Stopped,
    Failed(&'a str),
}

impl EventLog {
    /// The events of this process.
    pub fn current() -> Self {
        current().clone().unwrap_or_default()
    }

    /// Begins the run of this process: its events are appended to a file from now on, and the first one is `run`.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub(crate) fn begin(path: &Path, pace: EventPace) -> io::Result<Self> {
        let log = Self::open(path, pace)?;
        log.write(&first_event());
        *current() = Some(log.clone());
        Ok(log)
    }

    fn open(path: &Path, pace: EventPace) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(path)?;
        let is_broken = !ends_with_line(&mut file);
        let state = State {
            file: Some(file),
            is_broken,
            ..State::default()
        };
        Ok(Self(Some(Arc::new(Inner {
            path: path.to_owned(),
            run: format!("{:x}-{}", millis(), std::process::id()),
            begun: Instant::now(),
            slowest: match pace {
                EventPace::Free => SLOWEST,
                EventPace::Controlled => SLOWEST_CONTROLLED,
            },
            state: Mutex::new(state),
        }))))
    }

    /// True if events go to a file.
    pub const fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// The least time between two events about the same state now: a second at first, longer and longer in a long run.
    pub fn interval(&self) -> Duration {
        self.0.as_ref().map_or(SLOWEST, |inner| {
            (inner.begun.elapsed() / 200).clamp(FASTEST, inner.slowest)
        })
    }

    /// Writes an event, a JSON object with the field `event`, as a line. An error, such as a full disk, is told once on standard
    /// error, and the run goes on.
    pub fn write(&self, event: &Value) {
        let Some(inner) = &self.0 else { return };
        let mut event = event.clone();
        event["run"] = inner.run.as_str().into();
        event["at"] = millis().into();
        let mut state = inner.state();
        state.has_ended |= event["event"] == "end";
        if let Err(error) = state.append(&format!("{event}\n"))
            && !std::mem::replace(&mut state.has_failed, true)
        {
            let path = inner.path.display();
            tell(format_args!(
                "{path}: {error}; the run goes on without its events there"
            ));
        }
    }

    /// Writes how the run ended, unless its last event has said so.
    pub(crate) fn end(&self, end: RunEnd<'_>) {
        let has_ended = self.0.as_ref().is_none_or(|inner| inner.state().has_ended);
        if has_ended {
            return;
        }
        self.write(&match end {
            RunEnd::Done => json!({"event": "end", "state": "done"}),
            RunEnd::Stopped => json!({"event": "end", "state": "stopped"}),
            RunEnd::Failed(text) => json!({"event": "end", "state": "failed", "text": text}),
        });
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Appends a line in one piece. What an error left of one is ended before the next.
    fn append(&mut self, line: &str) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let done = if self.is_broken {
            file.write_all(format!("\n{line}").as_bytes())
        } else {
            file.write_all(line.as_bytes())
        };
        self.is_broken = done.is_err();
        done
    }
}

fn current() -> MutexGuard<'static, Option<EventLog>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether a file is empty or its last line is whole. What cannot be looked at, such as a pipe, is.
fn ends_with_line(file: &mut File) -> bool {
    let mut last = [b'\n'];
    let read = file
        .seek(SeekFrom::End(-1))
        .and_then(|_| file.read(&mut last));
    read.is_err() || last == *b"\n"
}

/// Milliseconds since 1970.
fn millis() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH);
    time.map_or(0, |time| time.as_millis() as u64)
}

/// The event `run`: which program it is, and how it was called.
fn first_event() -> Value {
    let mut words = std::env::args_os().map(|word| text_of_name(&word));
    let program = words.next().unwrap_or_default();
    let stem = Path::new(&program).file_stem().unwrap_or_default();
    let program = stem.to_string_lossy().into_owned();
    let words: Vec<String> = words.collect();
    let folder = std::env::current_dir().ok();
    json!({
        "event": "run",
        "command": command_text(&program, &words),
        "program": program,
        "version": env!("CARGO_PKG_VERSION"),
        "started": millis(),
        "pid": std::process::id(),
        "host": host(),
        "folder": folder.map(|folder| text_of_name(folder.as_os_str())),
    })
}

/// The name of this machine, where the system tells it without being asked by more than a file or a variable.
fn host() -> Option<String> {
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let variable = || {
        ["COMPUTERNAME", "HOSTNAME"]
            .iter()
            .find_map(|name| std::env::var(name).ok())
    };
    let name = named.or_else(variable)?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(path: &Path) -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap_or(Value::Null))
            .collect()
    }

    #[test]
    fn events_have_a_run_and_a_time_and_one_end() {
        let path = std::env::temp_dir().join(format!("yane-cli-events-{}", std::process::id()));
        std::fs::write(&path, "{\"event\":\"ga").unwrap();
        let log = EventLog::open(&path, EventPace::Free).unwrap();
        log.write(&json!({"event": "game", "game": 1}));
        log.end(RunEnd::Failed("no space"));
        log.end(RunEnd::Done);
        let events = events(&path);
        std::fs::remove_file(&path).unwrap();
        // What an earlier run left stays a line of its own.
        assert_eq!(events.len(), 3);
        assert_eq!(events[0], Value::Null);
        assert_eq!(events[1]["game"], 1);
        assert!(events[1]["at"].as_u64().unwrap() > 1_700_000_000_000);
        assert_eq!(events[1]["run"], events[2]["run"]);
        assert_eq!(
            [&events[2]["state"], &events[2]["text"]],
            ["failed", "no space"]
        );
    }

    #[test]
    fn long_runs_write_less_often() {
        let path = std::env::temp_dir().join(format!("yane-cli-pace-{}", std::process::id()));
        let mut log = EventLog::open(&path, EventPace::Controlled).unwrap();
        assert_eq!(log.interval(), FASTEST);
        let begun = Instant::now().checked_sub(Duration::from_secs(1000));
        Arc::get_mut(log.0.as_mut().unwrap()).unwrap().begun = begun.unwrap();
        assert!((5..6).contains(&log.interval().as_secs()));
        let begun = Instant::now().checked_sub(Duration::from_secs(3600));
        Arc::get_mut(log.0.as_mut().unwrap()).unwrap().begun = begun.unwrap();
        assert_eq!(log.interval(), SLOWEST_CONTROLLED);
        std::fs::remove_file(&path).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_ends_nothing() {
        let log = EventLog::open(Path::new("/dev/full"), EventPace::Free).unwrap();
        log.write(&json!({"event": "game"}));
        log.write(&json!({"event": "game"}));
        assert!(log.0.as_ref().unwrap().state().has_failed);
    }
}
