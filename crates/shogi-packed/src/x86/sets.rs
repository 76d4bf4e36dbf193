//! Sets and numbers of pieces.

use std::arch::x86_64::*;

use super::vector;
use crate::board::{Sets, Squares};
use shogi_core::{Bitboard, ByColor, MoveClass, PieceKind};

/// [`Squares::sets`].
#[target_feature(enable = "avx2")]
pub(crate) fn sets(squares: &Squares) -> Sets {
    // Words of a bitboard take 63 squares; the second part ends one further.
    let a = vector::part::<0>(squares);
    let b = vector::part::<32>(squares);
    let c = vector::part::<63>(squares);
    let bits = |[a, b, c]: [__m256i; 3]| {
        let bits = |part| u64::from(_mm256_movemask_epi8(part) as u32);
        let low = bits(a) | (bits(b) << 32 & (u64::MAX >> 1));
        Bitboard::from_words([low, bits(c)])
    };
    let table = vector::table(&CLASSES);
    let classes = |part| _mm256_shuffle_epi8(table, part);
    let (of_a, of_b, of_c) = (classes(a), classes(b), classes(c));
    let mut sets = Sets {
        classes: [Bitboard::EMPTY; MoveClass::COUNT],
        colors: ByColor([Bitboard::EMPTY; 2]),
    };
    let mut all = Bitboard::EMPTY;
    for class in MoveClass::ALL {
        let number = _mm256_set1_epi8(class as i8 + 1);
        let is = |part| _mm256_cmpeq_epi8(part, number);
        let set = bits([is(of_a), is(of_b), is(of_c)]);
        sets.classes[class as usize] = set;
        all |= set;
    }
    // White's bit becomes the sign.
    let signs = |part| _mm256_slli_epi16::<3>(part);
    let white = bits([signs(a), signs(b), signs(c)]);
    sets.colors = ByColor([all - white, white]);
    sets
}

/// One more than the number of the class of each kind.
const CLASSES: [u8; 16] = {
    let mut classes = [0; 16];
    let mut i = 0;
    while i < PieceKind::ALL.len() {
        classes[PieceKind::ALL[i] as usize] = PieceKind::ALL[i].move_class() as u8 + 1;
        i += 1;
    }
    classes
};

/// How many pieces there are of each kind, see [`Squares::counts`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512bitalg,gfni")]
#[inline]
pub(crate) fn counts_512([low, high]: [__m512i; 2]) -> u64 {
    // A bit for each kind; then, for each eight squares, a byte for each kind.
    let table = vector::bytes_512(&KIND_BITS);
    let columns = _mm512_set1_epi64(0x8040201008040201_u64 as i64);
    let count = |squares| {
        let kinds = _mm512_permutexvar_epi8(squares, table);
        _mm512_popcnt_epi8(_mm512_gf2p8affine_epi64_epi8::<0>(columns, kinds))
    };
    let sum = _mm512_add_epi8(count(low), count(high));
    let sum = _mm256_add_epi8(
        _mm512_castsi512_si256(sum),
        _mm512_extracti64x4_epi64::<1>(sum),
    );
    let sum = _mm_add_epi8(
        _mm256_castsi256_si128(sum),
        _mm256_extracti128_si256::<1>(sum),
    );
    let sum = _mm_add_epi8(sum, _mm_srli_si128::<8>(sum));
    _mm_cvtsi128_si64(sum) as u64
}

/// A bit for each kind that can be in hand, by number of the piece.
const KIND_BITS: [u8; 64] = {
    let mut bits = [0; 64];
    let mut i = 0;
    while i < 32 {
        bits[i] = (1 << (i % 8) >> 1) as u8;
        i += 1;
    }
    bits
};

/// How many pieces there are of each kind that can be in hand, see [`Squares::counts`].
#[target_feature(enable = "avx2,popcnt")]
#[inline]
pub(crate) fn counts(pieces: [__m256i; 3]) -> u64 {
    let kinds = |pieces| _mm256_and_si256(pieces, _mm256_set1_epi8(7));
    let [a, b, c] = [kinds(pieces[0]), kinds(pieces[1]), kinds(pieces[2])];
    let mut counts = 0;
    for kind in 1..8 {
        let wanted = _mm256_set1_epi8(kind);
        let ones = |kinds| _mm256_movemask_epi8(_mm256_cmpeq_epi8(kinds, wanted)).count_ones();
        counts |= u64::from(ones(a) + ones(b) + ones(c)) << (8 * (kind - 1));
    }
    counts
}
