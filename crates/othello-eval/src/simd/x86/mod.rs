//! AVX2, and AVX-512 in [`wide`].
//!
//! All `unsafe` code of x86-64 is here and in `net`: calls of functions that need certain instructions, for which a value such as [`Avx2`]
//! is the proof that they are there; reads and writes of arrays as vectors; and gathers, whose indices are clamped to their
//! table.

#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports,
    reason = "instructions are many, and their names begin with _mm"
)]

pub(super) mod net;

use std::arch::x86_64::*;

use othello_core::{Square, Squares};

use crate::tables::{Features, Lanes, Places, Tables};

/// Proof that the processor has AVX2 and BMI1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(());

/// Proof that the processor has AVX-512 F, BW and VL, and all of [`Avx2`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512(Avx2);

impl Avx2 {
    /// Detects the instructions.
    #[inline(always)]
    pub(super) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1")).then_some(Self(()))
    }
}

impl Avx512 {
    /// Detects the instructions.
    #[inline(always)]
    pub(super) fn detect() -> Option<Self> {
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl");
        Avx2::detect().filter(|_| has_all).map(Self)
    }
}

/// Calls a kernel for the number of registers in use.
macro_rules! by_registers {
    ($places:expr, $kernel:ident($($argument:expr),*)) => {
        // SAFETY: the proof that the caller has is that of the kernel's instructions.
        unsafe {
            match $places.registers {
                0 | 1 => $kernel::<1, C>($($argument),*),
                2 => $kernel::<2, C>($($argument),*),
                3 => $kernel::<3, C>($($argument),*),
                _ => $kernel::<4, C>($($argument),*),
            }
        }
    };
}

/// The indices after a move, from the view of the next player.
#[inline]
pub(super) fn after<const C: usize>(
    _: Avx2,
    places: &Places<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
) -> Features<C> {
    by_registers!(places, after_kernel(places, features, square, flips))
}

/// The sum of the weights of all places.
#[inline]
pub(super) fn sum<const C: usize>(
    _: Avx2,
    tables: &Tables<C>,
    features: &Features<C>,
    phase: usize,
) -> i32 {
    by_registers!(tables.places, sum_kernel(tables, features, phase))
}

/// The sum of the weights of all places after a move.
#[inline]
pub(super) fn sum_after<const C: usize>(
    _: Avx2,
    tables: &Tables<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
    phase: usize,
) -> i32 {
    by_registers!(
        tables.places,
        sum_after_kernel(tables, features, square, flips, phase)
    )
}

#[inline]
#[target_feature(enable = "avx2,bmi1")]
fn load(lanes: &Lanes) -> __m256i {
    // SAFETY: the reference is to sixteen numbers, and the load is the one for any address.
    unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2,bmi1")]
fn store(vector: __m256i, lanes: &mut Lanes) {
    // SAFETY: as for the load.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), vector) }
}

/// The first `R` registers.
#[inline]
#[target_feature(enable = "avx2,bmi1")]
fn loaded<const R: usize, const C: usize>(features: &Features<C>) -> [__m256i; R] {
    let mut registers = [_mm256_setzero_si256(); R];
    for (vector, lanes) in registers.iter_mut().zip(&features.0) {
        *vector = load(lanes);
    }
    registers
}

/// The first `R` registers after a move.
#[inline]
#[target_feature(enable = "avx2,bmi1")]
fn moved<const R: usize, const C: usize>(
    places: &Places<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
) -> [__m256i; R] {
    let placed = &places.steps[square.index()];
    let mut flipped = [_mm256_setzero_si256(); R];
    for square in flips {
        let steps = &places.steps[square.index()];
        for r in 0..R {
            flipped[r] = _mm256_add_epi16(flipped[r], load(&steps[r]));
        }
    }
    for r in 0..R {
        // From the opponent's discs to the mover's, twice; then the sides change.
        let twice = _mm256_add_epi16(flipped[r], flipped[r]);
        let all = _mm256_add_epi16(twice, load(&placed[r]));
        let all = _mm256_add_epi16(all, load(&features.0[r]));
        flipped[r] = _mm256_sub_epi16(_mm256_setzero_si256(), all);
    }
    flipped
}

/// Indices within their tables.
#[inline]
#[target_feature(enable = "avx2,bmi1")]
fn clamped<const C: usize>(places: &Places<C>, register: usize, indices: __m256i) -> __m256i {
    let half = load(&places.halves[register]);
    let least = _mm256_sub_epi16(_mm256_setzero_si256(), half);
    _mm256_min_epi16(_mm256_max_epi16(indices, least), half)
}

/// The sum of the weights with these indices.
#[inline]
#[target_feature(enable = "avx2,bmi1")]
#[expect(
    clippy::cast_ptr_alignment,
    reason = "gathers read four bytes at any address"
)]
fn gathered<const R: usize, const C: usize>(
    tables: &Tables<C>,
    registers: [__m256i; R],
    phase: usize,
) -> i32 {
    let weights = tables.phase(phase).as_ptr().cast::<i32>();
    let low = _mm256_set1_epi32(1);
    let mut sums = _mm256_setzero_si256();
    for (r, indices) in registers.into_iter().enumerate() {
        let indices = clamped(&tables.places, r, indices);
        let halves = [
            _mm256_castsi256_si128(indices),
            _mm256_extracti128_si256::<1>(indices),
        ];
        let offsets = tables.places.offsets[r].as_chunks::<8>().0;
        for (indices, offsets) in halves.into_iter().zip(offsets) {
            // SAFETY: the references are to eight numbers each. `Tables` has weights at the offset plus any index within
            // the halves, in every phase, and two more bytes behind each, as four are read.
            let pairs = unsafe {
                let offsets = _mm256_loadu_si256(offsets.as_ptr().cast());
                let places = _mm256_add_epi32(_mm256_cvtepi16_epi32(indices), offsets);
                _mm256_i32gather_epi32::<2>(weights, places)
            };
            // The lower of two weights, extended.
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, low));
        }
    }
    total(sums)
}

