//! The exponential moving average of a network's weights over the steps ("EMA"): a network that is usually better than that of the last step.
//!
//! After step `t` the average is that of the weights after steps 1 to `t`, those after step `k` with the weight `d^(t - k)`, over the sum of
//! these weights, so that no correction of a bias is needed. It moves by a *share* of its distance to the weights: (1 - d) / (1 - d^t).
//!
//! A number that stays the same from step `m` on moves the average at step `t` as all these steps together would, by the share
//! (1 - d^(t - m)) / (1 - d^t). So the rows that steps do not touch are left alone, and their averages are exact all the same: they catch up
//! when a step touches the row, or when the average is read.

/// The decay of a moving average in each step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AverageDecay(f64);

impl AverageDecay {
    /// A decay above 0 and below 1; `None` for others.
    pub(crate) fn new(decay: f64) -> Option<Self> {
        (decay > 0.0 && decay < 1.0).then_some(Self(decay))
    }

    /// The share of its distance by which the average moves towards numbers that were the same after each step behind `from`, up to `to`.
    pub(crate) fn share(self, from: u32, to: u32) -> f32 {
        if from >= to {
            return 0.0;
        }
        let gone = |steps| 1.0 - power(self.0, steps);
        (gone(to - from) / gone(to)) as f32
    }
}

/// `base` to the power of `exponent`, by squaring: the same on every machine.
pub(crate) fn power(base: f64, mut exponent: u32) -> f64 {
    let (mut square, mut result) = (base, 1.0);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= square;
        }
        square *= square;
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use test_support::SplitMix64;
    use yane_base::lanes::LaneLevel;

    use super::*;
    use crate::batch::{Batch, BatchMaker, Samples, Target};
    use crate::buffers::Buffers;
    use crate::loss::Curve;
    use crate::optimiser::{Optimiser, Rules};
    use crate::params::{Params, Weights};
    use crate::shape::Shape;
    use crate::step::train;

    #[test]
    fn steps_together_are_the_steps_one_by_one() {
        let decay = AverageDecay::new(0.9).unwrap();
        let mut average = 0.25;
        let numbers = [1.0f32, 4.0, 4.0, 4.0, 4.0, -2.0];
        for (step, number) in (1..).zip(numbers) {
            average += decay.share(step - 1, step) * (number - average);
        }
        let mut skipping = 0.25;
        for (from, to, number) in [(0, 1, 1.0), (1, 5, 4.0), (5, 6, -2.0)] {
            skipping += decay.share(from, to) * (number - skipping);
        }
        assert!((average - skipping).abs() < 1e-6, "{average} {skipping}");
        assert!((decay.share(0, 7) - 1.0).abs() < 1e-7);
        assert!(decay.share(7, 7).abs() < 1e-7);
        assert_eq!([0.0, 1.0, f64::NAN].map(AverageDecay::new), [None; 3]);
    }

    /// Samples of a few features, other ones in each step, so that most rows are skipped in most steps.
    fn samples(shape: &Shape, random: &mut SplitMix64) -> Samples {
        let mut samples = Samples::default();
        let (rows, first) = (shape.features.rows() as u64, random.below(40));
        for _ in 0..20 {
            for _ in 0..2 * shape.features.active_count() {
                let feature = (first + random.below(8)) * (rows / 64);
                samples.features.push(feature as u32);
            }
            let stacks = random.below(shape.stacks() as u64) + 1;
            samples.stacks.push(random.below(stacks) as u32);
            let value = random.below(1000) as f32 / 1000.0;
            samples.targets.push(Target::new(value, 1.0));
        }
        samples
    }

    /// All weights, in one order.
    fn numbers(params: &Params) -> Vec<f32> {
        let slabs = params.table.slabs.iter().chain(&params.factors.slabs);
        let layers = params.layers.iter();
        let dense = layers.flat_map(|layer| [&layer.weights, &layer.biases]);
        let all = slabs.chain([&params.bias]).chain(dense);
        all.flat_map(|weights: &Weights| weights.values.clone())
            .collect()
    }

    #[test]
    fn the_average_is_that_of_a_sweep_over_all_weights() {
        const DECAY: f64 = 0.95;
        for name in ["kp_32x2-8-8", "halfkp_32x2-8-8", "SFNN_kp_64_8_16_k3k3"] {
            let shape = Shape::new(name.parse().unwrap(), true);
            let mut params = Params::random(shape, 5);
            params.keep_average();
            let decay = AverageDecay::new(DECAY).unwrap();
            let (mut random, mut buffers) = (SplitMix64::new(3), Buffers::default());
            let mut sums = vec![0.0; numbers(&params).len()];
            let mut batch = Batch::default();
            for number in 1..=40 {
                let mut samples = samples(&shape, &mut random);
                BatchMaker::new(shape).make(&mut samples, &mut batch);
                let rules = Rules::new(Optimiser::default(), 0.01, number).averaged(Some(decay));
                let (level, curve) = (LaneLevel::best(), Curve::new(600.0));
                let rules = (&rules, number);
                train(&mut params, level, curve, &batch, &mut buffers, rules);
                for (sum, number) in sums.iter_mut().zip(numbers(&params)) {
                    *sum = DECAY * *sum + (1.0 - DECAY) * f64::from(number);
                }
                if number % 13 != 1 {
                    continue;
                }
                let total = 1.0 - DECAY.powi(number as i32);
                let average = params.averaged(decay, number);
                let mut moved = 0;
                let found = numbers(&average).into_iter().zip(numbers(&params));
                for ((found, last), sum) in found.zip(&sums) {
                    let difference = (f64::from(found) - sum / total).abs();
                    assert!(difference < 3e-6, "{name}: {found} {}", sum / total);
                    moved += usize::from((found - last).abs() > 1e-4);
                }
                assert!(number == 1 || moved > 100, "{name}: {moved}");
            }
        }
    }
}
