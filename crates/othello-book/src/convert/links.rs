//! Links: the moves between positions of a book, and their values.

use othello_core::{Board, Move, State};

use crate::Edge;
use crate::edax::EdaxRecord;
use crate::store::{BatchLookup, BitSet, EdaxIndex, IndexHit};
use crate::text::NO_VALUE;

/// A source of the values of positions.
pub(crate) trait PositionValues {
    /// The value of a position for the player to move, −64 to 64, in any orientation; `None` if it is not in the book.
    fn value(&self, board: Board) -> Option<i8>;

    /// [`value`](Self::value) of several positions, appended in their order.
    fn values(&self, boards: &[Board], values: &mut Vec<Option<i8>>);

    /// The number of a position in any orientation; `None` if it is not in the book.
    fn number(&self, board: Board) -> Option<u64>;
}

impl PositionValues for EdaxIndex<'_> {
    fn value(&self, board: Board) -> Option<i8> {
        value_in(&self.find(board.canonical().board)?)
    }

    fn values(&self, boards: &[Board], values: &mut Vec<Option<i8>>) {
        let mut lookup = BatchLookup::default();
        for board in boards {
            lookup.push(self, board.canonical().board);
        }
        let found = lookup.resolve(self);
        values.extend(found.iter().map(|found| value_in(found.as_ref()?)));
    }

    fn number(&self, board: Board) -> Option<u64> {
        Some(self.find(board.canonical().board)?.slot.number())
    }
}

fn value_in(found: &IndexHit<'_>) -> Option<i8> {
    let value = i8::try_from(found.record.value()).ok();
    value.filter(|value| value.unsigned_abs() <= 64)
}

/// The moves of a board, or its forced pass.
pub(crate) fn moves(board: Board) -> Vec<Move> {
    match board.state() {
        State::Moves => board.legal_moves().iter().map(Move::Place).collect(),
        State::Pass => vec![Move::Pass],
        State::Over => Vec::new(),
    }
}

/// The value of a move to `child`, for the player who makes it. Before a forced pass, the position after the pass has
/// precedence, as not all books have the one before it; a finished game may be stored from either side.
pub(crate) fn value_of_move_to(values: &impl PositionValues, child: Board) -> Option<i8> {
    value_by(values, child, values.value(child))
}

