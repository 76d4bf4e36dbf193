//! Scores: their limits, mates by their length, and how the table keeps them.

use crate::{Bound, Value};

/// Scores as plain numbers: the node functions add and compare them all the time.
pub(crate) const INFINITE: i32 = Value::INFINITE.0;

pub(crate) const MAX_EVAL: i32 = Value::MAX_EVAL.0;

pub(crate) const MATE_IN_MAX_PLY: i32 = Value::MATE_IN_MAX_PLY.0;

/// The value of a pawn.
pub(crate) const PAWN: i32 = 90;

/// Static evaluation of positions before the root: more than any score.
pub(crate) const NO_SCORE: i32 = INFINITE + 1;

/// The score of mating `plies` from the root.
pub(crate) const fn mate_in(plies: usize) -> i32 {
    Value::mate_in(plies as u32).0
}

/// The score of being mated `plies` from the root.
pub(crate) const fn mated_in(plies: usize) -> i32 {
    Value::mated_in(plies as u32).0
}

/// A mate score counted from the root as one counted from the position `ply` plies below, for the
/// transposition table. Other scores stay.
pub(crate) const fn score_to_tt(score: i32, ply: usize) -> i32 {
    if score >= MATE_IN_MAX_PLY {
        score + ply as i32
    } else if score <= -MATE_IN_MAX_PLY {
        score - ply as i32
    } else {
        score
    }
}

/// The inverse of [`score_to_tt`].
pub(crate) const fn score_from_tt(score: i32, ply: usize) -> i32 {
    if score >= MATE_IN_MAX_PLY {
        score - ply as i32
    } else if score <= -MATE_IN_MAX_PLY {
        score + ply as i32
    } else {
        score
    }
}

/// Returns whether a table score of kind `bound` decides a node with the window's lower end `alpha` and
/// upper end `beta`.
#[inline]
pub(crate) fn decides(bound: Option<Bound>, score: i32, alpha: i32, beta: i32) -> bool {
    match bound {
        Some(Bound::Exact) => true,
        Some(Bound::Lower) => score >= beta,
        Some(Bound::Upper) => score <= alpha,
        None => false,
    }
}
