//! Errors of work on books, and of the texts that it reads.

use std::path::PathBuf;

use farm::FarmError;
use thiserror::Error;

/// The result of work on books.
pub type Result<T> = std::result::Result<T, BookGrowthError>;

/// Reason why a book cannot grow. What was searched by then is safe in the journal.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BookGrowthError {
    /// A file could not be read or written; or the run was cancelled.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// A queue cannot be used, a search panicked again and again, or the system gives no thread.
    #[error(transparent)]
    Farm(FarmError),
    /// A recipe that makes no sense.
    #[error("{}: {problem}", path.display())]
    Recipe {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: RecipeProblem,
    },
    /// A start that is no game.
    #[error("{start}: {reason}")]
    Start {
        /// The text.
        start: String,
        /// The expected and the found data.
        reason: String,
    },
    /// All that search failed again and again, or one search failed at every try.
    #[error("no program is left to search: {0}")]
    Workers(String),
}

impl From<FarmError> for BookGrowthError {
    fn from(error: FarmError) -> Self {
        match error {
            FarmError::NoWorkers(reason) => Self::Workers(reason),
            error => Self::Farm(error),
        }
    }
}

/// What is wrong with a recipe.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum RecipeProblem {
    /// The text is no JSON5, or names something that there is not.
    #[error(transparent)]
    Text(#[from] json5::Error),
    /// There is nothing to do.
    #[error("no stages; at least one was expected")]
    NoStages,
}

/// A text that is no level, limit, search or answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BookTextError {
    /// No level.
    #[error("level {0}: 1 to 60, or edax1 to edax60, was expected")]
    Level(String),
    /// No limit.
    #[error("{0}: a number or inf was expected")]
    Limit(String),
    /// No search.
    #[error("{0:?}: discs, moves and a level were expected")]
    Item(String),
    /// No answer.
    #[error("{0:?}: a value and moves were expected")]
    Answer(String),
}
