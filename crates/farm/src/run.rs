//! The run loop: many workers side by side.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use crate::control::RunControl;
use crate::error::FarmError;
use crate::event::{Event, Recorder};
use crate::policy::RetryPolicy;
use crate::source::Source;
use crate::status::WorkerStatus;
use crate::supervisor::{Content, Message, MessageOf, Shared, worker_loop};
use crate::worker::{OutputOf, Stop, Worker, Workers};

/// The interval of checks for workers that exceed their time.
const TICK: Duration = Duration::from_millis(100);

/// The capacity of each worker's message channel: little is lost with this process then, however long the
/// recorder is busy with files.
const AHEAD: usize = 4;

/// Has the items of `source` done by `workers`, one at each at a time, until there are none
/// left or `control` ends the run. `recorder` is called on this thread with all that happens; workers that are a
/// few items ahead of it wait.
///
/// # Errors
/// When no worker is left, one refuses to work, the work panics at the same item again and again, and errors of
/// `recorder`: they end the run, through `control` too. Whatever was finished by then is recorded before, unless it is the recorder that
/// fails.
pub fn run<W, S, R>(
    workers: &W,
    source: &S,
    control: &RunControl,
    policy: RetryPolicy,
    recorder: &mut R,
) -> Result<(), R::Error>
where
    W: Workers<Worker: Worker<Item = S::Item>>,
    S: Source,
    R: Recorder<Item = S::Item, Output = OutputOf<W>>,
{
    let shared = Shared {
        workers,
        source,
        control,
        crew: control.crew(),
        policy,
    };
    let statuses: Vec<Arc<WorkerStatus>> = (0..workers.count()).map(|_| Arc::default()).collect();
    let (sender, messages) = mpsc::sync_channel(AHEAD * statuses.len());
    let mut event_loop = EventLoop {
        workers,
        source,
        control,
        policy,
        statuses: &statuses,
        tries: HashMap::new(),
        panics: HashMap::new(),
        closed: 0,
        failure: None,
        recorder,
    };
    std::thread::scope(|scope| {
        // Dropped first when the recorder panics, so that no worker waits for it.
        let messages = messages;
        let _end = EndOnPanic {
            control,
            statuses: &statuses,
        };
        for (number, status) in statuses.iter().enumerate() {
            let (sender, shared) = (sender.clone(), &shared);
            let stop = Stop::new(Arc::clone(status), control.clone());
            let thread = std::thread::Builder::new()
                .name(format!("worker {number}"))
                .stack_size(workers.stack_bytes());
            let work = move || worker_loop(number, stop, shared, &sender);
            if let Err(error) = thread.spawn_scoped(scope, work) {
                event_loop.fail(error.into());
                break;
            }
        }
        drop(sender);
        let recorded = event_loop.run(&messages);
        event_loop.tell_notices();
        if recorded.is_err() {
            control.quit();
        }
        // Workers end by themselves: they are out of work, stopped, or closed.
        while !matches!(
            messages.recv_timeout(TICK),
            Err(RecvTimeoutError::Disconnected)
        ) {
            for status in &statuses {
                status.stop();
            }
        }
        recorded?;
        event_loop.failure.map_or(Ok(()), |error| Err(error.into()))
    })
}

/// Guard that ends a run whose recorder panics: the scope would wait for workers that are not
/// stopped.
struct EndOnPanic<'a> {
    control: &'a RunControl,
    statuses: &'a [Arc<WorkerStatus>],
}

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.control.quit();
            self.statuses.iter().for_each(|status| status.stop());
        }
    }
}

/// Handles the messages of the workers.
struct EventLoop<'a, W: Workers, S: Source, R> {
    workers: &'a W,
    source: &'a S,
    control: &'a RunControl,
    policy: RetryPolicy,
    statuses: &'a [Arc<WorkerStatus>],
    /// The number of failures of items, and the worker of the last one.
    tries: HashMap<S::Item, (u32, usize)>,
    /// The number of panics at items.
    panics: HashMap<S::Item, u32>,
    /// Workers that failed too often.
    closed: usize,
    /// The first error that ends the run: what is finished is recorded all the same.
    failure: Option<FarmError>,
    recorder: &'a mut R,
}

