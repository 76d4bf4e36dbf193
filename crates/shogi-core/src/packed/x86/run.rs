//! The board out of the stream with AVX-512.
//!
//! For each bit of the stream the code that might begin there is looked up as a byte; those where codes
//! do begin are put together (`vpcompressb`) and moved to their squares.

use std::arch::x86_64::*;

use super::super::board::Header;
use super::super::starts::Starts;
use super::counts::Counts;
use super::vector;
use crate::{Color, Piece, Square};

/// The numbers of the pieces on the squares with codes, one after another. Written in parts of 64 bytes, of
/// which each but the first overwrites the end of the last.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Run([u8; 192]);

impl Run {
    /// Nothing but zeros.
    pub(super) const EMPTY: Self = Self([0; 192]);

    /// Reads the numbers of the pieces, codes of squares one after another.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
    #[inline]
    pub(super) fn read(
        &mut self,
        words: &[u64; 4],
        starts: &Starts,
        counts: &Counts,
        table: [__m512i; 2],
    ) {
        let stream = _mm512_zextsi256_si512(vector::words(words));
        // Eight bytes for each of eight bytes of the stream: the byte and its successors.
        let neighbours = vector::bytes_512(&NEIGHBOURS);
        // Of these the eight bits from each bit of the byte on, but for that bit.
        let offsets = _mm512_set1_epi64(0x0807060504030201);
        for (i, &word) in words.iter().enumerate() {
            let neighbours = _mm512_add_epi8(neighbours, _mm512_set1_epi8(8 * i as i8));
            let bytes = _mm512_permutexvar_epi8(neighbours, stream);
            let after_first = _mm512_multishift_epi64_epi8(offsets, bytes);
            let pieces = _mm512_maskz_permutex2var_epi8(word, table[0], after_first, table[1]);
            vector::put(
                &mut self.0,
                counts.0[i],
                _mm512_maskz_compress_epi8(starts.0[i], pieces),
            );
        }
    }

    /// The squares: 0 to 63, and the rest.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    pub(super) fn squares(&self, header: Header) -> [__m512i; 2] {
        let [front, back] = vector::halves(self.0.first_chunk().expect("128 of 192"));
        let back = _mm512_mask_mov_epi8(back, u64::MAX << 60, vector::bytes_512(&KINGS));
        let king = |color| header.kings[color].map_or(81, |king: Square| king.index());
        let [black_low, black_high] = vector::halves(&BEHIND[0][king(Color::Black)]);
        let [white_low, white_high] = vector::halves(&BEHIND[1][king(Color::White)]);
        let [low, high] = vector::halves(&COUNTING);
        let low = _mm512_sub_epi8(_mm512_sub_epi8(low, black_low), white_low);
        let high = _mm512_sub_epi8(_mm512_sub_epi8(high, black_high), white_high);
        [
            _mm512_permutex2var_epi8(front, low, back),
            _mm512_maskz_permutex2var_epi8((1 << (81 - 64)) - 1, front, high, back),
        ]
    }
}

/// Eight times eight bytes, each beginning one further.
const NEIGHBOURS: [u8; 64] = {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 64 {
        bytes[i] = (i / 8 + i % 8) as u8;
        i += 1;
    }
    bytes
};

/// 0, 1, 2 …
static COUNTING: [u8; 128] = {
    let mut bytes = [0; 128];
    let mut i = 0;
    while i < 128 {
        bytes[i] = i as u8;
        i += 1;
    }
    bytes
};

/// Where [`KINGS`] begin in the run, for each colour. Two bytes each: the other king may make it one
/// less.
const KINGS_AT: [u8; 2] = [125, 127];

/// The last bytes of a run: both kings, twice.
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
static BEHIND: [[[u8; 128]; 82]; 2] = {
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
    table
};
