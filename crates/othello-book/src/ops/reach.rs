//! Positions that can be reached through the book, and those that cannot.

use hashbrown::HashSet;
use othello_core::{Board, State};

use crate::store::Table;

/// The boards of the table that `start` leads to through positions of the table, canonical.
pub(super) fn reachable(table: &Table, start: Board) -> HashSet<Board> {
    let mut reached = HashSet::new();
    let mut todo = vec![start];
    while let Some(board) = todo.pop() {
        if board.state() == State::Pass {
            todo.push(board.passed());
            // Books of Edax have the position before the pass too.
            reached.extend(known_as(table, board));
            continue;
        }
        let board = known_as(table, board);
        let Some(board) = board else { continue };
        if reached.insert(board) {
            let next = board.legal_moves().iter();
            todo.extend(next.map(|square| board.play_legal(square)));
        }
    }
    reached
}

/// The canonical board under which the table knows a position: a finished game may be there from either side.
pub(super) fn known_as(table: &Table, board: Board) -> Option<Board> {
    let canonical = board.canonical().board;
    if table.get(canonical).is_some() {
        return Some(canonical);
    }
    let other = board.passed().canonical().board;
    (board.state() == State::Over && table.get(other).is_some()).then_some(other)
}

/// Positions that `start` does not lead to, in the order of their boards.
pub fn isolated(table: &Table, start: Board) -> Vec<Board> {
    let reached = reachable(table, start);
    let mut all = table.sorted();
    all.retain(|board| !reached.contains(board));
    all
}

/// Takes out the positions that `start` does not lead to, and gives how many they were.
pub fn remove_isolated(table: &mut Table, start: Board) -> u64 {
    let reached = reachable(table, start);
    let before = table.len();
    table.retain(|board, _| reached.contains(&board));
    (before - table.len()) as u64
}
