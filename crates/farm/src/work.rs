//! The work that is done with an engine.

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use shogi_engine::{ThinkError, Thinker};
use thiserror::Error;

/// Work that is done item by item, by any number of engines side by side.
pub trait Work: Sync {
    /// A work item: a number, a position.
    type Item: Clone + Eq + Hash + Send;
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
    /// Its output.
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
    /// The run is ending.
    #[error("the run is ending")]
    Stopped,
}

impl From<ThinkError> for WorkError {
    fn from(error: ThinkError) -> Self {
        Self::Failed(error.to_string())
    }
}
