//! Othello opening books that grow by search: the layer above books ([`othello_book`]) and search ([`othello_search`]).
//!
//! * [`BookStage`]: what is to be done with a book: [`Learn`] as Egaroucid learns, [`LeafRecalculation`], [`Deviate`], [`Enhance`],
//!   [`Fill`] and [`Play`] as Edax does, [`Store`], and what needs no search. A [`Recipe`] is a file of stages.
//! * [`BookTask`]: stages, a book and its output; [`BookTask::run`] does them, with budgets, saves and a journal.
//! * [`SearchItem`], [`SearchAnswer`], [`BookSearcher`]: the searches of all of these.
//! * [`Workers`]: who searches: threads, programs (also over ssh), or machines that share a NATS queue.
//!
//! A book is the same for the same input and stages, whoever searches, whatever is killed, and however often: an answer
//! depends on its item alone, and answers are used in an order that depends on the book alone. [`BookTask`] has the rest.
#![forbid(unsafe_code)]

mod edax;
mod item;
mod learn;
mod links;
mod queue;
mod recipe;
mod run;
mod stages;
mod starts;
mod state;
mod tasks;
mod todo;
mod workers;

use std::path::PathBuf;

use farm::FarmError;
/// A queue of searches, shared by machines.
pub use farm::queue::{Access, Queue};
use thiserror::Error;

pub use item::{BookLevel, BookSearcher, SearchAnswer, SearchItem};
pub use queue::{QueueWorkers, queue, work_for_queue};
pub use recipe::{
    BookStage, Deviate, Enhance, Fill, Fix, GrowthLimit, LeafRecalculation, Learn, Play, Prune,
    RandomStarts, Recipe, Schedule, Store,
};
pub use run::{BookGrowth, BookTask, Budget, GrowthEnd};
pub use workers::{Answering, LocalWorkers, Workers};

/// The result of work on books.
pub type Result<T> = std::result::Result<T, BookGrowthError>;

/// Reason why a book cannot grow. What was searched by then is safe in the journal.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BookGrowthError {
    /// A file could not be read or written; or the run was cancelled.
    #[error(transparent)]
    File(#[from] yane_io::Error),
    /// A queue cannot be used.
    #[error(transparent)]
    Farm(#[from] FarmError),
    /// A recipe that makes no sense.
    #[error("{}: {reason}", path.display())]
    Recipe {
        /// The file.
        path: PathBuf,
        /// The expected and the found data.
        reason: String,
    },
    /// A start that is no game.
    #[error("{start}: {reason}")]
    Start {
        /// The text.
        start: String,
        /// The expected and the found data.
        reason: String,
    },
    /// All programs that search failed again and again, or one search failed with all of them.
    #[error("no program is left to search: {0}")]
    Workers(String),
}

/// The hash of bytes, such as those of an evaluation's file.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}
