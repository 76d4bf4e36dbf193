//! Reading and checking packed positions.

use std::arch::x86_64::*;

use shogi_core::HandKind;

use super::board::Run;
use super::hands::AllHands;
use super::legal::is_attacked;
use super::outline::{Outline, Outlines};
use super::{board, legal, vector};
use crate::board::Board;
use crate::form::Form;
use crate::moves::{APERY, MoveForm, Moves, SQUARES};
use crate::off_board::Hands;
use crate::placement::Placement;
use crate::wide::head;
use crate::x86::encode::counts_512;
use crate::{FEW, MANY, NO_KING, off_board, placement, wide};

/// Reads and checks a packed position.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) fn read(bytes: &[u8; 32], form: &'static Form, placement: &mut Placement) -> bool {
    let mut starts = [0; 4];
    let outline = Outline::find(bytes, &mut starts);
    read_outlined(bytes, outline, &starts, form, placement)
}

/// As [`read`], for several: the outlines of all before the rest of the first.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(crate) fn read_few_256<const N: usize>(
    records: &[[u8; N]; FEW],
    form: &'static Form,
    placements: &mut [Placement; FEW],
    good: &mut [bool; FEW],
) {
    let mut starts = [[0; 4]; FEW];
    let mut outlines = [None; FEW];
    for i in 0..FEW {
        outlines[i] = Outline::find(head(&records[i]), &mut starts[i]);
    }
    for i in 0..FEW {
        let bytes = head(&records[i]);
        good[i] = read_outlined(bytes, outlines[i], &starts[i], form, &mut placements[i]);
    }
}

/// Reads and checks a packed position with this outline, whose codes begin at `starts`.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn read_outlined(
    bytes: &[u8; 32],
    outline: Option<Outline>,
    starts: &[u64; 4],
    form: &'static Form,
    placement: &mut Placement,
) -> bool {
    let Some(outline) = outline else {
        return false;
    };
    let words = wide::from_bytes(bytes);
    let rest = u32::from(outline.rest);
    let Some(hands) = off_board::read(&words, rest, form).get() else {
        return false;
    };
    let header = outline.header(bytes);
    let (parts, counts) = board::squares_256(&words, starts, outline.counts, header, form);
    let in_hands = off_board::counts(hands, |bits, mask| _pdep_u64(bits, mask));
    let Some(missing) = placement::missing(counts + in_hands) else {
        return false;
    };
    let squares = vector::squares(parts);
    let king = header.kings[header.side.flip()];
    if king != NO_KING && legal::is_attacked_256(&squares, header.side, king.into()) {
        return false;
    }
    *placement = Placement {
        header,
        board: Board {
            squares,
            starts: *starts,
            end: 256 - rest,
        },
        hands,
        missing,
        words,
        form,
    };
    true
}

/// As [`read`], with AVX-512.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "avx512bitalg,gfni")]
pub(crate) fn read_512(bytes: &[u8; 32], form: &'static Form, placement: &mut Placement) -> bool {
    let mut starts = [0; 4];
    let Some(outline) = Outline::find(bytes, &mut starts) else {
        return false;
    };
    let mut run = Run::EMPTY;
    run.read(bytes, &starts, outline.counts);
    let mut good = [false];
    let found = Found {
        records: std::array::from_ref(bytes),
        starts: &[starts],
        outlines: |_| Some(outline),
        hands: &[off_board::read(
            &wide::from_bytes(bytes),
            outline.rest.into(),
            form,
        )],
        runs: std::array::from_ref(std::hint::black_box(&run)),
    };
    found.finish(form, std::array::from_mut(placement), &mut good);
    good[0]
}

/// State of reading many positions that is kept between the steps.
pub(crate) struct VectorSteps {
    pub(crate) outlines: Outlines,
    pub(crate) hands: AllHands,
    runs: [Run; FEW],
}

impl VectorSteps {
    /// The empty state.
    pub(crate) const NONE: Self = Self {
        outlines: Outlines::EMPTY,
        hands: AllHands::NONE,
        runs: [Run::EMPTY; FEW],
    };
}

