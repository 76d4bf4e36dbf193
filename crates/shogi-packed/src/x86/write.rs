//! Writing what has been read, in either form.

use std::arch::x86_64::*;

use super::vector;
use crate::form::Form;
use crate::off_board::{self, Codes64};
use crate::placement::Placement;

macro_rules! write {
    ($name:ident, $features:literal, $exchanged:path, $in_last_word:path) => {
        /// Writes each position, if what is off the board takes at most 64 bits and both kings are there; `false`
        /// otherwise.
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        #[target_feature(enable = $features)]
        pub(crate) fn $name<const COUNT: usize>(
            placements: &[Placement; COUNT],
            form: &Form,
            places: &mut [[u8; 32]; COUNT],
        ) -> [bool; COUNT] {
            let extract = |bits, mask| _pext_u64(bits, mask);
            let mut done = [false; COUNT];
            for (i, placement) in placements.iter().enumerate() {
                let words = vector::words(&placement.words);
                let words = if form.color_first == placement.form.color_first {
                    words
                } else {
                    $exchanged(words, vector::words(&placement.board.starts))
                };
                let black = Codes64::hand(&form.off_board[0], placement.hands.0[0], extract);
                let white = Codes64::hand(&form.off_board[1], placement.hands.0[1], extract);
                let mut len = black.len + white.len;
                // Only right if the result is at most 64 bits, see below.
                let mut codes = black.bits | white.bits.wrapping_shl(black.len);
                if placement.missing != 0 {
                    let boxed = off_board::boxed(placement.missing, extract);
                    let boxed = Codes64::hand(&form.off_board[2], boxed, extract);
                    codes |= boxed.bits.wrapping_shl(len);
                    len += boxed.len;
                }
                // The codes off the board nearly always fit in the last word.
                let rest = 256 - placement.board.end;
                let at = 64_u32.wrapping_sub(rest);
                let old = $in_last_word(u64::MAX.unbounded_shl(at));
                let new = $in_last_word(codes.unbounded_shl(at));
                let words = _mm256_or_si256(_mm256_andnot_si256(old, words), new);
                vector::store(&mut places[i], words);
                done[i] = rest <= 64 && len == rest;
            }
            done
        }
    };
}

write!(write_256, "avx2", exchanged_256, in_last_word_256);
write!(
    write,
    "avx512f,avx512vl,avx512vbmi2",
    exchanged, in_last_word
);

/// A vector with this last word, the others zero.
#[target_feature(enable = "avx2")]
#[inline]
fn in_last_word_256(word: u64) -> __m256i {
    let everywhere = _mm256_set1_epi64x(word as i64);
    _mm256_blend_epi32::<0b11000000>(_mm256_setzero_si256(), everywhere)
}

/// As [`in_last_word_256`], with AVX-512.
#[target_feature(enable = "avx512f,avx512vl")]
#[inline]
fn in_last_word(word: u64) -> __m256i {
    _mm256_maskz_set1_epi64(0b1000, word as i64)
}

/// The codes on the board changed into those of the other form.
#[target_feature(enable = "avx2")]
#[inline]
fn exchanged_256(words: __m256i, starts: __m256i) -> __m256i {
    let and = |a, b| _mm256_and_si256(a, b);
    let or = |a, b| _mm256_or_si256(a, b);
    let next = vector::next_words(words);
    let second = vector::down::<1, 63>(words, next);
    let third = vector::down::<2, 62>(words, next);
    let fourth = vector::down::<3, 61>(words, next);
    let fifth = vector::down::<4, 60>(words, next);

    let pieces = and(words, starts);
    let long = and(pieces, second);
    let upper = and(long, and(third, fourth));
    let middle = _mm256_andnot_si256(upper, long);
    let pairs = up_256::<2, 62>(or(
        pieces,
        up_256::<2, 62>(or(middle, up_256::<2, 62>(and(upper, fifth)))),
    ));
    let differ = and(_mm256_xor_si256(words, second), pairs);
    let both = _mm256_xor_si256(differ, up_256::<1, 63>(differ));
    _mm256_xor_si256(words, both)
}

/// All bits `N` places higher.
#[target_feature(enable = "avx2")]
#[inline]
fn up_256<const N: i32, const REST: i32>(words: __m256i) -> __m256i {
    const { assert!(N + REST == 64) };
    let before = _mm256_blend_epi32::<0b00000011>(
        _mm256_permute4x64_epi64::<0b10_01_00_00>(words),
        _mm256_setzero_si256(),
    );
    _mm256_or_si256(
        _mm256_slli_epi64::<N>(words),
        _mm256_srli_epi64::<REST>(before),
    )
}

/// As [`exchanged_256`], with AVX-512.
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
