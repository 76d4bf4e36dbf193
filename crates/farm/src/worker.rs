//! Work and workers: a worker is a thread, its engine instance, and the supervisor that restarts it.

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::Duration;

use shogi_core::Game;
use shogi_engine::{ThinkError, ThinkLimits, Thinker, Thought};
use thiserror::Error;

use crate::control::now;
use crate::pool::EngineInstance;
use crate::{EnginePool, RunControl, Source, Worker};

/// Failures in a row after which a worker is closed.
const MAX_FAILURES: u32 = 6;
/// Items in a row that an engine may spoil by protocol violations.
const MAX_VIOLATIONS: u32 = 3;
/// The delay after the first failure, doubled after each further one.
const BACKOFF: Duration = Duration::from_millis(250);

/// State shared by all workers.
pub(crate) struct Shared<'a, W, S> {
    pub(crate) pool: &'a EnginePool,
    pub(crate) work: &'a W,
    pub(crate) source: &'a S,
    pub(crate) control: &'a RunControl,
}

/// A message of a worker to the run loop.
pub(crate) enum Message<I, O> {
    Finished {
        worker: usize,
        item: I,
        output: O,
    },
    Failed {
        worker: usize,
        /// The item in progress.
        item: Option<I>,
        reason: String,
    },
    Closed {
        worker: usize,
        reason: String,
    },
    /// The engine said of an error while it got ready: no other try would tell anything else.
    Refused {
        worker: usize,
        reason: String,
    },
}

/// The messages about work of the kind `W`.
pub(crate) type MessageOf<W> = Message<<W as Work>::Item, <W as Work>::Output>;

/// An engine instance that measures its time, and waits while the run is paused.
struct Timed<'a> {
    engine: &'a mut EngineInstance,
    worker: &'a Worker,
    control: &'a RunControl,
}

impl Thinker for Timed<'_> {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn new_game(&mut self) -> Result<(), ThinkError> {
        self.engine.new_game()
    }

    fn next_game(&mut self) -> Result<(), ThinkError> {
        self.engine.next_game()
    }

    fn think(&mut self, game: &Game, limits: &ThinkLimits) -> Result<Thought, ThinkError> {
        self.control.wait_if_paused();
        let worker = self.worker;
        worker.since.store(now(), Ordering::Release);
        let thought = self.engine.think(game, limits);
        worker.since.store(0, Ordering::Release);
        if let Ok(thought) = &thought {
            worker.nodes.fetch_add(thought.nodes, Ordering::Relaxed);
        }
        thought
    }
}

/// Executes items until there is nothing left, the run ends, or the worker is closed.
pub(crate) fn worker_loop<W: Work, S: Source<Item = W::Item>>(
    number: usize,
    worker: &Worker,
    shared: &Shared<'_, W, S>,
    messages: &SyncSender<MessageOf<W>>,
) {
    let mut supervisor = Supervisor {
        number,
        shared,
        messages,
        engine: None,
        failures: 0,
        violations: 0,
    };
    shared.pool.pin(number);
    while !shared.control.is_quitting() && supervisor.next_item(worker).is_some() {}
}

/// Keeps the engine of a worker running.
struct Supervisor<'a, W: Work, S> {
    number: usize,
    shared: &'a Shared<'a, W, S>,
    messages: &'a SyncSender<MessageOf<W>>,
    engine: Option<EngineInstance>,
    /// Failures in a row.
    failures: u32,
    /// Items in a row that were spoilt by protocol violations.
    violations: u32,
}

