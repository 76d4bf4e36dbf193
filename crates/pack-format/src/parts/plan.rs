//! Assignment of units to parts.

use yane_base::random::{Rng, ShuffleStream, shuffle_stream};

use crate::{Result, TeacherError};

/// The choice of a part for each unit, in their order.
pub(super) enum Plan {
    /// Each unit begins in the first part whose end, in bytes, is behind its first byte.
    Ends { ends: Vec<u64>, at: u64, part: u64 },
    /// A fixed number of units to a part.
    Units { each: u64, units: u64 },
    /// At random: below the first limit the first part, and so on.
    Random {
        limits: Vec<u64>,
        rng: Box<ShuffleStream>,
    },
}

impl Plan {
    /// The plan for inputs of `total` bytes.
    ///
    /// # Errors
    /// When the numbers make no sense.
    pub(super) fn new(parts: &SplitParts, seed: u64, total: u64) -> Result<Self> {
        match parts {
            SplitParts::Count(0) | SplitParts::Units(0) => {
                let reason = "parts: expected a number of at least 1";
                Err(TeacherError::Option(reason.to_owned()))
            }
            SplitParts::Count(count) => {
                let count = u128::from(*count);
                let end = |part| (u128::from(total) * part / count) as u64;
                Ok(Self::Ends {
                    ends: (1..=count).map(end).collect(),
                    at: 0,
                    part: 0,
                })
            }
            SplitParts::Units(each) => Ok(Self::Units {
                each: *each,
                units: 0,
            }),
            SplitParts::Ratio(shares) => Ok(Self::Random {
                limits: limits(shares)?,
                rng: Box::new(shuffle_stream(rng_seed(seed))),
            }),
        }
    }

    /// The parts that there are however few units there are.
    pub(super) fn fixed_parts(&self) -> u64 {
        match self {
            Self::Ends { ends, .. } => ends.len() as u64,
            Self::Units { .. } => 1,
            Self::Random { limits, .. } => limits.len() as u64 + 1,
        }
    }

    /// The part, from 0, of the next unit, which has `len` bytes.
    #[inline]
    pub(super) fn next(&mut self, len: usize) -> u64 {
        match self {
            Self::Ends { ends, at, part } => {
                while *part + 1 < ends.len() as u64 && *at >= ends[*part as usize] {
                    *part += 1;
                }
                *at += len as u64;
                *part
            }
            Self::Units { each, units } => {
                *units += 1;
                (*units - 1) / *each
            }
            Self::Random { limits, rng } => {
                let drawn = rng.next_u64();
                limits.iter().take_while(|&&limit| limit <= drawn).count() as u64
            }
        }
    }
}

/// The seed of the generator, which must not be one that shuffling uses too: there the ninth byte is
/// a small number.
fn rng_seed(seed: u64) -> [u8; 32] {
    let mut bytes = [0xff; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes
}

/// The limits between shares on a scale of 2⁶⁴.
fn limits(shares: &[f64]) -> Result<Vec<u64>> {
    let sum: f64 = shares.iter().sum();
    let all_above = shares.iter().all(|&share| share > 0.0);
    if shares.is_empty() || !all_above || !sum.is_finite() {
        let reason = format!("ratio {shares:?}: expected numbers above 0");
        return Err(TeacherError::Option(reason));
    }
    let mut limits = Vec::new();
    let mut before = 0.0;
    for share in &shares[..shares.len() - 1] {
        before += share;
        // The cast keeps to the range of the type.
        limits.push((before / sum * 2f64.powi(64)) as u64);
    }
    Ok(limits)
}

/// Division into parts.
#[derive(Clone, Debug, PartialEq)]
pub enum SplitParts {
    /// A number of parts of about equal size, in the order of the inputs.
    Count(u64),
    /// Parts of a number of records, games or lines, in the order of the inputs; the last may have
    /// fewer.
    Units(u64),
    /// Each record, game or line goes to one of as many parts as there are numbers, chosen at random
    /// with probabilities in the ratio of these. The order within a part is that of the inputs.
    Ratio(Vec<f64>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_kept() {
        let mut plan = Plan::new(&SplitParts::Ratio(vec![7.0, 1.0, 2.0]), 5, 0).unwrap();
        let mut counts = [0u32; 3];
        for _ in 0..100_000 {
            counts[plan.next(1) as usize] += 1;
        }
        for (count, expected) in counts.into_iter().zip([70_000u32, 10_000, 20_000]) {
            assert!(count.abs_diff(expected) < 700, "{counts:?}");
        }
        for shares in [
            vec![],
            vec![0.5, 0.0],
            vec![1.0, -1.0],
            vec![f64::NAN],
            vec![f64::INFINITY],
        ] {
            assert!(Plan::new(&SplitParts::Ratio(shares), 0, 0).is_err());
        }
    }

    #[test]
    fn equal_parts_differ_by_less_than_a_unit() {
        for (units, count) in [(100u64, 7u64), (7, 7), (3, 7), (0, 2)] {
            let mut plan = Plan::new(&SplitParts::Count(count), 0, units * 40).unwrap();
            assert_eq!(plan.fixed_parts(), count);
            let mut counts = vec![0; count as usize];
            for _ in 0..units {
                counts[plan.next(40) as usize] += 1;
            }
            let least = units / count;
            assert!(
                counts.iter().all(|&n| n == least || n == least + 1),
                "{counts:?}"
            );
        }
    }
}
