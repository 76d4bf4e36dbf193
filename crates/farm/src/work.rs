//! What is done with an engine.

use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use shogi_engine::{ThinkError, Thinker};
use thiserror::Error;

/// Work that is done unit by unit, by any number of engines side by side.
pub trait Work: Sync {
    /// What is to be done: a number, a position.
    type Unit: Clone + Eq + Hash + Send;
    /// What comes of it.
    type Done: Send;

    /// Does `unit` with the engine at `desk`. Called on the thread of a seat.
    ///
    /// # Errors
    /// See [`Unfinished`]: the unit is done again then, maybe by another engine.
    fn work(
        &self,
        unit: &Self::Unit,
        desk: &mut Desk<'_>,
    ) -> Result<Finished<Self::Done>, Unfinished>;
}

/// What a unit of work is done with.
pub struct Desk<'a> {
    /// The engine. Its time is watched, and it waits while the run is paused.
    pub thinker: &'a mut dyn Thinker,
    /// Raised to have the answer of the engine at once, because the run ends or it took too long: to be given
    /// to it as [`shogi_engine::ThinkLimits::stop`].
    pub stop: &'a Arc<AtomicBool>,
    /// Whether [`Self::stop`] was raised because the engine took too long.
    pub is_late: &'a AtomicBool,
}

impl Desk<'_> {
    /// After an answer: says so when it was cut short and is not to be used.
    ///
    /// # Errors
    /// [`Unfinished::Failed`] when the engine took too long, [`Unfinished::Stopped`] when the run ends.
    pub fn check(&self) -> Result<(), Unfinished> {
        if self.is_late.load(Ordering::Acquire) {
            return Err(Unfinished::Failed("no answer in time".to_owned()));
        }
        if self.stop.load(Ordering::Acquire) {
            return Err(Unfinished::Stopped);
        }
        Ok(())
    }
}

/// A unit that was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished<D> {
    /// What came of it.
    pub done: D,
    /// What the engine did wrong, if that is part of the result: it is started again then, and left out when
    /// it goes on like this.
    pub foul: Option<String>,
}

impl<D> Finished<D> {
    /// A result with which nothing is wrong.
    pub const fn good(done: D) -> Self {
        Self { done, foul: None }
    }
}

/// Why nothing came of a unit.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Unfinished {
    /// The engine failed, for this reason. It is started again.
    #[error("{0}")]
    Failed(String),
    /// The run is ending.
    #[error("the run is ending")]
    Stopped,
}

impl From<ThinkError> for Unfinished {
    fn from(error: ThinkError) -> Self {
        Self::Failed(error.to_string())
    }
}
