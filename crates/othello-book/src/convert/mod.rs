//! Books of Egaroucid as books of Edax, and the other way round.

pub(crate) mod links;

use std::convert::Infallible;

use hashbrown::HashSet;
use othello_core::{Board, Move, State};

use self::links::{LeftOut, Linked, Values, knows_no_move};
use crate::Edge;
use crate::edax::{Header, Record};
use crate::egaroucid::Leaf;
use crate::store::{Bounds, Known, Positions, Table};
use crate::text::NO_VALUE;

/// What becomes of a position whose book lacks what Edax demands: a leaf wherever some move is no link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// Leaves are taken over as they are. Edax's `book fix` then warns of those that are missing, and searches for them.
    AsTheyAre,
    /// A move to a position becomes the leaf where there is no other: the worst link. Positions of which no move is known
    /// are left out, if they are not of a book of Edax; then the best move to one of them becomes the leaf.
    Complete,
}

/// The records of an Edax book with the positions of another, in the order of their boards: links are the moves whose
/// positions the book has, best first. A position in which the player to move must pass, which Egaroucid does not
/// keep, becomes a record with the pass as its link.
///
/// `level`, if given, becomes that of every position; levels are cut to 1 to 60.
pub fn to_edax(book: &impl Positions, level: Option<u8>, leaves: Leaves) -> Vec<Record> {
    let mut records = Vec::new();
    let done = each_edax(book, level, leaves, &mut |record| {
        records.push(record);
        Ok::<(), Infallible>(())
    });
    match done {
        Ok(()) => records.sort_by_key(|record| record.board),
        Err(never) => match never {},
    }
    records
}

/// As [`to_edax`], one by one: those of the book in the order of their boards, passes that are not in it between
/// them.
///
/// # Errors
///
/// What `each` gives.
pub fn each_edax<E>(
    book: &impl Positions,
    level: Option<u8>,
    leaves: Leaves,
    each: &mut dyn FnMut(Record) -> Result<(), E>,
) -> Result<(), E> {
    let left_out = (leaves == Leaves::Complete).then(|| left_out(book));
    each_made(book, level, left_out.as_ref(), &mut |made| {
        each(made.record)
    })
}

/// A record that was made for Edax.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) record: Record,
    pub(crate) linked: Linked,
    /// The number of its position; `None` for a pass that the book does not have.
    pub(crate) number: Option<u32>,
}

/// As [`each_edax`], with more to be told; leaves are completed if something may be left out.
pub(crate) fn each_made<E>(
    book: &impl Positions,
    level: Option<u8>,
    left_out: Option<&LeftOut>,
    each: &mut dyn FnMut(Made) -> Result<(), E>,
) -> Result<(), E> {
    let mut passes = Passes::default();
    for number in book.in_order() {
        let is_left_out = left_out.is_some_and(|left_out| left_out.has(number.into()));
        let Some(board) = book.board(number).filter(|_| !is_left_out) else {
            continue;
        };
        let mut record = record_of(board, &book.known(number), level);
        let linked = links::relink(&mut record, book, left_out);
        passes.each_behind(&record, book, left_out, &mut |record| {
            each(Made {
                record,
                linked: Linked::default(),
                number: None,
            })
        })?;
        each(Made {
            record,
            linked,
            number: Some(number),
        })?;
    }
    Ok(())
}

/// The positions of a book that are not written for Edax.
pub(crate) fn left_out(book: &impl Positions) -> LeftOut {
    let mut left_out = LeftOut::new(book.bound().into());
    for number in 0..book.bound() {
        let Some(board) = book.board(number) else {
            continue;
        };
        let known = book.known(number);
        if !known.leaf.is_known() || known.leaf.edge.legal_on(board).is_none() {
            let record = record_of(board, &known, None);
            if may_be_left_out(&record, known.is_of_edax) && knows_no_move(&record, book) {
                left_out.add(number.into());
            }
        }
    }
    left_out
}

/// Whether a position is left out if no move of it is known. One that a book of Edax has like that stays as it is, unless
/// it has no value either.
pub(crate) const fn may_be_left_out(record: &Record, is_of_edax: bool) -> bool {
    !is_of_edax || record.value == NO_VALUE
}

/// A header for records of [`to_edax`].
pub fn header_for(records: &[Record]) -> Header {
    let mut tally = HeaderTally::default();
    for record in records {
        tally.add(record.board, record.level);
    }
    tally.header(None)
}

/// What a header must say of its records.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeaderTally {
    level: Option<u8>,
    fewest_empties: Option<u32>,
    records: u64,
}

impl HeaderTally {
    pub(crate) fn add(&mut self, board: Board, level: u8) {
        let empties = board.empty().len();
        self.level = self.level.max(Some(level));
        self.fewest_empties = Some(self.fewest_empties.map_or(empties, |n| n.min(empties)));
        self.records += 1;
    }

    /// How many records there are.
    pub(crate) const fn records(&self) -> u64 {
        self.records
    }

