//! The moves of eight records in vectors of 16 bits.

use std::arch::x86_64::*;

use super::vector;
use crate::FEW;
use crate::moves::{APERY, MoveForm, Moves, SQUARES};
use shogi_core::HandKind;

/// [`Moves::read_plain`], compiled for AVX2.
#[target_feature(enable = "avx2")]
pub(crate) fn read_256(moves: &mut Moves, codes: [u16; FEW], forms: [MoveForm; 2]) {
    moves.read_plain(codes, forms);
}

/// [`Moves::read_plain`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
pub(crate) fn read(moves: &mut Moves, codes: [u16; FEW], [from, to]: [MoveForm; 2]) {
    let all = |number: u16| _mm_set1_epi16(number as i16);
    let shift = |number: u32| _mm_cvtsi32_si128(number as i32);
    let codes = vector::eight_codes(codes);
    let destination = _mm_and_si128(codes, all(0x7f));
    let origin = _mm_and_si128(_mm_srli_epi16::<7>(codes), all(from.origins()));
    let promote = _mm_srl_epi16(codes, shift(from.promotion));
    let kind = _mm_sub_epi16(origin, all(from.hand));
    let kinds = all(HandKind::ALL.len() as u16);
    let in_hand = _mm_mask_cmple_epu16_mask(_mm_test_epi16_mask(kind, kind), kind, kinds);
    let stands = _mm_mask_cmpneq_epu16_mask(
        _mm_cmplt_epu16_mask(origin, all(SQUARES)),
        origin,
        destination,
    );
    let drops = _mm_mask_testn_epi16_mask(in_hand, promote, promote);
    let on_board = _mm_mask_cmplt_epu16_mask(stands | drops, destination, all(SQUARES));
    moves.is_move = _mm_mask_cmple_epu16_mask(on_board, promote, all(1));

    let add = |numbers, more| _mm_mask_add_epi16(numbers, in_hand, kind, all(more));
    vector::store_codes(&mut moves.from, add(origin, APERY.hand));
    vector::store_codes(&mut moves.to, destination);
    vector::store_codes(&mut moves.promote, promote);
    let origin = _mm_slli_epi16::<7>(add(origin, to.hand));
    let promotion = _mm_sll_epi16(promote, shift(to.promotion));
    let written = _mm_or_si128(_mm_or_si128(destination, origin), promotion);
    vector::store_codes(&mut moves.written, written);
}
