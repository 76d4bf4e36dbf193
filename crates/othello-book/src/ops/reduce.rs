//! Leaving out what is too deep or too bad.

use othello_core::{Board, State};

use super::reach::{children, known_as, reachable};
use crate::Edge;
use crate::convert::links::value_by;
use crate::egaroucid::Leaf;
use crate::store::{Known, Positions};

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
pub fn reduce(book: &mut impl Positions, start: Board, limits: Limits) -> Reduced {
    let kept = Kept::find(book, start, limits);
    let reached = reachable(book, start);
    let mut reduced = Reduced::default();
    for number in 0..book.bound() {
        let Some(board) = book.board(number).filter(|_| kept.has(number)) else {
            continue;
        };
        reduced.kept += 1;
        if let Some(leaf) = better_leaf(book, number, board, &kept) {
            let known = book.known(number);
            book.set(number, &Known { leaf, ..known });
            reduced.leaves += 1;
        }
    }
    // A pass stays with the position after it.
    let mut stays = reached;
    stays.turn();
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

/// The position that a move leads to, as the book knows it: behind a pass, the one after it if it is there.
fn behind(book: &impl Positions, child: Board, own: Option<u32>) -> Option<u32> {
    if child.legal_moves().is_empty() && child.state() == State::Pass {
        known_as(book, child.passed()).or(own)
    } else {
        own.or_else(|| known_as(book, child))
    }
}

/// The positions that stay, each with how much error is left on the best way to it.
struct Kept(Vec<i32>);

impl Kept {
    /// No way was found to it.
    const NO: i32 = i32::MIN;

    fn has(&self, number: u32) -> bool {
        self.0[number as usize] != Self::NO
    }

    /// Ply by ply, so that the best way to a position is known before it goes on.
    fn find(book: &impl Positions, start: Board, limits: Limits) -> Self {
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
fn value(book: &impl Positions, number: u32) -> Option<i8> {
    let known = book.known(number);
    known.has_value().then_some(known.value)
}

/// The best move of a board to a position that goes, if it is better than the leaf.
fn better_leaf(book: &impl Positions, number: u32, board: Board, kept: &Kept) -> Option<Leaf> {
    let mut leaf = book.known(number).leaf;
    let mut found = false;
    for (square, (child, own)) in board.legal_moves().iter().zip(children(book, board)) {
        let by = value_by(book, child, own.and_then(|own| value(book, own)));
        let (Some(value), Some(child)) = (by, behind(book, child, own)) else {
            continue;
        };
        if !kept.has(child) && value > leaf.edge.score {
            leaf = Leaf {
                edge: Edge::new(value, othello_core::Move::Place(square)),
                level: book.known(child).level,
            };
            found = true;
        }
    }
    found.then_some(leaf)
}