impl<W, S, R> EventLoop<'_, W, S, R>
where
    W: Workers<Worker: Worker<Item = S::Item>>,
    S: Source,
    R: Recorder<Item = S::Item, Output = OutputOf<W>>,
{
    /// Handles messages until all workers have ended.
    fn run(&mut self, messages: &Receiver<MessageOf<W>>) -> Result<(), R::Error> {
        loop {
            match messages.recv_timeout(TICK) {
                Ok(message) => self.handle(message)?,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let is_quitting = self.control.is_quitting();
            for status in self.statuses {
                if is_quitting {
                    status.stop();
                } else {
                    status.check_time(self.policy.time_limit);
                }
            }
            self.tell_notices();
            let workers = self.statuses;
            self.recorder.on_event(&Event::Tick { workers });
            self.recorder.save_if_due()?;
        }
    }

    fn handle(&mut self, message: MessageOf<W>) -> Result<(), R::Error> {
        let Message { worker, content } = message;
        match content {
            Content::Finished { item, output } => {
                self.recorder.record(Some(worker), &item, output)?;
                self.tries.remove(&item);
                self.panics.remove(&item);
                self.source.ack(&item);
            }
            Content::Failed { item, reason } => {
                self.tell_failure(worker, &reason);
                if let Some(item) = item {
                    self.retry(&item, worker)?;
                }
            }
            Content::Panicked { item, reason } => {
                self.tell_failure(worker, &format!("panicked: {reason}"));
                if let Some(item) = item {
                    self.retry_after_panic(&item, worker, reason);
                }
            }
            Content::Closed { reason } => {
                self.close(worker, &reason);
                if self.closed == self.statuses.len() {
                    self.fail(FarmError::NoWorkers(reason));
                }
            }
            Content::Refused { reason } => {
                let name = self.workers.name(worker).to_owned();
                self.fail(FarmError::Refused { name, reason });
            }
            Content::Died { reason } => {
                self.close(worker, &format!("panicked: {reason}"));
                let name = self.workers.name(worker).to_owned();
                self.fail(FarmError::Panicked { name, reason });
            }
        }
        Ok(())
    }

    fn tell_failure(&mut self, worker: usize, reason: &str) {
        let name = self.workers.name(worker);
        self.recorder.on_event(&Event::WorkerFailed {
            worker,
            name,
            reason,
        });
    }

    fn close(&mut self, worker: usize, reason: &str) {
        self.statuses[worker].close();
        self.closed += 1;
        let name = self.workers.name(worker);
        self.recorder.on_event(&Event::WorkerClosed {
            worker,
            name,
            reason,
        });
    }

    /// Ends the run with an error; what is finished by then is still recorded.
    fn fail(&mut self, error: FarmError) {
        self.failure.get_or_insert(error);
        self.control.quit();
    }

    /// Passes on what users should know of the workers.
    fn tell_notices(&mut self) {
        for (name, text) in self.workers.take_notices() {
            let (name, text) = (name.as_str(), text.as_str());
            self.recorder.on_event(&Event::Notice { name, text });
        }
    }

    /// Returns an item that failed at a worker to the source, or gives it up.
    fn retry(&mut self, item: &S::Item, worker: usize) -> Result<(), R::Error> {
        let mut numbered = self.statuses.iter().enumerate();
        let has_others = numbered.any(|(number, other)| number != worker && !other.is_closed());
        let (tries, last) = self.tries.entry(item.clone()).or_insert((0, usize::MAX));
        if *last != worker || !has_others {
            *tries += 1;
        }
        *last = worker;
        if *tries < self.policy.tries {
            self.source.nack(item);
            return Ok(());
        }
        self.tries.remove(item);
        self.panics.remove(item);
        self.recorder.give_up(item)?;
        self.source.ack(item);
        Ok(())
    }

    /// Returns an item at which the work panicked to the source, or ends the run.
    fn retry_after_panic(&mut self, item: &S::Item, worker: usize, reason: String) {
        let panics = self.panics.entry(item.clone()).or_default();
        *panics += 1;
        if *panics >= self.policy.panics {
            let name = self.workers.name(worker).to_owned();
            self.fail(FarmError::Panicked { name, reason });
        }
        // At the end of a run too: it is not done.
        self.source.nack(item);
    }
}
