//! Scores averaged with those of the plies to come.

use crate::{Result, TeacherError, TeacherScore};

/// Replaces each score by a weighted mean of itself and the scores of the next plies of its game,
/// all from the same player's side: the score `k` plies ahead has weight `discount`ᵏ. At the end of
/// a game the weights of the plies there are count. The mean is cut to an integer towards zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothing {
    /// Weight of the score 0, 1, 2 … plies ahead.
    weights: Vec<f64>,
}

impl Smoothing {
    /// Averages over `plies` plies, the position's own included.
    ///
    /// # Errors
    /// When `plies` is 0 or above 1,000, or `discount` is not a positive number.
    pub fn new(plies: u32, discount: f64) -> Result<Self> {
        if !(1..=1000).contains(&plies) {
            let text = format!("smoothing over {plies} plies, expected 1 to 1000");
            return Err(TeacherError::Option(text));
        }
        if !(discount.is_finite() && discount > 0.0) {
            let text = format!("discount {discount}, expected a number above 0");
            return Err(TeacherError::Option(text));
        }
        let weights = (0..plies).map(|k| discount.powf(k.into())).collect();
        Ok(Self { weights })
    }

    /// The smoothed scores of a game, appended to `smoothed`. The scores alternate between the
    /// players.
    pub fn apply(&self, scores: &[TeacherScore], smoothed: &mut Vec<TeacherScore>) {
        smoothed.extend((0..scores.len()).map(|first| self.mean(&scores[first..])));
    }

    /// The smoothed first of `scores`.
    fn mean(&self, scores: &[TeacherScore]) -> TeacherScore {
        let (mut sum, mut total, mut sign) = (0.0, 0.0, 1.0);
        for (score, weight) in scores.iter().zip(&self.weights) {
            sum += sign * f64::from(score.0) * weight;
            total += weight;
            sign = -sign;
        }
        // `as` cuts towards zero and keeps within the range.
        TeacherScore((sum / total) as i16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smooth(plies: u32, discount: f64, scores: &[i16]) -> Vec<i16> {
        let scores: Vec<_> = scores.iter().copied().map(TeacherScore).collect();
        let mut smoothed = Vec::new();
        let smoothing = Smoothing::new(plies, discount).unwrap();
        smoothing.apply(&scores, &mut smoothed);
        smoothed.into_iter().map(|score| score.0).collect()
    }

    #[test]
    fn means_are_from_the_movers_side_and_cut_towards_zero() {
        assert_eq!(smooth(1, 0.9, &[5, -7]), [5, -7]);
        assert_eq!(smooth(2, 1.0, &[100, -200, 301]), [150, -250, 301]);
        assert_eq!(smooth(3, 0.5, &[-10, 0, -3]), [-6, 1, -3]);
        assert_eq!(smooth(2, 1.0, &[-32768, 32767]), [-32767, 32767]);
        assert_eq!(smooth(8, 0.5, &[]), [0i16; 0]);
    }

    #[test]
    fn senseless_settings_are_errors() {
        for (plies, discount) in [(0, 1.0), (1001, 1.0), (2, 0.0), (2, -1.0), (2, f64::NAN)] {
            assert!(
                Smoothing::new(plies, discount).is_err(),
                "{plies} {discount}"
            );
        }
    }
}
