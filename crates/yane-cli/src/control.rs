//! A run that another program controls: requests to pause, to go on and to stop, as lines of standard input.
//!
//! This works alike on all systems, and ends the run when the other program ends, however that does: the end of the input is a
//! request to stop. Runs stop at a safe point, from which the same command resumes.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use yane_io::job::Pausing;
use yane_io::{BoundedLines, Error, Job};

use crate::events::{EventLog, EventPace};
use crate::print::stop_on_request;

/// Where requests to a run come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ControlSource {
    /// Lines of standard input: `pause`, `resume`, `stop`. Its end is `stop`.
    Stdin,
}

/// How others follow and control a run.
#[derive(Args, Clone, Debug, Default)]
#[group(id = "EventArgs")]
pub struct EventArgs {
    /// Append the events of the run to a file, one a line (JSON), for dashboards and scripts
    #[arg(long, value_name = "FILE", display_order = 70)]
    pub events: Option<PathBuf>,
    /// Take `pause`, `resume` and `stop` from there; its end stops the run
    #[arg(long, value_name = "SOURCE", value_enum, hide = true)]
    pub control: Option<ControlSource>,
}

/// The ways to ask a run for something.
#[derive(Clone, Debug)]
struct RunRequests {
    stop: Arc<AtomicBool>,
    /// The pause; a run without one stops instead.
    pausing: Option<Pausing>,
}

impl EventArgs {
    /// Begins a run: `job` is asked to stop when the program is asked to end ([`stop_on_request`]), its events go to the file, and
    /// requests to pause and to stop come to it.
    ///
    /// # Errors
    /// When signals cannot be caught, or the file of events cannot be opened.
    pub fn begin(&self, job: &Job) -> yane_io::Result<()> {
        self.begin_with(RunRequests {
            stop: Arc::clone(&job.cancelled),
            pausing: Some(job.pausing.clone()),
        })
    }

    fn begin_with(&self, requests: RunRequests) -> yane_io::Result<()> {
        stop_on_request(&requests.stop).map_err(Error::io("signals"))?;
        if let Some(path) = &self.events {
            let pace = match self.control {
                Some(_) => EventPace::Controlled,
                None => EventPace::Free,
            };
            EventLog::begin(path, pace).map_err(Error::io(path))?;
        }
        if self.control == Some(ControlSource::Stdin) {
            let listener = std::thread::Builder::new().name("control".to_owned());
            let listen = move || requests.take_from(io::stdin().lock());
            listener
                .spawn(listen)
                .map_err(Error::io("standard input"))?;
        }
        Ok(())
    }
}

impl RunRequests {
    /// Does what the lines of `input` ask for. Its end, and an error in it, is a request to stop.
    fn take_from(&self, input: impl io::BufRead) {
        let mut lines = BoundedLines::new(input);
        while let Ok(Some(line)) = lines.next_text() {
            match (line.trim(), &self.pausing) {
                ("pause", Some(pausing)) => pausing.request(),
                ("resume", Some(pausing)) => pausing.release(),
                ("pause" | "stop", _) => self.stop(),
                _ => {}
            }
        }
        self.stop();
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        if let Some(pausing) = &self.pausing {
            pausing.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(job: &Job, lines: &str) -> (bool, bool) {
        let requests = RunRequests {
            stop: Arc::clone(&job.cancelled),
            pausing: Some(job.pausing.clone()),
        };
        requests.take_from(lines.as_bytes());
        let stops = job.cancelled.load(Ordering::Acquire);
        (job.pausing.is_requested(), stops)
    }

    #[test]
    fn lines_pause_and_resume_and_the_end_stops() {
        assert_eq!(requests(&Job::default(), "pause\r\nwhat\n"), (true, true));
        assert_eq!(requests(&Job::default(), "pause\nresume\n"), (false, true));
        assert_eq!(requests(&Job::default(), ""), (false, true));
    }

    #[test]
    fn a_run_without_a_pause_stops() {
        let requests = RunRequests {
            stop: Arc::default(),
            pausing: None,
        };
        requests.take_from(&b"resume\npause\n"[..]);
        assert!(requests.stop.load(Ordering::Acquire));
    }
}
