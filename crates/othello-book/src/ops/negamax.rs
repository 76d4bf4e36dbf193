//! Negamax and line counts, as Egaroucid does them.

use othello_core::{Board, State};

use crate::Edge;
use crate::egaroucid::BookLeaf;
use crate::ops::children;
use crate::store::{BitSet, PositionData, PositionStore};

/// The greatest number of lines; higher counts saturate.
const MOST_LINES: u64 = 4_000_000_000;

/// The use of leaves for the value of their position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafValues {
    /// Only links count, as in Egaroucid.
    Ignore,
    /// The leaf counts like a link, as in Edax.
    Count,
}

/// The counts of [`fix`] or [`negamax`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixReport {
    /// Positions that were reached.
    pub reached: u64,
    /// Positions with a new value.
    pub values: u64,
    /// Positions with a new number of lines.
    pub lines: u64,
    /// Deleted leaves.
    pub leaves: u64,
    /// Positions with new bounds or game counts.
    pub bounds: u64,
}

/// Recomputes values from the leaves back to `start`: each position gets the value of its best link. Recounts lines.
/// Positions without links keep their value, and all keep their level.
pub fn negamax(book: &mut impl PositionStore, start: Board, leaves: LeafValues) -> FixReport {
    Negamax::new(book, Some(leaves)).run(start)
}

/// Recounts lines from `start` on: one for the position, plus those of its children.
pub fn count_lines(book: &mut impl PositionStore, start: Board) -> FixReport {
    Negamax::new(book, None).run(start)
}

/// [`negamax`] without leaves, then deletes invalid leaves: those that are illegal or lead to a position of the book.
/// Those that say that every move is in the book stay.
pub fn fix(book: &mut impl PositionStore, start: Board) -> FixReport {
    let mut fixed = negamax(book, start, LeafValues::Ignore);
    fixed.leaves = delete_invalid_leaves(book);
    fixed
}

/// [`fix`] with leaves counted for values: invalid ones are deleted first.
pub fn fix_with_leaves(book: &mut impl PositionStore, start: Board) -> FixReport {
    let leaves = delete_invalid_leaves(book);
    FixReport {
        leaves,
        ..negamax(book, start, LeafValues::Count)
    }
}

/// Deletes invalid leaves and returns their number.
fn delete_invalid_leaves(book: &mut impl PositionStore) -> u64 {
    let mut count = 0;
    for number in 0..book.bound() {
        let Some(board) = book.board(number) else {
            continue;
        };
        let known = book.known(number);
        let leaf = known.leaf;
        let child = leaf.edge.legal_on(board).and_then(|mv| board.after(mv));
        let is_new = child.is_some_and(|child| book.value_of_move(child).is_none());
        let stays = is_new || leaf.edge.number == Edge::NONE;
        if !stays && leaf != BookLeaf::UNDEFINED {
            let leaf = BookLeaf::UNDEFINED;
            book.set(number, &PositionData { leaf, ..known });
            count += 1;
        }
    }
    count
}

/// The value of a position, if it has one, and its lines.
type SubtreeResult = (Option<i32>, u64);

/// The value of a position, if it has one.
fn value(known: &PositionData) -> Option<i32> {
    known.has_value().then_some(i32::from(known.value))
}

struct Negamax<'a, P> {
    book: &'a mut P,
    /// The finished positions.
    seen: BitSet,
    /// The rule by which values change, if they do.
    values: Option<LeafValues>,
    fixed: FixReport,
}

impl<'a, P: PositionStore> Negamax<'a, P> {
    fn new(book: &'a mut P, values: Option<LeafValues>) -> Self {
        Self {
            seen: BitSet::new(book.bound().into()),
            book,
            values,
            fixed: FixReport::default(),
        }
    }

    fn run(mut self, start: Board) -> FixReport {
        self.visit(start, self.book.find(start));
        self.fixed
    }

    /// Visits a board, with its number if it is in the book. The recursion is as deep as a game is long, at most 121
    /// plies.
    fn visit(&mut self, board: Board, number: Option<u32>) -> SubtreeResult {
        match board.state() {
            State::Moves => self.visit_position(board, number),
            State::Pass => self.visit_pass(board, number),
            State::Over => self.visit_end(board, number),
        }
    }

    /// Visits a forced pass, which books of Edax store.
    fn visit_pass(&mut self, board: Board, number: Option<u32>) -> SubtreeResult {
        let after = board.passed();
        let (after, lines) = self.visit(after, self.book.find(after));
        let after = after.map(|value| -value);
        let Some(number) = number else {
            return (after, lines);
        };
        let known = self.book.known(number);
        let mut new = known;
        if let Some(after) = after {
            new.lines = lines as u32;
            if self.values.is_some() {
                new.value = after as i8;
            }
        }
        self.change(number, &known, &new);
        (value(&new), u64::from(new.lines))
    }

    fn visit_end(&mut self, board: Board, number: Option<u32>) -> SubtreeResult {
        let of = |number: Option<u32>| Some((number?, value(&self.book.known(number?))?));
        let negated = |(number, value): (u32, i32)| (number, -value);
        let found = of(number).or_else(|| of(self.book.find(board.passed())).map(negated));
        let Some((number, value)) = found else {
            return (None, 0);
        };
        self.fixed.reached += u64::from(self.seen.add(number.into()));
        (Some(value), 1)
    }

    fn change(&mut self, number: u32, old: &PositionData, new: &PositionData) {
        if !self.seen.add(number.into()) {
            return;
        }
        self.fixed.reached += 1;
        self.fixed.values += u64::from(new.value != old.value);
        self.fixed.lines += u64::from(new.lines != old.lines);
        if new != old {
            self.book.set(number, new);
        }
    }

    fn visit_position(&mut self, board: Board, number: Option<u32>) -> SubtreeResult {
        let Some(number) = number else {
            return (None, 0);
        };
        let known = self.book.known(number);
        if self.seen.has(number.into()) {
            return (value(&known), u64::from(known.lines));
        }
        let mut best = match self.values {
            Some(LeafValues::Count) if known.leaf.is_known() => {
                Some(i32::from(known.leaf.edge.score))
            }
            _ => None,
        };
        let mut lines = 1;
        for (child, number) in children(self.book, board) {
            let (value, more) = self.visit(child, number);
            lines += more;
            best = best.max(value.map(|value| -value));
        }
        let mut new = known;
        new.lines = lines.min(MOST_LINES) as u32;
        if self.values.is_some()
            && let Some(best) = best
        {
            new.value = best.clamp(-64, 64) as i8;
        }
        self.change(number, &known, &new);
        (value(&new), u64::from(new.lines))
    }
}
