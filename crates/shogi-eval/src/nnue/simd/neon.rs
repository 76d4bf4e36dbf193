//! The operations with the vector instructions of `AArch64` processors.

#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports,
    reason = "instructions are many, and their names begin with v"
)]

use std::arch::aarch64::*;

use super::{Isa, Kernel, Line};

/// Proof that the processor has NEON. Nearly all have.
#[derive(Clone, Copy)]
pub(super) struct Neon(());

impl Neon {
    pub(super) fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
    }

    #[inline(always)]
    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "neon")]
        fn run<K: Kernel>(isa: Neon, kernel: K) -> K::Output {
            kernel.run(isa)
        }
        // SAFETY: `self` proves that the processor has what the function is compiled for.
        unsafe { run(self, kernel) }
    }

    /// Adds the products of four bytes each to the sums of four outputs. Inputs are 0 to 127, so that
    /// it does not matter that the instructions take them as signed.
    #[inline(always)]
    fn dot(self, acc: int32x4_t, inputs: int8x16_t, weights: &[i8; 16]) -> int32x4_t {
        // SAFETY: the array has the 16 bytes, and `self` proves that the processor has NEON.
        unsafe {
            let weights = vld1q_s8(weights.as_ptr());
            // Products are within 127 × 128 and two of them do not leave 16 bits.
            let low = vmull_s8(vget_low_s8(inputs), vget_low_s8(weights));
            let high = vmull_high_s8(inputs, weights);
            vpadalq_s16(acc, vpaddq_s16(low, high))
        }
    }

    #[inline(always)]
    fn dots<const N: usize>(
        self,
        acc: [int32x4_t; N],
        inputs: int8x16_t,
        weights: &[i8],
    ) -> [int32x4_t; N] {
        let (weights, _) = weights.as_chunks::<16>();
        std::array::from_fn(|i| self.dot(acc[i], inputs, &weights[i]))
    }

    #[inline(always)]
    fn adds<const N: usize>(self, a: [int32x4_t; N], b: [int32x4_t; N]) -> [int32x4_t; N] {
        // SAFETY: `self` proves that the processor has NEON.
        std::array::from_fn(|i| unsafe { vaddq_s32(a[i], b[i]) })
    }

    #[inline(always)]
    fn loads<const N: usize>(self, sums: &[i32]) -> [int32x4_t; N] {
        let (vectors, _) = sums.as_chunks::<4>();
        // SAFETY: the arrays have the 16 bytes; else as in `adds`.
        std::array::from_fn(|i| unsafe { vld1q_s32(vectors[i].as_ptr()) })
    }

    #[inline(always)]
    fn stores<const N: usize>(self, acc: [int32x4_t; N], sums: &mut [i32]) {
        let (vectors, _) = sums.as_chunks_mut::<4>();
        for (acc, vector) in acc.into_iter().zip(vectors) {
            // SAFETY: the array has the 16 bytes; else as in `adds`.
            unsafe { vst1q_s32(vector.as_mut_ptr(), acc) }
        }
    }

    #[inline(always)]
    fn doubled(self, a: int16x8_t) -> int16x8_t {
        // SAFETY: as in `adds`.
        unsafe {
            let doubled = vshlq_n_s16::<1>(a);
            vmaxq_s16(vminq_s16(doubled, vdupq_n_s16(254)), vdupq_n_s16(0))
        }
    }

    /// Products of eight pairs.
    #[inline(always)]
    fn product(self, a: int16x8_t, b: int16x8_t) -> int16x8_t {
        let (a, b) = (self.doubled(a), self.doubled(b));
        // SAFETY: as in `adds`.
        unsafe {
            // Twice the product of 64 a and b, without its lower 16 bits: a × b / 2^9.
            vqdmulhq_s16(vshlq_n_s16::<6>(a), b)
        }
    }

    /// Within 0 to 127, as bytes.
    #[inline(always)]
    fn pack(self, low: int16x8_t, high: int16x8_t) -> uint8x16_t {
        // SAFETY: as in `adds`.
        unsafe {
            let bytes = vcombine_s8(vqmovn_s16(low), vqmovn_s16(high));
            vreinterpretq_u8_s8(vmaxq_s8(bytes, vdupq_n_s8(0)))
        }
    }
}

