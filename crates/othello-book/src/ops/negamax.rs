//! Values from the ends of lines back to where they begin, and how many lines there are.

use hashbrown::HashMap;
use othello_core::{Board, State};

use crate::Edge;
use crate::egaroucid::Leaf;
use crate::store::{Known, Table};

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
pub fn negamax(table: &mut Table, start: Board, leaves: LeafValues) -> Fixed {
    let mut work = Work {
        table,
        seen: HashMap::new(),
        values: Some(leaves),
        fixed: Fixed::default(),
    };
    work.visit(start);
    work.fixed
}

/// Counts lines from `start` on: a position counts as one and those behind it, by whatever way, are added.
pub fn count_lines(table: &mut Table, start: Board) -> Fixed {
    let mut work = Work {
        table,
        seen: HashMap::new(),
        values: None,
        fixed: Fixed::default(),
    };
    work.visit(start);
    work.fixed
}

/// [`negamax`] without leaves; then takes away leaves that are no move of their board, or that lead to a position of
/// the book. Those that say that every move is in the book stay.
pub fn fix(table: &mut Table, start: Board) -> Fixed {
    let mut fixed = negamax(table, start, LeafValues::Ignore);
    for board in table.sorted() {
        let Some(known) = table.get(board) else {
            continue;
        };
        let leaf = known.leaf;
        let child = leaf.edge.legal_on(board).and_then(|mv| board.after(mv));
        let is_new = child.is_some_and(|child| table.value_of_move_to(child).is_none());
        let stays = is_new || leaf.edge.number == Edge::NONE;
        if !stays && leaf != Leaf::UNDEFINED {
            if let Some(known) = table.get_mut(board) {
                known.leaf = Leaf::UNDEFINED;
            }
            fixed.leaves += 1;
        }
    }
    fixed
}

/// A position's value, if it has one, and its lines.
type Found = (Option<i32>, u64);

/// The value of a position, if it has one.
fn value(known: &Known) -> Option<i32> {
    known.has_value().then_some(i32::from(known.value))
}

struct Work<'a> {
    table: &'a mut Table,
    seen: HashMap<Board, Found>,
    /// Whether values are changed, and by what.
    values: Option<LeafValues>,
    fixed: Fixed,
}

impl Work<'_> {
    /// Goes as deep as a game is long, which is 121 plies at most.
    fn visit(&mut self, board: Board) -> Found {
        let board = board.canonical().board;
        match board.state() {
            State::Moves => self.visit_position(board),
            State::Pass => self.visit_pass(board),
            State::Over => self.visit_end(board),
        }
    }

    /// A pass, which books of Edax have as a position of their own.
    fn visit_pass(&mut self, board: Board) -> Found {
        let (after, lines) = self.visit(board.passed());
        let after = after.map(|value| -value);
        let Some(&known) = self.table.get(board) else {
            return (after, lines);
        };
        let mut new = known;
        if let Some(after) = after {
            new.lines = lines as u32;
            if self.values.is_some() {
                new.value = after as i8;
            }
        }
        if !self.seen.contains_key(&board) {
            self.change(board, &known, new);
        }
        let found = (value(&new), u64::from(new.lines));
        self.seen.insert(board, found);
        found
    }

    fn visit_end(&mut self, board: Board) -> Found {
        let found = |board| self.table.get(board).and_then(value);
        let own = found(board);
        let other = || found(board.passed()).map(|value| -value);
        let value = own.or_else(other);
        let found = (value, u64::from(value.is_some()));
        let board = if own.is_some() {
            board
        } else {
            board.passed().canonical().board
        };
        if value.is_some() && self.seen.insert(board, found).is_none() {
            self.fixed.reached += 1;
        }
        found
    }

    fn change(&mut self, board: Board, old: &Known, new: Known) {
        self.fixed.reached += 1;
        self.fixed.values += u64::from(new.value != old.value);
        self.fixed.lines += u64::from(new.lines != old.lines);
        if let Some(known) = self.table.get_mut(board) {
            *known = new;
        }
    }

    fn visit_position(&mut self, board: Board) -> Found {
        if let Some(&found) = self.seen.get(&board) {
            return found;
        }
        let Some(&known) = self.table.get(board) else {
            return (None, 0);
        };
        let mut best = match self.values {
            Some(LeafValues::Count) if known.leaf.is_known() => {
                Some(i32::from(known.leaf.edge.score))
            }
            _ => None,
        };
        let mut lines = 1;
        for square in board.legal_moves() {
            let (value, more) = self.visit(board.play_legal(square));
            lines += more;
            best = best.max(value.map(|value| -value));
        }
        let lines = lines.min(MOST_LINES);
        let mut new = known;
        new.lines = lines as u32;
        if self.values.is_some()
            && let Some(best) = best
        {
            new.value = best.clamp(-64, 64) as i8;
        }
        self.change(board, &known, new);
        let found = (value(&new), lines);
        self.seen.insert(board, found);
        found
    }
}
