//! Vectors of 512 bits: AVX-512, with or without VNNI.

#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports,
    reason = "instructions are many, and their names begin with _mm"
)]
#![allow(
    clippy::cast_ptr_alignment,
    reason = "the loads and stores are those for any address"
)]

use std::arch::asm;
use std::arch::x86_64::*;

use shogi_core::{Bitboard, Piece, Square};

use super::super::{Board, FEW, FeatureList, Isa, Kernel, Line};
use super::ymm::Ymm;
use crate::nnue::features::{ABSENT, BoardFeatures, Codes};

/// Proof that the processor has AVX-512 F, BW, DQ and VL, beside the proof of what comes with AVX2; and AVX-512
/// VNNI if `VNNI`.
#[derive(Clone, Copy)]
pub(in super::super) struct Wide<const VNNI: bool>(Ymm<false>);

impl Wide<false> {
    pub(in super::super) fn detect() -> Option<Self> {
        Some(Self(avx2_beside_avx512()?))
    }

    #[inline(always)]
    pub(in super::super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,fma,lzcnt,popcnt")]
        fn run<K: Kernel>(isa: Wide<false>, kernel: K) -> K::Output {
            kernel.run(isa)
        }
        // SAFETY: `self` proves that the processor has what the function is compiled for.
        unsafe { run(self, kernel) }
    }
}

impl Wide<true> {
    pub(in super::super) fn detect() -> Option<Self> {
        let avx2 = avx2_beside_avx512()?;
        is_x86_feature_detected!("avx512vnni").then_some(Self(avx2))
    }

    #[inline(always)]
    pub(in super::super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(
            enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,bmi1,bmi2,fma,lzcnt,popcnt"
        )]
        fn run<K: Kernel>(isa: Wide<true>, kernel: K) -> K::Output {
            kernel.run(isa)
        }
        // SAFETY: `self` proves that the processor has what the function is compiled for.
        unsafe { run(self, kernel) }
    }
}

/// The proof of AVX2, on a processor that has the parts of AVX-512 as well.
fn avx2_beside_avx512() -> Option<Ymm<false>> {
    let has_avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    Ymm::<false>::detect().filter(|_| has_avx512)
}

/// Twice each number, 254 at most.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn doubled(a: __m512i) -> __m512i {
    _mm512_min_epi16(_mm512_slli_epi16::<1>(a), _mm512_set1_epi16(254))
}

/// The products of 32 pairs; those that should be 0 may be less.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn product([a, b]: [__m512i; 2]) -> __m512i {
    let a = _mm512_max_epi16(doubled(a), _mm512_setzero_si512());
    // (128 a × b) / 2^16 = a × b / 2^9.
    _mm512_mulhi_epi16(_mm512_slli_epi16::<7>(a), doubled(b))
}

/// The products of 64 pairs, as bytes in the same order.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn products(pairs: [[__m512i; 2]; 2]) -> __m512i {
    _mm512_packus_epi16(product(pairs[0]), product(pairs[1]))
}

/// Within 0 to 127, as bytes: eight of the first vector, eight of the second, and so on.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn clipped_relu(a: __m512i, b: __m512i) -> __m512i {
    _mm512_max_epi8(_mm512_packs_epi16(a, b), _mm512_setzero_si512())
}

#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn list_bits(bits: u16, first: u16, list: &mut [u16; 16]) -> usize {
    const NUMBERS: [i32; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    // SAFETY: arrays of the right size.
    unsafe {
        let numbers = _mm512_loadu_si512(NUMBERS.as_ptr().cast());
        let numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(i32::from(first)));
        let numbers = _mm512_maskz_compress_epi32(bits, numbers);
        let numbers = _mm512_cvtepi32_epi16(numbers);
        _mm256_storeu_si256(list.as_mut_ptr().cast(), numbers);
    }
    bits.count_ones() as usize
}

