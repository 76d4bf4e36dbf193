//! The learning rate over time.

use crate::{LearnError, Result};

/// The learning rate over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearningRate {
    /// The rate after the warm-up.
    pub peak: f64,
    /// Steps in which it rises from 0 to the peak.
    pub warm_up: u32,
    /// The course of the rate.
    pub schedule: RateSchedule,
}

impl Default for LearningRate {
    fn default() -> Self {
        Self {
            peak: 1e-3,
            warm_up: 100,
            schedule: RateSchedule::Cosine { end: 0.02 },
        }
    }
}

/// The course of a learning rate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RateSchedule {
    /// It stays.
    Constant,
    /// It falls along half a cosine to `end` times the peak.
    Cosine {
        /// The factor at the end.
        end: f64,
    },
    /// It is multiplied by `factor` every `epochs` epochs.
    Step {
        /// The factor.
        factor: f64,
        /// The epochs.
        epochs: u32,
    },
    /// "newbob": an epoch that makes the validation loss no better is taken back, and the rate multiplied by `factor`; after `trials` of
    /// them in a row the training is over.
    Newbob {
        /// The factor.
        factor: f64,
        /// The trials.
        trials: u32,
    },
    /// The course of the classic learner: from the peak linearly to `second`, then linearly to `third`.
    Linear {
        /// The second rate.
        second: f64,
        /// The third rate.
        third: f64,
        /// Updates after which the second and the third rate are reached; 0 leaves them out.
        updates: [u64; 2],
        /// Steps of an update. The rate stays between two updates.
        steps: u32,
        /// Factor and trials of newbob besides.
        newbob: Option<(f64, u32)>,
    },
}

impl RateSchedule {
    /// Factor and trials of newbob, if it takes part.
    pub(crate) const fn newbob(&self) -> Option<(f64, u32)> {
        match *self {
            Self::Newbob { factor, trials } => Some((factor, trials)),
            Self::Linear { newbob, .. } => newbob,
            _ => None,
        }
    }
}

/// The rate of the classic learner after `done` updates.
fn linear([first, second, third]: [f64; 3], [to_second, to_third]: [u64; 2], done: u64) -> f64 {
    let between =
        |from: f64, to: f64, done: u64, of: u64| from + (to - from) * done as f64 / of as f64;
    match (to_second, to_third) {
        (0, _) => first,
        _ if done < to_second => between(first, second, done, to_second),
        (_, 0) => second,
        _ if done < to_third => between(second, third, done - to_second, to_third - to_second),
        _ => third,
    }
}

impl LearningRate {
    pub(crate) fn check(&self) -> Result<()> {
        let is_share = |share: f64| share > 0.0 && share <= 1.0;
        let is_right = match self.schedule {
            RateSchedule::Constant => true,
            RateSchedule::Cosine { end } => (0.0..=1.0).contains(&end),
            RateSchedule::Step { factor, epochs } => is_share(factor) && epochs > 0,
            RateSchedule::Newbob { factor, trials } => is_share(factor) && trials > 0,
            RateSchedule::Linear {
                second,
                third,
                steps,
                newbob,
                ..
            } => {
                let is_rate = |rate: f64| rate > 0.0 && rate.is_finite();
                let newbob = newbob.is_none_or(|(factor, trials)| is_share(factor) && trials > 0);
                is_rate(second) && is_rate(third) && steps > 0 && newbob
            }
        };
        if self.peak > 0.0 && self.peak.is_finite() && is_right {
            return Ok(());
        }
        let text =
            "the learning rate must be above 0, and the numbers of its schedule within 0 to 1";
        Err(LearnError::Option(text.to_owned()))
    }

    /// The rate of step number `step` (from 1), when `done` of all epochs are done; `newbob` is the product of newbob's factors.
    pub(crate) fn at(&self, step: u32, done: f64, epoch: u32, newbob: f64) -> f64 {
        let warm_up = match self.warm_up {
            0 => 1.0,
            steps => (f64::from(step) / f64::from(steps)).min(1.0),
        };
        let factor = match self.schedule {
            RateSchedule::Constant => 1.0,
            RateSchedule::Cosine { end } => {
                end + (1.0 - end) * 0.5 * (1.0 + (std::f64::consts::PI * done.min(1.0)).cos())
            }
            RateSchedule::Step { factor, epochs } => {
                (0..epoch / epochs).fold(1.0, |product, _| product * factor)
            }
            RateSchedule::Newbob { .. } => newbob,
            RateSchedule::Linear {
                second,
                third,
                updates,
                steps,
                ..
            } => {
                let done = u64::from((step - 1) / steps);
                newbob * linear([self.peak, second, third], updates, done) / self.peak
            }
        };
        self.peak * warm_up * factor
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the results are exact")]
mod tests {
    use super::*;

    #[test]
    fn rates_follow_their_schedules() {
        let rate = |schedule| LearningRate {
            peak: 2.0,
            warm_up: 4,
            schedule,
        };
        let cosine = rate(RateSchedule::Cosine { end: 0.1 });
        assert!((cosine.at(1, 0.0, 0, 1.0) - 0.5).abs() < 1e-12);
        assert!((cosine.at(9, 0.5, 0, 1.0) - 1.1).abs() < 1e-12);
        assert!((cosine.at(9, 2.0, 0, 1.0) - 0.2).abs() < 1e-12);
        let step = rate(RateSchedule::Step {
            factor: 0.5,
            epochs: 2,
        });
        let rates = [0, 1, 2, 4].map(|epoch| step.at(9, 0.0, epoch, 1.0));
        assert_eq!(rates, [2.0, 2.0, 1.0, 0.5]);
        let newbob = rate(RateSchedule::Newbob {
            factor: 0.5,
            trials: 2,
        });
        assert_eq!(newbob.at(9, 0.0, 3, 0.25), 0.5);
    }

    #[test]
    fn the_classic_rate_moves_linearly_from_one_to_the_next() {
        let rates = |updates, done: &[u32]| {
            let schedule = RateSchedule::Linear {
                second: 3.0,
                third: 2.0,
                updates,
                steps: 10,
                newbob: None,
            };
            let rate = LearningRate {
                peak: 1.0,
                warm_up: 0,
                schedule,
            };
            let at = |&done: &u32| rate.at(10 * done + 5, 0.0, 0, 1.0);
            done.iter().map(at).collect::<Vec<_>>()
        };
        assert_eq!(rates([0, 0], &[0, 10]), [1.0, 1.0]);
        assert_eq!(
            rates([2, 4], &[0, 1, 2, 3, 4, 9]),
            [1.0, 2.0, 3.0, 2.5, 2.0, 2.0]
        );
        assert_eq!(rates([2, 0], &[1, 2, 50]), [2.0, 3.0, 3.0]);
    }
}
