//! Which moves of a position lead to others of its book, and what they are worth.

use othello_core::{Board, Move, State};

use crate::Edge;
use crate::edax::Record;
use crate::store::{Bits, Finding, Found, Index};
use crate::text::NO_VALUE;

/// Values of positions.
pub(crate) trait Values {
    /// The value of a position for its player to move, −64 to 64, in whatever direction the board lies; `None` if the
    /// book does not have it.
    fn value(&self, board: Board) -> Option<i8>;

    /// [`value`](Self::value) of several positions, appended in their order.
    fn values(&self, boards: &[Board], values: &mut Vec<Option<i8>>);

    /// The number of a position, in whatever direction the board lies; `None` if the book does not have it.
    fn number(&self, board: Board) -> Option<u64>;
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

    fn number(&self, board: Board) -> Option<u64> {
        Some(self.find(board.canonical().board)?.slot.number())
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

/// What became of a record's moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Linked {
    /// A move to a position, one that is left out or the worst of those that stay, became the leaf.
    pub(crate) made_leaf: bool,
    /// Edax's `book fix` will search the position, as no other move is known than those to positions.
    pub(crate) searches: bool,
}

/// Makes the links of a record those of a book, and its leaf a move that is none of them. Links that are the same stay
/// in their order. A position without another move than a pass is worth what the pass is.
///
/// With `left_out`, a leaf that is missing, or worse than a move to a position that is left out, becomes the best of
/// those moves; and if there is none, the worst link. No move and no value is made up.
pub(crate) fn relink(
    record: &mut Record,
    values: &impl Values,
    left_out: Option<&LeftOut>,
) -> Linked {
    let board = record.board;
    let state = board.state();
    if state == State::Over {
        record.links.clear();
        return Linked::default();
    }
    let is_written = |link: &Edge| {
        let child = link.mv().and_then(|mv| board.after(mv));
        let left_out = left_out.zip(child);
        left_out.is_none_or(|(left_out, child)| left_out.lets(values, child))
    };
    let (new, mut gone): (Vec<_>, Vec<_>) = links(values, board).into_iter().partition(is_written);
    if let (State::Pass, [pass], []) | (State::Pass, [], [pass]) = (state, &new[..], &gone[..]) {
        record.value = i16::from(pass.score);
    }
    let has = |links: &[Edge], number| links.iter().any(|link| link.number == number);
    let leaf = record.leaf;
    let is_own = is_known(leaf, board) && !has(&new, leaf.number) && !has(&gone, leaf.number);
    if !is_own {
        // Moves that the record tells of and that lead to nothing.
        let listed = record.links.iter().copied();
        let new_ones = listed.filter(|link| is_known(*link, board) && !has(&new, link.number));
        let new_ones: Vec<_> = new_ones.filter(|link| !has(&gone, link.number)).collect();
        gone.extend(new_ones);
    }
    if !same(&new, &record.links) {
        record.links = new;
    }
    let best = gone.into_iter().rev().max_by_key(|link| link.score);
    let best = best.filter(|best| left_out.is_some() && !(is_own && leaf.score >= best.score));
    if let Some(best) = best {
        record.leaf = best;
        return Linked {
            made_leaf: true,
            searches: false,
        };
    }
    if is_own {
        return Linked::default();
    }
    record.leaf = Edge::NO_LEAF;
    let is_complete = record.links.len() >= moves(board).len();
    Linked {
        made_leaf: left_out.is_some() && !is_complete && complete(record),
        searches: !is_complete && state == State::Moves,
    }
}

/// Whether a move of a board is one, with a value.
fn is_known(edge: Edge, board: Board) -> bool {
    edge.score.unsigned_abs() <= 64 && edge.legal_on(board).is_some()
}

/// Makes the worst link the leaf; whether there is one.
fn complete(record: &mut Record) -> bool {
    let links = record.links.iter().enumerate();
    // The last of the worst.
    let worst = links.min_by_key(|(n, link)| (link.score, usize::MAX - n));
    let Some((worst, _)) = worst else {
        return false;
    };
    record.leaf = record.links.remove(worst);
    true
}

/// Whether nothing is known of how the game goes on behind a record: it has no leaf, tells of no move, and none leads to a
/// position of the book.
pub(crate) fn knows_no_move(record: &Record, values: &impl Values) -> bool {
    let board = record.board;
    let mut told = record.links.iter().chain([&record.leaf]);
    !told.any(|&edge| is_known(edge, board))
        && board.state() != State::Over
        && links(values, board).is_empty()
}

/// Whether Edax's `book fix` searches a position: if it has no leaf, or one that leads to a position of the book, and not
/// all of its moves do; or if it is wrong and must be made anew.
pub(crate) fn edax_searches(record: &Record, values: &impl Values) -> bool {
    let board = record.board;
    let is_in = |mv: Move| {
        let child = board.after(mv);
        child.is_some_and(|child| values.number(child).is_some())
    };
    let is_right = edax_finds_right(record);
    let leaf = record.leaf.legal_on(board).filter(|_| is_right);
    if leaf.is_some_and(|leaf| !is_in(leaf)) {
        return false;
    }
    let moves = moves(board);
    let is_link = |mv: Move| record.links.iter().any(|link| link.mv() == Some(mv));
    match board.state() {
        State::Moves => !moves.iter().all(|&mv| is_right && is_link(mv) || is_in(mv)),
        // A pass is no move that it counts; only what has no value is looked at.
        State::Pass => !is_right && !moves.iter().all(|&mv| is_in(mv)),
        State::Over => !is_right || record.value == NO_VALUE,
    }
}

/// Whether Edax finds a record right: canonical, with legal moves, none of them twice, and a leaf unless all are links.
fn edax_finds_right(record: &Record) -> bool {
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

/// Positions of a book that are not written for Edax, as no move of them is known.
#[derive(Debug)]
pub(crate) struct LeftOut {
    numbers: Bits,
    count: u64,
}

impl LeftOut {
    /// None yet, of a book whose numbers are below `bound`.
    pub(crate) fn new(bound: u64) -> Self {
        Self {
            numbers: Bits::new(bound),
            count: 0,
        }
    }

    pub(crate) fn add(&mut self, number: u64) {
        self.count += u64::from(self.numbers.add(number));
    }

    /// Another one, if there is one.
    pub(crate) fn extend(&mut self, number: Option<u64>) {
        if let Some(number) = number {
            self.add(number);
        }
    }

    pub(crate) fn has(&self, number: u64) -> bool {
        self.count > 0 && self.numbers.has(number)
    }

    /// How many they are.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// Whether a position that a move leads to is written, or, if its player must pass and the book has only the
    /// position after that, will be.
    fn lets(&self, values: &impl Values, child: Board) -> bool {
        let stays = |number: u64| !self.has(number);
        match child.state() {
            State::Moves => self.count == 0 || values.number(child).is_none_or(stays),
            State::Pass => {
                let number = values.number(child);
                let number = number.or_else(|| values.number(child.passed()));
                number.is_some_and(stays)
            }
            // A finished game may be there from the other side, which is another board.
            State::Over => values.number(child).is_some_and(stays),
        }
    }
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
