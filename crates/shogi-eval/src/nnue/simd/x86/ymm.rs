//! Vectors of 256 bits: AVX2, with or without AVX-VNNI.

#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports,
    reason = "instructions are many, and their names begin with _mm"
)]
#![allow(
    clippy::cast_ptr_alignment,
    reason = "the loads and stores are those for any address"
)]

use std::arch::x86_64::*;

use super::super::{FEW, FeatureList, Isa, Kernel, Line};
use crate::nnue::features::{ABSENT, BoardFeatures, Codes};

/// Proof that the processor has AVX2, BMI1, BMI2, FMA, LZCNT and POPCNT; and AVX-VNNI if `VNNI`.
#[derive(Clone, Copy)]
pub(in super::super) struct Ymm<const VNNI: bool>(());

impl Ymm<false> {
    pub(in super::super) fn detect() -> Option<Self> {
        has_avx2().then_some(Self(()))
    }

    #[inline(always)]
    pub(in super::super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
        fn run<K: Kernel>(isa: Ymm<false>, kernel: K) -> K::Output {
            kernel.run(isa)
        }
        // SAFETY: `self` proves that the processor has what the function is compiled for.
        unsafe { run(self, kernel) }
    }
}

impl Ymm<true> {
    pub(in super::super) fn detect() -> Option<Self> {
        (has_avx2() && is_x86_feature_detected!("avxvnni")).then_some(Self(()))
    }

    #[inline(always)]
    pub(in super::super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,avxvnni,bmi1,bmi2,fma,lzcnt,popcnt")]
        fn run<K: Kernel>(isa: Ymm<true>, kernel: K) -> K::Output {
            kernel.run(isa)
        }
        // SAFETY: `self` proves that the processor has what the function is compiled for.
        unsafe { run(self, kernel) }
    }
}

