//! The board out of the stream.
//!
//! With AVX-512, for each bit of the stream the code that might begin there is looked up as a byte; those where codes
//! do begin are put together (`vpcompressb`) and moved to their squares.

use std::arch::x86_64::*;

use shogi_core::{Color, Piece, PieceKind};

use super::vector;
use crate::board::Header;
use crate::form::Form;
use crate::wide::Aligned;

/// The codes of the squares that have one, a byte each, zero for "empty". Written in parts of 64 bytes, of
/// which each but the first overwrites the end of the last; zeros from [`KINGS_FROM`] on.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Run([u8; 192]);

impl Run {
    /// Nothing but zeros.
    pub(crate) const EMPTY: Self = Self([0; 192]);

    /// Reads the codes of squares one after another.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
    #[inline]
    pub(crate) fn read(&mut self, bytes: &[u8; 32], starts: &[u64; 4], counts: [u8; 3]) {
        // The eight bits from each bit of a word on; the last of them reach into the next word.
        let offsets = vector::bytes_512(&OFFSETS);
        // The compiler must not see that words and eights are the same bytes: it would make one of the other,
        // which takes longer than reading both.
        let same = std::hint::black_box(bytes);
        let codes = |i: usize| {
            let word = u64::from_le_bytes(bytes.as_chunks().0[i]);
            let eights = vector::eights(same, i);
            let codes = _mm512_maskz_multishift_epi64_epi8(word, offsets, eights);
            _mm512_maskz_compress_epi8(starts[i], codes)
        };
        let [a, b, c] = counts;
        let parts = [(0, codes(0)), (a, codes(1)), (b, codes(2)), (c, codes(3))];
        // Shorter writes take half the time; they nearly always do. What they write beyond the squares must
        // not reach the kings.
        let last = 81 - 32..=KINGS_FROM as u8 - 32;
        if a <= 32 && b - a <= 32 && c - b <= 32 && last.contains(&c) {
            for (at, codes) in parts {
                vector::put_256(&mut self.0, at, _mm512_castsi512_si256(codes));
            }
        } else {
            for (at, codes) in parts {
                vector::put(&mut self.0, at, codes);
            }
            self.0[KINGS_FROM..128].fill(0);
        }
    }

    /// The squares, 0 to 63, and the rest, with kings on these squares.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    pub(crate) fn squares(&self, kings: [u8; 2], form: &Form) -> [__m512i; 2] {
        let [front, back] = vector::halves(self.0.first_chunk().expect("128 of 192"));
        let table = vector::halves(&form.after_first.0);
        let pieces = |codes| {
            let occupied = _mm512_test_epi8_mask(codes, codes);
            let after_first = _mm512_srli_epi16::<1>(codes);
            _mm512_maskz_permutex2var_epi8(occupied, table[0], after_first, table[1])
        };
        let front = pieces(front);
        let back = _mm512_or_si512(pieces(back), vector::bytes_512(&KINGS));
        let [black, white] = kings;
        let [black_low, black_high] = vector::halves(&BEHIND.0[0][usize::from(black)]);
        let [white_low, white_high] = vector::halves(&BEHIND.0[1][usize::from(white)]);
        let [low, high] = vector::halves(&COUNTING.0);
        let low = _mm512_sub_epi8(_mm512_sub_epi8(low, black_low), white_low);
        let high = _mm512_sub_epi8(_mm512_sub_epi8(high, black_high), white_high);
        [
            _mm512_permutex2var_epi8(front, low, back),
            _mm512_maskz_permutex2var_epi8(ON_BOARD, front, high, back),
        ]
    }
}

/// Mask of the squares from 64 on that exist.
const ON_BOARD: u64 = (1 << (81 - 64)) - 1;

/// Bytes in which the eight bits from each bit of a word on begin; in the last eight bytes, of the word
/// from bit 56 on.
const OFFSETS: [u8; 64] = {
    let mut offsets = [0; 64];
    let mut i = 0;
    while i < 64 {
        offsets[i] = if i < 56 { i as u8 } else { i as u8 - 56 };
        i += 1;
    }
    offsets
};

