//! Where codes begin, in 64 streams at a time.
//!
//! The automaton of [`super::super::starts`] with half a byte for each step: state and half byte are
//! an index of seven bits, which is what one instruction looks up for 64 bytes, one of each stream.

use std::arch::x86_64::*;

use super::super::starts::{ROOT, Starts, step};
use super::vector;

/// By half byte and, times 16, number of the state: where codes begin, and 16 times the next state's
/// number.
static STEPS: [u8; 128] = {
    let mut table = [0; 128];
    let mut i = 0;
    while i < 128 {
        let (half, mut state) = (i & 15, (i >> 4 << 3) as u8);
        let mut bit = 0;
        while bit < 4 {
            table[i] |= ((state == ROOT) as u8) << bit;
            state = step(state, half >> bit & 1 != 0);
            bit += 1;
        }
        table[i] |= state << 1;
        i += 1;
    }
    table
};

/// Finds where codes begin in each stream.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn find(bytes: &[[u8; 32]; 64], starts: &mut [Starts; 64]) {
    let mut rows = vector::rows(bytes);
    transpose(&mut rows);
    let table = vector::halves(&STEPS);
    let low = _mm512_set1_epi8(0x0f);
    // The second of two, with the low half of each byte from the first.
    let with_low = |half, rest| _mm512_ternarylogic_epi32::<0b11001010>(low, half, rest);

    // The first code begins with the last bit of the second byte.
    let second = rows[1];
    rows[0] = _mm512_setzero_si512();
    rows[1] = _mm512_set1_epi8(0x80_u8 as i8);
    let mut state = _mm512_and_si512(_mm512_srli_epi16::<3>(second), _mm512_set1_epi8(0x10));
    for row in &mut rows[2..] {
        let index = with_low(*row, state);
        let first = _mm512_permutex2var_epi8(table[0], index, table[1]);
        let index = with_low(_mm512_srli_epi16::<4>(*row), first);
        state = _mm512_permutex2var_epi8(table[0], index, table[1]);
        *row = with_low(first, _mm512_slli_epi16::<4>(state));
    }
    let whole = _mm512_testn_epi8_mask(state, _mm512_set1_epi8(0x70));
    transpose(&mut rows);
    let rows = vector::from_rows(&rows);
    for (i, (starts, row)) in starts.iter_mut().zip(&rows).enumerate() {
        starts.0[..4].copy_from_slice(row);
        // The lanes of `whole` are the even streams, then the odd ones.
        starts.0[4] = whole >> (i / 2 + i % 2 * 32) & 1;
    }
}

/// Exchanges each bit of the number of a row with the same bit of the place in the row. From 64
/// streams of 32 bytes, two in each row, that makes 32 rows of 64 streams' bytes with the even streams'
/// first; doing it again takes it back.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn transpose(rows: &mut [__m512i; 32]) {
    exchange::<0>(
        rows,
        0xaaaa_aaaa_aaaa_aaaa,
        0x0e0f0c0d0a0b0809_0607040502030001,
    );
    exchange::<1>(
        rows,
        0xcccc_cccc_cccc_cccc,
        0x0d0c0f0e09080b0a_0504070601000302,
    );
    exchange::<2>(
        rows,
        0xf0f0_f0f0_f0f0_f0f0,
        0x0b0a09080f0e0d0c_0302010007060504,
    );
    exchange::<3>(
        rows,
        0xff00_ff00_ff00_ff00,
        0x0706050403020100_0f0e0d0c0b0a0908,
    );
    for i in 0..16 {
        let (a, b) = (rows[i], rows[i + 16]);
        rows[i] = _mm512_mask_shuffle_i64x2::<0b10_11_00_01>(a, 0b1100_1100, b, b);
        rows[i + 16] = _mm512_mask_shuffle_i64x2::<0b10_11_00_01>(b, 0b0011_0011, a, a);
    }
}

/// Exchanges bit `BIT`, at most 3, of the number of a row with that of the place in the row. `places` are those
/// that have the bit, `neighbours` the places of 16 with the bit changed.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn exchange<const BIT: usize>(rows: &mut [__m512i; 32], places: u64, neighbours: u128) {
    let neighbours =
        _mm512_broadcast_i32x4(_mm_set_epi64x((neighbours >> 64) as i64, neighbours as i64));
    for i in (0..32).filter(|i| i >> BIT & 1 == 0) {
        let (a, b) = (rows[i], rows[i | 1 << BIT]);
        rows[i] = _mm512_mask_shuffle_epi8(a, places, b, neighbours);
        rows[i | 1 << BIT] = _mm512_mask_shuffle_epi8(b, !places, a, neighbours);
    }
}