    /// A header that keeps what can be kept of an older one.
    pub(crate) fn header(&self, old: Option<Header>) -> Header {
        let mut header = old.unwrap_or_default();
        // Edax only makes its table as large, and keeps the number in 32 bits.
        header.n_nodes = i32::try_from(self.records).unwrap_or(i32::MAX);
        if old.is_none() {
            header.level = self.level.map_or(21, i32::from);
            header.n_empties = self.fewest_empties.map_or(24, |least| least as i32 + 1);
        }
        header
    }

    /// The header of a book that is text: positions have as many empty squares at least as one of them has.
    pub(crate) fn header_of_text(&self) -> Header {
        Header {
            level: self.level.map_or(21, i32::from),
            n_empties: self.fewest_empties.map_or(24, |least| least as i32),
            ..Header::default()
        }
    }
}

/// What a table knows of a position as a record without links.
pub(crate) fn record_of(board: Board, known: &Known, level: Option<u8>) -> Record {
    let (value, bounds) = (known.value, known.bounds);
    let holds = (bounds.lower..=bounds.upper).contains(&value);
    // Bounds of an earlier value say nothing.
    let bounds = if holds { bounds } else { Bounds::default() };
    let leaf = known.leaf.edge;
    let leaf = if board.state() == State::Over {
        Edge {
            score: value,
            number: Edge::NONE,
        }
    } else if known.leaf.is_known() && leaf.legal_on(board).is_some() {
        leaf
    } else {
        Edge::NO_LEAF
    };
    Record {
        board,
        wins: known.games.wins,
        draws: known.games.draws,
        losses: known.games.losses,
        lines: known.lines,
        value: i16::from(value),
        lower: i16::from(bounds.lower),
        upper: i16::from(bounds.upper),
        level: level.unwrap_or(known.level.clamp(1, 60) as u8),
        links: Vec::new(),
        leaf,
    }
}

/// Positions in which the player to move must pass, which a book for Edax must have and one of Egaroucid has not.
#[derive(Debug, Default)]
pub(crate) struct Passes(HashSet<Board>);

impl Passes {
    /// Gives the records that the links of a record lead to and that are neither in the book nor were given yet.
    pub(crate) fn each_behind<E>(
        &mut self,
        record: &Record,
        values: &impl Values,
        left_out: Option<&LeftOut>,
        each: &mut dyn FnMut(Record) -> Result<(), E>,
    ) -> Result<(), E> {
        for edge in record.links.iter().chain([&record.leaf]) {
            let child = edge.mv().and_then(|mv| record.board.after(mv));
            let child = child.filter(|child| child.state() == State::Pass);
            let Some(child) = child.map(|child| child.canonical().board) else {
                continue;
            };
            let after = values.value(child.passed()).filter(|_| {
                let number = values.number(child.passed());
                left_out.is_none_or(|left_out| !number.is_some_and(|number| left_out.has(number)))
            });
            let Some(value) = after.filter(|_| values.value(child).is_none()) else {
                continue;
            };
            if self.0.insert(child) {
                each(pass(child, -value, record.level))?;
            }
        }
        Ok(())
    }
}

/// The record of a board on which the player to move must pass.
fn pass(board: Board, value: i8, level: u8) -> Record {
    let known = Known {
        value,
        ..Known::default()
    };
    let mut record = record_of(board, &known, Some(level));
    record.links.push(Edge::new(value, Move::Pass));
    record
}

/// What becomes of a leaf of Edax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafRule {
    /// A leaf stays one, and all else stays as it is.
    Keep,
    /// A leaf becomes a position of the book, with the level of the one it belongs to. Egaroucid imports so; positions
    /// without a legal move and values beyond ±64 are left out.
    Position,
}

/// Takes a position of an Edax book into a table. Links are left out: the table knows them by their positions.
pub fn from_edax(table: &mut Table, record: &Record, rule: LeafRule) {
    let known = Known::from(record);
    if rule == LeafRule::Keep {
        table.merge(record.board, known);
        return;
    }
    for (board, known) in imported(record) {
        table.merge(board, known);
    }
}

/// What Egaroucid makes of a position of an Edax book: the position, and the one behind its leaf.
pub(crate) fn imported(record: &Record) -> impl Iterator<Item = (Board, Known)> {
    let known = Known::from(record);
    let board = record.board;
    let (level, leaf) = (known.level, known.leaf);
    let is_taken = known.has_value() && board.state() == State::Moves;
    let with = |value, lines| Known {
        value,
        level,
        lines,
        leaf: Leaf {
            level,
            ..Leaf::UNDEFINED
        },
        ..Known::default()
    };
    let child = leaf.edge.legal_on(board).filter(|_| leaf.is_known());
    let child = child.and_then(|mv| board.after(mv));
    let child = child.map(|child| match child.state() {
        State::Pass => (child.passed(), leaf.edge.score),
        State::Moves | State::Over => (child, -leaf.edge.score),
    });
    let own = is_taken.then(|| (board, with(known.value, known.lines)));
    let child = child.filter(|_| is_taken);
    own.into_iter()
        .chain(child.map(|(board, value)| (board, with(value, 1))))
}