/// [`value_of_move_to`] with the value of `child` itself already looked up.
pub(crate) fn value_by(values: &impl PositionValues, child: Board, own: Option<i8>) -> Option<i8> {
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

/// [`value_of_move_to`] for several moves, so that memory latencies overlap.
pub(crate) fn values_of_moves_to(
    values: &impl PositionValues,
    children: &[Board],
) -> Vec<Option<i8>> {
    let mut own = Vec::with_capacity(children.len());
    values.values(children, &mut own);
    let by = |(&child, own)| value_by(values, child, own);
    children.iter().zip(own).map(by).collect()
}

/// The links of a board, best first; equal ones in the order of their squares.
pub(crate) fn links(values: &impl PositionValues, board: Board) -> Vec<Edge> {
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

/// The effect of [`relink`] on a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RelinkReport {
    /// A link, to an omitted position or the worst of the remaining ones, became the leaf.
    pub(crate) made_leaf: bool,
    /// Edax's `book fix` will search the position, as only links are known.
    pub(crate) searches: bool,
}

/// Sets the links of a record to those of a book, and its leaf to a move that is no link. Unchanged links keep their
/// order. A forced pass gives the position its value.
///
/// With `left_out`, a leaf that is missing, or worse than a move to an omitted position, becomes the best of those
/// moves, or else the worst link. No move and no value is invented.
pub(crate) fn relink(
    record: &mut EdaxRecord,
    values: &impl PositionValues,
    left_out: Option<&OmittedPositions>,
) -> RelinkReport {
    let board = record.board;
    let state = board.state();
    if state == State::Over {
        record.links.clear();
        return RelinkReport::default();
    }
    let is_written = |link: &Edge| {
        let child = link.mv().and_then(|mv| board.after(mv));
        let left_out = left_out.zip(child);
        left_out.is_none_or(|(left_out, child)| left_out.is_written(values, child))
    };
    let (new, mut omitted): (Vec<_>, Vec<_>) =
        links(values, board).into_iter().partition(is_written);
    if let (State::Pass, [pass], []) | (State::Pass, [], [pass]) = (state, &new[..], &omitted[..]) {
        record.value = i16::from(pass.score);
    }
    let has = |links: &[Edge], number| links.iter().any(|link| link.number == number);
    let leaf = record.leaf;
    let is_own = is_known(leaf, board) && !has(&new, leaf.number) && !has(&omitted, leaf.number);
    if !is_own {
        // Moves of the record to positions that are not in the book.
        let listed = record.links.iter().copied();
        let new_ones = listed.filter(|link| is_known(*link, board) && !has(&new, link.number));
        let new_ones: Vec<_> = new_ones
            .filter(|link| !has(&omitted, link.number))
            .collect();
        omitted.extend(new_ones);
    }
    if !same(&new, &record.links) {
        record.links = new;
    }
    let best = omitted.into_iter().rev().max_by_key(|link| link.score);
    let best = best.filter(|best| left_out.is_some() && !(is_own && leaf.score >= best.score));
    if let Some(best) = best {
        record.leaf = best;
        return RelinkReport {
            made_leaf: true,
            searches: false,
        };
    }
    if is_own {
        return RelinkReport::default();
    }
    record.leaf = Edge::NO_LEAF;
    let is_complete = record.links.len() >= moves(board).len();
    RelinkReport {
        made_leaf: left_out.is_some() && !is_complete && complete(record),
        searches: !is_complete && state == State::Moves,
    }
}

/// Returns whether an edge is a legal move with a value.
fn is_known(edge: Edge, board: Board) -> bool {
    edge.score.unsigned_abs() <= 64 && edge.legal_on(board).is_some()
}

/// Turns the worst link into the leaf; returns whether there is one.
fn complete(record: &mut EdaxRecord) -> bool {
    let links = record.links.iter().enumerate();
    // The last one among equals.
    let worst = links.min_by_key(|(n, link)| (link.score, usize::MAX - n));
    let Some((worst, _)) = worst else {
        return false;
    };
    record.leaf = record.links.remove(worst);
    true
}

/// Returns whether a record has no continuation: no leaf, no listed move, and no link.
pub(crate) fn has_no_known_move(record: &EdaxRecord, values: &impl PositionValues) -> bool {
    let board = record.board;
    let mut edges = record.links.iter().chain([&record.leaf]);
    !edges.any(|&edge| is_known(edge, board))
        && board.state() != State::Over
        && links(values, board).is_empty()
}

/// Returns whether Edax's `book fix` searches a position: if it has no leaf, or one that leads to a position of the
/// book, and not all of its moves do; or if it is invalid.
pub(crate) fn edax_searches(record: &EdaxRecord, values: &impl PositionValues) -> bool {
    let board = record.board;
    let is_in = |mv: Move| {
        let child = board.after(mv);
        child.is_some_and(|child| values.number(child).is_some())
    };
    let is_right = is_valid_for_edax(record);
    let leaf = record.leaf.legal_on(board).filter(|_| is_right);
    if leaf.is_some_and(|leaf| !is_in(leaf)) {
        return false;
    }
    let moves = moves(board);
    let is_link = |mv: Move| record.links.iter().any(|link| link.mv() == Some(mv));
    match board.state() {
        State::Moves => !moves.iter().all(|&mv| is_right && is_link(mv) || is_in(mv)),
        // Edax does not count a pass as a move.
        State::Pass => !is_right && !moves.iter().all(|&mv| is_in(mv)),
        State::Over => !is_right || record.value == NO_VALUE,
    }
}

/// Returns whether a record is valid for Edax: canonical, with legal moves, without duplicates, and with a leaf unless
/// all moves are links.
fn is_valid_for_edax(record: &EdaxRecord) -> bool {
    let board = record.board;
    let links = &record.links;
    let is_legal = |edge: &Edge| edge.legal_on(board).is_some();
    let has_leaf = record.leaf.number != Edge::NONE;
    let all = links.iter().chain(has_leaf.then_some(&record.leaf));
    let mut numbers: Vec<_> = all.clone().map(|edge| edge.number).collect();
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    let is_complete = has_leaf || links.len() >= moves(board).len();
    board.is_canonical() && is_complete && numbers.len() == count && all.clone().all(is_legal)
}

/// The positions that are omitted from a book for Edax because no move of them is known.
#[derive(Debug)]
pub(crate) struct OmittedPositions {
    numbers: BitSet,
    count: u64,
}

impl OmittedPositions {
    /// An empty set, of a book whose numbers are below `bound`.
    pub(crate) fn new(bound: u64) -> Self {
        Self {
            numbers: BitSet::new(bound),
            count: 0,
        }
    }

    pub(crate) fn add(&mut self, number: u64) {
        self.count += u64::from(self.numbers.add(number));
    }

    /// Adds a position, if there is one.
    pub(crate) fn extend(&mut self, number: Option<u64>) {
        if let Some(number) = number {
            self.add(number);
        }
    }

    pub(crate) fn has(&self, number: u64) -> bool {
        self.count > 0 && self.numbers.has(number)
    }

    /// The number of positions.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// Returns whether the child of a move is written, or, before a forced pass, will be.
    fn is_written(&self, values: &impl PositionValues, child: Board) -> bool {
        let stays = |number: u64| !self.has(number);
        match child.state() {
            State::Moves => self.count == 0 || values.number(child).is_none_or(stays),
            State::Pass => {
                let number = values.number(child);
                let number = number.or_else(|| values.number(child.passed()));
                number.is_some_and(stays)
            }
            // A finished game may be stored from the other side, which is another board.
            State::Over => values.number(child).is_some_and(stays),
        }
    }
}

/// Returns whether two lists have the same moves with the same values.
fn same(a: &[Edge], b: &[Edge]) -> bool {
    let sorted = |links: &[Edge]| {
        let mut links: Vec<_> = links.iter().map(|link| (link.number, link.score)).collect();
        links.sort_unstable();
        links
    };
    a.len() == b.len() && sorted(a) == sorted(b)
}
