//! The network with AVX2.

#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports,
    reason = "instructions are many, and their names begin with _mm"
)]

use std::arch::x86_64::*;

use super::{Avx2, clamped, load};
use crate::net::shape::{FIRST_OUTPUTS, SECOND_OUTPUTS};
use crate::net::tables::{LINE, NetTables, SHIFT, Stack, UNIT_BITS};
use crate::net::weights::NET_UNIT;
use crate::tables::Features;

/// The output of the network for a ply, in 131,072ths.
#[inline]
pub(in crate::simd) fn net_output(
    _: Avx2,
    tables: &NetTables,
    stack: &Stack,
    features: &Features<4>,
    ply: usize,
) -> i32 {
    // SAFETY: the proof that the caller has is that of the kernel's instructions.
    unsafe {
        match tables.lines {
            1 => kernel::<1>(tables, stack, features, ply),
            2 => kernel::<2>(tables, stack, features, ply),
            _ => kernel::<3>(tables, stack, features, ply),
        }
    }
}

#[target_feature(enable = "avx2,bmi1")]
fn kernel<const L: usize>(
    tables: &NetTables,
    stack: &Stack,
    features: &Features<4>,
    ply: usize,
) -> i32 {
    let units = accumulated::<L>(tables, features, ply);
    let mut inputs = [[0i16; 16]; 6];
    let one = _mm256_set1_epi16(NET_UNIT as i16);
    for (unit, input) in units.as_flattened().iter().zip(&mut inputs) {
        let clipped = _mm256_max_epi16(_mm256_min_epi16(*unit, one), _mm256_setzero_si256());
        super::store(clipped, input);
    }
    let first = products::<{ FIRST_OUTPUTS / 8 }, { 2 * FIRST_OUTPUTS }>(
        &stack.first_biases,
        &inputs.as_flattened()[..L * LINE],
        &stack.first,
    );
    let straight = _mm256_extract_epi32::<7>(first[1]);
    let numbers = first.map(|sums| {
        let one = _mm256_set1_epi32(NET_UNIT);
        let least = _mm256_set1_epi32(-NET_UNIT);
        _mm256_max_epi32(_mm256_min_epi32(rounded(sums), one), least)
    });
    let squares = numbers.map(|n| _mm256_srai_epi32::<UNIT_BITS>(_mm256_mullo_epi32(n, n)));
    let plain = numbers.map(|n| _mm256_max_epi32(n, _mm256_setzero_si256()));
    let mut inputs = [[0i16; FIRST_OUTPUTS]; 2];
    super::store(packed(plain), &mut inputs[0]);
    super::store(packed(squares), &mut inputs[1]);
    let second = products::<{ SECOND_OUTPUTS / 8 }, { 2 * SECOND_OUTPUTS }>(
        &stack.second_biases,
        inputs.as_flattened(),
        &stack.second,
    );
    let clipped = second.map(|sums| {
        let one = _mm256_set1_epi32(NET_UNIT);
        _mm256_max_epi32(_mm256_min_epi32(rounded(sums), one), _mm256_setzero_si256())
    });
    let (low, high) = stack.output.split_at(16);
    let mut sums = _mm256_setzero_si256();
    for (n, weights) in [low, high].into_iter().enumerate() {
        let inputs = packed([clipped[2 * n], clipped[2 * n + 1]]);
        let weights = weights
            .first_chunk::<16>()
            .map_or_else(|| _mm256_setzero_si256(), |w| load(w));
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(inputs, weights));
    }
    straight.wrapping_add(super::total(sums))
}

/// The sums of the rows of all places and the bias of the ply.
#[inline]
#[target_feature(enable = "avx2,bmi1")]
fn accumulated<const L: usize>(
    tables: &NetTables,
    features: &Features<4>,
    ply: usize,
) -> [[__m256i; 2]; L] {
    let places = &tables.places;
    let mut rows = [[0i32; 8]; 8];
    for register in 0..places.registers.min(4) {
        let indices = clamped(places, register, load(&features.0[register]));
        let halves = [
            _mm256_castsi256_si128(indices),
            _mm256_extracti128_si256::<1>(indices),
        ];
        let offsets = places.offsets[register].as_chunks::<8>().0;
        for (n, (indices, offsets)) in halves.into_iter().zip(offsets).enumerate() {
            // SAFETY: the references are to eight numbers each, and the load and the store are those for any address.
            unsafe {
                let offsets = _mm256_loadu_si256(offsets.as_ptr().cast());
                let numbers = _mm256_add_epi32(_mm256_cvtepi16_epi32(indices), offsets);
                _mm256_storeu_si256(rows[2 * register + n].as_mut_ptr().cast(), numbers);
            }
        }
    }
    let mut sums = [[_mm256_setzero_si256(); 2]; L];
    for (sums, biases) in sums.iter_mut().zip(&tables.biases[ply * L..]) {
        for (sum, biases) in sums.iter_mut().zip(biases.as_chunks::<16>().0) {
            *sum = load(biases);
        }
    }
    for &row in rows.as_flattened().iter().take(places.count) {
        for (line, sums) in sums.iter_mut().enumerate() {
            let at = row as usize * L + line;
            let bytes = &tables.rows[at / 2].0[at % 2];
            for (sum, bytes) in sums.iter_mut().zip(bytes.as_chunks::<16>().0) {
                // SAFETY: the reference is to sixteen bytes, and the load is the one for any address.
                let bytes = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
                *sum = _mm256_add_epi16(*sum, _mm256_cvtepi8_epi16(bytes));
            }
        }
    }
    sums
}

/// Biases and the products of inputs with their weights, of two inputs at a time.
#[inline]
#[target_feature(enable = "avx2,bmi1")]
fn products<const V: usize, const W: usize>(
    biases: &[i32],
    inputs: &[i16],
    weights: &[[i16; W]],
) -> [__m256i; V] {
    let mut sums = [_mm256_setzero_si256(); V];
    for (sum, biases) in sums.iter_mut().zip(biases.as_chunks::<8>().0) {
        // SAFETY: the reference is to eight numbers, and the load is the one for any address.
        *sum = unsafe { _mm256_loadu_si256(biases.as_ptr().cast()) };
    }
    for (pair, weights) in inputs.as_chunks::<2>().0.iter().zip(weights) {
        let both = i32::from(pair[0] as u16) | i32::from(pair[1]) << 16;
        let both = _mm256_set1_epi32(both);
        for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<16>().0) {
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(both, load(weights)));
        }
    }
    sums
}

/// Sums of products with weights as activations.
#[inline]
#[target_feature(enable = "avx2,bmi1")]
fn rounded(sums: __m256i) -> __m256i {
    let half = _mm256_set1_epi32(1 << (SHIFT - 1));
    _mm256_srai_epi32::<SHIFT>(_mm256_add_epi32(sums, half))
}

/// Numbers of 32 bits as ones of 16 bits, in order.
#[inline]
#[target_feature(enable = "avx2,bmi1")]
fn packed([low, high]: [__m256i; 2]) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(low, high))
}