/// Features of 32 squares at a time: a look-up by piece, an addition by square, and those that count
/// pushed together.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
fn list_pieces(features: &BoardFeatures, board: &Codes, other: &Codes, list: &mut FeatureList) {
    // SAFETY: the array has the 64 bytes.
    let pieces = unsafe { _mm512_loadu_si512(features.pieces.as_ptr().cast()) };
    let base = _mm512_set1_epi32(features.base as i32);
    let squares = features.squares.as_chunks::<32>().0;
    let boards = board
        .as_chunks::<32>()
        .0
        .iter()
        .zip(other.as_chunks::<32>().0);
    for ((board, other), squares) in boards.zip(squares) {
        // SAFETY: arrays of 32 and 64 bytes.
        let (board, other, squares) = unsafe {
            (
                _mm256_loadu_si256(board.as_ptr().cast()),
                _mm256_loadu_si256(other.as_ptr().cast()),
                _mm512_loadu_si512(squares.as_ptr().cast()),
            )
        };
        let different = _mm256_cmpneq_epi8_mask(board, other);
        let piece = _mm512_permutexvar_epi16(_mm512_cvtepu8_epi16(board), pieces);
        let absent = _mm512_set1_epi16(ABSENT as i16);
        let listed = _mm512_mask_cmpneq_epi16_mask(different, piece, absent);
        let place = _mm512_add_epi16(piece, squares);
        let halves = [
            (_mm512_castsi512_si256(place), listed as u16),
            (_mm512_extracti64x4_epi64::<1>(place), (listed >> 16) as u16),
        ];
        for (place, listed) in halves {
            let feature = _mm512_add_epi32(_mm512_cvtepu16_epi32(place), base);
            let features = _mm512_maskz_compress_epi32(listed, feature);
            if let Some(room) =
                list.features[list.len.min(FeatureList::ROOM)..].first_chunk_mut::<16>()
            {
                // SAFETY: the array has the 64 bytes.
                unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), features) };
                list.len += listed.count_ones() as usize;
            }
        }
    }
}

/// By number, a piece's part of its feature and what all features of the view have in common.
#[target_feature(enable = "avx512f")]
#[inline]
fn pieces_of(view: &BoardFeatures) -> [__m512i; 2] {
    let base = _mm512_set1_epi32(view.base as i32);
    let pieces = view.pieces.as_ptr().cast::<__m256i>();
    // SAFETY: the array has twice the 32 bytes.
    let [low, high] = unsafe {
        [
            _mm256_loadu_si256(pieces),
            _mm256_loadu_si256(pieces.add(1)),
        ]
    };
    [
        _mm512_add_epi32(_mm512_cvtepu16_epi32(low), base),
        _mm512_add_epi32(_mm512_cvtepu16_epi32(high), base),
    ]
}

/// Returns whether the byte of a square with a piece is the piece's number.
const IS_NUMBER: bool = {
    let mut is_number = true;
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        // SAFETY: the types have the same size, and a square with a piece has no other bits.
        let byte = unsafe { std::mem::transmute::<Option<Piece>, u8>(Some(piece)) };
        is_number &= byte == piece as u8;
        i += 1;
    }
    is_number
};

/// Features of sixteen squares at a time, for both views: a look-up by piece, an addition by square, and those that
/// count pushed together.
#[target_feature(enable = "avx512f,avx512vl,popcnt")]
#[inline]
fn list_board(
    views: [&BoardFeatures; 2],
    board: &Board,
    squares: Bitboard,
    lists: &mut [FeatureList; 2],
) {
    // Bytes with a piece are its number; the others are skipped.
    const { assert!(IS_NUMBER) }
    let [low, high] = squares.words();
    let mut bits = [low | high << 63, high >> 1];
    let pieces = [pieces_of(views[0]), pieces_of(views[1])];
    let mut len = 0;
    for (n, board) in board.as_chunks::<16>().0.iter().enumerate() {
        let listed = bits[n / 4] as u16;
        bits[n / 4] >>= 16;
        // SAFETY: the array has the 16 bytes.
        let codes = unsafe { _mm_loadu_si128(board.as_ptr().cast()) };
        let codes = _mm512_cvtepu8_epi32(codes);
        for (view, (pieces, list)) in views.into_iter().zip(pieces.iter().zip(&mut *lists)) {
            let squares = &view.squares.as_chunks::<16>().0[n];
            // SAFETY: the array has the 32 bytes.
            let squares = unsafe { _mm256_loadu_si256(squares.as_ptr().cast()) };
            let piece = _mm512_permutex2var_epi32(pieces[0], codes, pieces[1]);
            let feature = _mm512_add_epi32(piece, _mm512_cvtepu16_epi32(squares));
            let features = _mm512_maskz_compress_epi32(listed, feature);
            if let Some(room) = list.features[len..].first_chunk_mut::<16>() {
                // SAFETY: the array has the 64 bytes.
                unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), features) };
            }
        }
        len += listed.count_ones() as usize;
    }
    let last = Square::COUNT - 1;
    for (view, list) in views.into_iter().zip(lists) {
        list.len = len;
        let code = board[last].map_or(0, |piece| piece as u8);
        list.push_if(view.feature(code, last).0, bits[1] != 0);
    }
}

