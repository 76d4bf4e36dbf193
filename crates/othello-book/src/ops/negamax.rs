//! Values from the ends of lines back to where they begin, and how many lines there are.

use othello_core::{Board, State};

use super::reach::children;
use crate::Edge;
use crate::egaroucid::Leaf;
use crate::store::{Bits, Known, Positions};

/// No position has more lines than this; what is more is cut.
const MOST_LINES: u64 = 4_000_000_000;

/// Whether leaves count for the value of their position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafValues {
    /// Only moves to positions of the book do, as in Egaroucid.
    Ignore,
    /// The leaf is a move like others, as in Edax.
    Count,
}

/// What [`fix`] or [`negamax`] changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fixed {
    /// Positions that were reached.
    pub reached: u64,
    /// Positions that have another value now.
    pub values: u64,
    /// Positions that have another number of lines now.
    pub lines: u64,
    /// Leaves that were taken away.
    pub leaves: u64,
    /// Positions that have other bounds or counts of games now.
    pub bounds: u64,
}

/// Gives each position the value of its best move to a position of the book, from the ends of lines back to `start`,
/// and counts its lines. Positions without such moves keep their value. Levels stay.
pub fn negamax(book: &mut impl Positions, start: Board, leaves: LeafValues) -> Fixed {
    Work::new(book, Some(leaves)).run(start)
}

/// Counts lines from `start` on: a position counts as one and those behind it, by whatever way, are added.
pub fn count_lines(book: &mut impl Positions, start: Board) -> Fixed {
    Work::new(book, None).run(start)
}

/// [`negamax`] without leaves; then takes away leaves that are no move of their board, or that lead to a position of
/// the book. Those that say that every move is in the book stay.
pub fn fix(book: &mut impl Positions, start: Board) -> Fixed {
    let mut fixed = negamax(book, start, LeafValues::Ignore);
    fixed.leaves = take_away_leaves(book);
    fixed
}

/// [`fix`], but leaves count for values: those that are none are taken away first.
pub fn fix_with_leaves(book: &mut impl Positions, start: Board) -> Fixed {
    let leaves = take_away_leaves(book);
    Fixed {
        leaves,
        ..negamax(book, start, LeafValues::Count)
    }
}

/// Takes away leaves that are none, and gives how many they were.
fn take_away_leaves(book: &mut impl Positions) -> u64 {
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
        if !stays && leaf != Leaf::UNDEFINED {
            let leaf = Leaf::UNDEFINED;
            book.set(number, &Known { leaf, ..known });
            count += 1;
        }
    }
    count
}

/// A position's value, if it has one, and its lines.
type Found = (Option<i32>, u64);

/// The value of a position, if it has one.
fn value(known: &Known) -> Option<i32> {
    known.has_value().then_some(i32::from(known.value))
}

struct Work<'a, P> {
    book: &'a mut P,
    /// Positions that are what they will be.
    seen: Bits,
    /// Whether values are changed, and by what.
    values: Option<LeafValues>,
    fixed: Fixed,
}

impl<'a, P: Positions> Work<'a, P> {
    fn new(book: &'a mut P, values: Option<LeafValues>) -> Self {
        Self {
            seen: Bits::new(book.bound().into()),
            book,
            values,
            fixed: Fixed::default(),
        }
    }

    fn run(mut self, start: Board) -> Fixed {
        self.visit(start, self.book.find(start));
        self.fixed
    }

    /// A board, and its number if the book has it. Goes as deep as a game is long, which is 121 plies at most.
    fn visit(&mut self, board: Board, number: Option<u32>) -> Found {
        match board.state() {
            State::Moves => self.visit_position(board, number),
            State::Pass => self.visit_pass(board, number),
            State::Over => self.visit_end(board, number),
        }
    }

    /// A pass, which books of Edax have as a position of their own.
    fn visit_pass(&mut self, board: Board, number: Option<u32>) -> Found {
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

    fn visit_end(&mut self, board: Board, number: Option<u32>) -> Found {
        let of = |number: Option<u32>| Some((number?, value(&self.book.known(number?))?));
        let turned = |(number, value): (u32, i32)| (number, -value);
        let found = of(number).or_else(|| of(self.book.find(board.passed())).map(turned));
        let Some((number, value)) = found else {
            return (None, 0);
        };
        self.fixed.reached += u64::from(self.seen.add(number.into()));
        (Some(value), 1)
    }

    fn change(&mut self, number: u32, old: &Known, new: &Known) {
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

    fn visit_position(&mut self, board: Board, number: Option<u32>) -> Found {
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
