//! Work that is done with engines, and the engines of a pool as workers of a farm that do it.

use farm::{Finished, Stop, WorkError, Worker, Workers};
use shogi_core::Game;
use shogi_engine::{Searcher, ThinkError, ThinkLimits, Thinker, Thought};

use crate::pool::{EngineInstance, EnginePool};

/// Work that is done item by item with an engine, by any number of engines side by side.
pub trait Work: Sync {
    /// A work item: a number, a position.
    type Item;
    /// The output of an item.
    type Output: Send;

    /// Does `item` with the engine of `context`. Called on the thread of a worker.
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
    /// What stops the work. Its [flag](Stop::flag) has the engine answer at once: to be passed to it as
    /// [`ThinkLimits::stop`].
    pub stop: &'a Stop,
}

impl WorkerContext<'_> {
    /// Has the engine forget everything.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn new_game(&mut self) -> Result<(), WorkError> {
        let begun = self.engine.new_game();
        begun.map_err(|error| work_error(&error))
    }

    /// Has the engine think about `game`: its whole answer, not one that was cut short.
    ///
    /// # Errors
    /// When the engine fails or takes too long, or the run ends.
    pub fn think(&mut self, game: &Game, limits: &ThinkLimits) -> Result<Thought, WorkError> {
        let thought = self.engine.think(game, limits);
        self.stop.check()?;
        thought.map_err(|error| work_error(&error))
    }
}

/// The failure of an engine as that of its worker. An engine that says of an error while it gets ready refuses to work: it would
/// work with something else than it was told.
pub fn work_error(error: &ThinkError) -> WorkError {
    if error.is_reported() {
        WorkError::Refused(format!(
            "{error} (--allow-engine-errors lets it work all the same)"
        ))
    } else {
        WorkError::Failed(error.to_string())
    }
}

/// The engines of a pool as workers that do one kind of work.
pub struct EngineWorkers<'a, W> {
    pool: &'a EnginePool,
    work: &'a W,
}

impl<'a, W: Work> EngineWorkers<'a, W> {
    /// The engines of `pool` at `work`.
    pub const fn new(pool: &'a EnginePool, work: &'a W) -> Self {
        Self { pool, work }
    }
}

impl<'a, W: Work> Workers for EngineWorkers<'a, W> {
    type Worker = EngineWorker<'a, W>;

    fn count(&self) -> usize {
        self.pool.workers()
    }

    fn name(&self, number: usize) -> &str {
        self.pool.engine_name(number)
    }

    fn start(&self, number: usize) -> Result<Self::Worker, WorkError> {
        let named = |error| match work_error(&error) {
            WorkError::Refused(reason) => {
                let name = self.pool.engine_name(number);
                WorkError::Refused(format!("engine {name}: {reason}"))
            }
            error => error,
        };
        Ok(EngineWorker {
            engine: self.pool.start(number).map_err(named)?,
            work: self.work,
        })
    }

    fn enter(&self, number: usize) {
        self.pool.pin(number);
    }

    fn take_notices(&self) -> Vec<(String, String)> {
        let notices = self.pool.take_notices().into_iter();
        notices
            .map(|(name, text)| (name.to_owned(), text))
            .collect()
    }

    fn stack_bytes(&self) -> usize {
        Searcher::STACK_BYTES
    }
}

/// An engine of a pool at work.
pub struct EngineWorker<'a, W> {
    engine: EngineInstance,
    work: &'a W,
}

impl<W: Work> Worker for EngineWorker<'_, W> {
    type Item = W::Item;
    type Output = W::Output;

    fn work(&mut self, item: &W::Item, stop: &Stop) -> Result<Finished<W::Output>, WorkError> {
        let mut engine = Timed {
            engine: &mut *self.engine,
            stop,
        };
        let mut context = WorkerContext {
            engine: &mut engine,
            stop,
        };
        self.work.work(item, &mut context)
    }
}

/// An engine whose searches are timed, and wait while the run is paused.
struct Timed<'a> {
    engine: &'a mut dyn Thinker,
    stop: &'a Stop,
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
        let thought = self.stop.timed(|| self.engine.think(game, limits));
        if let Ok(thought) = &thought {
            self.stop.add_nodes(thought.nodes);
        }
        thought
    }
}
