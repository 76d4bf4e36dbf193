//! The board out of the stream with AVX-512.
//!
//! For each bit of the stream the code that might begin there is looked up as a byte; those where codes
//! do begin are put together (`vpcompressb`) and moved to their squares.

use std::arch::x86_64::*;

use super::vector;
use crate::form::Form;
use crate::wide::Aligned;
use shogi_core::Piece;

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

/// Which of the squares from 64 on there are.
const ON_BOARD: u64 = (1 << (81 - 64)) - 1;

/// Where the eight bits from each bit of a word on begin; in the last eight bytes, of the word from bit 56
/// on.
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

/// Where there are no codes any more but kings, see [`KINGS_AT`].
const KINGS_FROM: usize = 124;

/// Where [`KINGS`] begin in the run, for each colour. Two bytes each: the other king may make it one
/// less.
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