/// One load for four groups: there is only one such load a cycle, and weights need it too.
#[target_feature(enable = "avx512f")]
#[inline]
fn groups(inputs: &[u8; 16]) -> [__m512i; 4] {
    // SAFETY: the array has the 16 bytes.
    let mut inputs = _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(inputs.as_ptr().cast()) });
    // The compiler, which would load each group by itself, must not know where they are from.
    // SAFETY: nothing but a comment, and the register is there with AVX-512.
    unsafe {
        asm!("/* {0} */", inout(zmm_reg) inputs, options(pure, nomem, nostack, preserves_flags));
    }
    [
        _mm512_shuffle_epi32::<0b00_00_00_00>(inputs),
        _mm512_shuffle_epi32::<0b01_01_01_01>(inputs),
        _mm512_shuffle_epi32::<0b10_10_10_10>(inputs),
        _mm512_shuffle_epi32::<0b11_11_11_11>(inputs),
    ]
}

impl<const VNNI: bool> Isa for Wide<VNNI> {
    type Lane = __m512i;
    type Bytes = __m512i;
    type Group = __m512i;
    type Acc16 = __m512i;
    type Acc8 = __m256i;

    const TILE: usize = 8;

    #[inline(always)]
    fn load(self, line: &Line) -> Self::Lane {
        // SAFETY: a line has the 64 bytes, and `self` proves that the processor has AVX-512.
        unsafe { _mm512_loadu_si512(line.as_ptr().cast()) }
    }

    #[inline(always)]
    fn splat(self, number: i16) -> Self::Lane {
        // SAFETY: as in `load`.
        unsafe { _mm512_set1_epi16(number) }
    }

    #[inline(always)]
    fn high_bytes(self, lane: Self::Lane) -> Self::Lane {
        // SAFETY: as in `load`.
        unsafe { _mm512_srai_epi16::<8>(lane) }
    }

    #[inline(always)]
    fn raise(self, lane: Self::Lane) -> Self::Lane {
        // SAFETY: as in `load`.
        unsafe { _mm512_slli_epi16::<8>(lane) }
    }

    #[inline(always)]
    fn store(self, lane: Self::Lane, line: &mut Line) {
        // SAFETY: as in `load`.
        unsafe { _mm512_storeu_si512(line.as_mut_ptr().cast(), lane) }
    }

