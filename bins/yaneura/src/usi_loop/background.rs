//! Long commands (`perft`, `bench`, `speedtest`, `qsearch_psv`) on a thread of their own, so that `stop` and `quit` are
//! read meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};

use shogi_engine::{Searcher, StartError};
use shogi_usi::Command;

use super::{Flow, GO_ON, UsiLoop};
use crate::error::LineError;
use crate::input::Event;
use crate::output::OutputHandle;
use crate::queries;

/// The work of a background job: it prints results itself, and ends soon after the flag is set.
pub(crate) type Work =
    Box<dyn FnOnce(&OutputHandle, &Arc<AtomicBool>) -> Result<(), LineError> + Send>;

/// A job that was started.
pub(super) struct BackgroundJob {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl UsiLoop {
    /// Starts `work`; other commands wait until it is done.
    pub(super) fn start_job(&mut self, work: Work) -> Result<(), LineError> {
        let stop = Arc::new(AtomicBool::new(false));
        let (output, events, raised) = (self.output.clone(), self.sender.clone(), stop.clone());
        let thread = Builder::new()
            .name("job".to_owned())
            .stack_size(Searcher::STACK_BYTES)
            .spawn(move || {
                // A panic is reported by the hook.
                if let Ok(Err(error)) = catch_unwind(AssertUnwindSafe(|| work(&output, &raised))) {
                    output.error(&error.to_line());
                }
                // Fails only when the loop has ended.
                events.send(Event::JobDone).ok();
            })
            .map_err(StartError::Thread)?;
        self.job = Some(BackgroundJob { stop, thread });
        Ok(())
    }

    /// `perft N`, of the current position.
    pub(super) fn start_perft(&mut self, depth: u32) -> Result<(), LineError> {
        let mut position = self.position().clone();
        self.start_job(Box::new(move |output, stop| {
            queries::print_perft(&mut position, depth, output, stop);
            Ok(())
        }))
    }

    /// An event while a job is running: `stop` ends the job; `quit` too, unless other commands wait before it.
    pub(super) fn event_during_job(&mut self, event: Event) -> Flow {
        let word = match &event {
            Event::Line(line) => Command::split(line).map(|(word, _)| word),
            _ => None,
        };
        match word {
            Some("stop") => self.stop_job(),
            Some("quit") if self.held.is_empty() && self.queue.is_empty() => {
                self.stop_job();
                self.held.push_back(event);
            }
            _ => self.held.push_back(event),
        }
        GO_ON
    }

    fn stop_job(&self) {
        if let Some(job) = &self.job {
            job.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Ends the job, if there is one, and waits for its last lines.
    pub(super) fn end_job(&mut self) {
        self.stop_job();
        if let Some(job) = self.job.take() {
            job.thread.join().ok();
        }
    }
}
