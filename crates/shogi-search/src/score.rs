//! Scores: the numbers that nodes compare, their limits, mates by their length, and how the table keeps them.

use std::ops::{Add, Neg, Sub};

use crate::{Bound, Value};

/// A score of the search, in its own unit, for the side to move: -32,000 to 32,000, and a little more for what is none.
///
/// A score and a margin (a plain number) give a score, two scores give a margin: so neither is taken for a depth or a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
pub(crate) struct Score(i32);

/// More than any score.
pub(crate) const INFINITE: Score = Score(Value::INFINITE.0);

/// The largest score that is no mate.
pub(crate) const MAX_EVAL: Score = Score(Value::MAX_EVAL.0);

/// The least score of a mate.
pub(crate) const MATE_IN_MAX_PLY: Score = Score(Value::MATE_IN_MAX_PLY.0);

/// The value of a pawn.
pub(crate) const PAWN: i32 = 90;

/// Static evaluation of positions before the root: more than any score.
pub(crate) const NO_SCORE: Score = Score(INFINITE.0 + 1);

impl Score {
    /// As much for either side; also what a search says that was stopped.
    pub(crate) const ZERO: Self = Self(0);

    /// The score of this number.
    pub(crate) const fn new(number: i32) -> Self {
        Self(number)
    }

    /// An evaluation as a score: no mate, however large it is.
    #[inline]
    pub(crate) fn of_eval(evaluation: i32) -> Self {
        Self(evaluation.clamp(-MAX_EVAL.0, MAX_EVAL.0))
    }

    /// The number.
    #[inline]
    pub(crate) const fn get(self) -> i32 {
        self.0
    }

    /// The score of the side that it is good for.
    #[inline]
    pub(crate) const fn abs(self) -> Self {
        Self(self.0.abs())
    }

    /// The mean of two scores by their weights, whose sum is not 0.
    #[inline]
    pub(crate) const fn weighted(self, weight: i32, other: Self, other_weight: i32) -> Self {
        Self((self.0 * weight + other.0 * other_weight) / (weight + other_weight))
    }

    /// The score half way to `other`.
    pub(crate) const fn midpoint(self, other: Self) -> Self {
        Self(i32::midpoint(self.0, other.0))
    }
}

impl Add<i32> for Score {
    type Output = Self;

    #[inline]
    fn add(self, margin: i32) -> Self {
        Self(self.0 + margin)
    }
}

impl Sub<i32> for Score {
    type Output = Self;

    #[inline]
    fn sub(self, margin: i32) -> Self {
        Self(self.0 - margin)
    }
}

impl Sub for Score {
    type Output = i32;

    #[inline]
    fn sub(self, other: Self) -> i32 {
        self.0 - other.0
    }
}

impl Neg for Score {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

/// The score of mating `plies` from the root.
pub(crate) const fn mate_in(plies: usize) -> Score {
    Score(Value::mate_in(plies as u32).0)
}

/// The score of being mated `plies` from the root.
pub(crate) const fn mated_in(plies: usize) -> Score {
    Score(Value::mated_in(plies as u32).0)
}

/// A mate score counted from the root as one counted from the position `ply` plies below, for the
/// transposition table. Other scores stay.
pub(crate) fn score_to_tt(score: Score, ply: usize) -> Score {
    if score >= MATE_IN_MAX_PLY {
        score + ply as i32
    } else if score <= -MATE_IN_MAX_PLY {
        score - ply as i32
    } else {
        score
    }
}

/// The inverse of [`score_to_tt`].
pub(crate) fn score_from_tt(score: Score, ply: usize) -> Score {
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
pub(crate) fn decides(bound: Option<Bound>, score: Score, alpha: Score, beta: Score) -> bool {
    match bound {
        Some(Bound::Exact) => true,
        Some(Bound::Lower) => score >= beta,
        Some(Bound::Upper) => score <= alpha,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_rounded_towards_zero() {
        assert_eq!(Score::new(10).weighted(2, Score::new(1), 1), Score::new(7));
        assert_eq!(
            Score::new(-10).weighted(2, Score::new(-1), 1),
            Score::new(-7)
        );
    }

    #[test]
    fn no_evaluation_is_a_mate() {
        assert_eq!(Score::of_eval(i32::MAX), MAX_EVAL);
        assert!(Score::of_eval(i32::MIN).abs() < MATE_IN_MAX_PLY);
    }
}
