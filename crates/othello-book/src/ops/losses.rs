//! The losses of moves by the values of a book: of a game, and of all edges of the book.

use std::collections::{BTreeMap, HashSet};

use othello_core::{Board, Game, Move, Position, Side, State};
use serde::Serialize;

use crate::convert::links::values_of_moves_to;
use crate::ops::known_as;
use crate::store::{MemoryBook, PositionLookup as _, PositionStore};

/// The loss of a move of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveLoss {
    /// The move; passes lose nothing and are not listed.
    pub mv: Move,
    /// The side that made it.
    pub side: Side,
    /// The value of the position before it, for the side to move; `None` if it is not in the book.
    pub value: Option<i8>,
    /// The value of the move; `None` if it is not in the book.
    pub move_value: Option<i8>,
    /// True if the move is the leaf.
    pub leaf: bool,
    /// The sum of black's losses so far.
    pub black: i32,
    /// The sum of white's losses so far.
    pub white: i32,
}

impl MoveLoss {
    /// The loss in discs: the value of the position less that of the move. Negative in a book with contradicting
    /// values.
    pub fn error(&self) -> Option<i32> {
        Some(i32::from(self.value?) - i32::from(self.move_value?))
    }
}

/// The losses of the moves of a game, one by one and summed. Negative and unknown losses count as none.
pub fn line_losses(table: &MemoryBook, game: &Game) -> Vec<MoveLoss> {
    let mut errors = Vec::new();
    let (mut black, mut white) = (0, 0);
    let behind = game.positions().skip(1).map(Position::board);
    for ((&mv, position), child) in game.moves().iter().zip(game.positions()).zip(behind) {
        if matches!(mv, Move::Place(_)) {
            let (move_value, leaf) = value_of(table, position.board(), mv, child);
            let mut error = MoveLoss {
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
    }
    errors
}

/// The canonical boards that [`line_losses`] looks up, and more for side-cars: those of the game, those behind all
/// moves there, and those from the other side.
pub fn line_boards(game: &Game) -> HashSet<Board> {
    let mut boards = HashSet::new();
    let mut add = |board: Board| {
        for board in [board, board.passed()] {
            boards.insert(board.canonical().board);
        }
    };
    for (n, position) in game.positions().enumerate() {
        let board = position.board();
        add(board);
        // Behind the last position nothing was played.
        if n < game.moves().len() {
            let behind = board.legal_moves().iter();
            behind.for_each(|square| add(board.play_unchecked(square)));
        }
    }
    boards
}

/// The value of a move, and whether it is the leaf.
fn value_of(table: &MemoryBook, board: Board, mv: Move, child: Board) -> (Option<i8>, bool) {
    if let Some(value) = table.value_of_move(child) {
        return (Some(value), false);
    }
    let canonical = board.canonical();
    let leaf = table.get(board).map(|known| known.leaf);
    let leaf = leaf.filter(|leaf| leaf.is_known());
    let played = canonical.symmetry.apply(mv);
    let leaf = leaf.filter(|leaf| {
        // On a self-symmetric board, other squares are the same move.
        let leaf_move = leaf.edge.legal_on(canonical.board);
        let behind = leaf_move.and_then(|leaf_move| canonical.board.after(leaf_move));
        leaf_move == Some(played) || behind.is_some_and(|b| b.canonical() == child.canonical())
    });
    (leaf.map(|leaf| leaf.edge.score), leaf.is_some())
}

/// The losses of all edges of a book, and of the lines to its positions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BookLosses {
    /// Links by loss. Negative where a move is better than its position.
    pub moves: BTreeMap<i32, u64>,
    /// Leaves by loss.
    pub leaves: BTreeMap<i32, u64>,
    /// Positions by the least sum of losses of both sides on the way from the start.
    pub sums: BTreeMap<i32, u64>,
}

/// The losses of a book from a position on. Needs four bytes a position, and four for those of two neighbouring plies.
pub fn book_losses(book: &impl PositionStore, start: Board) -> BookLosses {
    let mut errors = BookLosses::default();
    let mut sums = LossSums {
        least: vec![LossSums::NO; book.bound() as usize],
        next: Vec::new(),
    };
    // Ply by ply: all ways to a position have the same length, and a pass loses nothing.
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
            let boards: Vec<_> = boards.map(|square| board.play_unchecked(square)).collect();
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

/// The least sum of losses on the way to each position.
struct LossSums {
    least: Vec<i32>,
    /// The positions of the next ply.
    next: Vec<u32>,
}

impl LossSums {
    /// Marks a position that was not reached.
    const NO: i32 = i32::MAX;

    /// Records a way to a position with a sum of losses, if it is in the book.
    fn reach(&mut self, book: &impl PositionStore, board: Board, sum: i32) {
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
