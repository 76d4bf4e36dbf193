//! How many discs moves lose by what a book says: of a game, and of all lines of the book.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use othello_core::{Board, Game, Move, Position, Side, State};
use serde::Serialize;

use super::reach::known_as;
use crate::store::Table;

/// What a book says of a move of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveError {
    /// The move; passes have no error and are left out.
    pub mv: Move,
    /// Who made it.
    pub side: Side,
    /// The value of the position before it, for whoever moves; `None` if the book does not have it.
    pub value: Option<i8>,
    /// The value of the move; `None` if the book does not have it.
    pub move_value: Option<i8>,
    /// Whether the move is the leaf, and leads out of the book.
    pub leaf: bool,
    /// Discs that black's moves have lost up to here.
    pub black: i32,
    /// Discs that white's moves have lost up to here.
    pub white: i32,
}

impl MoveError {
    /// By how many discs the move is worse than its position. Negative if it is better, which happens in a book whose
    /// values were not made to agree.
    pub fn error(&self) -> Option<i32> {
        Some(i32::from(self.value?) - i32::from(self.move_value?))
    }
}

/// The errors of the moves of a game, one by one and added up. A move that is better than its position loses nothing,
/// and neither does one that the book does not know.
pub fn line_errors(table: &Table, game: &Game) -> Vec<MoveError> {
    let mut errors = Vec::new();
    let mut position = game.start();
    let (mut black, mut white) = (0, 0);
    for &mv in game.moves() {
        let Some(child) = position.board().after(mv) else {
            break;
        };
        if matches!(mv, Move::Place(_)) {
            let (move_value, leaf) = value_of(table, position.board(), mv, child);
            let mut error = MoveError {
                mv,
                side: position.side(),
                value: table.get(position.board()).map(|known| known.value),
                move_value,
                leaf,
                black,
                white,
            };
            let lost = error.error().unwrap_or(0).max(0);
            match position.side() {
                Side::Black => black += lost,
                Side::White => white += lost,
            }
            (error.black, error.white) = (black, white);
            errors.push(error);
        }
        position = Position::new(child, position.side().other());
    }
    errors
}

/// The value of a move, and whether it is only a leaf.
fn value_of(table: &Table, board: Board, mv: Move, child: Board) -> (Option<i8>, bool) {
    if let Some(value) = table.value_of_move_to(child) {
        return (Some(value), false);
    }
    let canonical = board.canonical();
    let leaf = table.get(board).map(|known| known.leaf);
    let leaf = leaf.filter(|leaf| leaf.is_known());
    let played = canonical.symmetry.turn(mv);
    let leaf = leaf.filter(|leaf| {
        // On a board that is an image of itself, other squares are the same move.
        let told = leaf.edge.legal_on(canonical.board);
        let behind = told.and_then(|told| canonical.board.after(told));
        told == Some(played) || behind.is_some_and(|b| b.canonical() == child.canonical())
    });
    (leaf.map(|leaf| leaf.edge.score), leaf.is_some())
}

/// Errors of all moves of a book, and how good the lines are that lead to its positions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BookErrors {
    /// Moves to positions of the book, by how many discs they are worse than their position. Negative where a move is
    /// better.
    pub moves: BTreeMap<i32, u64>,
    /// Leaves, likewise.
    pub leaves: BTreeMap<i32, u64>,
    /// Positions that the start leads to, by how many discs both sides together lose at least on the way.
    pub sums: BTreeMap<i32, u64>,
}

/// The errors of a book from a position on. Takes memory for the positions of two neighbouring plies, 20 bytes each.
pub fn book_errors(table: &Table, start: Board) -> BookErrors {
    let mut errors = BookErrors::default();
    // Ply by ply: all ways to a position are as long, a pass costs nothing.
    let mut ply = HashMap::new();
    reach(table, &mut ply, start, 0);
    while !ply.is_empty() {
        let mut next = HashMap::new();
        for (board, sum) in ply {
            *errors.sums.entry(sum).or_default() += 1;
            let Some(known) = table.get(board).filter(|known| known.has_value()) else {
                continue;
            };
            let value = i32::from(known.value);
            for square in board.legal_moves() {
                let child = board.play_legal(square);
                let Some(link) = table.value_of_move_to(child) else {
                    continue;
                };
                let error = value - i32::from(link);
                *errors.moves.entry(error).or_default() += 1;
                reach(table, &mut next, child, sum + error.max(0));
            }
            if known.leaf.is_known() && known.leaf.edge.legal_on(board).is_some() {
                let error = value - i32::from(known.leaf.edge.score);
                *errors.leaves.entry(error).or_default() += 1;
            }
        }
        ply = next;
    }
    errors
}

/// Notes that a position can be reached for so much, if the book has it.
fn reach(table: &Table, ply: &mut HashMap<Board, i32>, board: Board, sum: i32) {
    let after = match board.state() {
        State::Pass => board.passed(),
        State::Moves | State::Over => board,
    };
    if let Some(board) = known_as(table, after) {
        let least = ply.entry(board).or_insert(sum);
        *least = (*least).min(sum);
    }
}
