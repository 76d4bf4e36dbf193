//! Positions that can be reached through the book, and those that cannot.

use othello_core::{Board, State};

use crate::store::{Bits, Find, Positions};

/// The boards that the moves of a board lead to, in the order of their squares, with their numbers. They are looked up
/// together: finding positions is waiting for memory.
pub(super) fn children(book: &impl Find, board: Board) -> std::vec::IntoIter<(Board, Option<u32>)> {
    let moves = board.legal_moves().iter();
    let boards: Vec<_> = moves.map(|square| board.play_legal(square)).collect();
    let mut numbers = Vec::with_capacity(boards.len());
    book.find_many(&boards, &mut numbers);
    let children: Vec<_> = boards.into_iter().zip(numbers).collect();
    children.into_iter()
}

/// The numbers of the positions that `start` leads to through positions of the book.
pub(super) fn reachable(book: &impl Positions, start: Board) -> Bits {
    let mut reached = Bits::new(book.bound().into());
    let mut todo = vec![(start, book.find(start))];
    while let Some((board, number)) = todo.pop() {
        if board.state() == State::Pass {
            let after = board.passed();
            todo.push((after, book.find(after)));
            // Books of Edax have the position before the pass too.
            if let Some(number) = number {
                reached.set(number.into());
            }
            continue;
        }
        let number = number.or_else(|| other_side(book, board));
        if number.is_some_and(|number| reached.add(number.into())) {
            todo.extend(children(book, board));
        }
    }
    reached
}

/// A finished game may be in the book from either side: the number that it has from the other.
fn other_side(book: &impl Positions, board: Board) -> Option<u32> {
    let is_over = board.legal_moves().is_empty() && board.state() == State::Over;
    is_over.then(|| book.find(board.passed())).flatten()
}

/// The number under which the book has a position.
pub(super) fn known_as(book: &impl Positions, board: Board) -> Option<u32> {
    book.find(board).or_else(|| other_side(book, board))
}

/// Positions that `start` does not lead to, in the order of their boards.
pub fn isolated(book: &impl Positions, start: Board) -> Vec<Board> {
    let reached = reachable(book, start);
    let isolated = book
        .in_order()
        .filter(|&number| !reached.has(number.into()));
    isolated.filter_map(|number| book.board(number)).collect()
}

/// How many positions `start` does not lead to.
pub fn count_isolated(book: &impl Positions, start: Board) -> u64 {
    book.count() - reachable(book, start).count()
}

/// Takes out the positions that `start` does not lead to, and gives how many they were.
pub fn remove_isolated(book: &mut impl Positions, start: Board) -> u64 {
    let reached = reachable(book, start);
    book.keep(&mut |number, _| reached.has(number.into()))
}
