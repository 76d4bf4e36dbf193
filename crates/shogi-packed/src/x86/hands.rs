//! The hands of many positions at once.
//!
//! Each lane of a vector is the last bits of a stream, and a step takes a code off each. Whatever is not just
//! hands and ends with the stream is left to [`off_board::read`]: boxes, and what is wrong.

use std::arch::x86_64::*;

use super::outline::Outlines;
use super::vector;
use crate::MANY;
use crate::form::{Form, HAND_BITS, STEPS, STOP_BITS};
use crate::off_board::{Hands, SPARES};
use crate::wide::{from_bytes, head};

/// Streams of a vector.
const LANES: usize = 8;
/// Vectors worked on together: each step has to wait for the one before.
const GROUPS: usize = 4;
/// Steps after which it is asked whether all is done.
const AT_ONCE: usize = 4;
/// Steps after which nothing is left that might be right: no code is shorter than three bits.
const ENOUGH: usize = (64 - STOP_BITS as usize) / 3 + 1;

/// Some of the positions' hands.
pub(crate) struct AllHands {
    bits: [u64; MANY],
    /// A bit for each: whether they have been read.
    known: [u8; MANY / LANES],
}

impl AllHands {
    /// None known.
    pub(crate) const NONE: Self = Self {
        bits: [0; MANY],
        known: [0; MANY / LANES],
    };

    /// The hands of position `i`, if they are known.
    #[inline(always)]
    pub(crate) fn get(&self, i: usize) -> Option<Hands> {
        let known = self.known[i / LANES] >> (i % LANES) & 1 != 0;
        known.then(|| Hands::from_bits(self.bits[i]))
    }

    /// Reads the hands of positions with these outlines.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(crate) fn find<const N: usize>(
        &mut self,
        records: &[[u8; N]; MANY],
        outlines: &Outlines,
        form: &Form,
    ) {
        // First the last words, in the place of what will come of them.
        for (word, record) in self.bits.iter_mut().zip(records) {
            *word = from_bytes(head(record))[3];
        }
        let rests = outlines.rest.as_chunks::<{ LANES * GROUPS }>().0;
        let bits = self.bits.as_chunks_mut().0;
        let known = self.known.as_chunks_mut().0;
        for ((bits, known), rests) in bits.iter_mut().zip(known).zip(rests) {
            *known = find_some(bits, rests, form);
        }
    }
}

/// Makes hands of the last words of streams, of which so many bits are not the board's. Says which of them
/// are hands.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn find_some(
    bits: &mut [u64; LANES * GROUPS],
    rests: &[u8; LANES * GROUPS],
    form: &Form,
) -> [u8; GROUPS] {
    let numbers = vector::halves(&form.in_hand.0);
    let steps = vector::words_1024(&STEPS);
    let stop = _mm512_set1_epi64(form.stop as i64);
    let zero = _mm512_setzero_si512();
    let (mut all, mut seen) = ([zero; GROUPS], [zero; GROUPS]);
    let mut rest = [zero; GROUPS];
    let mut left = [zero; GROUPS];
    for i in 0..GROUPS {
        rest[i] = vector::eight_bytes(&rests.as_chunks().0[i]);
        let unused = _mm512_sub_epi64(_mm512_set1_epi64(64), rest[i]);
        let word = vector::eight_words(&bits.as_chunks().0[i]);
        left[i] = _mm512_or_si512(
            _mm512_srlv_epi64(word, unused),
            _mm512_sllv_epi64(stop, rest[i]),
        );
    }
    for _ in 0..ENOUGH.div_ceil(AT_ONCE) {
        let mut last = zero;
        for _ in 0..AT_ONCE {
            last = zero;
            for i in 0..GROUPS {
                // Of each lane only the lowest byte.
                let lowest = 0x0101_0101_0101_0101;
                let number =
                    _mm512_maskz_permutex2var_epi8(lowest, numbers[0], left[i], numbers[1]);
                let step = _mm512_permutex2var_epi64(steps[0], number, steps[1]);
                all[i] = _mm512_add_epi64(all[i], step);
                seen[i] = _mm512_or_si512(seen[i], all[i]);
                left[i] = _mm512_srlv_epi64(left[i], _mm512_srli_epi64::<4>(number));
                last = _mm512_or_si512(last, step);
            }
        }
        if _mm512_test_epi64_mask(last, last) == 0 {
            break;
        }
    }
    let spares = _mm512_set1_epi64(SPARES as i64);
    let longest = _mm512_set1_epi64(64 - i64::from(STOP_BITS));
    let mut known = [0; GROUPS];
    for i in 0..GROUPS {
        let taken = _mm512_srli_epi64::<{ 2 * HAND_BITS }>(all[i]);
        known[i] = _mm512_cmpeq_epi64_mask(taken, rest[i])
            & _mm512_cmple_epu64_mask(rest[i], longest)
            & _mm512_testn_epi64_mask(seen[i], spares);
        let hands = _mm512_and_si512(all[i], _mm512_set1_epi64((1 << (2 * HAND_BITS)) - 1));
        vector::store_words(&mut bits.as_chunks_mut().0[i], hands);
    }
    known
}

#[cfg(test)]
mod tests {
    use test_support::SplitMix64;

    use super::*;
    use crate::form::{HCP_FORM, PACKED_SFEN_FORM};
    use crate::off_board;
    use crate::x86::Avx512;

    /// Codes of hands, in some streams also three bits of any kind, in some of the same code again and again, at
    /// the end of 32 bytes. The length is theirs, or one more.
    fn stream(form: &Form, next: &mut impl FnMut(u64) -> u64) -> ([u64; 4], u8) {
        let (mut bits, mut len) = (0_u128, 0);
        let (count, first) = (next(20), next(128));
        let (some_others, one_kind) = (next(3) == 0, next(4) == 0);
        for _ in 0..count {
            let code = if one_kind { first } else { next(128) };
            let number = form.in_hand.0[code as usize];
            let is_other = some_others && next(8) == 0;
            let code_len = if is_other { 3 } else { u32::from(number >> 4) };
            if len + code_len < 70 {
                bits |= u128::from(code & ((1 << code_len) - 1)) << len;
                len += code_len;
            }
        }
        len += u32::from(next(8) == 0);
        let end = bits << (128 - len.max(1));
        (
            [next(u64::MAX), 0, end as u64, (end >> 64) as u64],
            len as u8,
        )
    }

    #[test]
    fn hands_of_many_are_those_of_one() {
        if Avx512::detect().is_none() {
            return;
        }
        let mut random = SplitMix64::new(1);
        let mut next = |limit: u64| random.below(limit);
        let mut known = 0;
        for i in 0..2000 {
            let form = [&HCP_FORM, &PACKED_SFEN_FORM][i % 2];
            let mut records = [[0; 32]; MANY];
            let mut outlines = Outlines::EMPTY;
            let streams: [_; MANY] = std::array::from_fn(|_| stream(form, &mut next));
            for (i, (words, rest)) in streams.iter().enumerate() {
                records[i] = crate::wide::to_bytes(*words);
                outlines.rest[i] = *rest;
            }
            let mut hands = AllHands::NONE;
            // SAFETY: the processor has what is needed, see above.
            unsafe { hands.find(&records, &outlines, form) };
            for (i, (words, rest)) in streams.iter().enumerate() {
                let expected = off_board::read(words, (*rest).into(), form).get();
                if let Some(found) = hands.get(i) {
                    assert_eq!(found.get(), expected, "{words:x?} {rest}");
                    assert!(expected.is_some());
                    known += 1;
                }
            }
        }
        assert!(known > 2000 * MANY / 4, "{known} hands");
    }
}
