//! Random numbers by counting: any number of a sequence is computed by itself, the same on every machine.

use super::{GOLDEN_GAMMA, SplitMix64, mix, name_hash, scaled};

/// A sequence of random numbers, by a seed and the name of what they are for (`SplitMix64`).
#[derive(Clone, Copy, Debug)]
pub struct Sequence(u64);

impl Sequence {
    /// The sequence of a seed for the purpose `name`.
    pub fn new(seed: u64, name: &str) -> Self {
        Self(mix(seed.wrapping_add(GOLDEN_GAMMA)) ^ name_hash(name))
    }

    /// The sequence number `index` of a family of sequences.
    pub fn child(self, index: u64) -> Self {
        Self(mix(
            self.0 ^ mix(index.wrapping_add(1).wrapping_mul(GOLDEN_GAMMA))
        ))
    }

    /// The bits at `index`.
    #[inline]
    pub fn at(self, index: u64) -> u64 {
        SplitMix64::nth(self.0, index)
    }

    /// The number at `index`, from 0 to `end` - 1.
    #[inline]
    pub fn below(self, index: u64, end: u64) -> u64 {
        scaled(self.at(index), end)
    }

    /// The number at `index`, from 0 to just below 1.
    pub fn unit(self, index: u64) -> f64 {
        (self.at(index) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The number at `index` of a normal distribution, by the sum of twelve even ones: no more than six deviations from 0.
    pub fn normal(self, index: u64, deviation: f32) -> f32 {
        const BITS: u64 = (1 << 21) - 1;
        let mut sum = 0;
        for part in 0..4 {
            let bits = self.at(4 * index + part);
            sum += (bits & BITS) + (bits >> 21 & BITS) + (bits >> 42 & BITS);
        }
        (sum as f32 / (1 << 21) as f32 - 6.0) * deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_as_they_should_be() {
        let sequence = Sequence::new(7, "a");
        let numbers: Vec<f64> = (0..10_000)
            .map(|i| f64::from(sequence.normal(i, 2.0)))
            .collect();
        let mean = numbers.iter().sum::<f64>() / 1e4;
        let variance = numbers.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / 1e4;
        assert!(
            mean.abs() < 0.1 && (variance - 4.0).abs() < 0.2,
            "{mean} {variance}"
        );
        let units: Vec<f64> = (0..10_000).map(|i| sequence.unit(i)).collect();
        assert!(units.iter().all(|unit| (0.0..1.0).contains(unit)));
        assert!((0..1000).all(|i| sequence.below(i, 7) < 7));
        assert_ne!(sequence.at(0), Sequence::new(8, "a").at(0));
        assert_ne!(sequence.at(0), Sequence::new(7, "b").at(0));
        assert_ne!(sequence.child(0).at(0), sequence.child(1).at(0));
    }
}
