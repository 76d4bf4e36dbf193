//! The progress of the game as some networks know it: 0 (opening) to 255, from weights of pieces in
//! relation to both kings.

use std::fmt;
use std::sync::OnceLock;

use shogi_core::{Color, Square};

use super::aligned::Aligned;
use crate::{BonaPiece, PieceList};

/// Weights by king square and piece, in units of 2⁻¹⁶.
#[derive(PartialEq, Eq)]
pub struct GameProgress {
    bias: i32,
    weights: Aligned<i32>,
}

impl GameProgress {
    /// Number of weights.
    pub const WEIGHTS: usize = Square::COUNT * BonaPiece::PIECE_END;

    /// From a bias and [`Self::WEIGHTS`] weights by king square, then by piece.
    ///
    /// # Panics
    /// When there are more or fewer weights.
    pub fn new(bias: i32, weights: Aligned<i32>) -> Self {
        assert_eq!(weights.len(), Self::WEIGHTS);
        Self { bias, weights }
    }

    /// The bias.
    pub const fn bias(&self) -> i32 {
        self.bias
    }

    /// All weights, by king square, then by piece.
    pub fn weights(&self) -> &[i32] {
        &self.weights
    }

    /// The weight of `piece` in the view of a player whose king is on `own_king` as it sees it.
    #[inline]
    pub fn weight(&self, own_king: Square, piece: BonaPiece) -> i32 {
        self.weights[own_king.index() * BonaPiece::PIECE_END + piece.index()]
    }

    /// The sum over the pieces of both views.
    pub fn sum(&self, list: &PieceList) -> i64 {
        let views = Color::ALL.map(|perspective| self.view_sum(list, perspective));
        i64::from(self.bias) + views.into_iter().sum::<i64>()
    }

    /// The sum over the pieces as `perspective` sees them, without the bias.
    pub fn view_sum(&self, list: &PieceList, perspective: Color) -> i64 {
        let king = list.own_king(perspective);
        let weights = list.view(perspective).iter();
        weights
            .map(|&piece| i64::from(self.weight(king, piece)))
            .sum()
    }

    /// The progress at a sum: the sum's place on the logistic curve, in 256 steps.
    pub fn at(sum: i64) -> u8 {
        thresholds().partition_point(|&threshold| i64::from(threshold) <= sum) as u8
    }
}

impl fmt::Debug for GameProgress {
    /// Leaves out the weights, which are many.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameProgress")
            .field("bias", &self.bias)
            .finish_non_exhaustive()
    }
}

/// The sums at which the progress goes up: where the logistic curve is i / 256.
fn thresholds() -> &'static [i32; 255] {
    static THRESHOLDS: OnceLock<[i32; 255]> = OnceLock::new();
    THRESHOLDS.get_or_init(|| std::array::from_fn(|i| exact_threshold(i + 1).round() as i32))
}

fn exact_threshold(step: usize) -> f64 {
    let part = step as f64 / 256.0;
    (part / (1.0 - part)).ln() * 65_536.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A library's logarithm may be off in its last digits; that must not change a threshold.
    #[test]
    fn no_threshold_is_near_a_half() {
        for step in 1..256 {
            let exact = exact_threshold(step);
            assert!(((exact - exact.floor()) - 0.5).abs() > 1e-5, "{exact}");
        }
    }

    #[test]
    fn progress_goes_up_with_the_sum() {
        assert_eq!(GameProgress::at(i64::MIN), 0);
        // ln(1 / 255) × 65536 = -363,152.2…
        assert_eq!(GameProgress::at(-363_153), 0);
        assert_eq!(GameProgress::at(-363_152), 1);
        assert_eq!(GameProgress::at(-1), 127);
        assert_eq!(GameProgress::at(0), 128);
        // ln(129 / 127) × 65536 = 1,024.02…
        assert_eq!(GameProgress::at(1_023), 128);
        assert_eq!(GameProgress::at(1_024), 129);
        assert_eq!(GameProgress::at(363_151), 254);
        assert_eq!(GameProgress::at(363_152), 255);
        assert_eq!(GameProgress::at(i64::MAX), 255);
    }
}
