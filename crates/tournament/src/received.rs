//! Results of other machines, which count only when this one can have played them itself.

use thiserror::Error;

use crate::error::Result;
use crate::game::{Conditions, PlayedGame};
use crate::replay::{ReplayError, check_game};
use crate::rules::RuleBook;
use crate::task::{GameSchedule, GameTask, TaskError};

/// A result that is no result of its game.
#[derive(Debug, Error)]
pub(crate) enum ResultError {
    /// The bytes are none.
    #[error("no record of a game: {0}")]
    Bytes(#[from] serde_json::Error),
    /// The game is none of the run.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The game cannot have been played.
    #[error(transparent)]
    Game(#[from] ReplayError),
}

/// Reads the results of other machines, and believes none before the referee has replayed it.
pub(crate) struct ResultReader<'a> {
    schedule: &'a dyn GameSchedule,
    rules: &'a dyn RuleBook,
    conditions: &'a Conditions,
}

impl<'a> ResultReader<'a> {
    pub(crate) fn new(
        schedule: &'a dyn GameSchedule,
        rules: &'a dyn RuleBook,
        conditions: &'a Conditions,
    ) -> Self {
        Self {
            schedule,
            rules,
            conditions,
        }
    }

    /// The result of a game.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn read(&self, task: &GameTask, bytes: &[u8]) -> Result<PlayedGame, ResultError> {
        let played: PlayedGame = serde_json::from_slice(bytes)?;
        let setup = self.schedule.setup(task, self.rules)?;
        check_game(&played, &setup, self.rules, self.conditions)?;
        Ok(played)
    }
}
