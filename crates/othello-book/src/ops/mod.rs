//! Operations on books without a search: negamax, line counts, removal of bad or deep positions, accuracy, losses,
//! statistics, checks.
//!
//! They begin at a position and go through the book from there; positions that it does not lead to stay unchanged
//! unless stated otherwise. Their reports count what changed.

mod accuracy;
mod check;
mod info;
mod losses;
mod negamax;
mod negamax_edax;
mod reduce;

pub use accuracy::{Accuracies, Accuracy, Grade};
pub use check::{BookProblem, EdaxCheck, EgaroucidCheck, check_edax, check_egaroucid};
pub use info::OthelloBookInfo;
pub use losses::{BookLosses, MoveLoss, book_losses, line_boards, line_losses};
pub use negamax::{FixReport, LeafValues, count_lines, fix, fix_with_leaves, negamax};
pub use negamax_edax::negamax_edax;
pub(crate) use negamax_edax::negamax_edax_all;
pub use reduce::{ReduceLimits, ReduceReport, prune_edax, reduce};

use othello_core::{Board, State};

use crate::store::{BitSet, PositionLookup, PositionStore};

/// The children of a board in the order of their squares, with their numbers, looked up together so that memory
/// latencies overlap.
pub(super) fn children(
    book: &impl PositionLookup,
    board: Board,
) -> std::vec::IntoIter<(Board, Option<u32>)> {
    let moves = board.legal_moves().iter();
    let boards: Vec<_> = moves.map(|square| board.play_legal(square)).collect();
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
