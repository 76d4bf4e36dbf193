//! Sixteen floats side by side, with the vector instructions of the processor: kernels are written once, in terms of [`Isa`], and compiled for each set of instructions.
//!
//! [`LaneLevel::run`] calls the version for the instructions that the processor has. Every operation is one that IEEE 754 rounds
//! exactly, on sixteen numbers side by side, and no sum is ever taken across the lanes of a vector: so all versions give the same bits,
//! those of [`Scalar`].

pub mod bfloat16;
mod isa;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use isa::{Isa, LANES, LaneKernel, Lanes, PairLanes};
use std::fmt;

/// A limit for vector instructions, to see how fast others are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum VectorLimit {
    /// The best that the processor has.
    #[default]
    Best,
    /// AVX2 at most.
    Avx2,
    /// None.
    Scalar,
}

/// Ordinary instructions, which every processor has.
#[derive(Clone, Copy, Debug)]
pub struct Scalar;

impl Isa for Scalar {
    type Vector = Lanes;
    type Pairs = PairLanes;

    const SAMPLES: usize = 1;

    #[inline(always)]
    fn load(self, lanes: &Lanes) -> Lanes {
        *lanes
    }
    #[inline(always)]
    fn store(self, vector: Lanes, lanes: &mut Lanes) {
        *lanes = vector;
    }
    #[inline(always)]
    fn splat(self, number: f32) -> Lanes {
        [number; LANES]
    }
    #[inline(always)]
    fn add(self, a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, a: Lanes, b: Lanes) -> Lanes {
        zip(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn sqrt(self, a: Lanes) -> Lanes {
        a.map(f32::sqrt)
    }
    #[inline(always)]
    fn mul_add(self, a: Lanes, b: Lanes, c: Lanes) -> Lanes {
        std::array::from_fn(|i| a[i].mul_add(b[i], c[i]))
    }
    #[inline(always)]
    fn clamp(self, a: Lanes, low: Lanes, high: Lanes) -> Lanes {
        std::array::from_fn(|i| a[i].max(low[i]).min(high[i]))
    }
    #[inline(always)]
    fn load_pairs(self, pairs: &PairLanes) -> PairLanes {
        *pairs
    }
    #[inline(always)]
    fn add_products(self, factors: u32, pairs: PairLanes, sum: Lanes) -> Lanes {
        let [first, second] = bfloat16::numbers(factors);
        std::array::from_fn(|i| {
            let [a, b] = bfloat16::numbers(pairs[i]);
            first.mul_add(a, second.mul_add(b, sum[i]))
        })
    }
    #[inline(always)]
    fn where_inside(self, x: Lanes, value: Lanes) -> Lanes {
        zip(x, value, |x, v| if x > 0.0 && x < 1.0 { v } else { 0.0 })
    }
}

#[inline(always)]
fn zip(a: Lanes, b: Lanes, f: impl Fn(f32, f32) -> f32) -> Lanes {
    std::array::from_fn(|i| f(a[i], b[i]))
}

/// The set of instructions: the best that the processor has, unless a test asks for others. The results are the same.
#[derive(Clone, Copy)]
pub struct LaneLevel(Inner);

#[derive(Clone, Copy)]
enum Inner {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512<false>),
    #[cfg(target_arch = "x86_64")]
    Avx512Bf16(x86::Avx512<true>),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
}

impl LaneLevel {
    /// The best that this processor has.
    pub fn best() -> Self {
        Self::within(VectorLimit::Best)
    }

    /// The best that this processor has within a limit.
    pub fn within(limit: VectorLimit) -> Self {
        let is_allowed = |level: &Self| match (limit, level.0) {
            (VectorLimit::Best, _) | (_, Inner::Scalar) => true,
            #[cfg(target_arch = "x86_64")]
            (VectorLimit::Avx2, Inner::Avx2(_)) => true,
            #[allow(unreachable_patterns, reason = "those of other processors")]
            _ => false,
        };
        let best = Self::available().filter(is_allowed).last();
        best.unwrap_or(Self(Inner::Scalar))
    }

