//! Operations on books without a search: negamax, line counts, removal of bad or deep positions, accuracy, losses,
//! statistics, checks, Umigame's numbers, trees of lines, differences of books.
//!
//! They begin at a position and go through the book from there; positions that it does not lead to stay unchanged
//! unless stated otherwise. Their reports count what changed.

mod accuracy;
mod check;
mod diff;
mod games;
mod losses;
mod negamax;
mod reduce;
mod tree;
mod umigame;

use std::collections::BTreeMap;
use std::fmt;

use othello_core::{Board, State};
use serde::Serialize;

use crate::store::{BitSet, MemoryBook, PositionData, PositionLookup, PositionStore};

pub use accuracy::{Accuracies, Accuracy, Grade};
pub use check::{BookProblem, EdaxCheck, EgaroucidCheck, check_edax, check_egaroucid};
pub use diff::{BookDifference, differences};
pub use games::{GameEnd, GamePositions};
pub use losses::{BookLosses, MoveLoss, book_losses, line_boards, line_losses};
pub(crate) use negamax::negamax_edax_all;
pub use negamax::{
    FixReport, LeafValues, count_lines, edax_leaf_bounds, fix, fix_with_leaves, negamax,
    negamax_edax,
};
pub use reduce::{ReduceLimits, ReduceReport, prune_edax, reduce};
pub use tree::{
    BookStep, Departure, DrawnLines, TreeLimits, TreeRow, book_steps, book_steps_and_leaf,
    book_tree, departure,
};
pub use umigame::{Umigame, UmigameNumbers, UmigameRule};

/// The children of a board in the order of their squares, with their numbers, looked up together so that memory
/// latencies overlap.
pub(super) fn children(
    book: &impl PositionLookup,
    board: Board,
) -> std::vec::IntoIter<(Board, Option<u32>)> {
    let moves = board.legal_moves().iter();
    let boards: Vec<_> = moves.map(|square| board.play_unchecked(square)).collect();
    let mut numbers = Vec::with_capacity(boards.len());
    book.find_many(&boards, &mut numbers);
    let children: Vec<_> = boards.into_iter().zip(numbers).collect();
    children.into_iter()
}

/// The numbers of the positions that can be reached from `start` within the book.
pub(super) fn reachable(book: &impl PositionStore, start: Board) -> BitSet {
    let mut reached = BitSet::new(book.bound().into());
    let mut todo = vec![(start, book.find(start))];
    while let Some((board, number)) = todo.pop() {
        if board.state() == State::Pass {
            let after = board.passed();
            todo.push((after, book.find(after)));
            // Books of Edax have the position before the pass too.
            if let Some(number) = number {
                reached.set(number.into());
            }
            continue;
        }
        let number = number.or_else(|| other_side(book, board));
        if number.is_some_and(|number| reached.add(number.into())) {
            todo.extend(children(book, board));
        }
    }
    reached
}

/// The number of a finished game as stored from the other side.
fn other_side(book: &impl PositionStore, board: Board) -> Option<u32> {
    let is_over = board.legal_moves().is_empty() && board.state() == State::Over;
    is_over.then(|| book.find(board.passed())).flatten()
}

/// The number of a position; a finished game may be stored from either side.
pub(super) fn known_as(book: &impl PositionStore, board: Board) -> Option<u32> {
    book.find(board).or_else(|| other_side(book, board))
}

/// The positions that cannot be reached from `start`, in the order of their boards.
pub fn isolated(book: &impl PositionStore, start: Board) -> Vec<Board> {
    let reached = reachable(book, start);
    let isolated = book
        .in_order()
        .filter(|&number| !reached.has(number.into()));
    isolated.filter_map(|number| book.board(number)).collect()
}

/// The number of positions that cannot be reached from `start`.
pub fn count_isolated(book: &impl PositionStore, start: Board) -> u64 {
    book.count() - reachable(book, start).count()
}

/// Removes the positions that cannot be reached from `start`; returns their number.
pub fn remove_isolated(book: &mut impl PositionStore, start: Board) -> u64 {
    let reached = reachable(book, start);
    book.keep(&mut |number, _| reached.has(number.into()))
}

// Statistics of a book.

/// The statistics of a book.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OthelloBookInfo {
    /// The number of positions.
    pub positions: u64,
    /// Positions by the level of their value; −1 undefined.
    pub levels: BTreeMap<i8, u64>,
    /// Positions by ply: discs on the board, less four.
    pub plies: BTreeMap<u32, u64>,
    /// Positions by value.
    pub values: BTreeMap<i8, u64>,
    /// Leaves by the level of their search.
    pub leaf_levels: BTreeMap<i8, u64>,
    /// Leaves by the ply of the position behind them.
    pub leaf_plies: BTreeMap<u32, u64>,
    /// Positions by the number of their links; empty for books without links.
    pub links: BTreeMap<usize, u64>,
    /// Positions that Edax's `book fix` will search, in books of Edax.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edax_searches: Option<u64>,
}

impl OthelloBookInfo {
    /// The statistics of a book in memory.
    pub fn of(table: &MemoryBook) -> Self {
        let mut info = Self::default();
        for (board, known) in table.iter() {
            info.add(board, known);
        }
        info
    }

    /// Counts a position.
    pub fn add(&mut self, board: Board, known: &PositionData) {
        let ply = board.discs().saturating_sub(4);
        self.positions += 1;
        *self.levels.entry(known.level).or_default() += 1;
        *self.plies.entry(ply).or_default() += 1;
        *self.values.entry(known.value).or_default() += 1;
        if known.leaf.level >= 0 {
            *self.leaf_levels.entry(known.leaf.level).or_default() += 1;
            *self.leaf_plies.entry(ply + 1).or_default() += 1;
        }
    }
}

/// Writes lines of a name, a key and a count.
impl fmt::Display for OthelloBookInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn lines<K: fmt::Display>(
            f: &mut fmt::Formatter<'_>,
            name: &str,
            counts: &BTreeMap<K, u64>,
        ) -> fmt::Result {
            counts
                .iter()
                .try_for_each(|(key, count)| writeln!(f, "{name} {key} {count}"))
        }
        writeln!(f, "boards {}", self.positions)?;
        lines(f, "level", &self.levels)?;
        lines(f, "ply", &self.plies)?;
        lines(f, "leaf_level", &self.leaf_levels)?;
        lines(f, "leaf_ply", &self.leaf_plies)?;
        lines(f, "links", &self.links)?;
        match self.edax_searches {
            Some(count) => writeln!(f, "edax_searches {count}"),
            None => Ok(()),
        }
    }
}