impl<W: Work, S: Source<Item = W::Item>> Supervisor<'_, W, S> {
    /// Executes one item; `None` when the worker is done.
    fn next_item(&mut self, worker: &Worker) -> Option<()> {
        // First an engine, so that no item suffers from one that cannot be started.
        let mut engine = match self.engine.take() {
            Some(engine) => engine,
            None => match self.shared.pool.start(self.number) {
                Ok(engine) => engine,
                Err(error) => return self.failed_by(None, error.into()),
            },
        };
        let control = self.shared.control;
        let item = self.shared.source.next(&|| control.is_quitting())?;
        worker.clear();
        if control.is_quitting() {
            return None;
        }
        let mut timed = Timed {
            engine: &mut engine,
            worker,
            control,
        };
        let mut context = WorkerContext {
            engine: &mut timed,
            stop: &worker.stop,
            timed_out: &worker.timed_out,
        };
        match self.shared.work.work(&item, &mut context) {
            Ok(finished) => {
                self.failures = 0;
                self.send(Message::Finished {
                    worker: self.number,
                    item,
                    output: finished.output,
                })?;
                let Some(violation) = finished.violation else {
                    self.violations = 0;
                    self.engine = Some(engine);
                    return Some(());
                };
                self.violations += 1;
                self.failed(None, format!("protocol violation: {violation}"))
            }
            Err(error) => self.failed_by(Some(item), error),
        }
    }

    /// Reports an error; `None` when the worker is done.
    fn failed_by(&mut self, item: Option<W::Item>, error: WorkError) -> Option<()> {
        match error {
            WorkError::Stopped => None,
            WorkError::Failed(reason) => self.failed(item, reason),
            WorkError::Refused(reason) => {
                let worker = self.number;
                self.send(Message::Refused { worker, reason })?;
                None
            }
        }
    }

    fn send(&self, message: MessageOf<W>) -> Option<()> {
        self.messages.send(message).ok()
    }

    /// Reports a failure, and waits before the engine is started again; `None` when the worker is closed.
    fn failed(&mut self, item: Option<W::Item>, reason: String) -> Option<()> {
        if self.violations == 0 {
            self.failures += 1;
        }
        self.send(Message::Failed {
            worker: self.number,
            item,
            reason: reason.clone(),
        })?;
        if self.failures >= MAX_FAILURES || self.violations >= MAX_VIOLATIONS {
            self.send(Message::Closed {
                worker: self.number,
                reason,
            })?;
            return None;
        }
        let doublings = self.failures.max(self.violations).saturating_sub(1);
        self.shared.control.sleep(BACKOFF * 2u32.pow(doublings));
        Some(())
    }
}

// The work that is done with an engine.

/// Work that is done item by item, by any number of engines side by side.
pub trait Work: Sync {
    /// A work item: a number, a position.
    type Item: Clone + Eq + Hash + Send;
    /// The output of an item.
    type Output: Send;

    /// Executes `item` with the engine of `context`. Called on the thread of a worker.
    ///
    /// # Errors
    /// See [`WorkError`]: the item is tried again then, maybe by another engine.
    fn work(
        &self,
        item: &Self::Item,
        context: &mut WorkerContext<'_>,
    ) -> Result<Finished<Self::Output>, WorkError>;
}

/// The context that a worker gives to the [`Work`] of an item.
pub struct WorkerContext<'a> {
    /// The engine. Its time is limited, and it waits while the run is paused.
    pub engine: &'a mut dyn Thinker,
    /// Set to have the engine answer at once, because the run ends or the time limit passed: to be passed to it
    /// as [`shogi_engine::ThinkLimits::stop`].
    pub stop: &'a Arc<AtomicBool>,
    /// True if [`Self::stop`] was set because of the time limit.
    pub timed_out: &'a AtomicBool,
}

impl WorkerContext<'_> {
    /// Checks after an answer that it was not cut short.
    ///
    /// # Errors
    /// [`WorkError::Failed`] when the engine took too long, [`WorkError::Stopped`] when the run ends.
    pub fn check(&self) -> Result<(), WorkError> {
        if self.timed_out.load(Ordering::Acquire) {
            return Err(WorkError::Failed("no answer in time".to_owned()));
        }
        if self.stop.load(Ordering::Acquire) {
            return Err(WorkError::Stopped);
        }
        Ok(())
    }
}

/// A finished work item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished<O> {
    /// Output of the item.
    pub output: O,
    /// A protocol violation of the engine, if that is part of the output: the engine is restarted then, and its
    /// worker closed when it happens again and again.
    pub violation: Option<String>,
}

impl<O> From<O> for Finished<O> {
    fn from(output: O) -> Self {
        Self {
            output,
            violation: None,
        }
    }
}

/// The reason why an item has no output.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorkError {
    /// The engine failed, for this reason. It is restarted.
    #[error("{0}")]
    Failed(String),
    /// The engine said of an error while it got ready, in these words: it would work with something else than it was told.
    /// The run ends.
    #[error("{0}")]
    Refused(String),
    /// The run is ending.
    #[error("the run is ending")]
    Stopped,
}

impl From<ThinkError> for WorkError {
    fn from(error: ThinkError) -> Self {
        if error.is_reported() {
            Self::Refused(format!(
                "{error} (--allow-engine-errors lets it work all the same)"
            ))
        } else {
            Self::Failed(error.to_string())
        }
    }
}