    /// All that this processor has, the best last.
    pub fn available() -> impl Iterator<Item = Self> {
        [
            Some(Inner::Scalar),
            #[cfg(target_arch = "x86_64")]
            x86::Avx2::detect().map(Inner::Avx2),
            #[cfg(target_arch = "x86_64")]
            x86::Avx512::detect().map(Inner::Avx512),
            #[cfg(target_arch = "x86_64")]
            x86::Avx512::detect().map(Inner::Avx512Bf16),
            #[cfg(target_arch = "aarch64")]
            neon::Neon::detect().map(Inner::Neon),
        ]
        .into_iter()
        .flatten()
        .map(Self)
    }

    /// Runs `kernel` with these instructions.
    #[inline]
    pub fn run<K: LaneKernel>(self, kernel: K) {
        match self.0 {
            Inner::Scalar => kernel.run(Scalar),
            #[cfg(target_arch = "x86_64")]
            Inner::Avx2(isa) => isa.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Inner::Avx512(isa) => isa.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Inner::Avx512Bf16(isa) => isa.run(kernel),
            #[cfg(target_arch = "aarch64")]
            Inner::Neon(isa) => isa.run(kernel),
        }
    }
}

impl fmt::Debug for LaneLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Inner::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Inner::Avx2(_) => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Inner::Avx512(_) => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Inner::Avx512Bf16(_) => "AVX-512 BF16",
            #[cfg(target_arch = "aarch64")]
            Inner::Neon(_) => "NEON",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    /// All operations on three vectors after another.
    struct Everything<'a> {
        input: &'a [[Lanes; 3]],
        output: &'a mut Vec<Lanes>,
    }

    impl LaneKernel for Everything<'_> {
        #[inline(always)]
        fn run<I: Isa>(self, isa: I) {
            for [a, b, c] in self.input {
                let factors = bfloat16::pair(a[0], b[1]);
                let mut pairs = [0; LANES];
                for lane in 0..LANES {
                    pairs[lane] = bfloat16::pair(a[lane], b[lane]);
                }
                let pairs = isa.load_pairs(&pairs);
                let (a, b, c) = (isa.load(a), isa.load(b), isa.load(c));
                let one = isa.splat(1.0);
                let zero = isa.splat(0.0);
                for vector in [
                    isa.add(a, b),
                    isa.sub(a, b),
                    isa.mul(a, b),
                    isa.div(a, b),
                    isa.sqrt(isa.mul(a, a)),
                    isa.mul_add(a, b, c),
                    isa.clamp(a, zero, one),
                    isa.where_inside(a, b),
                    isa.add_products(factors, pairs, c),
                ] {
                    let mut lanes = [0.0; LANES];
                    isa.store(vector, &mut lanes);
                    self.output.push(lanes);
                }
            }
        }
    }

    #[test]
    fn all_levels_give_the_same_bits() {
        let mut random = SplitMix64::new(3);
        let mut number = || match random.below(9) {
            0 => 0.0,
            1 => 1.0,
            _ => (random.next_u64() >> 40) as f32 / 4e6 - 2.0,
        };
        let input: Vec<[Lanes; 3]> = (0..200)
            .map(|_| std::array::from_fn(|_| std::array::from_fn(|_| number())))
            .collect();
        let results = LaneLevel::available().map(|level| {
            let mut output = Vec::new();
            let (input, output_of) = (&input, &mut output);
            level.run(Everything {
                input,
                output: output_of,
            });
            (level, output)
        });
        let bits = |output: &[Lanes]| -> Vec<u32> {
            let numbers = output.iter().flatten().map(|number| {
                // The sign of "not a number" (0 / 0) may be either.
                if number.is_nan() { 1 } else { number.to_bits() }
            });
            numbers.collect()
        };
        let results: Vec<_> = results.collect();
        for (level, output) in &results {
            assert_eq!(bits(output), bits(&results[0].1), "{level:?}");
        }
    }
}