/// 0, 1, 2 …
static COUNTING: Aligned<[u8; 128]> = {
    let mut bytes = [0; 128];
    let mut i = 0;
    while i < 128 {
        bytes[i] = i as u8;
        i += 1;
    }
    Aligned(bytes)
};

/// Index in the run from which there are only kings, see [`KINGS_AT`].
const KINGS_FROM: usize = 124;

/// Index in the run at which [`KINGS`] begin, for each colour. Two bytes each: the other king may
/// make it one less.
const KINGS_AT: [u8; 2] = [125, 127];

/// The last bytes after the pieces of a run: both kings, twice.
const KINGS: [u8; 64] = {
    let mut bytes = [0; 64];
    bytes[60] = Piece::BlackKing as u8;
    bytes[61] = Piece::BlackKing as u8;
    bytes[62] = Piece::WhiteKing as u8;
    bytes[63] = Piece::WhiteKing as u8;
    bytes
};

/// For each king on each square, or on none, how much further back in the run than its own number each
/// square is found: one behind the king. The king itself is at [`KINGS_AT`].
static BEHIND: Aligned<[[[u8; 128]; 82]; 2]> = {
    let mut table = [[[0_u8; 128]; 82]; 2];
    let mut i = 0;
    while i < 2 * 81 {
        let (color, king) = (i / 81, i % 81);
        table[color][king][king] = (king as u8).wrapping_sub(KINGS_AT[color]);
        let mut behind = king + 1;
        while behind < 81 {
            table[color][king][behind] = 1;
            behind += 1;
        }
        i += 1;
    }
    Aligned(table)
};

// The board out of the stream with AVX2 and BMI2.
//
// The bits of the pieces' numbers are computed for all places of the stream at once, taken together at
// the places where codes begin (`pext`), and spread over the squares without kings (`pdep`).

/// Takes the bits of the numbers together, square by square: squares 0 to 31, 32 to 63, and the
/// rest. Counts the pieces as [`Squares::counts`](crate::board::Squares::counts) does.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
pub(crate) fn squares_256(
    words: &[u64; 4],
    starts: &[u64; 4],
    counts: [u8; 3],
    header: Header,
    form: &Form,
) -> ([__m256i; 3], u64) {
    let (a, b, c) = (counts[0].into(), counts[1].into(), counts[2].into());
    let (a, b, c): (u32, u32, u32) = (a, b, c);
    let mut without_kings = u128::MAX >> (128 - 81);
    // No bit for a king that is not there.
    without_kings &= !(1 << header.kings.0[0] | 1 << header.kings.0[1]);
    let [low, high] = [without_kings as u64, (without_kings >> 64) as u64];
    let split = low.count_ones();
    let mut parts = [_mm256_setzero_si256(); 3];
    let mut planes = [[0; 2]; 5];
    for (i, bits) in numbers(words, starts, form).iter().enumerate() {
        let part = |i: usize| _pext_u64(bits[i], starts[i]);
        // Two words of codes are seldom more than 64 squares, and never less than 14.
        let run = if b < 64 && c - b < 64 {
            let front = part(0) | part(1) << a;
            let back = part(2) | part(3) << (c - b);
            u128::from(front) | u128::from(back) << b
        } else {
            let wide = |i: usize| u128::from(part(i));
            wide(0) | wide(1) << a | wide(2).unbounded_shl(b) | wide(3).unbounded_shl(c)
        };
        let low = _pdep_u64(run as u64, low);
        let high = _pdep_u64((run >> split) as u64, high);
        planes[i] = [low, high];
        let number = _mm256_set1_epi8(1 << i);
        let add = |part, bits| _mm256_or_si256(part, _mm256_and_si256(spread(bits), number));
        parts[0] = add(parts[0], low as u32);
        parts[1] = add(parts[1], (low >> 32) as u32);
        parts[2] = add(parts[2], high as u32);
    }
    let counted = count(&planes);
    for color in Color::ALL {
        let king = _mm256_set1_epi8(Piece::new(color, PieceKind::King) as i8);
        let square = _mm256_set1_epi8(header.kings[color] as i8);
        for (part, numbers) in parts.iter_mut().zip(&SQUARES) {
            let here = _mm256_cmpeq_epi8(vector::bytes(numbers), square);
            *part = _mm256_or_si256(*part, _mm256_and_si256(here, king));
        }
    }
    (parts, counted)
}

