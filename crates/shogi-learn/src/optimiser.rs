//! The optimisers: Adam and `AdamW`, and stochastic gradient descent as the classic trainer has it.

use crate::average::{AverageDecay, power};

/// The rule by which gradients become steps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Optimiser {
    /// Adam (Kingma, Ba 2015), with the decay of weights apart from the gradient (`AdamW`; Loshchilov, Hutter 2019).
    ///
    /// Rows of the feature transformer that a batch does not touch are left alone ("lazy"): their moments decay when they are touched
    /// again, their weights do not move meanwhile.
    Adam {
        /// Decay of the mean of gradients.
        beta1: f32,
        /// Decay of the mean of their squares.
        beta2: f32,
        /// The number added to the root of the latter.
        epsilon: f32,
        /// The part that weights lose in each step, in units of the learning rate; 0 for plain
        /// Adam.
        weight_decay: f32,
    },
    /// Stochastic gradient descent. Momentum is for biases and affine layers; rows of the feature transformer have none, and 1 / (1 -
    /// momentum) times the rate instead (`YaneuraOu`'s trainer).
    Sgd {
        /// The share of the last step in the next one; 0 by default.
        momentum: f32,
    },
}

impl Default for Optimiser {
    fn default() -> Self {
        Self::Adam {
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            weight_decay: 0.0,
        }
    }
}

/// The rule of a step for a group of numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    Adam(AdamRule),
    Sgd {
        rate: f32,
        momentum: f32,
    },
    RowSgd {
        rate: f32,
    },
    /// Leaves the numbers alone and keeps their gradients as first moments.
    #[cfg(test)]
    Gradient,
}

/// The numbers of a step of Adam.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdamRule {
    pub(crate) beta1: f32,
    pub(crate) beta2: f32,
    pub(crate) epsilon: f32,
    /// The learning rate over the bias correction of the first moment.
    pub(crate) rate: f32,
    /// One over the root of the bias correction of the second moment.
    pub(crate) root_scale: f32,
    /// The part of a weight that a step keeps.
    pub(crate) keep: f32,
}

/// A rule with what may differ from group to group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) rule: Rule,
    /// Decay of the first moments for the steps that were skipped.
    pub(crate) first_decay: f32,
    /// As well of the second ones.
    pub(crate) second_decay: f32,
    /// Shares by which the moving average moves, if there is one: to the numbers before the step, for those that were skipped, then to the
    /// numbers after it.
    pub(crate) shares: [f32; 2],
    /// Gradients are taken times this.
    pub(crate) factor: f32,
    /// Numbers stay within plus or minus this.
    pub(crate) limit: f32,
}

/// What the steps that did not touch some numbers mean for them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CatchUp {
    /// Decay of both moments.
    moments: [f32; 2],
    /// See [`Step::shares`].
    shares: [f32; 2],
}

impl Step {
    pub(crate) const fn new(rule: Rule) -> Self {
        Self {
            rule,
            first_decay: 1.0,
            second_decay: 1.0,
            shares: [0.0; 2],
            factor: 1.0,
            limit: f32::MAX,
        }
    }

    pub(crate) const fn limited(self, limit: f32) -> Self {
        Self { limit, ..self }
    }

    /// The same for gradients times `factor`.
    pub(crate) const fn times(self, factor: f32) -> Self {
        Self { factor, ..self }
    }

    /// The same for numbers that steps before have not touched.
    pub(crate) const fn after(self, catch_up: CatchUp) -> Self {
        let [first_decay, second_decay] = catch_up.moments;
        Self {
            first_decay,
            second_decay,
            shares: catch_up.shares,
            ..self
        }
    }
}

/// The rules of one step: for affine layers and biases, and for rows of the feature transformer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    dense: Rule,
    rows: Rule,
    /// Factors of the rate: of the feature transformer, then of each affine layer.
    scales: [f32; 4],
    /// The moving average, if there is one.
    average: Option<AverageDecay>,
    /// The greatest length of the gradient of all numbers.
    clip: Option<f64>,
}