/// Returns whether the processor has AVX2 and what came with it.
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// By mask of groups, their numbers.
static GROUPS: [[u16; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut count, mut bit) = (0, 0);
        while bit < 8 {
            if mask >> bit & 1 == 1 {
                table[mask][count] = bit;
                count += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    table
};

/// Within 0 to 127, as bytes: eight of the first vector, eight of the second, and so on.
#[target_feature(enable = "avx2")]
#[inline]
fn clipped_relu(a: __m256i, b: __m256i) -> __m256i {
    _mm256_max_epi8(_mm256_packs_epi16(a, b), _mm256_setzero_si256())
}

#[target_feature(enable = "avx2")]
#[inline]
fn doubled(a: __m256i) -> __m256i {
    let doubled = _mm256_slli_epi16::<1>(a);
    _mm256_max_epi16(
        _mm256_min_epi16(doubled, _mm256_set1_epi16(254)),
        _mm256_setzero_si256(),
    )
}

#[target_feature(enable = "avx2")]
#[inline]
fn product(a: __m256i, b: __m256i) -> __m256i {
    // (128 a × b) / 2^16 = a × b / 2^9.
    _mm256_mulhi_epi16(_mm256_slli_epi16::<7>(doubled(a)), doubled(b))
}

/// Adds the products of four bytes each.
#[target_feature(enable = "avx2")]
#[inline]
fn dot(acc: __m256i, inputs: __m256i, weights: __m256i) -> __m256i {
    // Sums of two products are at most 2 × 127 × 128 and do not saturate.
    let pairs = _mm256_maddubs_epi16(inputs, weights);
    _mm256_add_epi32(acc, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
}

#[target_feature(enable = "avx2")]
#[inline]
fn nnz_mask(bytes: [__m256i; 2]) -> u16 {
    half_nnz_mask(bytes[0]) | half_nnz_mask(bytes[1]) << 8
}

#[target_feature(enable = "avx2")]
#[inline]
fn half_nnz_mask(bytes: __m256i) -> u16 {
    let is_zero = _mm256_cmpeq_epi32(bytes, _mm256_setzero_si256());
    !_mm256_movemask_ps(_mm256_castsi256_ps(is_zero)) as u16 & 0xff
}

/// [`Isa::list_pieces`]: squares are compared 32 at once, and pieces found by the bits.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn list_pieces(features: &BoardFeatures, board: &Codes, other: &Codes, list: &mut FeatureList) {
    let squares = features.squares.as_chunks::<32>().0;
    let boards = board.as_chunks().0.iter().zip(other.as_chunks().0);
    for ((board, other), squares) in boards.zip(squares) {
        let same = _mm256_cmpeq_epi8(load_codes(board), load_codes(other));
        let mut different = !_mm256_movemask_epi8(same) as u32;
        while different != 0 {
            let at = different.trailing_zeros() as usize % 32;
            different &= different - 1;
            let piece = features.pieces[usize::from(board[at]) % 32];
            let place = u32::from(piece) + u32::from(squares[at]);
            list.push_if(features.base + place, piece != ABSENT);
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_codes(codes: &[u8; 32]) -> __m256i {
    // SAFETY: the array has the 32 bytes.
    unsafe { _mm256_loadu_si256(codes.as_ptr().cast()) }
}

#[inline(always)]
fn list_bits(bits: u16, first: u16, list: &mut [u16; 16]) -> usize {
    let mut count = 0;
    for (bits, first) in bits.to_le_bytes().into_iter().zip([first, first + 8]) {
        let numbers = GROUPS[usize::from(bits)].map(|number| number + first);
        // Not above 8, but this way it is seen without a check.
        list[count.min(8)..][..8].copy_from_slice(&numbers);
        count += bits.count_ones() as usize;
    }
    count
}

#[inline(always)]
fn load(bytes: &[i8; 32]) -> __m256i {
    // SAFETY: the array has the 32 bytes. AVX is there: callers are methods of `Ymm`.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

impl<const VNNI: bool> Ymm<VNNI> {
    #[inline(always)]
    fn dot_one(_: Self, acc: __m256i, inputs: __m256i, weights: &[i8; 32]) -> __m256i {
        // SAFETY: a `Self` proves that the processor has AVX2, and AVX-VNNI where it is used.
        unsafe {
            if VNNI {
                _mm256_dpbusd_avx_epi32(acc, inputs, load(weights))
            } else {
                dot(acc, inputs, load(weights))
            }
        }
    }
}

/// The two halves of an array.
macro_rules! halves {
    ($array:expr, $half:ty, $n:literal) => {{
        let (chunks, _) = $array.as_chunks::<$n>();
        let halves: [&$half; 2] = [&chunks[0], &chunks[1]];
        halves
    }};
}

impl<const VNNI: bool> Isa for Ymm<VNNI> {
    type Lane = [__m256i; 2];
    type Bytes = [__m256i; 2];
    type Group = __m256i;
    type Acc16 = [__m256i; 2];
    type Acc8 = __m256i;

    const TILE: usize = 2;
    // Without VNNI products are made apart from sums, and an addition takes one cycle.
    const SLOW_SUMS: bool = VNNI;

    #[inline(always)]
    fn load(self, line: &Line) -> Self::Lane {
        // SAFETY: a line has the 64 bytes, and `self` proves that the processor has AVX2.
        unsafe {
            let vectors = line.as_ptr().cast::<__m256i>();
            [
                _mm256_loadu_si256(vectors),
                _mm256_loadu_si256(vectors.add(1)),
            ]
        }
    }

    #[inline(always)]
    fn splat(self, number: i16) -> Self::Lane {
        // SAFETY: as in `load`.
        [unsafe { _mm256_set1_epi16(number) }; 2]
    }

    #[inline(always)]
    fn high_bytes(self, lane: Self::Lane) -> Self::Lane {
        // SAFETY: as in `load`.
        unsafe {
            [
                _mm256_srai_epi16::<8>(lane[0]),
                _mm256_srai_epi16::<8>(lane[1]),
            ]
        }
    }

    #[inline(always)]
    fn raise(self, lane: Self::Lane) -> Self::Lane {
        // SAFETY: as in `load`.
        unsafe {
            [
                _mm256_slli_epi16::<8>(lane[0]),
                _mm256_slli_epi16::<8>(lane[1]),
            ]
        }
    }

    #[inline(always)]
    fn store(self, lane: Self::Lane, line: &mut Line) {
        // SAFETY: as in `load`.
        unsafe {
            let vectors = line.as_mut_ptr().cast::<__m256i>();
            _mm256_storeu_si256(vectors, lane[0]);
            _mm256_storeu_si256(vectors.add(1), lane[1]);
        }
    }

    #[inline(always)]
    fn add(self, a: Self::Lane, b: Self::Lane) -> Self::Lane {
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe { [_mm256_add_epi16(a[0], b[0]), _mm256_add_epi16(a[1], b[1])] }
    }

    #[inline(always)]
    fn sub(self, a: Self::Lane, b: Self::Lane) -> Self::Lane {
        // SAFETY: as in `add`.
        unsafe { [_mm256_sub_epi16(a[0], b[0]), _mm256_sub_epi16(a[1], b[1])] }
    }

    #[inline(always)]
    fn mul(self, a: Self::Lane, b: Self::Lane) -> Self::Lane {
        // SAFETY: as in `add`.
        unsafe {
            [
                _mm256_mullo_epi16(a[0], b[0]),
                _mm256_mullo_epi16(a[1], b[1]),
            ]
        }
    }

    #[inline(always)]
    fn clipped_relu(self, a: Self::Lane, b: Self::Lane) -> Self::Bytes {
        // SAFETY: as in `add`.
        unsafe { [clipped_relu(a[0], b[0]), clipped_relu(a[1], b[1])] }
    }

    #[inline(always)]
    fn products(self, pairs: [[Self::Lane; 2]; 2]) -> Self::Bytes {
        // SAFETY: as in `add`.
        unsafe {
            let [[a, b], [c, d]] = pairs;
            // No product is negative or more than 126.
            [
                _mm256_packs_epi16(product(a[0], b[0]), product(c[0], d[0])),
                _mm256_packs_epi16(product(a[1], b[1]), product(c[1], d[1])),
            ]
        }
    }

    #[inline(always)]
    fn store_bytes(self, bytes: Self::Bytes, to: &mut [u8; 64]) {
        // SAFETY: the array has the 64 bytes, and `self` proves that the processor has AVX2.
        unsafe {
            let vectors = to.as_mut_ptr().cast::<__m256i>();
            _mm256_storeu_si256(vectors, bytes[0]);
            _mm256_storeu_si256(vectors.add(1), bytes[1]);
        }
    }

    #[inline(always)]
    fn nnz_mask(self, bytes: Self::Bytes) -> u16 {
        // SAFETY: as in `add`.
        unsafe { nnz_mask(bytes) }
    }

    #[inline(always)]
    fn list_bits(self, bits: u16, first: u16, list: &mut [u16; 16]) -> usize {
        list_bits(bits, first, list)
    }

    #[inline(always)]
    fn group(self, inputs: [u8; 4]) -> Self::Group {
        // SAFETY: as in `add`.
        unsafe { _mm256_set1_epi32(i32::from_le_bytes(inputs)) }
    }

    #[inline(always)]
    fn groups(self, inputs: &[u8; 16]) -> [Self::Group; 4] {
        // SAFETY: the array has the 16 bytes, and `self` proves that the processor has AVX2.
        unsafe {
            let inputs = _mm256_broadcastsi128_si256(_mm_loadu_si128(inputs.as_ptr().cast()));
            [
                _mm256_shuffle_epi32::<0b00_00_00_00>(inputs),
                _mm256_shuffle_epi32::<0b01_01_01_01>(inputs),
                _mm256_shuffle_epi32::<0b10_10_10_10>(inputs),
                _mm256_shuffle_epi32::<0b11_11_11_11>(inputs),
            ]
        }
    }

    #[inline(always)]
    fn list_pieces(
        self,
        features: &BoardFeatures,
        board: &Codes,
        other: &Codes,
        list: &mut FeatureList,
    ) {
        // SAFETY: `self` proves that the processor has what the function is compiled for.
        unsafe { list_pieces(features, board, other, list) }
    }

    #[inline(always)]
    fn has_any(self, features: &[u32; 16], few: &[u32; FEW]) -> bool {
        // SAFETY: `self` proves that the processor has AVX2, and halves of the array have the 32 bytes.
        unsafe {
            let mut found = _mm256_setzero_si256();
            for half in features.as_chunks::<8>().0 {
                let half = _mm256_loadu_si256(half.as_ptr().cast());
                for &one in few {
                    let equal = _mm256_cmpeq_epi32(half, _mm256_set1_epi32(one as i32));
                    found = _mm256_or_si256(found, equal);
                }
            }
            _mm256_testz_si256(found, found) == 0
        }
    }

    #[inline(always)]
    fn zero16(self) -> Self::Acc16 {
        [self.zero8(); 2]
    }

    #[inline(always)]
    fn dot16(self, acc: Self::Acc16, inputs: __m256i, weights: &[i8; 64]) -> Self::Acc16 {
        let [low, high] = halves!(weights, [i8; 32], 32);
        [
            Self::dot_one(self, acc[0], inputs, low),
            Self::dot_one(self, acc[1], inputs, high),
        ]
    }

    #[inline(always)]
    fn add16(self, a: Self::Acc16, b: Self::Acc16) -> Self::Acc16 {
        [self.add8(a[0], b[0]), self.add8(a[1], b[1])]
    }

    #[inline(always)]
    fn load16(self, sums: &[i32; 16]) -> Self::Acc16 {
        let [low, high] = halves!(sums, [i32; 8], 8);
        [self.load8(low), self.load8(high)]
    }

    #[inline(always)]
    fn store16(self, acc: Self::Acc16, sums: &mut [i32; 16]) {
        let (halves, _) = sums.as_chunks_mut::<8>();
        self.store8(acc[0], &mut halves[0]);
        self.store8(acc[1], &mut halves[1]);
    }

    #[inline(always)]
    fn clipped_relu16(self, acc: Self::Acc16) -> [u8; 16] {
        let mut bytes = [0; 16];
        // SAFETY: the array has the 16 bytes, and `self` proves that the processor has AVX2.
        unsafe {
            let (a, b) = (
                _mm256_srai_epi32::<6>(acc[0]),
                _mm256_srai_epi32::<6>(acc[1]),
            );
            // By halves of 128 bits: a, b, a, b.
            let numbers = _mm256_packs_epi32(a, b);
            let numbers = _mm256_permute4x64_epi64::<0b11_01_10_00>(numbers);
            let low = _mm256_castsi256_si128(numbers);
            let bytes_there = _mm_packs_epi16(low, _mm256_extracti128_si256::<1>(numbers));
            let clipped = _mm_max_epi8(bytes_there, _mm_setzero_si128());
            _mm_storeu_si128(bytes.as_mut_ptr().cast(), clipped);
        }
        bytes
    }

    #[inline(always)]
    fn zero8(self) -> Self::Acc8 {
        // SAFETY: as in `add`.
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    fn dot8(self, acc: Self::Acc8, inputs: __m256i, weights: &[i8; 32]) -> Self::Acc8 {
        Self::dot_one(self, acc, inputs, weights)
    }

    #[inline(always)]
    fn add8(self, a: Self::Acc8, b: Self::Acc8) -> Self::Acc8 {
        // SAFETY: as in `add`.
        unsafe { _mm256_add_epi32(a, b) }
    }

    #[inline(always)]
    fn load8(self, sums: &[i32; 8]) -> Self::Acc8 {
        // SAFETY: the array has the 32 bytes, and `self` proves that the processor has AVX2.
        unsafe { _mm256_loadu_si256(sums.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store8(self, acc: Self::Acc8, sums: &mut [i32; 8]) {
        // SAFETY: as in `load8`.
        unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), acc) }
    }

    #[inline(always)]
    fn first8(self, acc: Self::Acc8) -> i32 {
        // SAFETY: as in `add`.
        unsafe { _mm256_cvtsi256_si32(acc) }
    }
}
