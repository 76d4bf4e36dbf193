//! Conversion between records of Egaroucid and Edax.

pub(crate) mod links;

use std::convert::Infallible;

use hashbrown::HashSet;
use othello_core::{Board, Move, State};

use crate::Edge;
use crate::convert::links::{OmittedPositions, PositionValues, RelinkReport, has_no_known_move};
use crate::edax::{EdaxHeader, EdaxRecord};
use crate::egaroucid::BookLeaf;
use crate::store::{Bounds, MemoryBook, PositionData, PositionStore};
use crate::text::NO_VALUE;

/// The treatment of positions without the leaf that Edax demands wherever some move is no link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafPolicy {
    /// Keep leaves as they are. Edax's `book fix` then warns about missing ones, and searches for them.
    Keep,
    /// Turn the worst link into the leaf where there is none. Positions without a known move are omitted unless they
    /// come from a book of Edax; the best move to one of them then becomes the leaf.
    Complete,
}

/// Converts a book to records of Edax in the order of their boards. Links are the moves whose positions are in the
/// book, best first. A forced pass, which Egaroucid does not store, becomes a record with the pass as its link.
///
/// `level`, if given, is that of every record; levels are clamped to 1 to 60.
pub fn to_edax(
    book: &impl PositionStore,
    level: Option<u8>,
    leaves: LeafPolicy,
) -> Vec<EdaxRecord> {
    let mut records = Vec::new();
    let done = for_each_edax(book, level, leaves, &mut |record| {
        records.push(record);
        Ok::<(), Infallible>(())
    });
    match done {
        Ok(()) => records.sort_by_key(|record| record.board),
        Err(never) => match never {},
    }
    records
}

/// [`to_edax`] with a callback: records of the book in the order of their boards, inserted passes between them.
///
/// # Errors
///
/// The errors of `each`.
pub(crate) fn for_each_edax<E>(
    book: &impl PositionStore,
    level: Option<u8>,
    leaves: LeafPolicy,
    each: &mut dyn FnMut(EdaxRecord) -> Result<(), E>,
) -> Result<(), E> {
    let left_out = (leaves == LeafPolicy::Complete).then(|| left_out(book));
    for_each_converted(book, level, left_out.as_ref(), &mut |made| {
        each(made.record)
    })
}

/// A record converted to Edax.
#[derive(Debug)]
pub(crate) struct ConvertedRecord {
    pub(crate) record: EdaxRecord,
    pub(crate) linked: RelinkReport,
    /// The number of its position; `None` for an inserted pass.
    pub(crate) number: Option<u32>,
}

/// [`for_each_edax`] with details; leaves are completed if there is a set of omitted positions.
pub(crate) fn for_each_converted<E>(
    book: &impl PositionStore,
    level: Option<u8>,
    left_out: Option<&OmittedPositions>,
    each: &mut dyn FnMut(ConvertedRecord) -> Result<(), E>,
) -> Result<(), E> {
    let mut passes = PassRecords::default();
    for number in book.in_order() {
        let is_left_out = left_out.is_some_and(|left_out| left_out.has(number.into()));
        let Some(board) = book.board(number).filter(|_| !is_left_out) else {
            continue;
        };
        let mut record = record_of(board, &book.known(number), level);
        let linked = links::relink(&mut record, book, left_out);
        passes.for_each_child(&record, book, left_out, &mut |record| {
            each(ConvertedRecord {
                record,
                linked: RelinkReport::default(),
                number: None,
            })
        })?;
        each(ConvertedRecord {
            record,
            linked,
            number: Some(number),
        })?;
    }
    Ok(())
}

/// The positions to omit from a book for Edax.
pub(crate) fn left_out(book: &impl PositionStore) -> OmittedPositions {
    let mut left_out = OmittedPositions::new(book.bound().into());
    for number in 0..book.bound() {
        let Some(board) = book.board(number) else {
            continue;
        };
        let known = book.known(number);
        if !known.leaf.is_known() || known.leaf.edge.legal_on(board).is_none() {
            let record = record_of(board, &known, None);
            if may_be_left_out(&record, known.is_of_edax) && has_no_known_move(&record, book) {
                left_out.add(number.into());
            }
        }
    }
    left_out
}

/// Returns whether a position without a known move is omitted. One from a book of Edax stays, unless it has no value
/// either.
pub(crate) const fn may_be_left_out(record: &EdaxRecord, is_of_edax: bool) -> bool {
    !is_of_edax || record.value == NO_VALUE
}

