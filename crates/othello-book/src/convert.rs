//! Books of Egaroucid as books of Edax, and the other way round.

use hashbrown::HashSet;
use othello_core::{Board, Move, State};

use crate::Edge;
use crate::edax::{Header, Record, RecordRef};
use crate::egaroucid::Leaf;
use crate::store::{Known, Table};

/// What becomes of a position whose book lacks what Edax demands: a leaf wherever some move is no link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// Leaves are taken over, and none is made up. Edax's `book fix` then searches for those that are missing.
    AsTheyAre,
    /// The worst link becomes the leaf where there is no other.
    Complete,
}

/// The records of an Edax book with the positions of a table, in the order of their boards: links are the moves whose
/// positions the table has, best first. A position in which the player to move must pass, which Egaroucid does not
/// keep, becomes a record with the pass as its link.
///
/// `level`, if given, becomes that of every position; levels are cut to 1 to 60.
pub fn to_edax(table: &Table, level: Option<u8>, leaves: Leaves) -> Vec<Record> {
    let mut records = Vec::with_capacity(table.len());
    let mut passes = HashSet::new();
    for board in table.sorted() {
        let Some(known) = table.get(board) else {
            continue;
        };
        let level = level.unwrap_or(known.level.clamp(1, 60) as u8);
        let record = record(table, board, known, level, leaves);
        for link in &record.links {
            let child = link.mv().and_then(|mv| board.after(mv));
            let child = child.map(|child| child.canonical().board);
            if let Some(child) = child
                && child.state() == State::Pass
                && table.get(child).is_none()
                && passes.insert(child)
            {
                records.extend(pass(table, child, level));
            }
        }
        records.push(record);
    }
    records.sort_by_key(|record| record.board);
    records
}

/// A header for records of [`to_edax`].
pub fn header_for(records: &[Record]) -> Header {
    let level = records.iter().map(|record| i32::from(record.level)).max();
    let empties = records.iter().map(|record| 64 - record.board.discs());
    Header {
        level: level.unwrap_or(21),
        n_empties: empties.min().map_or(24, |least| least as i32 + 1),
        n_nodes: records.len() as i32,
        ..Header::default()
    }
}

/// The moves of a board, the pass among them.
pub(crate) fn moves(board: Board) -> Vec<Move> {
    match board.state() {
        State::Moves => board.legal_moves().iter().map(Move::Place).collect(),
        State::Pass => vec![Move::Pass],
        State::Over => Vec::new(),
    }
}

fn empty_record(board: Board, value: i8, level: u8) -> Record {
    Record {
        board,
        wins: 0,
        draws: 0,
        losses: 0,
        lines: 0,
        value: i16::from(value),
        lower: -64,
        upper: 64,
        level,
        links: Vec::new(),
        leaf: Edge::NO_LEAF,
    }
}

fn record(table: &Table, board: Board, known: &Known, level: u8, leaves: Leaves) -> Record {
    let mut record = empty_record(board, known.value, level);
    record.lines = known.lines;
    if board.state() == State::Over {
        record.leaf.score = known.value;
        return record;
    }
    let all = moves(board);
    let links = all.iter().filter_map(|&mv| {
        let value = table.value_of_move_to(board.after(mv)?)?;
        Some(Edge::new(value, mv))
    });
    record.links = links.collect();
    // Stable: equal ones stay in the order of their squares.
    record.links.sort_by_key(|link| -link.score);
    let leaf = known.leaf.edge;
    let is_new = record.links.iter().all(|link| link.number != leaf.number);
    if is_new && known.leaf.is_known() && leaf.legal_on(board).is_some() {
        record.leaf = leaf;
    } else if leaves == Leaves::Complete && record.links.len() < all.len() {
        let first = all.first().copied();
        let unknown = first.map(|mv| Edge::new(known.value, mv));
        record.leaf = record.links.pop().or(unknown).unwrap_or(Edge::NO_LEAF);
    }
    record
}

/// The record of a board on which the player to move must pass.
fn pass(table: &Table, board: Board, level: u8) -> Option<Record> {
    let value = -table.get(board.passed())?.value;
    let mut record = empty_record(board, value, level);
    record.links.push(Edge::new(value, Move::Pass));
    Some(record)
}

/// What becomes of a leaf of Edax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafRule {
    /// A leaf stays one.
    Keep,
    /// A leaf becomes a position of the book, with the level of the one it belongs to. Egaroucid imports so.
    Position,
}

/// Takes a position of an Edax book into a table. Links are left out: the table knows them by their positions.
///
/// Positions without a legal move are left out, as Egaroucid has them under the board after the pass, and so are
/// values beyond ±64.
pub fn from_edax(table: &mut Table, record: &RecordRef<'_>, rule: LeafRule) {
    let board = record.board();
    let Some(value) = i8::try_from(record.value())
        .ok()
        .filter(|v| v.unsigned_abs() <= 64)
    else {
        return;
    };
    if board.state() != State::Moves {
        return;
    }
    let level = record.level() as i8;
    let leaf = record.leaf();
    let leaf_move = leaf
        .legal_on(board)
        .filter(|_| leaf.score.unsigned_abs() <= 64);
    let own = match (rule, leaf_move) {
        (LeafRule::Keep, Some(_)) => Leaf { edge: leaf, level },
        (LeafRule::Keep, None) => Leaf::UNDEFINED,
        (LeafRule::Position, _) => Leaf {
            level,
            ..Leaf::UNDEFINED
        },
    };
    let known = |value, lines, leaf| Known {
        value,
        level,
        lines,
        leaf,
    };
    table.merge(board, known(value, record.to_record().lines, own));
    let (LeafRule::Position, Some(mv)) = (rule, leaf_move) else {
        return;
    };
    let Some(child) = board.after(mv) else { return };
    let (child, value) = match child.state() {
        State::Pass => (child.passed(), leaf.score),
        State::Moves | State::Over => (child, -leaf.score),
    };
    table.merge(child, known(value, 1, own));
}
