//! The moves of a position that lead to positions of the book.

use othello_book::Edge;
use othello_book::egaroucid::BookLeaf;
use othello_book::store::{GrowingBook, PositionData, PositionLookup};
use othello_core::{Board, Move, Square, Squares, State};

/// A move to a position of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// The move.
    pub(crate) square: Square,
    /// The number of the position to move on behind it, after a forced pass; `None` if that one is not in the book, or the
    /// game is over.
    pub(crate) number: Option<u32>,
    /// True if the same player moves there.
    pub(crate) is_after_pass: bool,
    /// Value in discs for the player who makes the move.
    pub(crate) value: i32,
}

/// The moves of a board to positions of the book, in the order of their squares.
pub(crate) fn links(book: &GrowingBook, board: Board) -> Vec<Link> {
    let moves = board.legal_moves();
    let children: Vec<_> = moves
        .iter()
        .map(|square| board.play_unchecked(square))
        .collect();
    let mut numbers = Vec::with_capacity(children.len());
    book.find_many(&children, &mut numbers);
    let children = moves.iter().zip(children).zip(numbers);
    children
        .filter_map(|((square, child), number)| link(book, square, child, number))
        .collect()
}

fn link(book: &GrowingBook, square: Square, child: Board, number: Option<u32>) -> Option<Link> {
    let value = |number: Option<u32>| {
        let known = book.known(number?);
        known.has_value().then_some(i32::from(known.value))
    };
    let own = value(number).map(|value| -value);
    let link = |number, is_after_pass, value| Link {
        square,
        number,
        is_after_pass,
        value,
    };
    match child.state() {
        State::Moves => Some(link(number, false, own?)),
        State::Pass => {
            let after = book.find(child.passed());
            let value = value(after).or(own)?;
            Some(link(after, true, value))
        }
        State::Over => Some(link(
            None,
            false,
            own.or_else(|| value(book.find(child.passed())))?,
        )),
    }
}

/// The legal moves of a board that lead to no position of the book.
pub(crate) fn open_moves(board: Board, links: &[Link]) -> Squares {
    let linked = links
        .iter()
        .fold(0, |linked, link| linked | link.square.bit());
    Squares(board.legal_moves().0 & !linked)
}

/// The move of a leaf, if it is legal and leads out of the book.
pub(crate) fn open_leaf(board: Board, links: &[Link], leaf: BookLeaf) -> Option<Square> {
    let Some(Move::Place(square)) = leaf.edge.mv() else {
        return None;
    };
    (leaf.is_known() && open_moves(board, links).contains(square)).then_some(square)
}

/// Returns whether the leaf says what it should: an open move, or that there is none.
pub(crate) fn is_leaf_valid(board: Board, links: &[Link], leaf: BookLeaf) -> bool {
    if open_moves(board, links).is_empty() {
        leaf.edge.number == Edge::NONE
    } else {
        open_leaf(board, links, leaf).is_some()
    }
}

/// The position that a board stands for: after a forced pass, or the board itself.
pub(crate) fn after_pass(board: Board) -> Board {
    if board.state() == State::Pass {
        board.passed()
    } else {
        board
    }
}

/// Returns whether the book has a board, a finished game from either side.
pub(crate) fn has(book: &GrowingBook, board: Board) -> bool {
    book.find(board).is_some() || (board.is_over() && book.find(board.passed()).is_some())
}

/// The data of a new position: a value of a search, and no leaf.
pub(crate) fn searched(value: i8, level: i8, is_of_edax: bool) -> PositionData {
    PositionData {
        value,
        level,
        is_of_edax,
        ..PositionData::default()
    }
}
