//! A program that is a job: its process, its requests, and what it says.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use yane_io::{BoundedLines, Job, LineError, Unit};

use crate::state::RunState;
use crate::tail::{Tail, TailTurn};
use crate::watch::now;

/// Lines of standard error that are kept.
const MOST_LINES: usize = 20;

/// A program that runs.
pub(crate) struct ProgramRun {
    child: Child,
    /// The program stops at a safe point when this is dropped.
    requests: Option<ChildStdin>,
    tail: Tail,
    told: Told,
    /// The last line of standard output.
    output: Arc<Mutex<String>>,
    /// The last lines of standard error.
    errors: Arc<Mutex<VecDeque<String>>>,
    readers: Vec<JoinHandle<()>>,
}

/// What the job was told of the program.
#[derive(Debug, Default)]
struct Told {
    stage: Option<(String, Option<u64>)>,
    done: u64,
    note: Option<String>,
    saved: Option<String>,
}

/// What a program said.
#[derive(Debug)]
pub(crate) struct ProgramEnd {
    pub(crate) status: ExitStatus,
    pub(crate) output: String,
    pub(crate) errors: Vec<String>,
    /// What its events said.
    pub(crate) state: RunState,
}

impl ProgramRun {
    /// Starts a command, whose events go to a file.
    pub(crate) fn start(mut command: Command, events: PathBuf) -> io::Result<Self> {
        // Ctrl-C at a terminal is for the server, which asks its jobs to stop.
        yane_io::child::set_own_group(&mut command);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let output = Arc::new(Mutex::new(String::new()));
        let errors = Arc::new(Mutex::new(VecDeque::new()));
        let (last, lines) = (Arc::clone(&output), Arc::clone(&errors));
        let readers = [
            child.stdout.take().map(|out| {
                std::thread::spawn(move || {
                    read_lines(out, |line| {
                        *last.lock().unwrap_or_else(PoisonError::into_inner) = line;
                    });
                })
            }),
            child.stderr.take().map(|out| {
                std::thread::spawn(move || {
                    read_lines(out, |line| {
                        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                        lines.push_back(line);
                        if lines.len() > MOST_LINES {
                            lines.pop_front();
                        }
                    });
                })
            }),
        ];
        Ok(Self {
            requests: child.stdin.take(),
            child,
            tail: Tail::new(events),
            told: Told::default(),
            output,
            errors,
            readers: readers.into_iter().flatten().collect(),
        })
    }

    /// Asks the program for something: `pause`, `resume`, `stop`.
    pub(crate) fn ask(&mut self, request: &str) {
        if let Some(requests) = &mut self.requests
            && writeln!(requests, "{request}")
                .and_then(|()| requests.flush())
                .is_err()
        {
            // It has ended.
            self.requests = None;
        }
    }

    /// Reads what the program has told, and tells it to the job; returns whether it goes on.
    pub(crate) fn look(&mut self, job: &Job) -> io::Result<bool> {
        let goes_on = self.child.try_wait()?.is_none();
        self.read_events();
        let state = self.state();
        if let Some(state) = state {
            self.told.tell(&state, job);
        }
        Ok(goes_on)
    }

    /// Returns whether the program rests.
    pub(crate) fn is_paused(&self) -> bool {
        let state = self.state();
        state.is_some_and(|state| state.progress.state.as_deref() == Some("paused"))
    }

    fn read_events(&mut self) {
        while self.tail.read(now()) == TailTurn::More {}
    }

    /// The state of the run of this process: the file has earlier ones of the same job.
    fn state(&self) -> Option<RunState> {
        let pid = u64::from(self.child.id());
        let runs = self.tail.runs().runs().iter().rev();
        let mut own = runs.filter(|run| run.state.pid == Some(pid));
        own.next().map(|run| run.state.clone())
    }

    /// Waits for the end of a program that ends by itself.
    pub(crate) fn end(mut self) -> io::Result<ProgramEnd> {
        drop(self.requests.take());
        let status = self.child.wait()?;
        for reader in self.readers.drain(..) {
            // One that panicked has read what it could.
            reader.join().ok();
        }
        self.read_events();
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(ProgramEnd {
            status,
            output: output.clone(),
            errors: errors.iter().cloned().collect(),
            state: self.state().unwrap_or_default(),
        })
    }
}

impl Told {
    fn tell(&mut self, state: &RunState, job: &Job) {
        let progress = &state.progress;
        if let Some(stage) = &progress.stage {
            let now = (stage.clone(), progress.total);
            if self.stage.as_ref() != Some(&now) || progress.done < self.done {
                let unit = progress.unit.clone().unwrap_or_default();
                let unit: Unit = serde_json::from_value(unit.into()).unwrap_or_default();
                job.progress
                    .resumed_stage(stage, progress.total, unit, progress.done);
                self.stage = Some(now);
            } else {
                job.progress.advance(progress.done - self.done);
            }
            self.done = progress.done;
        }
        if progress.note != self.note {
            if let Some(note) = &progress.note {
                job.progress.note(note);
            }
            self.note.clone_from(&progress.note);
        }
        let saved = state.saved.as_ref().and_then(|saved| saved.path.clone());
        if saved != self.saved {
            if let Some(path) = &saved {
                job.progress.saved(&yane_io::path_of_text(path));
            }
            self.saved = saved;
        }
    }
}

/// Takes the lines of a program, of which those that are too long are left out.
fn read_lines(source: impl Read, mut take: impl FnMut(String)) {
    let mut lines = BoundedLines::new(BufReader::new(source));
    loop {
        match lines.next() {
            Ok(Some(line)) => take(String::from_utf8_lossy(line).trim_end().to_owned()),
            Err(LineError::TooLong { .. }) => {}
            Ok(None) | Err(_) => return,
        }
    }
}
