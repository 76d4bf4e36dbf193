//! The events of the run of this process, in a file that other programs follow: lines of JSON, each with the name of the run and
//! the time.
//!
//! A process has one such file at most, as it has one standard output: [`EventArgs::begin`](crate::EventArgs::begin) opens it, and
//! whatever shows progress ([`Console`](crate::Console), [`RunScreen`](crate::RunScreen)) writes to it. A run that is shared over a queue is
//! shown there, too ([`EventLog::share`]).

mod digest;

use std::any::Any;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use yane_io::secret::without_passwords;
use yane_io::{command_text, host_name, text_of_name};

use crate::stderr::tell;
use digest::Digest;

/// The events of this process.
static CURRENT: LazyLock<EventLog> = LazyLock::new(EventLog::default);

/// The least time between two events about the same state.
const FASTEST: Duration = Duration::from_secs(1);

/// The longest time between them: followers take a run for lost that is silent for three times as long.
const SLOWEST: Duration = Duration::from_secs(60);

/// The longest time where another program waits for them.
const SLOWEST_CONTROLLED: Duration = Duration::from_secs(10);

/// The events of a run, which go to a file, to those who watch its queue, to both or nowhere. Cheap to clone.
#[derive(Clone, Debug)]
pub struct EventLog(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The name of the run: the time and the process.
    run: String,
    begun: Instant,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    file: Option<EventFile>,
    /// Those who follow it without a file wait for it.
    is_controlled: bool,
    /// What those see who come later.
    digest: Option<Digest>,
    /// Shows it to others as long as it is there.
    showing: Option<Showing>,
    /// The end of the run is written.
    has_ended: bool,
}

/// Something that shows the run to others until it is dropped.
struct Showing(#[expect(dead_code, reason = "it is kept to be dropped")] Box<dyn Any + Send>);

impl fmt::Debug for Showing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Showing")
    }
}

#[derive(Debug)]
struct EventFile {
    path: PathBuf,
    file: File,
    /// An error was told.
    has_failed: bool,
    /// The last line is not whole.
    is_broken: bool,
}