/// The pieces of each kind, whose number are the bits of the first three planes.
#[target_feature(enable = "bmi1,popcnt")]
#[inline]
fn count(planes: &[[u64; 2]; 5]) -> u64 {
    let mut counts = 0;
    for kind in 1..8 {
        let of_kind = |half: usize| {
            let bits = |plane: usize| match kind >> plane & 1 {
                0 => !planes[plane][half],
                _ => planes[plane][half],
            };
            (bits(0) & bits(1) & bits(2)).count_ones()
        };
        counts |= u64::from(of_kind(0) + of_kind(1)) << (8 * (kind - 1));
    }
    counts
}

/// The numbers of the squares; beyond the board those of none.
static SQUARES: [[u8; 32]; 3] = {
    let mut squares_256 = [[u8::MAX; 32]; 3];
    let mut i = 0;
    while i < 81 {
        squares_256[i / 32][i % 32] = i as u8;
        i += 1;
    }
    squares_256
};

/// The bits of the pieces' numbers, each at the first bit of its piece's code.
#[target_feature(enable = "avx2")]
#[inline]
fn numbers(words: &[u64; 4], starts: &[u64; 4], form: &Form) -> [[u64; 4]; 5] {
    let and = |a, b| _mm256_and_si256(a, b);
    let or = |a, b| _mm256_or_si256(a, b);
    let minus = |a, b| _mm256_andnot_si256(b, a);
    let stream = vector::words(words);
    let next = vector::next_words(stream);
    let bit_1 = vector::down::<1, 63>(stream, next);
    let bit_2 = vector::down::<2, 62>(stream, next);
    let bit_3 = vector::down::<3, 61>(stream, next);
    let bit_4 = vector::down::<4, 60>(stream, next);
    let bit_5 = vector::down::<5, 59>(stream, next);
    let bit_6 = vector::down::<6, 58>(stream, next);
    let bit_7 = vector::down::<7, 57>(stream, next);

    // Pawns are 10xx; lances, knights and silvers 11xxxx but not 1111xx; golds 11110x; bishops and
    // rooks 11111xxx.
    let pieces = and(stream, vector::words(starts));
    let pawns = minus(pieces, bit_1);
    let others = and(pieces, bit_1);
    let upper = and(others, and(bit_2, bit_3));
    let middle = minus(others, upper);
    let golds = minus(upper, bit_4);
    let large = and(upper, bit_4);
    let rooks = and(large, bit_5);
    let (knight, silver) = if form.color_first {
        (bit_2, bit_3)
    } else {
        (bit_3, bit_2)
    };
    let silvers = and(middle, silver);
    let knights = and(middle, knight);

    // The last two bits; golds have only one, the colour.
    let first = or(or(and(pawns, bit_2), and(middle, bit_4)), and(large, bit_6));
    let second = or(or(and(pawns, bit_3), and(middle, bit_5)), and(large, bit_7));
    let (colors, promotions) = if form.color_first {
        (first, second)
    } else {
        (second, first)
    };
    let colors = or(colors, and(golds, bit_5));
    [
        vector::to_words(or(or(pawns, knights), minus(upper, rooks))),
        vector::to_words(or(minus(middle, silvers), or(rooks, golds))),
        vector::to_words(or(silvers, upper)),
        vector::to_words(promotions),
        vector::to_words(colors),
    ]
}

/// All ones in the bytes of the bits that are set.
#[target_feature(enable = "avx2")]
#[inline]
fn spread(bits: u32) -> __m256i {
    let bytes = _mm256_setr_epi8(
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, //
        2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3,
    );
    let each = _mm256_set1_epi64x(0x8040201008040201_u64 as i64);
    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), bytes);
    _mm256_cmpeq_epi8(_mm256_and_si256(bytes, each), each)
}
