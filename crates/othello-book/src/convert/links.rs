//! Which moves of a position lead to others of its book, and what they are worth.

use othello_core::{Board, Move, State};

use super::Leaves;
use crate::Edge;
use crate::edax::Record;
use crate::store::{Finding, Found, Index};

/// Values of positions.
pub(crate) trait Values {
    /// The value of a position for its player to move, −64 to 64, in whatever direction the board lies; `None` if the
    /// book does not have it.
    fn value(&self, board: Board) -> Option<i8>;

    /// [`value`](Self::value) of several positions, appended in their order.
    fn values(&self, boards: &[Board], values: &mut Vec<Option<i8>>);
}

impl Values for Index<'_> {
    fn value(&self, board: Board) -> Option<i8> {
        value_in(&self.find(board.canonical().board)?)
    }

    fn values(&self, boards: &[Board], values: &mut Vec<Option<i8>>) {
        let mut finding = Finding::default();
        for board in boards {
            finding.ask(self, board.canonical().board);
        }
        let found = finding.finish(self);
        values.extend(found.iter().map(|found| value_in(found.as_ref()?)));
    }
}

fn value_in(found: &Found<'_>) -> Option<i8> {
    let value = i8::try_from(found.record.value()).ok();
    value.filter(|value| value.unsigned_abs() <= 64)
}

/// The moves of a board, the pass among them.
pub(crate) fn moves(board: Board) -> Vec<Move> {
    match board.state() {
        State::Moves => board.legal_moves().iter().map(Move::Place).collect(),
        State::Pass => vec![Move::Pass],
        State::Over => Vec::new(),
    }
}

/// The value of a move that leads to `child`, for the player who makes it. Behind a pass, the position after it counts
/// before the one in which the player must pass, which not all books have; a finished game may be there from either
/// side.
pub(crate) fn value_of_move_to(values: &impl Values, child: Board) -> Option<i8> {
    value_by(values, child, values.value(child))
}

/// [`value_of_move_to`], where the value of `child` itself is known or known not to be there.
pub(crate) fn value_by(values: &impl Values, child: Board, own: Option<i8>) -> Option<i8> {
    let before = own.map(|value| -value);
    if let (Some(value), false) = (before, child.legal_moves().is_empty()) {
        return Some(value);
    }
    let after = || values.value(child.passed());
    match child.state() {
        State::Moves => before,
        State::Pass => after().or(before),
        State::Over => before.or_else(after),
    }
}

/// [`value_of_move_to`] for several moves, together: finding positions is waiting for memory.
pub(crate) fn values_of_moves_to(values: &impl Values, children: &[Board]) -> Vec<Option<i8>> {
    let mut own = Vec::with_capacity(children.len());
    values.values(children, &mut own);
    let by = |(&child, own)| value_by(values, child, own);
    children.iter().zip(own).map(by).collect()
}

/// The moves of a board to positions of the book, best first; equal ones in the order of their squares.
pub(crate) fn links(values: &impl Values, board: Board) -> Vec<Edge> {
    let mut moves = moves(board);
    moves.retain(|&mv| board.after(mv).is_some());
    let children: Vec<_> = moves.iter().filter_map(|&mv| board.after(mv)).collect();
    let values = values_of_moves_to(values, &children);
    let links = moves.into_iter().zip(values);
    let mut links: Vec<_> = links
        .filter_map(|(mv, value)| Some(Edge::new(value?, mv)))
        .collect();
    links.sort_by_key(|link| -link.score);
    links
}

/// Makes the links of a record those of a book, and its leaf a move that is none of them. Links that are the same stay
/// in their order. A position without another move than a pass is worth what the pass is.
pub(crate) fn relink(record: &mut Record, values: &impl Values, leaves: Leaves) {
    let board = record.board;
    let state = board.state();
    if state == State::Over {
        record.links.clear();
        return;
    }
    let new = links(values, board);
    if !same(&new, &record.links) {
        record.links = new;
    }
    if state == State::Pass
        && let [pass] = record.links[..]
    {
        record.value = i16::from(pass.score);
    }
    let leaf = record.leaf;
    let is_link = record.links.iter().any(|link| link.number == leaf.number);
    if !is_link && leaf.score.unsigned_abs() <= 64 && leaf.legal_on(board).is_some() {
        return;
    }
    record.leaf = Edge::NO_LEAF;
    if leaves == Leaves::Complete {
        complete(record);
    }
}

/// Makes the worst link the leaf where not all moves are links; without links, some move with the position's value.
fn complete(record: &mut Record) {
    let all = moves(record.board);
    if record.links.len() >= all.len() {
        return;
    }
    let links = record.links.iter().enumerate();
    // The last of the worst.
    let worst = links.min_by_key(|(n, link)| (link.score, usize::MAX - n));
    record.leaf = match (worst.map(|(n, _)| n), all.first()) {
        (Some(worst), _) => record.links.remove(worst),
        (None, Some(&mv)) => Edge::new(record.value.clamp(-64, 64) as i8, mv),
        (None, None) => Edge::NO_LEAF,
    };
}

/// Whether two lists have the same moves with the same values.
fn same(a: &[Edge], b: &[Edge]) -> bool {
    let sorted = |links: &[Edge]| {
        let mut links: Vec<_> = links.iter().map(|link| (link.number, link.score)).collect();
        links.sort_unstable();
        links
    };
    a.len() == b.len() && sorted(a) == sorted(b)
}