/// The header of a book of records.
pub fn header_for(records: &[EdaxRecord]) -> EdaxHeader {
    let mut builder = HeaderBuilder::default();
    for record in records {
        builder.add(record.board, record.level);
    }
    builder.build(None)
}

/// A builder of the header of a book from its records.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeaderBuilder {
    level: Option<u8>,
    fewest_empties: Option<u32>,
    records: u64,
}

impl HeaderBuilder {
    pub(crate) fn add(&mut self, board: Board, level: u8) {
        let empties = board.empty().len();
        self.level = self.level.max(Some(level));
        self.fewest_empties = Some(self.fewest_empties.map_or(empties, |n| n.min(empties)));
        self.records += 1;
    }

    /// The number of records.
    pub(crate) const fn records(&self) -> u64 {
        self.records
    }

    /// The header, with the settings of an older one.
    pub(crate) fn build(&self, old: Option<EdaxHeader>) -> EdaxHeader {
        let mut header = old.unwrap_or_default();
        // Edax uses it only to size its table, in 32 bits.
        header.n_nodes = i32::try_from(self.records).unwrap_or(i32::MAX);
        if old.is_none() {
            header.level = self.level.map_or(21, i32::from);
            header.n_empties = self.fewest_empties.map_or(24, |least| least as i32 + 1);
        }
        header
    }

    /// The header of a text book, whose `n_empties` is the least number of empty squares.
    pub(crate) fn build_for_text(&self) -> EdaxHeader {
        EdaxHeader {
            level: self.level.map_or(21, i32::from),
            n_empties: self.fewest_empties.map_or(24, |least| least as i32),
            ..EdaxHeader::default()
        }
    }
}

/// The record of a position without links.
pub(crate) fn record_of(board: Board, known: &PositionData, level: Option<u8>) -> EdaxRecord {
    let (value, bounds) = (known.value, known.bounds);
    let holds = (bounds.lower..=bounds.upper).contains(&value);
    // Bounds of an earlier value are void.
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
    // Edax itself may have searched at level 0; Egaroucid exports no level below 1.
    let least_level = i8::from(!known.is_of_edax);
    EdaxRecord {
        board,
        wins: known.games.wins,
        draws: known.games.draws,
        losses: known.games.losses,
        lines: known.lines,
        value: i16::from(value),
        lower: i16::from(bounds.lower),
        upper: i16::from(bounds.upper),
        level: level.unwrap_or(known.level.clamp(least_level, 60) as u8),
        links: Vec::new(),
        leaf,
    }
}

/// The records of forced passes, which Edax needs and Egaroucid does not store.
#[derive(Debug, Default)]
pub(crate) struct PassRecords(HashSet<Board>);

impl PassRecords {
    /// Calls `each` with the missing pass records behind the moves of a record, each once.
    pub(crate) fn for_each_child<E>(
        &mut self,
        record: &EdaxRecord,
        values: &impl PositionValues,
        left_out: Option<&OmittedPositions>,
        each: &mut dyn FnMut(EdaxRecord) -> Result<(), E>,
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

/// The record of a forced pass.
fn pass(board: Board, value: i8, level: u8) -> EdaxRecord {
    let known = PositionData {
        value,
        ..PositionData::default()
    };
    let mut record = record_of(board, &known, Some(level));
    record.links.push(Edge::new(value, Move::Pass));
    record
}

/// The treatment of Edax's leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafImport {
    /// Keep leaves and everything else.
    Keep,
    /// Turn a leaf into a position of the book with the level of its parent, as Egaroucid's import does; positions
    /// without a legal move and values beyond ±64 are dropped.
    AsPosition,
}

/// Merges a record of Edax into a book. Links follow from the positions.
pub fn from_edax(table: &mut MemoryBook, record: &EdaxRecord, rule: LeafImport) {
    let known = PositionData::from(record);
    if rule == LeafImport::Keep {
        table.merge(record.board, known);
        return;
    }
    for (board, known) in imported(record) {
        table.merge(board, known);
    }
}

/// The positions that Egaroucid imports from a record of Edax: its own, and the one behind its leaf.
pub(crate) fn imported(record: &EdaxRecord) -> impl Iterator<Item = (Board, PositionData)> {
    let known = PositionData::from(record);
    let board = record.board;
    let (level, leaf) = (known.level, known.leaf);
    let is_taken = known.has_value() && board.state() == State::Moves;
    let with = |value, lines| PositionData {
        value,
        level,
        lines,
        leaf: BookLeaf {
            level,
            ..BookLeaf::UNDEFINED
        },
        ..PositionData::default()
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
