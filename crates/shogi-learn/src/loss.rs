//! Winning rates by values, and the loss of the winning rate that the network gives against that of the teacher.

use crate::batch::Target;
use crate::event::LossParts;

/// The loss of a winning rate `q` against the target `p`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum LossFunction {
    /// The cross entropy, −p ln q − (1 − p) ln (1 − q).
    #[default]
    CrossEntropy,
    /// A power of the difference, |p − q|^N: the exponent, at least 1. Above 2 (nnue-pytorch has 2.5), large differences count more.
    Power(f64),
}

impl LossFunction {
    /// Returns whether its number makes sense.
    pub(crate) fn is_right(self) -> bool {
        match self {
            Self::CrossEntropy => true,
            Self::Power(exponent) => (1.0..=100.0).contains(&exponent),
        }
    }
}

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

/// A winning rate by a value in internal units: that of a win plus half of that of a draw. A win is a logistic curve around `offset`, a
/// loss one around `-offset`, and draws are the rest; without an offset it is one logistic curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WinRate {
    /// The width of the curves.
    pub(crate) scale: f64,
    pub(crate) offset: f64,
}

impl WinRate {
    /// The winning rate at a value.
    pub(crate) fn at(self, value: f64) -> f64 {
        if self.offset > 0.0 {
            let [loss, win] = [value + self.offset, value - self.offset];
            0.5 * (sigmoid(loss / self.scale) + sigmoid(win / self.scale))
        } else {
            sigmoid(value / self.scale)
        }
    }
}

/// The winning rate by the network's output, and its loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Curve {
    /// The slope of the logit over the network's output.
    slope: f64,
    /// The offset of wins and losses on the logit, see [`WinRate`].
    offset: f64,
    loss: LossFunction,
}

impl Curve {
    /// The cross entropy on the curve on which `scale` internal units are a winning rate of 1 / (1 + e^-1).
    #[cfg(test)]
    pub(crate) fn new(scale: f64) -> Self {
        let rate = WinRate { scale, offset: 0.0 };
        Self::of(rate, LossFunction::CrossEntropy)
    }

