//! AVX2 with FMA, and AVX-512, without and with BF16.
//!
//! A value of [`Avx2`] or [`Avx512`] is made only where the processor was seen to have the instructions, which is what every call of an
//! intrinsic here needs.

#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports,
    reason = "instructions are many, and their names begin with _mm"
)]

use std::arch::x86_64::*;

use super::{Isa, LaneKernel, Lanes, PairLanes, bfloat16};

/// The second number of a pair.
const UPPER: i32 = 0xffff_0000_u32.cast_signed();

/// Proof that the processor has AVX2 and FMA.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

/// Proof that the processor has AVX-512 F and DQ, and with `BF16` also that, beside AVX2 and FMA.
#[derive(Clone, Copy)]
pub(super) struct Avx512<const BF16: bool>(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        has.then_some(Self(()))
    }

    #[inline(always)]
    pub(super) fn run<K: LaneKernel>(self, kernel: K) {
        #[target_feature(enable = "avx2,fma")]
        fn run<K: LaneKernel>(isa: Avx2, kernel: K) {
            kernel.run(isa);
        }
        // SAFETY: `self` proves that the processor has what the function is compiled for.
        unsafe { run(self, kernel) }
    }
}

impl<const BF16: bool> Avx512<BF16> {
    pub(super) fn detect() -> Option<Self> {
        let has = Avx2::detect().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && (!BF16 || is_x86_feature_detected!("avx512bf16"));
        has.then_some(Self(()))
    }
}

impl Avx512<false> {
    #[inline(always)]
    pub(super) fn run<K: LaneKernel>(self, kernel: K) {
        #[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
        fn run<K: LaneKernel>(isa: Avx512<false>, kernel: K) {
            kernel.run(isa);
        }
        // SAFETY: `self` proves that the processor has what the function is compiled for.
        unsafe { run(self, kernel) }
    }
}

impl Avx512<true> {
    #[inline(always)]
    pub(super) fn run<K: LaneKernel>(self, kernel: K) {
        #[target_feature(enable = "avx512f,avx512dq,avx512bf16,avx2,fma")]
        fn run<K: LaneKernel>(isa: Avx512<true>, kernel: K) {
            kernel.run(isa);
        }
        // SAFETY: `self` proves that the processor has what the function is compiled for.
        unsafe { run(self, kernel) }
    }
}

impl<const BF16: bool> Isa for Avx512<BF16> {
    type Vector = __m512;
    type Pairs = __m512i;

    const SAMPLES: usize = 8;

    #[inline(always)]
    fn load(self, lanes: &Lanes) -> __m512 {
        // SAFETY: the reference is to sixteen numbers, and the load is the one for any address.
        unsafe { _mm512_loadu_ps(lanes.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, vector: __m512, lanes: &mut Lanes) {
        // SAFETY: as for the load.
        unsafe { _mm512_storeu_ps(lanes.as_mut_ptr(), vector) }
    }
    #[inline(always)]
    fn splat(self, number: f32) -> __m512 {
        // SAFETY: `self` is the proof of the instruction, here and below.
        unsafe { _mm512_set1_ps(number) }
    }
    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: see `splat`.
        unsafe { _mm512_add_ps(a, b) }
    }
    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: see `splat`.
        unsafe { _mm512_sub_ps(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: see `splat`.
        unsafe { _mm512_mul_ps(a, b) }
    }
    #[inline(always)]
    fn div(self, a: __m512, b: __m512) -> __m512 {
        // SAFETY: see `splat`.
        unsafe { _mm512_div_ps(a, b) }
    }
    #[inline(always)]
    fn sqrt(self, a: __m512) -> __m512 {
        // SAFETY: see `splat`.
        unsafe { _mm512_sqrt_ps(a) }
    }
    #[inline(always)]
    fn mul_add(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        // SAFETY: see `splat`.
        unsafe { _mm512_fmadd_ps(a, b, c) }
    }
    #[inline(always)]
    fn clamp(self, a: __m512, low: __m512, high: __m512) -> __m512 {
        // SAFETY: see `splat`.
        unsafe { _mm512_min_ps(_mm512_max_ps(a, low), high) }
    }
    #[inline(always)]
    fn load_pairs(self, pairs: &PairLanes) -> __m512i {
        // SAFETY: the reference is to sixteen pairs, and the load is the one for any address.
        unsafe { _mm512_loadu_si512(pairs.as_ptr().cast()) }
    }
    #[inline(always)]
    fn add_products(self, factors: u32, pairs: __m512i, sum: __m512) -> __m512 {
        // SAFETY: see `splat`; with `BF16` the last instruction, too. Both types of vectors are bits of one register.
        unsafe {
            if BF16 {
                let factors = _mm512_set1_epi32(factors.cast_signed());
                let factors = std::mem::transmute::<__m512i, __m512bh>(factors);
                let pairs = std::mem::transmute::<__m512i, __m512bh>(pairs);
                return _mm512_dpbf16_ps(sum, factors, pairs);
            }
            let [first, second] = bfloat16::numbers(factors);
            let firsts = _mm512_castsi512_ps(_mm512_slli_epi32::<16>(pairs));
            let upper = _mm512_set1_epi32(UPPER);
            let seconds = _mm512_castsi512_ps(_mm512_and_si512(pairs, upper));
            let sum = _mm512_fmadd_ps(_mm512_set1_ps(second), seconds, sum);
            _mm512_fmadd_ps(_mm512_set1_ps(first), firsts, sum)
        }
    }
    #[inline(always)]
    fn where_inside(self, x: __m512, value: __m512) -> __m512 {
        // SAFETY: see `splat`.
        unsafe {
            let above = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, _mm512_setzero_ps());
            let inside = _mm512_mask_cmp_ps_mask::<_CMP_LT_OQ>(above, x, _mm512_set1_ps(1.0));
            _mm512_maskz_mov_ps(inside, value)
        }
    }
}

/// Both halves of a vector by an instruction for half a vector.
macro_rules! halves {
    ($instruction:ident($($vector:ident),+)) => {
        // SAFETY: `self` is the proof of the instruction.
        unsafe { [$instruction($($vector[0]),+), $instruction($($vector[1]),+)] }
    };
}

impl Isa for Avx2 {
    type Vector = [__m256; 2];
    type Pairs = [__m256i; 2];