impl Default for EventLog {
    /// Events that go nowhere.
    fn default() -> Self {
        Self(Arc::new(Inner {
            run: format!("{:x}-{}", millis(), std::process::id()),
            begun: Instant::now(),
            state: Mutex::default(),
        }))
    }
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
        CURRENT.clone()
    }

    /// Begins the run of this process: its events are appended to a file from now on, and the first one is `run`.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub(crate) fn begin(path: &Path, pace: EventPace) -> io::Result<Self> {
        let log = Self::current();
        log.open(path, pace)?;
        log.write(&first_event());
        Ok(log)
    }

    fn open(&self, path: &Path, pace: EventPace) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).open(path)?;
        let is_broken = !ends_with_line(&mut file);
        let mut state = self.0.state();
        state.is_controlled = pace == EventPace::Controlled;
        state.file = Some(EventFile {
            path: path.to_owned(),
            file,
            has_failed: false,
            is_broken,
        });
        Ok(())
    }

    /// Shows the run to others, beside its file if there is one, until its end is written. `show` gets what tells what has happened so
    /// far, a line of JSON for each event that is worth it (400 KiB at most, however long the run is), and gives what shows it until it
    /// is dropped. The first time counts.
    ///
    /// # Errors
    /// That of `show`.
    pub fn share<T: Send + 'static, E>(
        &self,
        show: impl FnOnce(Box<dyn Fn() -> Vec<u8> + Send>) -> Result<T, E>,
    ) -> Result<(), E> {
        if self.0.state().showing.is_some() {
            return Ok(());
        }
        let mut digest = Digest::default();
        digest.take(&self.named(&first_event()));
        self.0.state().digest = Some(digest);
        let log = Arc::downgrade(&self.0);
        let showing = show(Box::new(move || {
            let text = log.upgrade().and_then(|log| {
                let state = log.state();
                state.digest.as_ref().map(Digest::text)
            });
            text.unwrap_or_default().into_bytes()
        }))?;
        self.0.state().showing = Some(Showing(Box::new(showing)));
        Ok(())
    }

    /// True if events go to a file or to others.
    pub fn is_on(&self) -> bool {
        let state = self.0.state();
        state.file.is_some() || state.digest.is_some()
    }

    /// The least time between two events about the same state now: a second at first, longer and longer in a long run.
    pub fn interval(&self) -> Duration {
        let state = self.0.state();
        let slowest = if state.is_controlled || state.digest.is_some() {
            SLOWEST_CONTROLLED
        } else {
            SLOWEST
        };
        (self.0.begun.elapsed() / 200).clamp(FASTEST, slowest)
    }

    /// Writes an event, a JSON object with the field `event`, as a line. An error, such as a full disk, is told once on standard
    /// error, and the run goes on.
    pub fn write(&self, event: &Value) {
        let mut state = self.0.state();
        if state.file.is_none() && state.digest.is_none() {
            return;
        }
        let event = self.named(event);
        state.has_ended |= event["event"] == "end";
        if let Some(digest) = &mut state.digest {
            digest.take(&event);
        }
        if let Some(file) = &mut state.file
            && let Err(error) = file.append(&format!("{event}\n"))
            && !std::mem::replace(&mut file.has_failed, true)
        {
            let path = file.path.display();
            tell(format_args!(
                "{path}: {error}; the run goes on without its events there"
            ));
        }
    }

    /// An event with the name of the run and the time.
    fn named(&self, event: &Value) -> Value {
        let mut event = event.clone();
        event["run"] = self.0.run.as_str().into();
        event["at"] = millis().into();
        event
    }

    /// Writes how the run ended, unless its last event has said so.
    pub(crate) fn end(&self, end: RunEnd<'_>) {
        let has_ended = self.0.state().has_ended;
        if !has_ended {
            self.write(&match end {
                RunEnd::Done => json!({"event": "end", "state": "done"}),
                RunEnd::Stopped => json!({"event": "end", "state": "stopped"}),
                RunEnd::Failed(text) => json!({"event": "end", "state": "failed", "text": text}),
            });
        }
        // It shows the end, for which it reads the state.
        let showing = self.0.state().showing.take();
        drop(showing);
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventFile {
    /// Appends a line in one piece. What an error left of one is ended before the next.
    fn append(&mut self, line: &str) -> io::Result<()> {
        let done = if self.is_broken {
            self.file.write_all(format!("\n{line}").as_bytes())
        } else {
            self.file.write_all(line.as_bytes())
        };
        self.is_broken = done.is_err();
        done
    }
}

/// The words of a command line, without passwords in the addresses of queues: others see them.
fn shown_words(mut words: Vec<String>) -> Vec<String> {
    const QUEUE: &str = "--queue";
    let mut is_address = false;
    for word in &mut words {
        let start = match word.strip_prefix(QUEUE) {
            Some(rest) if rest.starts_with('=') => Some(QUEUE.len() + 1),
            _ if is_address || word.contains("://") => Some(0),
            _ => None,
        };
        is_address = word == QUEUE;
        if let Some(start) = start {
            *word = format!("{}{}", &word[..start], without_passwords(&word[start..]));
        }
    }
    words
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
    let words = shown_words(words.collect());
    let folder = std::env::current_dir().ok();
    json!({
        "event": "run",
        "command": command_text(&program, &words),
        "program": program,
        "version": env!("CARGO_PKG_VERSION"),
        "started": millis(),
        "pid": std::process::id(),
        "host": host_name(),
        "folder": folder.map(|folder| text_of_name(folder.as_os_str())),
    })
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
        let log = EventLog::default();
        log.open(&path, EventPace::Free).unwrap();
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
        let mut log = EventLog::default();
        log.open(&path, EventPace::Controlled).unwrap();
        assert_eq!(log.interval(), FASTEST);
        let begun = Instant::now().checked_sub(Duration::from_secs(1000));
        Arc::get_mut(&mut log.0).unwrap().begun = begun.unwrap();
        assert!((5..6).contains(&log.interval().as_secs()));
        let begun = Instant::now().checked_sub(Duration::from_secs(3600));
        Arc::get_mut(&mut log.0).unwrap().begun = begun.unwrap();
        assert_eq!(log.interval(), SLOWEST_CONTROLLED);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn passwords_of_queues_are_not_shown() {
        for (given, shown) in [
            (
                "--queue nats://u:p@farm:1 -o a@b",
                "--queue nats://…@farm:1 -o a@b",
            ),
            ("--queue=token@farm --run", "--queue=…@farm --run"),
            ("--queue token@farm", "--queue …@farm"),
            ("--queue-login a@b", "--queue-login a@b"),
        ] {
            let words = given.split(' ').map(str::to_owned).collect();
            assert_eq!(shown_words(words).join(" "), shown);
        }
    }

    #[test]
    fn a_run_that_is_shared_is_shown_without_a_file_until_its_end() {
        struct Last(
            Box<dyn Fn() -> Vec<u8> + Send>,
            std::sync::mpsc::Sender<Vec<u8>>,
        );
        impl Drop for Last {
            fn drop(&mut self) {
                self.1.send((self.0)()).unwrap();
            }
        }
        let log = EventLog::default();
        log.write(&json!({"event": "game", "result": "draw"}));
        assert!(!log.is_on());
        let (sender, shown) = std::sync::mpsc::channel();
        log.share(|text| Ok::<_, ()>(Last(text, sender))).unwrap();
        assert!(log.is_on());
        log.write(&json!({"event": "game", "result": "black"}));
        log.end(RunEnd::Stopped);
        let text = String::from_utf8(shown.recv().unwrap()).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let names: Vec<_> = lines.iter().map(|line| &line["event"]).collect();
        assert_eq!(names, ["run", "end", "counts"]);
        assert_eq!(lines[0]["run"], lines[1]["run"]);
        assert_eq!(lines[2]["results"]["result"], json!({"black": 1}));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_ends_nothing() {
        let log = EventLog::default();
        log.open(Path::new("/dev/full"), EventPace::Free).unwrap();
        log.write(&json!({"event": "game"}));
        log.write(&json!({"event": "game"}));
        assert!(log.0.state().file.as_ref().unwrap().has_failed);
    }
}
