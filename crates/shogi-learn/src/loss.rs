//! The loss: the cross entropy of the winning rate that the network gives against that of the teacher.

use crate::batch::Target;
use crate::event::LossParts;

/// The value of an output of 1 in internal units (a pawn is 90), by the scales of evaluation files.
pub const OUTPUT_UNIT: f64 = 600.0;

/// Sums of a loss over samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LossSum {
    pub(crate) cross_entropy: f64,
    /// The entropy of the targets: the least that the cross entropy can be.
    pub(crate) entropy: f64,
    pub(crate) weight: f64,
}

impl LossSum {
    pub(crate) fn add(&mut self, other: Self) {
        self.cross_entropy += other.cross_entropy;
        self.entropy += other.entropy;
        self.weight += other.weight;
    }

    /// The sum of parts, in their order.
    pub(crate) fn of(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut sum = Self::default();
        parts.into_iter().for_each(|part| sum.add(part));
        sum
    }

    /// The mean cross entropy.
    #[cfg(test)]
    pub(crate) fn mean(&self) -> f64 {
        self.cross_entropy / self.weight.max(f64::MIN_POSITIVE)
    }

    /// The mean entropy of the targets.
    pub(crate) fn mean_entropy(&self) -> f64 {
        self.entropy / self.weight.max(f64::MIN_POSITIVE)
    }

    /// The mean cross entropy beyond the entropy of the targets: 0 for a network that knows them all.
    pub(crate) fn excess(&self) -> f64 {
        (self.cross_entropy - self.entropy) / self.weight.max(f64::MIN_POSITIVE)
    }
}

/// The logistic curve of the winning rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Curve {
    /// The slope of the logit over the network's output.
    slope: f64,
}

impl Curve {
    /// The curve on which `scale` internal units are a winning rate of 1 / (1 + e^-1).
    pub(crate) fn new(scale: f64) -> Self {
        Self {
            slope: OUTPUT_UNIT / scale,
        }
    }

    /// The slope of the logit over the output.
    pub(crate) const fn slope(self) -> f64 {
        self.slope
    }

    /// The loss of an output, and its gradient by the output.
    pub(crate) fn loss(self, output: f32, target: Target) -> (LossSum, f64) {
        let (value, weight) = (f64::from(target.value), f64::from(target.weight));
        self.exact_loss(f64::from(output), value, weight)
    }

    /// As [`Self::loss`].
    pub(crate) fn exact_loss(self, output: f64, value: f64, weight: f64) -> (LossSum, f64) {
        let logit = output * self.slope;
        let cross_entropy = softplus(logit) - value * logit;
        let sum = LossSum {
            cross_entropy: cross_entropy * weight,
            entropy: entropy(value) * weight,
            weight,
        };
        (sum, (sigmoid(logit) - value) * self.slope * weight)
    }
}

/// Sums of the losses of score, result and their mixture over samples.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PartSums {
    sums: [LossSum; 3],
}

impl PartSums {
    /// Adds an output with its target.
    pub(crate) fn add(&mut self, curve: Curve, output: f32, target: Target) {
        let weight = f64::from(target.weight);
        let parts = [target.score, target.result, target.value];
        for (sum, value) in self.sums.iter_mut().zip(parts) {
            sum.add(
                curve
                    .exact_loss(f64::from(output), f64::from(value), weight)
                    .0,
            );
        }
    }

    /// Returns whether nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.sums[0].weight == 0.0
    }

    /// The means.
    pub(crate) fn means(&self) -> LossParts {
        let [
            [score_cross_entropy, score_entropy],
            [result_cross_entropy, result_entropy],
            [cross_entropy, entropy],
        ] = self.sums.map(|sum| {
            [sum.cross_entropy, sum.entropy].map(|all| all / sum.weight.max(f64::MIN_POSITIVE))
        });
        LossParts {
            score_cross_entropy,
            result_cross_entropy,
            score_entropy,
            result_entropy,
            cross_entropy,
            entropy,
        }
    }
}

/// The winning rate at a logit.
pub(crate) fn sigmoid(logit: f64) -> f64 {
    if logit >= 0.0 {
        1.0 / (1.0 + exp(-logit))
    } else {
        let e = exp(logit);
        e / (1.0 + e)
    }
}

fn softplus(logit: f64) -> f64 {
    logit.max(0.0) + exp(-logit.abs()).ln_1p()
}

/// The entropy of a winning rate.
pub(crate) fn entropy(rate: f64) -> f64 {
    let part = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    part(rate) + part(1.0 - rate)
}

/// The exponential function, in operations that are exact everywhere: systems' own differ in last digits, and with them trained networks
/// would.
pub(crate) fn exp(x: f64) -> f64 {
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    if x < -700.0 {
        return 0.0;
    }
    let x = x.min(700.0);
    let power = (x * std::f64::consts::LOG2_E).round();
    let rest = x - power * LN_2_HIGH - power * LN_2_LOW;
    // Taylor's series: |rest| is 0.35 at most.
    let mut sum = 1.0;
    for n in (1..=14).rev() {
        sum = 1.0 + sum * rest / f64::from(n);
    }
    sum * f64::from_bits(((power as i64 + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_function_is_that_of_the_library() {
        for i in -7000..7000 {
            let x = f64::from(i) / 10.0 + 0.037;
            let relative = (exp(x) / x.exp() - 1.0).abs();
            assert!(relative < 1e-14 || x < -690.0, "{x} {relative}");
        }
        assert_eq!((exp(0.0), exp(-1e9)), (1.0, 0.0));
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let curve = Curve::new(431.0);
        let target = Target::new(0.3, 2.0);
        for output in [-3.0, -0.2, 0.0, 0.7] {
            let step = 1.0 / 1024.0;
            let at = |output: f32| curve.loss(output, target).0.cross_entropy;
            let slope = (at(output + step) - at(output - step)) / (2.0 * f64::from(step));
            let (_, gradient) = curve.loss(output, target);
            assert!(
                (slope - gradient).abs() < 1e-5,
                "{output} {slope} {gradient}"
            );
        }
    }

    #[test]
    fn a_target_that_is_met_has_no_excess() {
        let curve = Curve::new(600.0);
        let target = Target::new(sigmoid(0.25) as f32, 1.0);
        let (sum, gradient) = curve.loss(0.25, target);
        assert!(sum.excess().abs() < 1e-9 && gradient.abs() < 1e-7);
    }

    #[test]
    fn the_loss_of_the_mixture_is_the_mixture_of_the_losses() {
        let mut sums = PartSums::default();
        assert!(sums.is_empty());
        let target = |score, result| Target {
            value: 0.25 * score + 0.75 * result,
            weight: 1.0,
            score,
            result,
        };
        sums.add(Curve::new(600.0), 0.5, target(0.3, 1.0));
        sums.add(Curve::new(600.0), -1.0, target(0.5, 0.0));
        let means = sums.means();
        let mixed = 0.25 * means.score_cross_entropy + 0.75 * means.result_cross_entropy;
        assert!((means.cross_entropy - mixed).abs() < 1e-6, "{means:?}");
        assert!(
            means.result_entropy == 0.0 && means.score_entropy > 0.6,
            "{means:?}"
        );
    }
}
