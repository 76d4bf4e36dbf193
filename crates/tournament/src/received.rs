//! Results of other machines, which count only when this one can have played them itself.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::contents::{OtherContents, RunContents};
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
    Bytes(serde_json::Error),
    /// It was played with other networks.
    #[error(transparent)]
    Contents(#[from] OtherContents),
    /// The game is none of the run.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// The game cannot have been played.
    #[error(transparent)]
    Game(#[from] ReplayError),
}

impl From<serde_json::Error> for ResultError {
    fn from(error: serde_json::Error) -> Self {
        Self::Bytes(error)
    }
}

/// A result as its message has it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SentGame<C, G> {
    /// What the engines' files have where it was played.
    pub(crate) contents: C,
    /// The game.
    pub(crate) game: G,
}

/// Reads the results of other machines, and believes none before the referee has replayed it.
pub(crate) struct ResultReader<'a> {
    schedule: &'a dyn GameSchedule,
    rules: &'a dyn RuleBook,
    conditions: &'a Conditions,
    /// What is known of the engines' files: here, or from the first machine that said it.
    contents: RefCell<RunContents>,
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
            contents: RefCell::new(schedule.contents()),
        }
    }

    /// The result of a game.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn read(&self, task: &GameTask, bytes: &[u8]) -> Result<PlayedGame, ResultError> {
        let sent: SentGame<RunContents, PlayedGame> = serde_json::from_slice(bytes)?;
        self.contents.borrow().check(&sent.contents)?;
        let setup = self.schedule.setup(task, self.rules)?;
        check_game(&sent.game, &setup, self.rules, self.conditions)?;
        self.contents.borrow_mut().learn(&sent.contents);
        Ok(sent.game)
    }
}
