//! Correction history: the errors of the static evaluation in positions like this one.
//!
//! When a search ends with another score than the static evaluation, the difference is remembered for the pawns, the
//! hands, the castles, the major pieces and the last moves of the position, each by itself. The static evaluation of
//! the next position that shares some of them is corrected by that.

use bytemuck::Zeroable;
use shogi_core::{Bitboard, Color, MoveClass, Position, Square};

use super::{PIECE_TOS, PieceTo, gravity_update};
use crate::Params;

/// Bits of a number that selects a value.
const BITS: u32 = 14;
/// Parts of a position that are looked at, besides the moves.
const PARTS: usize = 5;
/// Bits of a number that stands for two moves.
const MOVES_BITS: u32 = 16;

/// The indices of a position, by part. To be computed once for a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CorrectionIndex {
    parts: [u32; PARTS],
    moves: [Option<u32>; 2],
}

impl CorrectionIndex {
    /// The number that stands for the pawns in `bits` bits, at most [`BITS`]: see [`pawns`].
    #[inline]
    pub(super) const fn pawns(&self, bits: u32) -> usize {
        (self.parts[0] as usize & ((1 << BITS) - 1)) >> (BITS - bits)
    }
}

/// The correction history of one searching thread.
#[derive(Zeroable)]
#[repr(C)]
pub(crate) struct CorrectionHistory {
    parts: [i16; (PARTS * 2) << BITS],
    moves: [i16; 1 << MOVES_BITS],
}

impl CorrectionHistory {
    pub(super) fn clear(&mut self) {
        self.parts.fill(0);
        self.moves.fill(0);
    }

    /// The values that belong to `position`, reached by moves with the piece-tos `last` (one, two and
    /// four plies before).
    #[inline]
    pub(crate) fn index(position: &Position, last: [PieceTo; 3]) -> CorrectionIndex {
        let us = position.side_to_move();
        let part = |number: usize, key: usize| ((number * 2 + us.index()) << BITS | key) as u32;
        let castle = |color: Color| castle(position, color, BITS);
        let pair = |back: PieceTo| {
            let pair = (back * PIECE_TOS + last[0]) as u64;
            let mixed = pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - MOVES_BITS);
            (last[0] != 0 && back != 0).then_some(mixed as u32)
        };
        CorrectionIndex {
            parts: [
                part(0, pawns(position, BITS)),
                part(1, hands(position, BITS)),
                part(2, castle(us)),
                part(3, castle(us.flip())),
                part(4, majors(position, BITS)),
            ],
            moves: [pair(last[1]), pair(last[2])],
        }
    }

    /// Prefetches the values at `index`.
    #[inline]
    pub(crate) fn prefetch(&self, index: &CorrectionIndex) {
        for i in index.parts {
            yane_base::memory::prefetch(&self.parts[i as usize]);
        }
        for i in index.moves.into_iter().flatten() {
            yane_base::memory::prefetch(&self.moves[i as usize]);
        }
    }

    /// Returns what to add to the static evaluation.
    #[inline]
    pub(crate) fn value(&self, index: &CorrectionIndex, params: &Params) -> i32 {
        let [pawn, hand, own, enemy, big] = index.parts.map(|i| i32::from(self.parts[i as usize]));
        let moves: i32 = index
            .moves
            .iter()
            .map(|i| i.map_or(0, |i| i32::from(self.moves[i as usize])))
            .sum();
        let sum = pawn * params.correction_pawn
            + hand * params.correction_hand
            + (own + enemy) * params.correction_castle
            + big * params.correction_big
            + moves * params.correction_moves;
        sum / params.correction_limit
    }

    /// Updates the values at `index`: a search of `depth` plies came out `error` above the static evaluation.
    pub(crate) fn update(
        &mut self,
        index: &CorrectionIndex,
        error: i32,
        depth: i32,
        params: &Params,
    ) {
        let limit = params.correction_update_max;
        let change = (error * depth / params.correction_depth_divisor).clamp(-limit, limit);
        for i in index.parts {
            gravity_update(&mut self.parts[i as usize], change, params.correction_limit);
        }
        for i in index.moves.into_iter().flatten() {
            gravity_update(&mut self.moves[i as usize], change, params.correction_limit);
        }
    }
}

