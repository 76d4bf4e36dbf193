//! What is searched, for how long, and what is done with it.

use std::path::PathBuf;
use std::time::Duration;

use farm::RetryPolicy;
use shogi_farm::EngineContents;
use yane_book::BookError;
use yane_book::db::LineEnd;
use yane_book::from_sfen::RecordInput;
use yane_book::positions::Positions;
use yane_book::positions::Wanted;
use yane_io::{Flush, Shard};

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
    /// What the engines read, as far as it is on this machine. What was searched with other contents is not mixed in.
    pub contents: Vec<EngineContents>,
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
            contents: Vec::new(),
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

/// The error that there is no position to search.
pub(super) fn no_positions(options: &Think, all: &Positions) -> BookError {
    let names = options
        .inputs
        .iter()
        .map(|input| input.path.display().to_string());
    let (names, summary) = (names.collect::<Vec<_>>().join(", "), all.problems.summary());
    let reason = match all.games {
        0 => format!(
            "no game or position is in {names} (expected lines such as startpos moves 7g7f 3c3d)"
        ),
        games => format!("no position that is asked for is in {names} (games: {games}){summary}"),
    };
    BookError::nothing(&options.book, reason)
}
