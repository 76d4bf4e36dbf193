//! Leaving out what neither player would come to who plays his best.

use othello_core::{Board, State};

use super::reach::children;
use super::{Reduced, negamax_edax};
use crate::Edge;
use crate::convert::links::value_by;
use crate::edax::Header;
use crate::egaroucid::Leaf;
use crate::store::{Bits, Known, Positions};

/// Takes out, as Edax's `book prune` does, all positions but those that can be reached where one of the players, black or
/// white, makes any moves of the book and the other only the best ones; and those with fewer empty squares than the
/// header allows, less one. Values are those of [`negamax_edax`], which comes first. A move to a position that goes
/// becomes the leaf if it is better.
pub fn prune_edax(book: &mut impl Positions, start: Board, header: &Header) -> Reduced {
    negamax_edax(book, start, header);
    let least = u32::try_from(header.n_empties - 1).unwrap_or(0);
    let mut kept = Bits::new(book.bound().into());
    for mover_is_free in [true, false] {
        keep(book, start, mover_is_free, least, &mut kept);
    }
    let mut reduced = Reduced::default();
    for number in 0..book.bound() {
        let Some(board) = book.board(number).filter(|_| kept.has(number.into())) else {
            continue;
        };
        reduced.kept += 1;
        let known = book.known(number);
        let leaf = better_leaf(book, board, &known, &kept);
        if leaf != known.leaf {
            book.set(number, &Known { leaf, ..known });
            reduced.leaves += 1;
        }
    }
    reduced.removed = book.keep(&mut |number, _| kept.has(number.into()));
    reduced
}

/// The positions that the moves of a position lead to, each with its number and the value of the move.
fn moves(book: &impl Positions, board: Board) -> Vec<(Board, Option<u32>, i32)> {
    let valued = children(book, board).filter_map(|(child, number)| {
        let own = number
            .map(|number| book.known(number))
            .filter(Known::has_value);
        let value = value_by(book, child, own.map(|own| own.value))?;
        Some((child, number, i32::from(value)))
    });
    valued.collect()
}

/// Notes what can be reached where one player is free and the other plays his best.
fn keep(book: &impl Positions, start: Board, is_free: bool, least: u32, kept: &mut Bits) {
    let mut seen = Bits::new(book.bound().into());
    let mut todo = vec![(start, book.find(start), is_free)];
    while let Some((board, number, is_free)) = todo.pop() {
        if board.empty().len() < least {
            continue;
        }
        if let Some(number) = number {
            if !seen.add(number.into()) {
                continue;
            }
            kept.set(number.into());
        }
        match board.state() {
            State::Pass => {
                let after = board.passed();
                todo.push((after, book.find(after), !is_free));
            }
            State::Moves => {
                let Some(number) = number else { continue };
                let value = i32::from(book.known(number).value);
                for (child, number, link) in moves(book, board) {
                    if is_free || link >= value {
                        todo.push((child, number, !is_free));
                    }
                }
            }
            State::Over => {}
        }
    }
}

/// The best of the leaf and the moves to positions that go.
fn better_leaf(book: &impl Positions, board: Board, known: &Known, kept: &Bits) -> Leaf {
    let mut leaf = known.leaf;
    let squares = board.legal_moves();
    for (square, (child, number)) in squares.iter().zip(children(book, board)) {
        let stays = |number: Option<u32>| number.is_some_and(|number| kept.has(number.into()));
        let is_pass = child.legal_moves().is_empty() && child.state() == State::Pass;
        if stays(number) || is_pass && stays(book.find(child.passed())) {
            continue;
        }
        let own = number
            .map(|number| book.known(number))
            .filter(Known::has_value);
        let value = value_by(book, child, own.map(|own| own.value));
        if let Some(value) = value.filter(|&value| value > leaf.edge.score) {
            leaf = Leaf {
                edge: Edge::new(value, othello_core::Move::Place(square)),
                level: known.level,
            };
        }
    }
    leaf
}
