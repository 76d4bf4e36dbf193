//! Removal of positions that are too deep or behind bad moves.

use othello_core::{Board, State};

use super::negamax::negamax_edax;
use crate::Edge;
use crate::convert::links::value_by;
use crate::edax::EdaxHeader;
use crate::egaroucid::BookLeaf;
use crate::ops::{children, known_as, reachable};
use crate::store::{BitSet, PositionData, PositionStore};

/// Limits of depth and errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReduceLimits {
    /// The depth in plies from the start, passes not counted.
    pub depth: u32,
    /// The greatest error of a move, in discs below its position's value.
    pub error: i32,
    /// The greatest sum of errors of a line. A move that is better than its position's value lowers the sum.
    pub sum: i32,
}

/// The counts of [`reduce`] and [`prune_edax`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReduceReport {
    /// Positions that stay within the limits.
    pub kept: u64,
    /// Removed positions.
    pub removed: u64,
    /// Leaves made of links to removed positions.
    pub leaves: u64,
}

/// Removes the positions behind `start` that are beyond the limits on every way to them. The best link to one of them
/// becomes the leaf if it is better. Isolated positions stay.
pub fn reduce(book: &mut impl PositionStore, start: Board, limits: ReduceLimits) -> ReduceReport {
    let kept = KeptPositions::find(book, start, limits);
    let reached = reachable(book, start);
    let mut reduced = ReduceReport::default();
    for number in 0..book.bound() {
        let Some(board) = book.board(number).filter(|_| kept.has(number)) else {
            continue;
        };
        reduced.kept += 1;
        if let Some(leaf) = better_leaf(book, number, board, &kept) {
            let known = book.known(number);
            book.set(number, &PositionData { leaf, ..known });
            reduced.leaves += 1;
        }
    }
    // A pass stays with the position after it.
    let mut stays = reached;
    stays.invert();
    for number in 0..book.bound() {
        let Some(board) = book.board(number) else {
            continue;
        };
        let after_pass = || {
            let is_pass = board.legal_moves().is_empty() && board.state() == State::Pass;
            let after = is_pass.then(|| book.find(board.passed())).flatten();
            after.is_some_and(|after| kept.has(after))
        };
        if kept.has(number) || after_pass() {
            stays.set(number.into());
        }
    }
    reduced.removed = book.keep(&mut |number, _| stays.has(number.into()));
    reduced
}

/// The number of the position behind a move: after a forced pass if it is in the book, else before it.
fn behind(book: &impl PositionStore, child: Board, own: Option<u32>) -> Option<u32> {
    if child.legal_moves().is_empty() && child.state() == State::Pass {
        known_as(book, child.passed()).or(own)
    } else {
        own.or_else(|| known_as(book, child))
    }
}

/// The kept positions, each with the error left on the best way to it.
struct KeptPositions(Vec<i32>);

impl KeptPositions {
    /// Marks a position that was not reached.
    const NO: i32 = i32::MIN;

    fn has(&self, number: u32) -> bool {
        self.0[number as usize] != Self::NO
    }

