//! Leaving out what is too deep or too bad.

use hashbrown::HashMap;
use othello_core::{Board, State};

use super::reach::{known_as, reachable};
use crate::Edge;
use crate::egaroucid::Leaf;
use crate::store::Table;

/// How deep a book goes, and how bad moves may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Plies from the start, passes not counted.
    pub depth: u32,
    /// By how many discs a move may be worse than its position's value.
    pub error: i32,
    /// By how many all moves of a line together may be. A move that is better than its position's value gives some
    /// back.
    pub sum: i32,
}

/// What [`reduce`] changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reduced {
    /// Positions that stay because the limits let them.
    pub kept: u64,
    /// Positions that were taken out.
    pub removed: u64,
    /// Leaves that were put in the place of moves to such positions.
    pub leaves: u64,
}

/// Takes out the positions behind `start` that are beyond the limits on every way to them. Where a move to one of
/// those is better than the leaf, it becomes the leaf. Positions that `start` does not lead to stay.
pub fn reduce(table: &mut Table, start: Board, limits: Limits) -> Reduced {
    let kept = kept(table, start, limits);
    let reached = reachable(table, start);
    let mut reduced = Reduced {
        kept: kept.len() as u64,
        ..Reduced::default()
    };
    for &board in kept.keys() {
        if let Some(leaf) = better_leaf(table, board, &kept)
            && let Some(known) = table.get_mut(board)
        {
            known.leaf = leaf;
            reduced.leaves += 1;
        }
    }
    let before = table.len();
    // A pass stays with the position after it.
    let after_pass = |board: Board| {
        let is_pass = board.state() == State::Pass;
        is_pass && kept.contains_key(&board.passed().canonical().board)
    };
    table.retain(|board, _| {
        kept.contains_key(&board) || !reached.contains(&board) || after_pass(board)
    });
    reduced.removed = (before - table.len()) as u64;
    reduced
}

/// The position that a move leads to, as the table knows it: behind a pass, the one after it if it is there.
fn behind(table: &Table, child: Board) -> Option<Board> {
    let after = || known_as(table, child.passed());
    let after = (child.state() == State::Pass).then(after).flatten();
    after.or_else(|| known_as(table, child))
}

/// The boards that stay, each with how much error is left on the best way to it. Ply by ply, so that the best way
/// is known before it goes on.
fn kept(table: &Table, start: Board, limits: Limits) -> HashMap<Board, i32> {
    let mut kept = HashMap::new();
    let mut ply = HashMap::new();
    ply.extend(behind(table, start).map(|board| (board, limits.sum)));
    for depth in 0..=limits.depth {
        let mut next: HashMap<Board, i32> = HashMap::new();
        for (board, left) in ply {
            kept.insert(board, left);
            let Some(known) = table.get(board).filter(|_| depth < limits.depth) else {
                continue;
            };
            for square in board.legal_moves() {
                let child = board.play_legal(square);
                let Some(value) = table.value_of_move_to(child) else {
                    continue;
                };
                let error = i32::from(known.value) - i32::from(value);
                let within = error <= limits.error && error <= left;
                if let Some(child) = behind(table, child).filter(|_| within) {
                    let best = next.entry(child).or_insert(i32::MIN);
                    *best = (*best).max(left - error);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        ply = next;
    }
    kept
}

/// The best move of a board to a position that goes, if it is better than the leaf.
fn better_leaf(table: &Table, board: Board, kept: &HashMap<Board, i32>) -> Option<Leaf> {
    let mut leaf = table.get(board)?.leaf;
    let mut found = false;
    for square in board.legal_moves() {
        let child = board.play_legal(square);
        let (Some(value), Some(child)) = (table.value_of_move_to(child), behind(table, child))
        else {
            continue;
        };
        if !kept.contains_key(&child) && value > leaf.edge.score {
            leaf = Leaf {
                edge: Edge::new(value, othello_core::Move::Place(square)),
                level: table.get(child)?.level,
            };
            found = true;
        }
    }
    found.then_some(leaf)
}
