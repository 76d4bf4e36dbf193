//! Writing what has been read, in either form.

use std::arch::x86_64::*;

use super::super::form::Form;
use super::super::off_board::{self, Codes64};
use super::super::placement::Placement;
use super::vector;

/// Writes the position, if neither hands nor box are too full and both kings are there; `false`
/// otherwise.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512vl,avx512vbmi2")]
pub(super) fn write(placement: &Placement, form: &Form, bytes: &mut [u8; 32]) -> bool {
    let words = vector::words(&placement.words);
    let words = if form.color_first == placement.form.color_first {
        words
    } else {
        exchanged(words, vector::words(&placement.board.starts))
    };
    let end = placement.board.end;
    // How many bits of each word are the board's.
    let kept = _mm256_max_epi64(
        _mm256_sub_epi64(
            _mm256_set1_epi64x(end.into()),
            _mm256_setr_epi64x(0, 64, 128, 192),
        ),
        _mm256_setzero_si256(),
    );
    let others = _mm256_sllv_epi64(_mm256_set1_epi64x(-1), kept);
    let words = _mm256_andnot_si256(others, words);

    let extract = |bits, mask| _pext_u64(bits, mask);
    let black = Codes64::hand(&form.off_board[0], placement.hands.0[0], extract);
    let white = Codes64::hand(&form.off_board[1], placement.hands.0[1], extract);
    let at = end + black.len;
    let mut words = vector::place(words, end, black.bits);
    words = vector::place(words, at, white.bits);
    let mut at = at + white.len;
    let mut fits = black.len <= 64 && white.len <= 64;
    if placement.missing != 0 {
        let boxed = off_board::boxed(placement.missing, extract);
        let boxed = Codes64::hand(&form.off_board[2], boxed, extract);
        words = vector::place(words, at, boxed.bits);
        at += boxed.len;
        fits &= boxed.len <= 64;
    }
    vector::store(bytes, words);
    fits && at == 256
}

/// The codes on the board changed into those of the other form.
#[target_feature(enable = "avx512f,avx512vl,avx512vbmi2")]
#[inline]
fn exchanged(words: __m256i, starts: __m256i) -> __m256i {
    let and = |a, b| _mm256_and_si256(a, b);
    let or = |a, b| _mm256_or_si256(a, b);
    let next = _mm256_alignr_epi64::<1>(_mm256_setzero_si256(), words);
    let before = |words| _mm256_alignr_epi64::<3>(words, _mm256_setzero_si256());
    let up_2 = |words| _mm256_shldi_epi64::<2>(words, before(words));
    let second = _mm256_shrdi_epi64::<1>(words, next);
    let third = _mm256_shrdi_epi64::<2>(words, next);
    let fourth = _mm256_shrdi_epi64::<3>(words, next);
    let fifth = _mm256_shrdi_epi64::<4>(words, next);

    let pieces = and(words, starts);
    let long = and(pieces, second);
    let upper = and(long, and(third, fourth));
    let middle = _mm256_andnot_si256(upper, long);
    let pairs = up_2(or(pieces, up_2(or(middle, up_2(and(upper, fifth))))));
    let differ = and(_mm256_xor_si256(words, second), pairs);
    let both = _mm256_xor_si256(differ, _mm256_shldi_epi64::<1>(differ, before(differ)));
    _mm256_xor_si256(words, both)
}
