//! How many discs moves lose by what a book says: of a game, and of all lines of the book.

use std::collections::{BTreeMap, HashSet};

use othello_core::{Board, Game, Move, Position, Side, State};
use serde::Serialize;

use super::reach::known_as;
use crate::convert::links::values_of_moves_to;
use crate::store::{Positions, Table};

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

/// The boards that [`line_errors`] asks a book for, and more around them for side-cars: canonical, those of the game,
/// those behind all moves there, and those from the other side.
pub fn line_boards(game: &Game) -> HashSet<Board> {
    let mut boards = HashSet::new();
    let mut add = |board: Board| {
        for board in [board, board.passed()] {
            boards.insert(board.canonical().board);
        }
    };
    let mut board = game.start().board();
    add(board);
    for &mv in game.moves() {
        for square in board.legal_moves() {
            let child = board.play_legal(square);
            add(child);
        }
        let Some(next) = board.after(mv) else { break };
        board = next;
        add(board);
    }
    boards
}

/// The value of a move, and whether it is only a leaf.
fn value_of(table: &Table, board: Board, mv: Move, child: Board) -> (Option<i8>, bool) {
    if let Some(value) = table.value_of_move_to(child) {
        return (Some(value), false);
    }
    let canonical = board.canonical();
    let leaf = table.get(board).map(|known| known.leaf);
    let leaf = leaf.filter(|leaf| leaf.is_known());
    let played = canonical.symmetry.apply(mv);
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

/// The errors of a book from a position on. Takes four bytes a position, and four for those of two neighbouring plies.
pub fn book_errors(book: &impl Positions, start: Board) -> BookErrors {
    let mut errors = BookErrors::default();
    let mut sums = Sums {
        least: vec![Sums::NO; book.bound() as usize],
        next: Vec::new(),
    };
    // Ply by ply: all ways to a position are as long, a pass costs nothing.
    sums.reach(book, start, 0);
    while !sums.next.is_empty() {
        for number in std::mem::take(&mut sums.next) {
            let sum = sums.least[number as usize];
            *errors.sums.entry(sum).or_default() += 1;
            let known = book.known(number);
            let Some(board) = book.board(number).filter(|_| known.has_value()) else {
                continue;
            };
            let value = i32::from(known.value);
            let boards = board.legal_moves().iter();
            let boards: Vec<_> = boards.map(|square| board.play_legal(square)).collect();
            let links = values_of_moves_to(book, &boards);
            for (child, link) in boards.into_iter().zip(links) {
                let Some(link) = link else { continue };
                let error = value - i32::from(link);
                *errors.moves.entry(error).or_default() += 1;
                sums.reach(book, child, sum + error.max(0));
            }
            if known.leaf.is_known() && known.leaf.edge.legal_on(board).is_some() {
                let error = value - i32::from(known.leaf.edge.score);
                *errors.leaves.entry(error).or_default() += 1;
            }
        }
    }
    errors
}

/// The least that both sides together lose on the way to each position.
struct Sums {
    least: Vec<i32>,
    /// Positions that were reached last.
    next: Vec<u32>,
}

impl Sums {
    /// No way was found to it.
    const NO: i32 = i32::MAX;

    /// Notes that a position can be reached for so much, if the book has it.
    fn reach(&mut self, book: &impl Positions, board: Board, sum: i32) {
        let is_pass = board.legal_moves().is_empty() && board.state() == State::Pass;
        let after = if is_pass { board.passed() } else { board };
        let Some(number) = known_as(book, after) else {
            return;
        };
        let least = &mut self.least[number as usize];
        if *least == Self::NO {
            self.next.push(number);
        }
        *least = (*least).min(sum);
    }
}
