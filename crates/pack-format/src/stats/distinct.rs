//! About how many different positions there are, in a fixed small memory.
//!
//! `HyperLogLog` (Flajolet, Fusy, Gandouet, Meunier 2007) with the estimator of Otmar Ertl (2017,
//! arXiv:1702.01284), which needs no correction tables for small and large numbers.

use yane_base::random::mix;

/// Bits of the hash that choose a register.
const INDEX_BITS: u32 = 14;
const REGISTERS: usize = 1 << INDEX_BITS;
/// Bits of the hash that are left.
const REST_BITS: u32 = 64 - INDEX_BITS;

/// An estimate of the number of different positions: the standard error is 0.8 %.
///
/// The same positions give the same estimate in any order and however they are divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinct {
    /// The longest run of leading zeros seen, plus one, by the first bits of the hash.
    registers: Box<[u8; REGISTERS]>,
}

impl Default for Distinct {
    fn default() -> Self {
        Self {
            registers: Box::new([0; REGISTERS]),
        }
    }
}

impl Distinct {
    /// Counts a position, by its [`shogi_core::Position::key128`].
    #[inline]
    pub fn add(&mut self, key: u128) {
        let hash = mix(key as u64 ^ (key >> 64) as u64);
        let index = (hash >> REST_BITS) as usize;
        // The bit below the rest ends the run at the latest.
        let rank = (hash << INDEX_BITS | 1 << (INDEX_BITS - 1)).leading_zeros() + 1;
        let register = &mut self.registers[index];
        *register = (*register).max(rank as u8);
    }

    /// Merges the positions of another estimate.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.registers.iter_mut().zip(other.registers.iter()) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// The estimate.
    pub fn estimate(&self) -> f64 {
        let mut counts = [0u32; REST_BITS as usize + 2];
        for &register in self.registers.iter() {
            counts[register as usize] += 1;
        }
        let registers = REGISTERS as f64;
        let last = REST_BITS as usize + 1;
        let mut sum = registers * tau(1.0 - f64::from(counts[last]) / registers);
        for &count in counts[1..last].iter().rev() {
            sum = 0.5 * (sum + f64::from(count));
        }
        sum += registers * sigma(f64::from(counts[0]) / registers);
        registers * registers / (2.0 * std::f64::consts::LN_2 * sum)
    }
}

/// x + Σ x^(2^k) 2^(k−1), the share of registers never touched; infinite at 1.
fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut power, mut sum) = (1.0, x);
    loop {
        x *= x;
        let before = sum;
        sum += x * power;
        power += power;
        if sum <= before {
            return sum;
        }
    }
}

/// (1 − x − Σ (1 − x^(2^−k))² 2^(−k)) / 3, the share of registers at their end.
fn tau(mut x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let (mut power, mut sum) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = sum;
        power *= 0.5;
        sum -= (1.0 - x) * (1.0 - x) * power;
        if sum >= before {
            return sum / 3.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys as unlike as those of positions.
    fn keys(range: std::ops::Range<u64>) -> impl Iterator<Item = u128> {
        range.map(|n| {
            u128::from(mix(n.wrapping_mul(yane_base::random::GOLDEN_GAMMA))) << 64 | u128::from(n)
        })
    }

    fn distinct(range: std::ops::Range<u64>) -> Distinct {
        let mut distinct = Distinct::default();
        keys(range).for_each(|key| distinct.add(key));
        distinct
    }

    #[test]
    fn estimates_are_close_for_few_and_for_many() {
        assert!(Distinct::default().estimate().abs() < 1e-9);
        for (count, tolerance) in [(1, 0.001), (100, 0.01), (10_000, 0.02), (1_000_000, 0.025)] {
            let ratio = distinct(0..count).estimate() / count as f64;
            assert!((ratio - 1.0).abs() < tolerance, "{count}: {ratio}");
        }
    }

    #[test]
    fn the_typical_error_is_under_one_percent() {
        let errors: f64 = (0..50)
            .map(|run| {
                let from = run * 1_000_000;
                let ratio = distinct(from..from + 60_000).estimate() / 60_000.0;
                (ratio - 1.0).powi(2)
            })
            .sum();
        let deviation = (errors / 50.0).sqrt();
        assert!((0.004..0.011).contains(&deviation), "{deviation}");
    }

    #[test]
    fn repetition_and_order_do_not_matter() {
        let mut twice = distinct(0..5000);
        keys(0..5000).for_each(|key| twice.add(key));
        assert_eq!(twice, distinct(0..5000));
        let mut merged = distinct(3000..5000);
        merged.merge(&distinct(0..4000));
        assert_eq!(merged, twice);
    }
}