impl Isa for Neon {
    type Lane = [int16x8_t; 4];
    type Bytes = [uint8x16_t; 4];
    type Group = int8x16_t;
    type Acc16 = [int32x4_t; 4];
    type Acc8 = [int32x4_t; 2];

    const TILE: usize = 2;

    #[inline(always)]
    fn load(self, line: &Line) -> Self::Lane {
        let (vectors, _) = line.as_chunks::<8>();
        // SAFETY: the arrays have the 16 bytes, and `self` proves that the processor has NEON.
        std::array::from_fn(|i| unsafe { vld1q_s16(vectors[i].as_ptr()) })
    }

    #[inline(always)]
    fn splat(self, number: i16) -> Self::Lane {
        // SAFETY: as in `load`.
        [unsafe { vdupq_n_s16(number) }; 4]
    }

    #[inline(always)]
    fn high_bytes(self, lane: Self::Lane) -> Self::Lane {
        // SAFETY: as in `load`.
        lane.map(|vector| unsafe { vshrq_n_s16::<8>(vector) })
    }

    #[inline(always)]
    fn raise(self, lane: Self::Lane) -> Self::Lane {
        // SAFETY: as in `load`.
        lane.map(|vector| unsafe { vshlq_n_s16::<8>(vector) })
    }

    #[inline(always)]
    fn store(self, lane: Self::Lane, line: &mut Line) {
        let (vectors, _) = line.as_chunks_mut::<8>();
        for (vector, lane) in vectors.iter_mut().zip(lane) {
            // SAFETY: as in `load`.
            unsafe { vst1q_s16(vector.as_mut_ptr(), lane) }
        }
    }

    #[inline(always)]
    fn add(self, a: Self::Lane, b: Self::Lane) -> Self::Lane {
        // SAFETY: `self` proves that the processor has NEON.
        std::array::from_fn(|i| unsafe { vaddq_s16(a[i], b[i]) })
    }

    #[inline(always)]
    fn sub(self, a: Self::Lane, b: Self::Lane) -> Self::Lane {
        // SAFETY: as in `add`.
        std::array::from_fn(|i| unsafe { vsubq_s16(a[i], b[i]) })
    }

    #[inline(always)]
    fn mul(self, a: Self::Lane, b: Self::Lane) -> Self::Lane {
        // SAFETY: as in `add`.
        std::array::from_fn(|i| unsafe { vmulq_s16(a[i], b[i]) })
    }

    #[inline(always)]
    fn clipped_relu(self, a: Self::Lane, b: Self::Lane) -> Self::Bytes {
        std::array::from_fn(|i| self.pack(a[i], b[i]))
    }

    #[inline(always)]
    fn products(self, pairs: [[Self::Lane; 2]; 2]) -> Self::Bytes {
        let [[a, b], [c, d]] = pairs;
        let first: Self::Lane = std::array::from_fn(|i| self.product(a[i], b[i]));
        let second = std::array::from_fn(|i| self.product(c[i], d[i]));
        self.clipped_relu(first, second)
    }

    #[inline(always)]
    fn store_bytes(self, bytes: Self::Bytes, to: &mut [u8; 64]) {
        let (vectors, _) = to.as_chunks_mut::<16>();
        for (vector, bytes) in vectors.iter_mut().zip(bytes) {
            // SAFETY: the array has the 16 bytes; else as in `add`.
            unsafe { vst1q_u8(vector.as_mut_ptr(), bytes) }
        }
    }

