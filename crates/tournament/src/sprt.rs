//! The sequential probability ratio test: play until it is clear which of two hypotheses about the
//! difference in strength fits the results better.
//!
//! The results of pairs of games are counted (five kinds, 0 to 2 points). Under each hypothesis, that the
//! mean score is the one expected at a given Elo difference, the most likely probabilities of the five
//! kinds are found; the logarithm of the ratio of the likelihoods is compared with Wald's bounds. This is
//! the generalized test with logistic Elo that chess engine frameworks use, so figures can be compared.

use std::cmp::Ordering;

use crate::error::{Result, TournamentError};
use crate::score::POINTS_OF_PAIRS as POINTS;

/// A result that has never come up counts as often as this, so that no probability is zero.
const UNSEEN: f64 = 1e-3;

/// The test of "A is `elo0` stronger" against "A is `elo1` stronger".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    /// Below this `elo0` is accepted.
    pub lower: f64,
    /// Above this `elo1` is accepted.
    pub upper: f64,
}

/// The verdict of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtDecision {
    /// Rather `elo0` than `elo1`.
    Elo0,
    /// Rather `elo1` than `elo0`.
    Elo1,
}

impl Sprt {
    /// A test that wrongly accepts `elo1` with probability `alpha` and `elo0` with `beta`.
    ///
    /// # Errors
    /// When the differences are in the wrong order or the probabilities make no test.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self> {
        let wrong = |text: String| Err(TournamentError::Settings(text));
        if elo0.partial_cmp(&elo1) != Some(Ordering::Less) {
            return wrong(format!("elo0 ({elo0}) must be less than elo1 ({elo1})"));
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return wrong(format!(
                "alpha ({alpha}) and beta ({beta}) must be positive, together less than 1"
            ));
        }
        Ok(Self {
            elo0,
            elo1,
            lower: (beta / (1.0 - alpha)).ln(),
            upper: ((1.0 - beta) / alpha).ln(),
        })
    }

    /// Both differences.
    pub const fn hypotheses(&self) -> [f64; 2] {
        [self.elo0, self.elo1]
    }

    /// Logarithm of the likelihood ratio of `elo1` to `elo0`, when pairs gave 0, ½, 1, 1½ and 2 points
    /// as often as `pairs` says. 0 without pairs.
    pub fn log_likelihood_ratio(&self, pairs: &[u32; 5]) -> f64 {
        if pairs.iter().all(|&count| count == 0) {
            return 0.0;
        }
        let counts = pairs.map(|count| f64::from(count).max(UNSEEN));
        let total: f64 = counts.iter().sum();
        let seen = counts.map(|count| count / total);
        let [under0, under1] = self
            .hypotheses()
            .map(|elo| most_likely(&seen, expected(elo)));
        let ratio = |kind: usize| seen[kind] * (under1[kind] / under0[kind]).ln();
        total * (0..POINTS.len()).map(ratio).sum::<f64>()
    }

    /// The decision, if there is one already.
    pub fn decision(&self, pairs: &[u32; 5]) -> Option<SprtDecision> {
        let ratio = self.log_likelihood_ratio(pairs);
        if ratio >= self.upper {
            Some(SprtDecision::Elo1)
        } else {
            (ratio <= self.lower).then_some(SprtDecision::Elo0)
        }
    }
}

/// Points per game expected at a difference of `elo`.
fn expected(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The probabilities with the given mean (between 0 and 1) that make what was `seen` most likely.
///
/// With a Lagrange multiplier for the mean they are `seen[k] / (1 + x (POINTS[k] - mean))`, where `x` is
/// the one root, between two poles, of a falling function: found by halving.
fn most_likely(seen: &[f64; 5], mean: f64) -> [f64; 5] {
    let excess = POINTS.map(|points| points - mean);
    let slope = |x: f64| -> f64 {
        (0..POINTS.len())
            .map(|kind| seen[kind] * excess[kind] / (1.0 + x * excess[kind]))
            .sum()
    };
    let (mut low, mut high) = (-1.0 / excess[4], -1.0 / excess[0]);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = f64::midpoint(low, high);
    std::array::from_fn(|kind| seen[kind] / (1.0 + x * excess[kind]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sprt(elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05).expect("a test")
    }

    fn assert_ratio(elo0: f64, elo1: f64, pairs: [u32; 5], expected: f64) {
        let ratio = sprt(elo0, elo1).log_likelihood_ratio(&pairs);
        assert!(
            (ratio - expected).abs() < 0.006,
            "{ratio} instead of {expected}"
        );
    }

    #[test]
    fn ratios_are_those_of_other_frameworks() {
        // Figures that the tests of fastchess state for its logistic model with pairs.
        assert_ratio(0.5, 2.5, [223, 9863, 21279, 10037, 246], -3.07);
        assert_ratio(0.0, 2.0, [871, 26175, 55983, 26678, 821], -4.98);
        assert_ratio(-1.75, 0.25, [0; 5], 0.0);
    }

    #[test]
    fn exchanging_the_engines_exchanges_the_hypotheses() {
        let pairs = [3, 17, 40, 29, 11];
        let mut mirrored = pairs;
        mirrored.reverse();
        let ratio = sprt(-5.0, 10.0).log_likelihood_ratio(&pairs);
        let other = sprt(-10.0, 5.0).log_likelihood_ratio(&mirrored);
        assert!((ratio + other).abs() < 1e-6, "{ratio} {other}");
    }

    #[test]
    fn bounds_are_walds() {
        let test = sprt(0.0, 5.0);
        assert!((test.upper - 2.944).abs() < 0.001 && (test.lower + 2.944).abs() < 0.001);
        assert_eq!(test.decision(&[10, 100, 200, 100, 10]), None);
        assert_eq!(
            test.decision(&[10, 100, 200, 400, 100]),
            Some(SprtDecision::Elo1)
        );
        assert_eq!(
            test.decision(&[100, 400, 200, 100, 10]),
            Some(SprtDecision::Elo0)
        );
        assert_eq!(test.decision(&[0; 5]), None);
    }

    #[test]
    fn what_makes_no_test_is_refused() {
        assert!(Sprt::new(5.0, 5.0, 0.05, 0.05).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.0, 0.05).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.6, 0.5).is_err());
    }
}