/// The sum of eight numbers.
#[inline]
#[target_feature(enable = "avx2,bmi1")]
fn total(sums: __m256i) -> i32 {
    let half = _mm_add_epi32(
        _mm256_castsi256_si128(sums),
        _mm256_extracti128_si256::<1>(sums),
    );
    let quarter = _mm_add_epi32(half, _mm_shuffle_epi32::<0b1110>(half));
    let sum = _mm_add_epi32(quarter, _mm_shuffle_epi32::<0b01>(quarter));
    _mm_cvtsi128_si32(sum)
}

#[target_feature(enable = "avx2,bmi1")]
fn after_kernel<const R: usize, const C: usize>(
    places: &Places<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
) -> Features<C> {
    let registers: [__m256i; R] = moved(places, features, square, flips);
    let mut after = Features([[0; 16]; C]);
    for (vector, lanes) in registers.into_iter().zip(&mut after.0) {
        store(vector, lanes);
    }
    after
}

#[target_feature(enable = "avx2,bmi1")]
fn sum_kernel<const R: usize, const C: usize>(
    tables: &Tables<C>,
    features: &Features<C>,
    phase: usize,
) -> i32 {
    gathered(tables, loaded::<R, C>(features), phase)
}

#[target_feature(enable = "avx2,bmi1")]
fn sum_after_kernel<const R: usize, const C: usize>(
    tables: &Tables<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
    phase: usize,
) -> i32 {
    let registers: [__m256i; R] = moved(&tables.places, features, square, flips);
    gathered(tables, registers, phase)
}

/// Sixteen weights at a time.
pub(super) mod wide {
    use super::*;

    /// The indices after a move, from the view of the next player.
    #[inline]
    pub(in crate::simd) fn after<const C: usize>(
        Avx512(cpu): Avx512,
        places: &Places<C>,
        features: &Features<C>,
        square: Square,
        flips: Squares,
    ) -> Features<C> {
        super::after(cpu, places, features, square, flips)
    }

    /// The sum of the weights of all places.
    #[inline]
    pub(in crate::simd) fn sum<const C: usize>(
        _: Avx512,
        tables: &Tables<C>,
        features: &Features<C>,
        phase: usize,
    ) -> i32 {
        by_registers!(tables.places, sum_kernel(tables, features, phase))
    }

    /// The sum of the weights of all places after a move.
    #[inline]
    pub(in crate::simd) fn sum_after<const C: usize>(
        _: Avx512,
        tables: &Tables<C>,
        features: &Features<C>,
        square: Square,
        flips: Squares,
        phase: usize,
    ) -> i32 {
        by_registers!(
            tables.places,
            sum_after_kernel(tables, features, square, flips, phase)
        )
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1")]
    #[expect(
        clippy::cast_ptr_alignment,
        reason = "gathers read four bytes at any address"
    )]
    fn gathered<const R: usize, const C: usize>(
        tables: &Tables<C>,
        registers: [__m256i; R],
        phase: usize,
    ) -> i32 {
        let weights = tables.phase(phase).as_ptr().cast::<i32>();
        let low = _mm512_set1_epi32(1);
        let mut sums = _mm512_setzero_si512();
        for (r, indices) in registers.into_iter().enumerate() {
            let indices = clamped(&tables.places, r, indices);
            // SAFETY: as in the narrower `gathered`, with sixteen numbers.
            let pairs = unsafe {
                let offsets = _mm512_loadu_si512(tables.places.offsets[r].as_ptr().cast());
                let places = _mm512_add_epi32(_mm512_cvtepi16_epi32(indices), offsets);
                _mm512_i32gather_epi32::<2>(places, weights)
            };
            sums = _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, low));
        }
        _mm512_reduce_add_epi32(sums)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1")]
    fn sum_kernel<const R: usize, const C: usize>(
        tables: &Tables<C>,
        features: &Features<C>,
        phase: usize,
    ) -> i32 {
        gathered(tables, loaded::<R, C>(features), phase)
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1")]
    fn sum_after_kernel<const R: usize, const C: usize>(
        tables: &Tables<C>,
        features: &Features<C>,
        square: Square,
        flips: Squares,
        phase: usize,
    ) -> i32 {
        let registers: [__m256i; R] = moved(&tables.places, features, square, flips);
        gathered(tables, registers, phase)
    }
}