impl Rule {
    /// The same at another rate.
    fn scaled(self, scale: f32) -> Self {
        match self {
            Self::Adam(adam) => Self::Adam(AdamRule {
                rate: adam.rate * scale,
                ..adam
            }),
            Self::Sgd { rate, momentum } => Self::Sgd {
                rate: rate * scale,
                momentum,
            },
            Self::RowSgd { rate } => Self::RowSgd { rate: rate * scale },
            #[cfg(test)]
            Self::Gradient => self,
        }
    }
}

impl Rules {
    /// The rules of step number `step` (from 1) at this learning rate.
    pub(crate) fn new(optimiser: Optimiser, rate: f64, step: u32) -> Self {
        match optimiser {
            Optimiser::Adam {
                beta1,
                beta2,
                epsilon,
                weight_decay,
            } => {
                let correction = |beta: f32| 1.0 - power(f64::from(beta), step);
                let rule = Rule::Adam(AdamRule {
                    beta1,
                    beta2,
                    epsilon,
                    rate: (rate / correction(beta1)) as f32,
                    root_scale: (1.0 / correction(beta2).sqrt()) as f32,
                    keep: (1.0 - rate * f64::from(weight_decay)) as f32,
                });
                Self {
                    dense: rule,
                    rows: rule,
                    scales: [1.0; 4],
                    average: None,
                    clip: None,
                }
            }
            Optimiser::Sgd { momentum } => Self {
                dense: Rule::Sgd {
                    rate: rate as f32,
                    momentum,
                },
                rows: Rule::RowSgd {
                    rate: (rate / (1.0 - f64::from(momentum))) as f32,
                },
                scales: [1.0; 4],
                average: None,
                clip: None,
            },
        }
    }

    /// The same with these factors of the rate, of the feature transformer and of each affine layer.
    pub(crate) fn scaled(self, scales: [f64; 4]) -> Self {
        Self {
            scales: scales.map(|scale| scale as f32),
            ..self
        }
    }

    /// The same with a moving average of all numbers.
    pub(crate) fn averaged(self, average: Option<AverageDecay>) -> Self {
        Self { average, ..self }
    }

    /// The same with gradients up to this length.
    pub(crate) fn clipped(self, clip: Option<f64>) -> Self {
        Self { clip, ..self }
    }

    /// The greatest length of the gradient of all numbers.
    pub(crate) const fn limit(&self) -> Option<f64> {
        self.clip
    }

    /// The rule for rows of the feature transformer.
    pub(crate) fn rows(&self) -> Rule {
        self.rows.scaled(self.scales[0])
    }

    /// The rule for biases of the feature transformer.
    pub(crate) fn biases(&self) -> Rule {
        self.dense.scaled(self.scales[0])
    }

    /// The rule for an affine layer.
    pub(crate) fn layer(&self, number: usize) -> Rule {
        self.dense.scaled(self.scales[number + 1])
    }

    /// Steps that change nothing and keep the gradients.
    #[cfg(test)]
    pub(crate) const GRADIENT: Self = Self {
        dense: Rule::Gradient,
        rows: Rule::Gradient,
        scales: [1.0; 4],
        average: None,
        clip: None,
    };

    /// What the steps between `last`, which touched some numbers, and `number`, which is to touch them next, mean for them.
    pub(crate) fn catch_up(&self, last: u32, number: u32) -> CatchUp {
        let before = number.saturating_sub(1);
        let moments = match (before.saturating_sub(last), self.rows) {
            (skipped @ 1.., Rule::Adam(adam)) => {
                [adam.beta1, adam.beta2].map(|beta| power(f64::from(beta), skipped) as f32)
            }
            _ => [1.0; 2],
        };
        let shares = self.average.map_or([0.0; 2], |average| {
            [average.share(last, before), average.share(before, number)]
        });
        CatchUp { moments, shares }
    }
}