    #[inline(always)]
    fn add(self, a: Self::Lane, b: Self::Lane) -> Self::Lane {
        // SAFETY: `self` proves that the processor has AVX-512.
        unsafe { _mm512_add_epi16(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: Self::Lane, b: Self::Lane) -> Self::Lane {
        // SAFETY: as in `add`.
        unsafe { _mm512_sub_epi16(a, b) }
    }

    #[inline(always)]
    fn mul(self, a: Self::Lane, b: Self::Lane) -> Self::Lane {
        // SAFETY: as in `add`.
        unsafe { _mm512_mullo_epi16(a, b) }
    }

    #[inline(always)]
    fn clipped_relu(self, a: Self::Lane, b: Self::Lane) -> Self::Bytes {
        // SAFETY: as in `add`.
        unsafe { clipped_relu(a, b) }
    }

    #[inline(always)]
    fn products(self, pairs: [[Self::Lane; 2]; 2]) -> Self::Bytes {
        // SAFETY: as in `add`.
        unsafe { products(pairs) }
    }

    #[inline(always)]
    fn store_bytes(self, bytes: Self::Bytes, to: &mut [u8; 64]) {
        // SAFETY: as in `load`.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), bytes) }
    }

    #[inline(always)]
    fn nnz_mask(self, bytes: Self::Bytes) -> u16 {
        // SAFETY: as in `add`.
        unsafe { _mm512_test_epi32_mask(bytes, bytes) }
    }

    #[inline(always)]
    fn list_bits(self, bits: u16, first: u16, list: &mut [u16; 16]) -> usize {
        // SAFETY: as in `add`.
        unsafe { list_bits(bits, first, list) }
    }

    #[inline(always)]
    fn group(self, inputs: [u8; 4]) -> Self::Group {
        // SAFETY: as in `add`.
        unsafe { _mm512_set1_epi32(i32::from_le_bytes(inputs)) }
    }

    #[inline(always)]
    fn groups(self, inputs: &[u8; 16]) -> [Self::Group; 4] {
        // SAFETY: as in `add`.
        unsafe { groups(inputs) }
    }

    #[inline(always)]
    fn list_pieces(
        self,
        features: &BoardFeatures,
        board: &Codes,
        other: &Codes,
        list: &mut FeatureList,
    ) {
        // SAFETY: as in `add`.
        unsafe { list_pieces(features, board, other, list) }
    }

    #[inline(always)]
    fn list_board(
        self,
        views: [&BoardFeatures; 2],
        board: &Board,
        squares: Bitboard,
        lists: &mut [FeatureList; 2],
    ) {
        // SAFETY: as in `add`.
        unsafe { list_board(views, board, squares, lists) }
    }

    #[inline(always)]
    fn has_any(self, features: &[u32; 16], few: &[u32; FEW]) -> bool {
        // SAFETY: as in `load`, for as many bytes.
        unsafe {
            let features = _mm512_loadu_si512(features.as_ptr().cast());
            let mut found = 0;
            for &one in few {
                found |= _mm512_cmpeq_epi32_mask(features, _mm512_set1_epi32(one as i32));
            }
            found != 0
        }
    }

    #[inline(always)]
    fn zero16(self) -> Self::Acc16 {
        // SAFETY: as in `add`.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    fn dot16(self, acc: Self::Acc16, inputs: __m512i, weights: &[i8; 64]) -> Self::Acc16 {
        // SAFETY: the array has the 64 bytes, and `self` proves that the processor has AVX-512, and
        // VNNI where it is used.
        unsafe {
            let weights = _mm512_loadu_si512(weights.as_ptr().cast());
            if VNNI {
                _mm512_dpbusd_epi32(acc, inputs, weights)
            } else {
                // Sums of two products are at most 2 × 127 × 128 and do not saturate.
                let pairs = _mm512_maddubs_epi16(inputs, weights);
                _mm512_add_epi32(acc, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
            }
        }
    }

    #[inline(always)]
    fn add16(self, a: Self::Acc16, b: Self::Acc16) -> Self::Acc16 {
        // SAFETY: as in `add`.
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    fn load16(self, sums: &[i32; 16]) -> Self::Acc16 {
        // SAFETY: as in `load`.
        unsafe { _mm512_loadu_si512(sums.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store16(self, acc: Self::Acc16, sums: &mut [i32; 16]) {
        // SAFETY: as in `load`.
        unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), acc) }
    }

    #[inline(always)]
    fn clipped_relu16(self, acc: Self::Acc16) -> [u8; 16] {
        let mut bytes = [0; 16];
        // SAFETY: the array has the 16 bytes, and `self` proves that the processor has AVX-512.
        unsafe {
            let sums = _mm512_max_epi32(_mm512_srai_epi32::<6>(acc), _mm512_setzero_si512());
            let clipped = _mm512_cvtsepi32_epi8(sums);
            _mm_storeu_si128(bytes.as_mut_ptr().cast(), clipped);
        }
        bytes
    }

    #[inline(always)]
    fn zero8(self) -> Self::Acc8 {
        self.0.zero8()
    }

    #[inline(always)]
    fn dot8(self, acc: Self::Acc8, inputs: __m512i, weights: &[i8; 32]) -> Self::Acc8 {
        // SAFETY: the array has the 32 bytes, and `self` proves that the processor has AVX-512, and VNNI where it is
        // used.
        unsafe {
            let inputs = _mm512_castsi512_si256(inputs);
            if VNNI {
                let weights = _mm256_loadu_si256(weights.as_ptr().cast());
                _mm256_dpbusd_epi32(acc, inputs, weights)
            } else {
                self.0.dot8(acc, inputs, weights)
            }
        }
    }

    #[inline(always)]
    fn add8(self, a: Self::Acc8, b: Self::Acc8) -> Self::Acc8 {
        self.0.add8(a, b)
    }

    #[inline(always)]
    fn load8(self, sums: &[i32; 8]) -> Self::Acc8 {
        self.0.load8(sums)
    }

    #[inline(always)]
    fn store8(self, acc: Self::Acc8, sums: &mut [i32; 8]) {
        self.0.store8(acc, sums);
    }

    #[inline(always)]
    fn first8(self, acc: Self::Acc8) -> i32 {
        self.0.first8(acc)
    }
}