    /// This loss on this curve.
    pub(crate) fn of(rate: WinRate, loss: LossFunction) -> Self {
        Self {
            slope: OUTPUT_UNIT / rate.scale,
            offset: rate.offset / rate.scale,
            loss,
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
        let (loss, gradient, entropy) = match self.loss {
            LossFunction::CrossEntropy if self.offset > 0.0 => {
                let rate = TwoSided::at(logit, self.offset);
                let loss = -value * ln(rate.win) - (1.0 - value) * ln(rate.loss);
                let gradient = (rate.win - value) * rate.slope / (rate.win * rate.loss);
                (loss, gradient, entropy(value))
            }
            LossFunction::CrossEntropy => {
                let loss = softplus(logit) - value * logit;
                (loss, sigmoid(logit) - value, entropy(value))
            }
            LossFunction::Power(exponent) => {
                let rate = TwoSided::at(logit, self.offset);
                let difference = rate.win - value;
                let before = powered(difference.abs(), exponent - 1.0);
                let gradient = exponent * before * difference.signum() * rate.slope;
                (before * difference.abs(), gradient, 0.0)
            }
        };
        let sum = LossSum {
            cross_entropy: loss * weight,
            entropy: entropy * weight,
            weight,
        };
        (sum, gradient * self.slope * weight)
    }
}

/// A winning rate of two curves at a logit: see [`WinRate`].
struct TwoSided {
    win: f64,
    /// 1 minus it, exact where it is small.
    loss: f64,
    /// The slope of it over the logit.
    slope: f64,
}

impl TwoSided {
    fn at(logit: f64, offset: f64) -> Self {
        // No rate becomes 0.
        const LIMIT: f64 = 600.0;
        let sides = [logit - offset, logit + offset].map(|side| {
            let side = side.clamp(-LIMIT, LIMIT);
            [sigmoid(side), sigmoid(-side)]
        });
        let [[win, no_win], [no_loss, loss]] = sides;
        Self {
            win: 0.5 * (win + no_loss),
            loss: 0.5 * (no_win + loss),
            slope: 0.5 * (win * no_win + no_loss * loss),
        }
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

/// The natural logarithm of a number above 0, in operations that are exact everywhere, as [`exp`].
fn ln(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    const ONE: u64 = 1023;
    if x < f64::MIN_POSITIVE {
        return f64::NEG_INFINITY;
    }
    let mut power = (x.to_bits() >> 52) as f64 - ONE as f64;
    let mut rest = f64::from_bits(x.to_bits() & MANTISSA | ONE << 52);
    if rest > std::f64::consts::SQRT_2 {
        (rest, power) = (rest / 2.0, power + 1.0);
    }
    // The series of the area tangent: |ratio| is 0.172 at most.
    let ratio = (rest - 1.0) / (rest + 1.0);
    let mut sum = 0.0;
    for n in (0..=12).rev() {
        sum = sum * ratio * ratio + 1.0 / f64::from(2 * n + 1);
    }
    power * LN_2_HIGH + (2.0 * ratio * sum + power * LN_2_LOW)
}

/// `base` (at least 0) to the power of `exponent` (at least 0).
fn powered(base: f64, exponent: f64) -> f64 {
    if exponent == 0.0 {
        return 1.0;
    }
    exp(exponent * ln(base))
}

/// The logarithm of 2, in two parts.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

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
pub(crate) mod tests {
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
    fn the_logarithm_is_that_of_the_library() {
        for i in 1..10_000 {
            for x in [
                f64::from(i) / 7000.0,
                f64::from(i) * 1e-200,
                f64::from(i) * 1e200,
            ] {
                let difference = (ln(x) - x.ln()).abs();
                assert!(
                    difference <= 1e-15 * x.ln().abs().max(1.0),
                    "{x} {difference}"
                );
            }
        }
        assert_eq!((ln(1.0), ln(0.0)), (0.0, f64::NEG_INFINITY));
        for (base, exponent) in [(0.3, 1.5), (0.99, 1.0), (1e-9, 0.5)] {
            let relative = powered(base, exponent) / f64::powf(base, exponent) - 1.0;
            assert!(relative.abs() < 1e-14, "{base} {exponent} {relative}");
        }
        assert_eq!((powered(0.0, 1.5), powered(0.0, 0.0)), (0.0, 1.0));
    }

    /// One curve of each kind.
    pub(crate) fn curves() -> Vec<Curve> {
        let mut curves = Vec::new();
        for offset in [0.0, 270.0] {
            let rate = WinRate {
                scale: 431.0,
                offset,
            };
            for loss in [
                LossFunction::CrossEntropy,
                LossFunction::Power(2.5),
                LossFunction::Power(2.0),
            ] {
                curves.push(Curve::of(rate, loss));
            }
        }
        curves
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        for curve in curves() {
            for output in [-3.0, -0.2, 0.0, 0.7] {
                let at = |output| curve.exact_loss(output, 0.3, 2.0).0.cross_entropy;
                let step = 1.0 / 16384.0;
                let slope = (at(output + step) - at(output - step)) / (2.0 * step);
                let (_, gradient) = curve.loss(output as f32, Target::new(0.3, 2.0));
                let difference = (slope - gradient).abs();
                assert!(difference < 1e-6, "{curve:?} {output} {slope} {gradient}");
            }
        }
    }

    #[test]
    fn a_winning_rate_of_two_sides_is_wins_and_half_of_draws() {
        let rate = WinRate {
            scale: 340.0,
            offset: 270.0,
        };
        for value in [-900.0, -10.0, 0.0, 300.0, 2000.0] {
            // As nnue-pytorch has it.
            let win = sigmoid((value - 270.0) / 340.0);
            let loss = sigmoid((-value - 270.0) / 340.0);
            assert!((rate.at(value) - 0.5 * (1.0 + win - loss)).abs() < 1e-12);
            let two = TwoSided::at(value / 340.0, 270.0 / 340.0);
            assert!((two.win - rate.at(value)).abs() < 1e-12);
            assert!((two.win + two.loss - 1.0).abs() < 1e-12);
        }
        let one = WinRate {
            offset: 0.0,
            ..rate
        };
        assert_eq!(one.at(340.0).to_bits(), sigmoid(1.0).to_bits());
    }

    #[test]
    fn powers_are_those_of_the_difference() {
        let rate = WinRate {
            scale: 600.0,
            offset: 0.0,
        };
        let curve = Curve::of(rate, LossFunction::Power(2.5));
        let (sum, _) = curve.exact_loss(0.0, 0.25, 3.0);
        assert!((sum.cross_entropy - 3.0 * 0.25f64.powf(2.5)).abs() < 1e-12);
        assert_eq!(sum.entropy.to_bits(), 0);
    }

    #[test]
    fn extreme_outputs_have_losses_and_gradients() {
        for curve in curves() {
            for output in [-1e4, -300.0, 300.0, 1e4] {
                for value in [0.0, 0.5, 1.0] {
                    let (sum, gradient) = curve.exact_loss(output, value, 1.0);
                    let is_number = sum.cross_entropy.is_finite() && gradient.is_finite();
                    assert!(is_number, "{curve:?} {output} {value} {sum:?} {gradient}");
                }
            }
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
