//! The scale on which a teacher's scores are winning rates, fitted to results.

use crate::loss::sigmoid;

/// Internal units of a bin.
const BIN: f64 = 16.0;

/// Scores beyond this are not looked at: games are decided there.
const LIMIT: f64 = 3000.0;

const BINS: usize = 2 * (LIMIT / BIN) as usize + 1;

/// Counts of games won and lost by score.
#[derive(Clone, Debug)]
pub(crate) struct Outcomes {
    /// By bin, losses and wins. A draw is half of either.
    bins: Vec<[f64; 2]>,
}

impl Default for Outcomes {
    fn default() -> Self {
        Self {
            bins: vec![[0.0; 2]; BINS],
        }
    }
}

impl Outcomes {
    /// Counts a position with this score in internal units.
    pub(crate) fn count(&mut self, score: f64, outcome: i8) {
        if score.abs() > LIMIT {
            return;
        }
        let middle = (BINS / 2) as f64;
        // The outermost bins reach a little less far than the limit.
        let bin = ((score / BIN).round().clamp(-middle, middle) + middle) as usize;
        match outcome {
            1 => self.bins[bin][1] += 1.0,
            -1 => self.bins[bin][0] += 1.0,
            _ => self.bins[bin].iter_mut().for_each(|count| *count += 0.5),
        }
    }

    /// The scale that predicts the results best; `None` when the results say nothing about scores.
    ///
    /// Newton's method on the slope: the likelihood is concave.
    pub(crate) fn scale(&self) -> Option<f64> {
        let mut slope = 1.0 / 600.0;
        for _ in 0..100 {
            let (mut gradient, mut curvature) = (0.0, 0.0);
            for (bin, [losses, wins]) in self.bins.iter().enumerate() {
                let score = (bin as f64 - (BINS / 2) as f64) * BIN;
                let rate = sigmoid(slope * score);
                let count = losses + wins;
                gradient += (wins - count * rate) * score;
                curvature += count * rate * (1.0 - rate) * score * score;
            }
            if curvature <= 0.0 {
                return None;
            }
            // Never more than doubled or halved at once.
            let next = (slope + gradient / curvature).clamp(slope / 2.0, slope * 2.0);
            let change = (next / slope - 1.0).abs();
            slope = next;
            if change < 1e-12 {
                break;
            }
        }
        let scale = 1.0 / slope;
        (50.0..50_000.0).contains(&scale).then_some(scale)
    }
}

#[cfg(test)]
mod tests {
    use yane_base::random::Sequence;

    use super::*;

    #[test]
    fn the_scale_of_made_up_results_is_found() {
        for expected in [300.0, 1475.0] {
            let sequence = Sequence::new(1, "fit");
            let mut outcomes = Outcomes::default();
            for i in 0..200_000 {
                let score = sequence.unit(2 * i) * 4000.0 - 2000.0;
                let won = sequence.unit(2 * i + 1) < sigmoid(score / expected);
                outcomes.count(score, if won { 1 } else { -1 });
            }
            let found = outcomes.scale().unwrap();
            assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
        }
    }

    #[test]
    fn results_that_say_nothing_give_no_scale() {
        assert_eq!(Outcomes::default().scale(), None);
        let mut outcomes = Outcomes::default();
        for score in [-500.0, 500.0] {
            for outcome in [-1, 0, 1] {
                outcomes.count(score, outcome);
            }
        }
        assert_eq!(outcomes.scale(), None);
    }
}
