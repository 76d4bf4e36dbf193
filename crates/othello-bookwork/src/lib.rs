//! Othello opening books that grow by search: the layer above books ([`othello_book`]) and search ([`othello_search`]).
//!
//! * [`BookStage`]: what is to be done with a book: [`Learn`] as Egaroucid learns, [`LeafRecalculation`], [`Deviate`], [`Enhance`],
//!   [`Fill`] and [`Play`] as Edax does, [`Store`], and what needs no search. A [`Recipe`] is a file of stages.
//! * [`BookTask`]: stages, a book and its output; [`BookTask::run`] does them, with budgets, saves and a journal.
//! * [`SearchItem`], [`SearchAnswer`], [`BookSearcher`]: the searches of all of these.
//! * [`searchers`]: threads and programs (also over ssh) that search, as workers of a [`farm`]; [`queue`](queue()),
//!   [`work_for_queue`]: machines that share a NATS queue.
//! * [`search_ends`], [`end_threads`]: values of the ends of lines, for books of game records.
//!
//! A book is the same for the same input and stages, whoever searches, whatever is killed, and however often: an answer
//! depends on its item alone, and answers are used in an order that depends on the book alone. [`BookTask`] has the rest.
#![forbid(unsafe_code)]

mod backlog;
mod edax;
mod ends;
mod error;
mod item;
mod learn;
mod links;
mod list;
mod queue;
mod recipe;
mod run;
mod searchers;
mod stages;
mod starts;
mod state;
mod tasks;
mod todo;

/// A queue of searches, shared by machines.
pub use farm::queue::{Access, Queue};

pub use ends::{NumberedEnd, end_threads, search_ends};
pub use error::{BookGrowthError, BookTextError, RecipeProblem, Result};
pub use item::{BookLevel, BookSearcher, FoundAnswer, SearchAnswer, SearchItem};
pub use list::GrowthEnd;
pub use queue::{queue, work_for_queue};
pub use recipe::{
    BookStage, Deviate, Enhance, Fill, Fix, GrowthLimit, LeafRecalculation, Learn, Play, Prune,
    RandomStarts, Recipe, Schedule, Store,
};
pub use run::{BookGrowth, BookTask, Budget};
pub use searchers::{SearchIdentity, search_programs, search_retries, search_threads, searchers};

/// The hash of bytes, such as those of an evaluation's file.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}