/// As [`read_512`], for the `few`th [`FEW`] of these records, whose outlines are known.
///
/// Each step is done for all of them before the next. What a step has written in small parts cannot be
/// read as a whole before it has reached the cache; here it has long been there.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
#[target_feature(enable = "avx512bitalg,gfni")]
pub(crate) fn read_few<const N: usize>(
    records: &[[u8; N]; MANY],
    few: usize,
    form: &'static Form,
    steps: &mut VectorSteps,
    placements: &mut [Placement; FEW],
    good: &mut [bool; FEW],
) {
    let records = &records.as_chunks::<FEW>().0[few];
    let starts = &steps.outlines.starts.as_chunks::<FEW>().0[few];
    let outlines = &steps.outlines;
    for i in 0..FEW {
        if let Some(outline) = outlines.get(few * FEW + i) {
            steps.runs[i].read(head(&records[i]), &starts[i], outline.counts);
        }
    }
    let mut hands = [Hands::NONE; FEW];
    for i in 0..FEW {
        if let Some(outline) = outlines.get(few * FEW + i) {
            hands[i] = match steps.hands.get(few * FEW + i) {
                Some(hands) => hands,
                None => read_hands(head(&records[i]), outline, form),
            };
        }
    }
    let found = Found {
        records,
        starts,
        outlines: |i| outlines.get(few * FEW + i),
        hands: &hands,
        runs: std::hint::black_box(&steps.runs),
    };
    found.finish(form, placements, good);
}

/// The hands of one position.
#[cold]
#[inline(never)]
fn read_hands(bytes: &[u8; 32], outline: Outline, form: &Form) -> Hands {
    off_board::read(&wide::from_bytes(bytes), outline.rest.into(), form)
}

/// Positions and what has been found out about them.
struct Found<'a, const N: usize, const COUNT: usize, O> {
    records: &'a [[u8; N]; COUNT],
    starts: &'a [[u64; 4]; COUNT],
    outlines: O,
    hands: &'a [Hands; COUNT],
    runs: &'a [Run; COUNT],
}

impl<const N: usize, const COUNT: usize, O: Fn(usize) -> Option<Outline>> Found<'_, N, COUNT, O> {
    /// Puts the pieces on their squares and checks the positions.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")]
    #[target_feature(enable = "avx512bitalg,gfni")]
    #[inline]
    fn finish(
        &self,
        form: &'static Form,
        placements: &mut [Placement; COUNT],
        good: &mut [bool; COUNT],
    ) {
        *good = [false; COUNT];
        for i in 0..COUNT {
            let (Some(hands), Some(outline)) = (self.hands[i].get(), (self.outlines)(i)) else {
                continue;
            };
            let squares = self.runs[i].squares(outline.kings, form);
            let in_hands = off_board::counts(hands, |bits, mask| _pdep_u64(bits, mask));
            let Some(missing) = placement::missing(counts_512(squares) + in_hands) else {
                continue;
            };
            let bytes = head(&self.records[i]);
            let header = outline.header(bytes);
            let king = header.kings[header.side.flip()];
            if king != NO_KING && is_attacked(squares, header.side, king.into()) {
                continue;
            }
            good[i] = true;
            placements[i] = Placement {
                header,
                hands,
                missing,
                words: wide::from_bytes(bytes),
                form,
                board: Board {
                    squares: vector::squares_512(squares),
                    starts: self.starts[i],
                    end: 256 - u32::from(outline.rest),
                },
            };
        }
    }
}

// The moves of eight records in vectors of 16 bits.

/// [`Moves::read_plain`], compiled for AVX2.
#[target_feature(enable = "avx2")]
pub(crate) fn read_moves_256(moves: &mut Moves, codes: [u16; FEW], forms: [MoveForm; 2]) {
    moves.read_plain(codes, forms);
}

/// [`Moves::read_plain`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
pub(crate) fn read_moves_512(moves: &mut Moves, codes: [u16; FEW], [from, to]: [MoveForm; 2]) {
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
