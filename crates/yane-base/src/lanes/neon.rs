//! NEON.
//!
//! A value of [`Neon`] is made only where the processor was seen to have the instructions, which is what every call of an intrinsic here
//! needs.

#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports,
    reason = "instructions are many, and their names begin with v"
)]

use std::arch::aarch64::*;

use super::{Isa, LaneKernel, Lanes, PairLanes, bfloat16};

/// Proof that the processor has NEON.
#[derive(Clone, Copy)]
pub(super) struct Neon(());

type Quarters = [float32x4_t; 4];

/// All four quarters of a vector by an instruction for a quarter.
macro_rules! quarters {
    ($instruction:ident($($vector:ident),+)) => {
        // SAFETY: `self` is the proof of the instruction.
        unsafe {
            [
                $instruction($($vector[0]),+),
                $instruction($($vector[1]),+),
                $instruction($($vector[2]),+),
                $instruction($($vector[3]),+),
            ]
        }
    };
}

impl Neon {
    pub(super) fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
    }

    #[inline(always)]
    pub(super) fn run<K: LaneKernel>(self, kernel: K) {
        #[target_feature(enable = "neon")]
        fn run<K: LaneKernel>(isa: Neon, kernel: K) {
            kernel.run(isa);
        }
        // SAFETY: `self` proves that the processor has what the function is compiled for.
        unsafe { run(self, kernel) }
    }
}

impl Isa for Neon {
    type Vector = Quarters;
    type Pairs = [uint32x4_t; 4];

    const SAMPLES: usize = 2;

    #[inline(always)]
    fn load(self, lanes: &Lanes) -> Quarters {
        let quarters = lanes.as_chunks::<4>().0;
        // SAFETY: each reference is to four numbers, and the load is the one for any address.
        unsafe {
            [
                vld1q_f32(quarters[0].as_ptr()),
                vld1q_f32(quarters[1].as_ptr()),
                vld1q_f32(quarters[2].as_ptr()),
                vld1q_f32(quarters[3].as_ptr()),
            ]
        }
    }
    #[inline(always)]
    fn store(self, vector: Quarters, lanes: &mut Lanes) {
        for (quarter, lanes) in vector.into_iter().zip(lanes.as_chunks_mut::<4>().0) {
            // SAFETY: as for the load.
            unsafe { vst1q_f32(lanes.as_mut_ptr(), quarter) }
        }
    }
    #[inline(always)]
    fn splat(self, number: f32) -> Quarters {
        // SAFETY: `self` is the proof of the instruction.
        unsafe { [vdupq_n_f32(number); 4] }
    }
    #[inline(always)]
    fn add(self, a: Quarters, b: Quarters) -> Quarters {
        quarters!(vaddq_f32(a, b))
    }
    #[inline(always)]
    fn sub(self, a: Quarters, b: Quarters) -> Quarters {
        quarters!(vsubq_f32(a, b))
    }
    #[inline(always)]
    fn mul(self, a: Quarters, b: Quarters) -> Quarters {
        quarters!(vmulq_f32(a, b))
    }
    #[inline(always)]
    fn div(self, a: Quarters, b: Quarters) -> Quarters {
        quarters!(vdivq_f32(a, b))
    }
    #[inline(always)]
    fn sqrt(self, a: Quarters) -> Quarters {
        quarters!(vsqrtq_f32(a))
    }
    #[inline(always)]
    fn mul_add(self, a: Quarters, b: Quarters, c: Quarters) -> Quarters {
        quarters!(vfmaq_f32(c, a, b))
    }
    #[inline(always)]
    fn clamp(self, a: Quarters, low: Quarters, high: Quarters) -> Quarters {
        let a = quarters!(vmaxq_f32(a, low));
        quarters!(vminq_f32(a, high))
    }
    #[inline(always)]
    fn load_pairs(self, pairs: &PairLanes) -> [uint32x4_t; 4] {
        let quarters = pairs.as_chunks::<4>().0;
        // SAFETY: each reference is to four pairs, and the load is the one for any address.
        unsafe {
            [
                vld1q_u32(quarters[0].as_ptr()),
                vld1q_u32(quarters[1].as_ptr()),
                vld1q_u32(quarters[2].as_ptr()),
                vld1q_u32(quarters[3].as_ptr()),
            ]
        }
    }
    #[inline(always)]
    fn add_products(self, factors: u32, pairs: [uint32x4_t; 4], mut sum: Quarters) -> Quarters {
        let [first, second] = bfloat16::numbers(factors);
        for (sum, pairs) in sum.iter_mut().zip(pairs) {
            // SAFETY: `self` is the proof of the instructions.
            unsafe {
                let firsts = vreinterpretq_f32_u32(vshlq_n_u32::<16>(pairs));
                let seconds = vandq_u32(pairs, vdupq_n_u32(0xffff_0000));
                *sum = vfmaq_f32(*sum, vdupq_n_f32(second), vreinterpretq_f32_u32(seconds));
                *sum = vfmaq_f32(*sum, vdupq_n_f32(first), firsts);
            }
        }
        sum
    }
    #[inline(always)]
    fn where_inside(self, x: Quarters, value: Quarters) -> Quarters {
        let (zero, one) = (self.splat(0.0), self.splat(1.0));
        let above = quarters!(vcgtq_f32(x, zero));
        let below = quarters!(vcltq_f32(x, one));
        let inside = quarters!(vandq_u32(above, below));
        let bits = quarters!(vreinterpretq_u32_f32(value));
        let kept = quarters!(vandq_u32(inside, bits));
        quarters!(vreinterpretq_f32_u32(kept))
    }
}