    #[inline(always)]
    fn nnz_mask(self, bytes: Self::Bytes) -> u16 {
        const BITS: [[u32; 4]; 4] = [
            [1, 2, 4, 8],
            [16, 32, 64, 128],
            [256, 512, 1024, 2048],
            [4096, 8192, 16_384, 32_768],
        ];
        let mut sum = 0;
        for (bytes, bits) in bytes.into_iter().zip(&BITS) {
            // SAFETY: the array has the 16 bytes; else as in `add`.
            unsafe {
                let groups = vreinterpretq_u32_u8(bytes);
                let nnz = vtstq_u32(groups, groups);
                sum += vaddvq_u32(vandq_u32(nnz, vld1q_u32(bits.as_ptr())));
            }
        }
        sum as u16
    }

    #[inline(always)]
    fn group(self, inputs: [u8; 4]) -> int8x16_t {
        // SAFETY: as in `add`.
        unsafe { vreinterpretq_s8_u32(vdupq_n_u32(u32::from_le_bytes(inputs))) }
    }

    #[inline(always)]
    fn groups(self, inputs: &[u8; 16]) -> [int8x16_t; 4] {
        // SAFETY: the array has the 16 bytes; else as in `add`.
        unsafe {
            let inputs = vreinterpretq_u32_u8(vld1q_u8(inputs.as_ptr()));
            [
                vdupq_laneq_u32::<0>(inputs),
                vdupq_laneq_u32::<1>(inputs),
                vdupq_laneq_u32::<2>(inputs),
                vdupq_laneq_u32::<3>(inputs),
            ]
            .map(|group| vreinterpretq_s8_u32(group))
        }
    }

    #[inline(always)]
    fn zero16(self) -> Self::Acc16 {
        // SAFETY: as in `add`.
        unsafe { [vdupq_n_s32(0); 4] }
    }

    #[inline(always)]
    fn dot16(self, acc: Self::Acc16, inputs: int8x16_t, weights: &[i8; 64]) -> Self::Acc16 {
        self.dots(acc, inputs, weights)
    }

    #[inline(always)]
    fn add16(self, a: Self::Acc16, b: Self::Acc16) -> Self::Acc16 {
        self.adds(a, b)
    }

    #[inline(always)]
    fn load16(self, sums: &[i32; 16]) -> Self::Acc16 {
        self.loads(sums)
    }

    #[inline(always)]
    fn store16(self, acc: Self::Acc16, sums: &mut [i32; 16]) {
        self.stores(acc, sums);
    }

    #[inline(always)]
    fn clipped_relu16(self, acc: Self::Acc16) -> [u8; 16] {
        let mut bytes = [0; 16];
        // SAFETY: the array has the 16 bytes, and `self` proves that the processor has NEON.
        unsafe {
            let numbers = acc.map(|sums| vqmovn_s32(vshrq_n_s32::<6>(sums)));
            let low = vcombine_s16(numbers[0], numbers[1]);
            let high = vcombine_s16(numbers[2], numbers[3]);
            vst1q_u8(bytes.as_mut_ptr(), self.pack(low, high));
        }
        bytes
    }

    #[inline(always)]
    fn zero8(self) -> Self::Acc8 {
        // SAFETY: as in `add`.
        unsafe { [vdupq_n_s32(0); 2] }
    }

    #[inline(always)]
    fn dot8(self, acc: Self::Acc8, inputs: int8x16_t, weights: &[i8; 32]) -> Self::Acc8 {
        self.dots(acc, inputs, weights)
    }

    #[inline(always)]
    fn add8(self, a: Self::Acc8, b: Self::Acc8) -> Self::Acc8 {
        self.adds(a, b)
    }

    #[inline(always)]
    fn load8(self, sums: &[i32; 8]) -> Self::Acc8 {
        self.loads(sums)
    }

    #[inline(always)]
    fn store8(self, acc: Self::Acc8, sums: &mut [i32; 8]) {
        self.stores(acc, sums);
    }

    #[inline(always)]
    fn first8(self, acc: Self::Acc8) -> i32 {
        // SAFETY: as in `add`.
        unsafe { vgetq_lane_s32::<0>(acc[0]) }
    }
}