// Numbers that stand for parts of a position: positions in which the part is the same share what
// the histories know about it.
//
// They are computed from the sets of pieces when a node asks, which takes a few multiplications; a
// position keeps nothing for them.

/// Mixes numbers into one whose high bits depend on all of them.
#[derive(Clone, Copy)]
struct Mixer(u64);

impl Mixer {
    #[inline(always)]
    fn word(self, word: u64) -> Self {
        Self((self.0.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    #[inline(always)]
    fn set(self, set: Bitboard) -> Self {
        let [low, high] = set.words();
        self.word(low).word(high)
    }

    /// The high `bits` bits.
    #[inline(always)]
    fn top(self, bits: u32) -> usize {
        ((self.0 ^ self.0 << 23) >> (64 - bits)) as usize
    }
}

/// Returns where the pawns of both sides stand, as a number of `bits` bits.
#[inline]
pub(crate) fn pawns(position: &Position, bits: u32) -> usize {
    let of = |color| position.class_of(color, MoveClass::Pawn);
    Mixer(0)
        .set(of(Color::Black))
        .set(of(Color::White))
        .top(bits)
}

/// Returns what both sides have in hand.
#[inline]
pub(crate) fn hands(position: &Position, bits: u32) -> usize {
    let of = |color| u64::from(position.hand(color).bits());
    Mixer(1)
        .word(of(Color::Black) << 32 | of(Color::White))
        .top(bits)
}

/// Returns where the king of `color` and the pieces that usually guard it stand.
#[inline]
pub(crate) fn castle(position: &Position, color: Color, bits: u32) -> usize {
    let king = position.king(color).map_or(Square::COUNT, Square::index);
    Mixer(2 + king as u64)
        .set(position.class_of(color, MoveClass::Gold))
        .set(position.class_of(color, MoveClass::Silver))
        .top(bits)
}

/// Returns where the bishops, rooks, horses and dragons of both sides stand.
#[inline]
pub(crate) fn majors(position: &Position, bits: u32) -> usize {
    let horses = position.class(MoveClass::Horse) | position.class(MoveClass::Bishop);
    let dragons = position.class(MoveClass::Dragon) | position.class(MoveClass::Rook);
    let mine = position.color(Color::Black) & (horses | dragons);
    Mixer(3).set(horses).set(dragons).set(mine).top(bits)
}

#[cfg(test)]
mod tests {
    use yane_base::memory::PageBox;

    use super::*;

    #[test]
    fn errors_are_remembered_for_what_positions_share() {
        let mut corrections = PageBox::<CorrectionHistory>::zeroed().unwrap();
        let params = Params::default();
        let here = Position::startpos();
        let index = CorrectionHistory::index(&here, [7, 8, 9]);
        for _ in 0..100 {
            corrections.update(&index, 150, 8, &params);
        }
        let known = corrections.value(&index, &params);
        assert!(known > 100, "{known}");
        assert_eq!(index.pawns(10), pawns(&here, 10));
        // The same board after other moves, and one with other pawns.
        let other_way = CorrectionHistory::index(&here, [5, 6, 0]);
        let other_pawns = Position::from_sfen(
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 1",
        )
        .unwrap();
        let other_pawns = CorrectionHistory::index(&other_pawns, [5, 6, 0]);
        let values = [other_way, other_pawns].map(|index| corrections.value(&index, &params));
        assert!(
            known > values[0] && values[0] > values[1] && values[1] > 0,
            "{values:?}"
        );
        // The other side's errors are its own.
        let white = Position::from_sfen(&Position::STARTPOS_SFEN.replace(" b ", " w ")).unwrap();
        let white = CorrectionHistory::index(&white, [5, 6, 0]);
        assert_eq!(corrections.value(&white, &params), 0);
        corrections.clear();
        assert_eq!(corrections.value(&index, &params), 0);
    }
}
