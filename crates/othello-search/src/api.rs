//! The input and output of a search.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use othello_core::{Move, Square};
use yane_clock::Instant;

/// The confidence with which a search prunes: the probability that a move that was cut off is as bad as its shallow search
/// says. Ordered from the least sure to [`Exact`](Self::Exact), which prunes nothing by chance.
///
/// Edax calls 73, 87, 95, 98, 99 and 100 its selectivities 0 to 5; Egaroucid has 74, 88, 93, 98, 99 and 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Selectivity {
    /// 73 %.
    P73,
    /// 74 %.
    P74,
    /// 87 %.
    P87,
    /// 88 %.
    P88,
    /// 93 %.
    P93,
    /// 95 %.
    P95,
    /// 98 %.
    P98,
    /// 99 %.
    P99,
    /// 100 %: no selective pruning.
    Exact,
}

impl Selectivity {
    /// All from the least sure on.
    pub const ALL: [Self; 9] = [
        Self::P73,
        Self::P74,
        Self::P87,
        Self::P88,
        Self::P93,
        Self::P95,
        Self::P98,
        Self::P99,
        Self::Exact,
    ];

    /// The one with a place in [`ALL`](Self::ALL); `Exact` beyond it.
    pub(crate) const fn of_number(number: usize) -> Self {
        if number < Self::ALL.len() {
            Self::ALL[number]
        } else {
            Self::Exact
        }
    }

    /// The probability in per cent.
    pub const fn percent(self) -> u32 {
        [73, 74, 87, 88, 93, 95, 98, 99, 100][self as usize]
    }

    /// How many standard deviations beyond the window a shallow search must be: those of a normal distribution, as
    /// Egaroucid and Edax have them.
    pub(crate) const fn deviations(self) -> f64 {
        [1.1, 1.13, 1.5, 1.55, 1.81, 2.0, 2.32, 2.57, f64::INFINITY][self as usize]
    }

    /// The least one of at least so many per cent; `None` above 100.
    pub fn at_least(percent: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.percent() >= percent)
    }
}

/// Writes `73%`.
impl fmt::Display for Selectivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.percent())
    }
}

/// Lets another thread stop a running search.
#[derive(Clone, Debug, Default)]
pub struct Control {
    stop: Arc<AtomicBool>,
}

impl Control {
    /// The control of a search that ends when `stop` is raised.
    pub fn with_stop(stop: Arc<AtomicBool>) -> Self {
        Self { stop }
    }

    /// Ends the search within milliseconds.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the search is to end.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The limits of a search. All that are given apply; a stop through [`Control`] always does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Greatest number of boards visited, by all threads together; checked every few thousand.
    pub nodes: Option<u64>,
    /// The time at which to stop.
    pub until: Option<Instant>,
    /// The time from which on no further iteration is begun.
    pub enough: Option<Instant>,
}

/// A move with its score, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchLine {
    /// The move; a pass if it is forced.
    pub best: Move,
    /// Score for the player to move in discs.
    pub score: i32,
    /// The same in tenths of a disc, as the evaluation at the end of the line has it; ten times `score` by perfect play, and where
    /// the line does not tell. The search itself compares whole discs.
    pub tenths: i32,
    /// Depth of the search in plies.
    pub depth: u32,
    /// Selectivity of the search.
    pub selectivity: Selectivity,
    /// True if the score is the final one of perfect play.
    pub is_exact: bool,
    /// The best play from here, `best` first, passes included.
    pub pv: Vec<Move>,
}

impl SearchLine {
    /// The line with a score of at most so many discs.
    pub(crate) fn at_most(self, discs: i32) -> Self {
        Self {
            score: self.score.min(discs),
            tenths: self.tenths.min(10 * discs),
            ..self
        }
    }

    /// The line with a score of at least so many discs.
    pub(crate) fn at_least(self, discs: i32) -> Self {
        Self {
            score: self.score.max(discs),
            tenths: self.tenths.max(10 * discs),
            ..self
        }
    }

    /// The best play without passes, which follow from the moves.
    pub fn squares(&self) -> impl Iterator<Item = Square> + '_ {
        self.pv.iter().filter_map(|mv| match mv {
            Move::Place(square) => Some(*square),
            Move::Pass => None,
        })
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// Score for the player to move in discs: of the best line, or the final score of a finished game.
    pub score: i32,
    /// The best moves, best first: as many as were asked for and are legal. Empty if the game is over, or if the search was
    /// stopped before it knew anything.
    pub lines: Vec<SearchLine>,
    /// Boards visited by all threads.
    pub nodes: u64,
    /// Time it took.
    pub elapsed: Duration,
    /// True if the search ended before it was done; then lines are those of the last finished iteration.
    pub is_interrupted: bool,
}

impl SearchResult {
    /// The score in tenths of a disc.
    pub fn tenths(&self) -> i32 {
        self.lines
            .first()
            .map_or(10 * self.score, |line| line.tenths)
    }

    /// The best move; `None` if there is none.
    pub fn best(&self) -> Option<Move> {
        self.lines.first().map(|line| line.best)
    }
}

/// Receives the lines of each iteration while the search goes on, on the searching thread.
pub trait Observer {
    /// A line of an iteration is known: it is number `index` (0 is the best) after so many nodes.
    fn line(&mut self, index: usize, line: &SearchLine, nodes: u64, elapsed: Duration);
}

/// An observer that looks at nothing.
impl Observer for () {
    fn line(&mut self, _: usize, _: &SearchLine, _: u64, _: Duration) {}
}