    const SAMPLES: usize = 2;

    #[inline(always)]
    fn load(self, lanes: &Lanes) -> [__m256; 2] {
        let [low, high] = halves_of(lanes);
        // SAFETY: the references are to eight numbers each, and the load is the one for any address.
        unsafe {
            [
                _mm256_loadu_ps(low.as_ptr()),
                _mm256_loadu_ps(high.as_ptr()),
            ]
        }
    }
    #[inline(always)]
    fn store(self, vector: [__m256; 2], lanes: &mut Lanes) {
        let (low, high) = lanes.split_at_mut(8);
        // SAFETY: as for the load.
        unsafe {
            _mm256_storeu_ps(low.as_mut_ptr(), vector[0]);
            _mm256_storeu_ps(high.as_mut_ptr(), vector[1]);
        }
    }
    #[inline(always)]
    fn splat(self, number: f32) -> [__m256; 2] {
        // SAFETY: `self` is the proof of the instruction.
        unsafe { [_mm256_set1_ps(number); 2] }
    }
    #[inline(always)]
    fn add(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        halves!(_mm256_add_ps(a, b))
    }
    #[inline(always)]
    fn sub(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        halves!(_mm256_sub_ps(a, b))
    }
    #[inline(always)]
    fn mul(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        halves!(_mm256_mul_ps(a, b))
    }
    #[inline(always)]
    fn div(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        halves!(_mm256_div_ps(a, b))
    }
    #[inline(always)]
    fn sqrt(self, a: [__m256; 2]) -> [__m256; 2] {
        halves!(_mm256_sqrt_ps(a))
    }
    #[inline(always)]
    fn mul_add(self, a: [__m256; 2], b: [__m256; 2], c: [__m256; 2]) -> [__m256; 2] {
        halves!(_mm256_fmadd_ps(a, b, c))
    }
    #[inline(always)]
    fn clamp(self, a: [__m256; 2], low: [__m256; 2], high: [__m256; 2]) -> [__m256; 2] {
        let a = halves!(_mm256_max_ps(a, low));
        halves!(_mm256_min_ps(a, high))
    }
    #[inline(always)]
    fn load_pairs(self, pairs: &PairLanes) -> [__m256i; 2] {
        let (low, high) = pairs.split_at(8);
        // SAFETY: the references are to eight pairs each, and the load is the one for any address.
        unsafe {
            [
                _mm256_loadu_si256(low.as_ptr().cast()),
                _mm256_loadu_si256(high.as_ptr().cast()),
            ]
        }
    }
    #[inline(always)]
    fn add_products(self, factors: u32, pairs: [__m256i; 2], sum: [__m256; 2]) -> [__m256; 2] {
        let [first, second] = bfloat16::numbers(factors);
        let (first, second) = (self.splat(first), self.splat(second));
        // SAFETY: `self` is the proof of the instructions.
        let (firsts, seconds) = unsafe {
            let upper = _mm256_set1_epi32(UPPER);
            (
                [
                    _mm256_castsi256_ps(_mm256_slli_epi32::<16>(pairs[0])),
                    _mm256_castsi256_ps(_mm256_slli_epi32::<16>(pairs[1])),
                ],
                [
                    _mm256_castsi256_ps(_mm256_and_si256(pairs[0], upper)),
                    _mm256_castsi256_ps(_mm256_and_si256(pairs[1], upper)),
                ],
            )
        };
        self.mul_add(first, firsts, self.mul_add(second, seconds, sum))
    }
    #[inline(always)]
    fn where_inside(self, x: [__m256; 2], value: [__m256; 2]) -> [__m256; 2] {
        let (zero, one) = (self.splat(0.0), self.splat(1.0));
        // SAFETY: `self` is the proof of the instructions.
        let (above, below) = unsafe {
            (
                [
                    _mm256_cmp_ps::<_CMP_GT_OQ>(x[0], zero[0]),
                    _mm256_cmp_ps::<_CMP_GT_OQ>(x[1], zero[1]),
                ],
                [
                    _mm256_cmp_ps::<_CMP_LT_OQ>(x[0], one[0]),
                    _mm256_cmp_ps::<_CMP_LT_OQ>(x[1], one[1]),
                ],
            )
        };
        let inside = halves!(_mm256_and_ps(above, below));
        halves!(_mm256_and_ps(inside, value))
    }
}

#[inline(always)]
fn halves_of(lanes: &Lanes) -> [&[f32]; 2] {
    let (low, high) = lanes.split_at(8);
    [low, high]
}
