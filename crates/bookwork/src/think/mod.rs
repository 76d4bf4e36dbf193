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

mod journal;
pub(crate) mod search;
mod task;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use farm::queue::Queue;
use farm::{RetryPolicy, RunControl};
use shogi_core::Position;
use shogi_farm::{Engine, EnginePool, WorkerContext};
use xxhash_rust::xxh3::Xxh3;
use yane_book::db::LineEnd;
use yane_book::from_sfen::RecordInput;
use yane_book::positions::{Wanted, positions};
use yane_io::{Flush, Job, Shard};

use crate::Result;
use crate::report::{BookObserver, BookSummary};
use crate::search::{PositionItem, Searched, work_for_queue};

pub use task::Task;
pub(crate) use task::{BookLock, has_book, has_ended, read_book, recover};

/// Options for the search of positions and for the output.
#[derive(Clone, Debug)]
pub struct Think {
    /// The records.
    pub inputs: Vec<RecordInput>,
    /// The `.db` book. It is created if it is not there.
    pub book: PathBuf,
    /// The positions to take of every game.
    pub wanted: Wanted,
    /// Deepest iteration, in plies; also what decides whether a position is known well enough.
    pub depth: u32,
    /// Positions to visit for each position at most.
    pub nodes: Option<u64>,
    /// Time for each position at most.
    pub time: Option<Duration>,
    /// Number of moves for each position.
    pub lines: usize,
    /// The depth in the book.
    pub depth_source: DepthSource,
    /// The count in the book, instead of the engine's version × 100.
    pub count: Option<u64>,
    /// True if engines keep their transposition tables between positions. Faster where positions are alike, but
    /// the results then depend on which engine had which positions.
    pub keeps_hash: bool,
    /// The part of the positions that this process searches.
    pub shard: Shard,
    /// Interval between two times that the book is written.
    pub save_interval: Duration,
    /// Time limit for one position; an engine that exceeds it is started again.
    pub think_timeout: Duration,
    /// Flush interval of the journal.
    pub flush: Flush,
    /// Line end of the book.
    pub line_end: LineEnd,
}

/// The depth of a move in the book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepthSource {
    /// The depth that was asked for, whether or not it was reached before another limit.
    #[default]
    Asked,
    /// The depth that was reached. As it may be less than what was asked for each time, a position that has
    /// enough moves counts as known then, whatever their depth.
    Reached,
}

impl Think {
    /// Searches the positions of `inputs` for `book`, with the limits of the classic program and one
    /// move for each position.
    pub fn new(inputs: Vec<RecordInput>, book: impl Into<PathBuf>) -> Self {
        Self {
            inputs,
            book: book.into(),
            wanted: Wanted::default(),
            depth: 24,
            nodes: None,
            time: None,
            lines: 1,
            depth_source: DepthSource::default(),
            count: None,
            keeps_hash: false,
            shard: Shard::WHOLE,
            save_interval: Duration::from_secs(900),
            think_timeout: Duration::from_secs(86_400),
            flush: Flush::Every(Duration::from_secs(10)),
            line_end: LineEnd::default(),
        }
    }

    /// Returns the retry policy of the run.
    pub(crate) fn retry_policy(&self) -> RetryPolicy {
        RetryPolicy {
            time_limit: self.think_timeout,
            ..RetryPolicy::default()
        }
    }
}

/// The queue at the server `url` by which machines share the positions of the same records, searched in the same
/// way. Where their files and engines are, how many engines there are, and which book it is makes no difference;
/// options of engines do.
///
/// # Errors
/// When a record cannot be read, or the records give no position.
pub fn queue(options: &Think, engines: &[Engine], url: &str, job: &Job) -> Result<Queue> {
    let all = positions(&options.inputs, options.wanted, job)?;
    if all.list.is_empty() {
        return Err(task::no_positions(options, &all).into());
    }
    Ok(queue_of(options, engines, fingerprint(&all.list), url))
}

/// The same for positions of this [`fingerprint`].
fn queue_of(options: &Think, engines: &[Engine], fingerprint: u64, url: &str) -> Queue {
    let how = search_description(options, engines);
    Queue::new(url, &format!("think positions {fingerprint:016x} {how}"))
}

/// Returns the description of all that results depend on besides positions.
pub(crate) fn search_description(options: &Think, engines: &[Engine]) -> String {
    format!(
        "depth {} nodes {:?} time {:?} lines {} told {:?} count {:?} engines {:?}{}",
        options.depth,
        options.nodes,
        options.time,
        options.lines,
        options.depth_source,
        options.count,
        engine_kinds(engines),
        if options.keeps_hash {
            " remembering"
        } else {
            ""
        },
    )
}

/// Returns the properties of engines that results depend on, whatever their place and number.
pub(crate) fn engine_kinds(engines: &[Engine]) -> BTreeSet<(bool, &BTreeMap<String, String>)> {
    engines
        .iter()
        .map(|engine| (engine.is_embedded(), &engine.options))
        .collect()
}

/// The hash of `positions` and their order.
pub(crate) fn fingerprint<'a>(positions: impl IntoIterator<Item = &'a Position>) -> u64 {
    let mut hash = Xxh3::new();
    for position in positions {
        hash.update(position.to_sfen().as_bytes());
        hash.update(b"\n");
    }
    hash.digest()
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
