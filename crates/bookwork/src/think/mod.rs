//! A book from positions that engines search (`makebook think`).
//!
//! # Which positions
//!
//! Those of game records ([`yane_book::positions`]), each once at its smallest move number, in the order of
//! their SFENs; of these the part that is this process's ([`Think::shard`]); of these the ones that the book
//! does not know well enough. It does when it has the position at that move number or a smaller one, and
//! the first of its lines has
//!
//! * a greater depth than [`Think::depth`], or
//! * that depth, and there are as many lines as are wanted, or as there are legal moves if those are fewer.
//!
//! Positions in which the side to move is mated or may declare a win are skipped.
//!
//! # What is written
//!
//! As many moves as are wanted, the best one first, each with its expected reply; the value in the unit of the
//! field's books (a pawn is 90, a mate in n plies 32,000 − n); the depth that was asked for, or the one that
//! was reached ([`DepthSource`]); the engine's version × 100 as the count. A score that is only a bound is taken for
//! the value. Where a limit comes before an engine has found enough moves, it is asked again about the
//! others.
//!
//! # Crash safety
//!
//! Each position is in the journal beside the book as soon as it has been searched. The book is written again
//! from both at intervals and at the end; the next run for this book merges what a dead process left in the
//! journal. So the same command resumes where it was interrupted.
//!
//! # Many machines
//!
//! One process has the book ([`Task::serve`]), others search ([`work`]); they share a [`Queue`]. The journal of the
//! one with the book has each result as soon as it came.

mod books;
mod identity;
mod journal;
mod options;
pub(crate) mod search;
mod task;

use farm::RunControl;
use farm::queue::Queue;
use shogi_farm::{Engine, EnginePool, WorkerContext};
use yane_book::positions::positions;
use yane_io::Job;

use crate::Result;
use crate::report::{BookObserver, BookSummary};
use crate::search::{PositionItem, Searched, work_for_queue};

pub(crate) use books::{has_book, has_ended, read_book};
use identity::queue_of;
pub(crate) use identity::{engine_kinds, fingerprint, search_description};
pub use options::{DepthSource, Think};
pub use task::Task;
pub(crate) use task::{BookLock, recover};

/// The queue at the server `url` by which machines share the positions of the same records, searched in the same
/// way. Where their files and engines are, how many engines there are, and which book it is makes no difference;
/// options of engines do.
///
/// # Errors
/// When a record cannot be read, or the records give no position.
pub fn queue(options: &Think, engines: &[Engine], url: &str, job: &Job) -> Result<Queue> {
    let all = positions(&options.inputs, options.wanted, job)?;
    if all.list.is_empty() {
        return Err(crate::think::options::no_positions(options, &all).into());
    }
    Ok(queue_of(options, engines, fingerprint(&all.list), url))
}

/// Searches as `options` say for the process that [serves](Task::serve) `queue`, until nothing is left or
/// `control` ends the run. Files are neither read nor written.
///
/// # Errors
/// When no engine is left, or the address of the queue is invalid.
pub fn work(
    options: &Think,
    pool: &EnginePool,
    queue: &Queue,
    control: &RunControl,
    observer: &BookObserver<'_>,
) -> Result<BookSummary> {
    let search = |item: &PositionItem, context: &mut WorkerContext<'_>| {
        search::search(item.position(), options, context)
    };
    let encode = |_: &PositionItem, searched: &Searched| search::encode(searched);
    let policy = options.retry_policy();
    work_for_queue(pool, policy, queue, control, observer, search, encode)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn other_searches_have_another_queue() {
        let options = Think::new(Vec::new(), "book.db");
        let mut engine = Engine::program("engines/a");
        let id = |options: &Think, engine: &Engine, fingerprint| {
            let engines = [engine.clone(), engine.clone()];
            queue_of(options, &engines, fingerprint, "nats://a")
                .id()
                .to_owned()
        };
        let usual = id(&options, &engine, 1);
        engine.path = "elsewhere/a".to_owned();
        engine.multi = 7;
        let moved = Think {
            book: "other.db".into(),
            ..options.clone()
        };
        assert_eq!(id(&moved, &engine, 1), usual);
        let deeper = Think {
            depth: 25,
            ..options.clone()
        };
        let hash = ("USI_Hash".to_owned(), "1".to_owned());
        let mut other = engine.clone();
        other.options.extend([hash]);
        let others = BTreeSet::from([
            id(&deeper, &engine, 1),
            id(&options, &other, 1),
            id(&options, &engine, 2),
            usual,
        ]);
        assert_eq!(others.len(), 4);
    }
}
