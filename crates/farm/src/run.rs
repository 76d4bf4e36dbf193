//! The run loop: many engines side by side.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use shogi_engine::Searcher;

use crate::worker::{Message, MessageOf, Shared, worker_loop};
use crate::{EnginePool, Event, FarmError, Recorder, RunControl, Source, Work, Worker};

/// The interval of checks for engines that exceed their time.
const TICK: Duration = Duration::from_millis(100);

/// The capacity of each worker's message channel: little is lost with this process then, however long the
/// recorder is busy with files.
const AHEAD: usize = 4;

/// Time limit and number of tries of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The search time of one position after which an engine counts as failed.
    pub think_timeout: Duration,
    /// The number of tries before an item is given up, at least 1. Two failures in a row at the same worker
    /// count once as long as there are others: it may be the engine's fault.
    pub tries: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            think_timeout: Duration::from_secs(600),
            tries: 3,
        }
    }
}

/// Has the items of `source` done by the engines of `pool`, one at each worker at a time, until there are none
/// left or `control` ends the run. `recorder` is called on this thread with all that happens; workers that are a
/// few items ahead of it wait.
///
/// # Errors
/// When no engine is left, one says of an error while it gets ready, and errors of `recorder`: they end the run.
pub fn run<W, S, R>(
    pool: &EnginePool,
    work: &W,
    source: &S,
    control: &RunControl,
    policy: RetryPolicy,
    recorder: &mut R,
) -> Result<(), R::Error>
where
    W: Work,
    S: Source<Item = W::Item>,
    R: Recorder<Item = W::Item, Output = W::Output>,
{
    let shared = Shared {
        pool,
        work,
        source,
        control,
    };
    let workers: Vec<Arc<Worker>> = (0..pool.workers()).map(|_| Arc::default()).collect();
    let (sender, messages) = mpsc::sync_channel(AHEAD * workers.len());
    let mut event_loop = EventLoop {
        pool,
        source,
        control,
        policy,
        workers: &workers,
        tries: HashMap::new(),
        recorder,
    };
    std::thread::scope(|scope| {
        // Dropped first when the recorder panics, so that no worker waits for it.
        let messages = messages;
        let _end = EndOnPanic {
            control,
            workers: &workers,
        };
        let mut result = Ok(());
        for (number, worker) in workers.iter().enumerate() {
            let (sender, worker, shared) = (sender.clone(), Arc::clone(worker), &shared);
            let thread = std::thread::Builder::new()
                .name(format!("worker {number}"))
                .stack_size(Searcher::STACK_BYTES);
            let work = move || worker_loop(number, &worker, shared, &sender);
            if let Err(error) = thread.spawn_scoped(scope, work) {
                control.quit();
                result = Err(FarmError::from(error).into());
                break;
            }
        }
        drop(sender);
        let recorded = event_loop.run::<W>(&messages);
        event_loop.tell_notices();
        if recorded.is_err() {
            control.quit();
        }
        // Workers end by themselves: they are out of work, stopped, or closed.
        while !matches!(
            messages.recv_timeout(TICK),
            Err(RecvTimeoutError::Disconnected)
        ) {
            for worker in &workers {
                worker.stop();
            }
        }
        result.and(recorded)
    })
}

/// Guard that ends a run whose recorder panics: the scope would wait for workers that are not
/// stopped.
struct EndOnPanic<'a> {
    control: &'a RunControl,
    workers: &'a [Arc<Worker>],
}

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.control.quit();
            self.workers.iter().for_each(|worker| worker.stop());
        }
    }
}

/// Handles the messages of the workers.
struct EventLoop<'a, S: Source, R> {
    pool: &'a EnginePool,
    source: &'a S,
    control: &'a RunControl,
    policy: RetryPolicy,
    workers: &'a [Arc<Worker>],
    /// The number of failures of items, and the worker of the last one.
    tries: HashMap<S::Item, (u32, usize)>,
    recorder: &'a mut R,
}

impl<S: Source, R: Recorder<Item = S::Item>> EventLoop<'_, S, R> {
    fn run<W>(&mut self, messages: &Receiver<MessageOf<W>>) -> Result<(), R::Error>
    where
        W: Work<Item = S::Item, Output = R::Output>,
    {
        let mut closed = 0;
        loop {
            match messages.recv_timeout(TICK) {
                Ok(Message::Closed { worker, reason }) => {
                    self.workers[worker].close();
                    self.recorder.on_event(&Event::EngineClosed {
                        worker,
                        name: self.pool.engine_name(worker),
                        reason: &reason,
                    });
                    closed += 1;
                    if closed == self.workers.len() {
                        return Err(FarmError::NoEngines(reason).into());
                    }
                }
                Ok(Message::Refused { worker, reason }) => {
                    let name = self.pool.engine_name(worker).to_owned();
                    return Err(FarmError::Refused { name, reason }.into());
                }
                Ok(Message::Finished {
                    worker,
                    item,
                    output,
                }) => {
                    self.recorder.record(Some(worker), &item, output)?;
                    self.tries.remove(&item);
                    self.source.ack(&item);
                }
                Ok(Message::Failed {
                    worker,
                    item,
                    reason,
                }) => {
                    self.recorder.on_event(&Event::EngineFailed {
                        worker,
                        name: self.pool.engine_name(worker),
                        reason: &reason,
                    });
                    if let Some(item) = item {
                        self.retry(&item, worker)?;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let is_quitting = self.control.is_quitting();
            for worker in self.workers {
                if is_quitting {
                    worker.stop();
                } else {
                    worker.check_time(self.policy.think_timeout);
                }
            }
            self.tell_notices();
            let workers = self.workers;
            self.recorder.on_event(&Event::Tick { workers });
            self.recorder.save_if_due()?;
        }
    }

    /// Passes on what users should know of the engines.
    fn tell_notices(&mut self) {
        for (name, text) in self.pool.take_notices() {
            self.recorder.on_event(&Event::Notice { name, text: &text });
        }
    }

    /// Returns an item that failed at a worker to the source, or gives it up.
    fn retry(&mut self, item: &S::Item, worker: usize) -> Result<(), R::Error> {
        let mut numbered = self.workers.iter().enumerate();
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
        self.recorder.give_up(item)?;
        self.source.ack(item);
        Ok(())
    }
}