    /// Finds the kept positions ply by ply, so that the best way to a position is known before it is expanded.
    fn find(book: &impl PositionStore, start: Board, limits: ReduceLimits) -> Self {
        let mut left = vec![Self::NO; book.bound() as usize];
        let mut ply = Vec::new();
        if let Some(number) = behind(book, start, book.find(start)) {
            left[number as usize] = limits.sum;
            ply.push(number);
        }
        for _ in 0..limits.depth {
            let mut next = Vec::new();
            for number in ply {
                let Some(board) = book.board(number) else {
                    continue;
                };
                let (known, here) = (book.known(number), left[number as usize]);
                for (child, own) in children(book, board) {
                    let Some(value) = value_by(book, child, own.and_then(|own| value(book, own)))
                    else {
                        continue;
                    };
                    let error = i32::from(known.value) - i32::from(value);
                    let within = error <= limits.error && error <= here;
                    if let Some(child) = behind(book, child, own).filter(|_| within) {
                        let best = &mut left[child as usize];
                        if *best == Self::NO {
                            next.push(child);
                        }
                        *best = (*best).max(here - error);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            ply = next;
        }
        Self(left)
    }
}

/// The value of a position, if it has one.
fn value(book: &impl PositionStore, number: u32) -> Option<i8> {
    let known = book.known(number);
    known.has_value().then_some(known.value)
}

/// The best link to a removed position, if it is better than the leaf.
fn better_leaf(
    book: &impl PositionStore,
    number: u32,
    board: Board,
    kept: &KeptPositions,
) -> Option<BookLeaf> {
    let mut leaf = book.known(number).leaf;
    let mut found = false;
    for (square, (child, own)) in board.legal_moves().iter().zip(children(book, board)) {
        let by = value_by(book, child, own.and_then(|own| value(book, own)));
        let (Some(value), Some(child)) = (by, behind(book, child, own)) else {
            continue;
        };
        if !kept.has(child) && value > leaf.edge.score {
            leaf = BookLeaf {
                edge: Edge::new(value, othello_core::Move::Place(square)),
                level: book.known(child).level,
            };
            found = true;
        }
    }
    found.then_some(leaf)
}

/// Removes positions as Edax's `book prune` does: keeps those that can be reached where one player, black or white,
/// makes any moves of the book and the other only the best ones, and that have at least as many empty squares as the
/// header allows, less one. Begins with [`negamax_edax`]. The best link to a removed position becomes the leaf if it is
/// better.
pub fn prune_edax(
    book: &mut impl PositionStore,
    start: Board,
    header: &EdaxHeader,
) -> ReduceReport {
    negamax_edax(book, start, header);
    let least = u32::try_from(header.n_empties - 1).unwrap_or(0);
    let mut kept = BitSet::new(book.bound().into());
    for mover_is_free in [true, false] {
        mark_kept(book, start, mover_is_free, least, &mut kept);
    }
    let mut reduced = ReduceReport::default();
    for number in 0..book.bound() {
        let Some(board) = book.board(number).filter(|_| kept.has(number.into())) else {
            continue;
        };
        reduced.kept += 1;
        let known = book.known(number);
        let leaf = better_leaf_edax(book, board, &known, &kept);
        if leaf != known.leaf {
            book.set(number, &PositionData { leaf, ..known });
            reduced.leaves += 1;
        }
    }
    reduced.removed = book.keep(&mut |number, _| kept.has(number.into()));
    reduced
}

/// The children of a position, each with its number and the value of its move.
fn valued_moves(book: &impl PositionStore, board: Board) -> Vec<(Board, Option<u32>, i32)> {
    let valued = children(book, board).filter_map(|(child, number)| {
        let own = number
            .map(|number| book.known(number))
            .filter(PositionData::has_value);
        let value = value_by(book, child, own.map(|own| own.value))?;
        Some((child, number, i32::from(value)))
    });
    valued.collect()
}

/// Marks the positions that can be reached where one player makes any moves and the other only the
/// best.
fn mark_kept(
    book: &impl PositionStore,
    start: Board,
    is_free: bool,
    least: u32,
    kept: &mut BitSet,
) {
    let mut seen = BitSet::new(book.bound().into());
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
                for (child, number, link) in valued_moves(book, board) {
                    if is_free || link >= value {
                        todo.push((child, number, !is_free));
                    }
                }
            }
            State::Over => {}
        }
    }
}

/// The best of the leaf and the links to removed positions.
fn better_leaf_edax(
    book: &impl PositionStore,
    board: Board,
    known: &PositionData,
    kept: &BitSet,
) -> BookLeaf {
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
            .filter(PositionData::has_value);
        let value = value_by(book, child, own.map(|own| own.value));
        if let Some(value) = value.filter(|&value| value > leaf.edge.score) {
            leaf = BookLeaf {
                edge: Edge::new(value, othello_core::Move::Place(square)),
                level: known.level,
            };
        }
    }
    leaf
}
