//! What a run tells of itself.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use farm::Seat;
use shogi_core::Position;
use yane_book::BookMove;

use super::work::Thoughts;

/// The positions of the records, by what becomes of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games read.
    pub games: u64,
    /// Positions of the records.
    pub found: u64,
    /// Of those, the ones of this process's part.
    pub share: u64,
    /// Of those, mates and positions won by declaration.
    pub ended: u64,
    /// Of those, the ones that the book knows well enough.
    pub known: u64,
    /// The rest: what is to be thought about.
    pub to_do: u64,
    /// Positions that an earlier run left in the journal and that are in the book now.
    pub recovered: u64,
}

/// What has happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The run begins.
    Begun {
        /// Positions at a time; 0: other machines think about them.
        seats: usize,
        /// What there is to do.
        counts: &'a Counts,
    },
    /// A position was thought about, and is safe.
    Position {
        /// Where; `None`: on another machine.
        seat: Option<usize>,
        /// The position.
        position: &'a Position,
        /// Its moves, best first.
        moves: &'a [BookMove],
        /// Depth of the best line that was reached, in plies.
        depth: u32,
        /// Positions visited.
        nodes: u64,
        /// The run so far.
        summary: &'a Summary,
    },
    /// The queue does not work just now, and is tried again.
    Trouble {
        /// What happened.
        reason: &'a str,
    },
    /// An engine failed and is started again.
    Failed {
        /// Its seat.
        seat: usize,
        /// Its name.
        name: &'a str,
        /// What happened.
        reason: &'a str,
    },
    /// Engines failed at a position so often that it is left for another run.
    GivenUp {
        /// The position.
        position: &'a Position,
    },
    /// An engine failed too often, and thinks no more.
    Closed {
        /// Its seat.
        seat: usize,
        /// Its name.
        name: &'a str,
        /// What happened last.
        reason: &'a str,
    },
    /// The book was brought up to date, or would have been but for the lack of news.
    Saved {
        /// The book.
        path: &'a Path,
        /// Positions that are new in it.
        positions: u64,
    },
    /// Time goes by.
    Tick {
        /// The seats, in order.
        seats: &'a [Arc<Seat>],
    },
}

/// Hears what happens in a run, on the thread that called it.
pub trait Observer {
    /// Something has happened.
    fn event(&self, event: &Event<'_>);
}

/// Hears nothing.
impl Observer for () {
    fn event(&self, _: &Event<'_>) {}
}

/// A run in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// What there was to do.
    pub counts: Counts,
    /// Positions that were thought about.
    pub thought: u64,
    /// Moves that were written for them.
    pub moves: u64,
    /// Positions visited in doing so.
    pub nodes: u64,
    /// Failures of engines.
    pub failures: u64,
    /// Positions at which engines failed again and again.
    pub given_up: u64,
    /// How often the book was written.
    pub saves: u64,
    /// Time since the beginning.
    pub elapsed: Duration,
    /// Whether nothing is left to do, but for what was given up.
    pub is_complete: bool,
}

impl Summary {
    /// Adds a position that was thought about, `elapsed` after the beginning.
    pub(super) fn count(&mut self, thoughts: &Thoughts, elapsed: Duration) {
        self.thought += 1;
        self.moves += thoughts.moves.len() as u64;
        self.nodes += thoughts.nodes;
        self.elapsed = elapsed;
    }

    /// Adds what was done later.
    pub(crate) fn add(&mut self, later: &Self) {
        self.counts = later.counts;
        self.thought += later.thought;
        self.moves += later.moves;
        self.nodes += later.nodes;
        self.failures += later.failures;
        self.given_up += later.given_up;
        self.saves += later.saves;
        self.elapsed += later.elapsed;
    }

    /// Positions of the book a second.
    pub fn rate(&self) -> f64 {
        self.thought as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }

    /// Positions visited a second, by all engines.
    pub fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }
}
