//! A program that is a job: its process, its requests, and what it says.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read, Write as _};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use yane_io::child::ProcessGroup;
use yane_io::{BoundedLines, Job, LineError, Unit};

use crate::state::RunState;
use crate::tail::{Tail, TailTurn};
use crate::watch::now;

/// Lines of standard error that are kept.
const MOST_LINES: usize = 20;

/// The time between two looks at a program.
const LOOK: Duration = Duration::from_millis(200);

/// How a program is followed.
#[derive(Debug, Default)]
pub struct ProgramSetup {
    /// The file of its events (`--events`), for one that takes requests from its standard input (`--control stdin`). Without it the
    /// program is ended when it has to stop.
    pub events: Option<PathBuf>,
    /// Where its standard output goes; without it its last line is kept.
    pub output: Option<File>,
}

/// A program that runs, in a process group of its own: when it has ended, nothing that it has started goes on.
#[derive(Debug)]
pub struct FollowedProgram {
    group: ProcessGroup,
    pid: u32,
    /// The program stops at a safe point when this is dropped.
    requests: Option<ChildStdin>,
    tail: Option<Tail>,
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
pub struct ProgramEnd {
    /// How it ended.
    pub status: ExitStatus,
    /// The last line of its standard output, unless that went to a file.
    pub output: String,
    /// The last lines of its standard error.
    pub errors: Vec<String>,
    /// The error that its events told.
    pub error: Option<String>,
}

impl FollowedProgram {
    /// Starts a command.
    ///
    /// # Errors
    /// When the system does not start it.
    pub fn start(mut command: Command, setup: ProgramSetup) -> io::Result<Self> {
        // Ctrl-C at a terminal is for the server, which asks its jobs to stop.
        yane_io::child::set_own_group(&mut command);
        command.stdin(match setup.events {
            Some(_) => Stdio::piped(),
            None => Stdio::null(),
        });
        command.stdout(setup.output.map_or_else(Stdio::piped, Stdio::from));
        command.stderr(Stdio::piped());
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
            pid: child.id(),
            group: ProcessGroup::new(child),
            tail: setup.events.map(Tail::new),
            told: Told::default(),
            output,
            errors,
            readers: readers.into_iter().flatten().collect(),
        })
    }

    /// Follows the program until it ends: its progress goes to the job, whose requests go to the program.
    ///
    /// # Errors
    /// When the system does not tell whether it has ended; it is ended then.
    pub fn follow(self, job: &Job) -> io::Result<ProgramEnd> {
        let run = RefCell::new(self);
        let is_stopping = || job.cancelled.load(Ordering::Acquire);
        let (mut has_paused, mut has_stopped) = (false, false);
        while run.borrow_mut().look(job)? {
            let wants_pause = job.pausing.is_requested();
            if is_stopping() && !has_stopped {
                has_stopped = true;
                run.borrow_mut().ask("stop");
            } else if wants_pause != has_paused && !has_stopped {
                has_paused = wants_pause;
                let request = if wants_pause { "pause" } else { "resume" };
                run.borrow_mut().ask(request);
            }
            if has_paused && !has_stopped && run.borrow().is_paused() {
                // The job rests as long as its program does.
                job.pausing.wait(&|| {
                    let goes_on = run.borrow_mut().look(job).unwrap_or(false);
                    is_stopping() || !goes_on || !run.borrow().is_paused()
                });
            }
            std::thread::sleep(LOOK);
        }
        run.into_inner().end()
    }

    /// Asks the program for something: `pause`, `resume`, `stop`. One that takes no requests is ended when it has to stop.
    fn ask(&mut self, request: &str) {
        if self.tail.is_none() && request == "stop" {
            // Its end is seen later.
            self.group.end().ok();
            return;
        }
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
    fn look(&mut self, job: &Job) -> io::Result<bool> {
        let goes_on = !self.group.has_ended()?;
        self.read_events();
        let state = self.state();
        if let Some(state) = state {
            self.told.tell(&state, job);
        }
        Ok(goes_on)
    }

    /// Returns whether the program rests.
    fn is_paused(&self) -> bool {
        let state = self.state();
        state.is_some_and(|state| state.progress.state.as_deref() == Some("paused"))
    }

    fn read_events(&mut self) {
        if let Some(tail) = &mut self.tail {
            while tail.read(now()) == TailTurn::More {}
        }
    }

    /// The state of the run of this process: the file has earlier ones of the same job.
    fn state(&self) -> Option<RunState> {
        let pid = u64::from(self.pid);
        let runs = self.tail.as_ref()?.runs().runs().iter().rev();
        let mut own = runs.filter(|run| run.state.pid == Some(pid));
        own.next().map(|run| run.state.clone())
    }

    /// What a program said that has ended by itself. Whatever it has started ends now.
    fn end(mut self) -> io::Result<ProgramEnd> {
        drop(self.requests.take());
        let status = self.group.end()?;
        for reader in self.readers.drain(..) {
            // One that panicked has read what it could.
            reader.join().ok();
        }
        self.read_events();
        let error = self.state().and_then(|state| state.error);
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(ProgramEnd {
            status,
            output: output.clone(),
            errors: errors.iter().cloned().collect(),
            error,
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
