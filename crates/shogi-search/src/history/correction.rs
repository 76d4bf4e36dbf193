//! How far the static score has been off in positions like this one.
//!
//! When a search ends with another score than the static one, the difference is remembered for the
//! pawns, the hands, the castles, the big pieces and the last moves of the position, each by itself.
//! The next position that shares some of them is judged that much better or worse.

use bytemuck::Zeroable;
use shogi_core::{Color, Position};

use super::{ARRIVALS, Arrival, keys, nudge};
use crate::Params;

/// Bound of a value.
const LIMIT: i32 = 1024;
/// Bits of a number that selects a value.
const BITS: u32 = 14;
/// Parts of a position that are looked at, besides the moves.
const PARTS: usize = 5;
/// Bits of a number that stands for two moves.
const MOVES_BITS: u32 = 16;

/// The values of a position, by part. To be computed once for a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CorrectionPlace {
    parts: [u32; PARTS],
    moves: [Option<u32>; 2],
}

/// What one searching thread knows about the errors of its evaluation.
#[derive(Zeroable)]
#[repr(C)]
pub(crate) struct Corrections {
    parts: [i16; (PARTS * 2) << BITS],
    moves: [i16; 1 << MOVES_BITS],
}

impl Corrections {
    pub(super) fn clear(&mut self) {
        self.parts.fill(0);
        self.moves.fill(0);
    }

    /// The values that belong to `position`, reached by moves with the arrivals `last` (one, two and
    /// four plies before).
    #[inline]
    pub(crate) fn place(position: &Position, last: [Arrival; 3]) -> CorrectionPlace {
        let us = position.side_to_move();
        let part = |number: usize, key: usize| ((number * 2 + us.index()) << BITS | key) as u32;
        let castle = |color: Color| keys::castle(position, color, BITS);
        let pair = |back: Arrival| {
            let pair = (back * ARRIVALS + last[0]) as u64;
            let mixed = pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - MOVES_BITS);
            (last[0] != 0 && back != 0).then_some(mixed as u32)
        };
        CorrectionPlace {
            parts: [
                part(0, keys::pawns(position, BITS)),
                part(1, keys::hands(position, BITS)),
                part(2, castle(us)),
                part(3, castle(us.flip())),
                part(4, keys::big(position, BITS)),
            ],
            moves: [pair(last[1]), pair(last[2])],
        }
    }

    /// Asks for the memory of the values at `place`, which will be looked at soon.
    #[inline]
    pub(crate) fn expect(&self, place: &CorrectionPlace) {
        for i in place.parts {
            yane_io::prefetch(&self.parts[i as usize]);
        }
        for i in place.moves.into_iter().flatten() {
            yane_io::prefetch(&self.moves[i as usize]);
        }
    }

    /// What to add to the static score.
    #[inline]
    pub(crate) fn value(&self, place: &CorrectionPlace, params: &Params) -> i32 {
        let [pawn, hand, own, enemy, big] = place.parts.map(|i| i32::from(self.parts[i as usize]));
        let moves: i32 = place
            .moves
            .iter()
            .map(|i| i.map_or(0, |i| i32::from(self.moves[i as usize])))
            .sum();
        let sum = pawn * params.correction_pawn
            + hand * params.correction_hand
            + (own + enemy) * params.correction_castle
            + big * params.correction_big
            + moves * params.correction_moves;
        sum / LIMIT
    }

    /// A search of `depth` plies came out `error` above the static score.
    pub(crate) fn learn(&mut self, place: &CorrectionPlace, error: i32, depth: i32) {
        let change = (error * depth / 8).clamp(-LIMIT / 4, LIMIT / 4);
        for i in place.parts {
            nudge::<LIMIT>(&mut self.parts[i as usize], change);
        }
        for i in place.moves.into_iter().flatten() {
            nudge::<LIMIT>(&mut self.moves[i as usize], change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yane_io::PageBox;

    #[test]
    fn errors_are_remembered_for_what_positions_share() {
        let mut corrections = PageBox::<Corrections>::zeroed().unwrap();
        let params = Params::default();
        let here = Position::startpos();
        let place = Corrections::place(&here, [7, 8, 9]);
        for _ in 0..100 {
            corrections.learn(&place, 150, 8);
        }
        let known = corrections.value(&place, &params);
        assert!(known > 100, "{known}");
        // The same board after other moves, and one with other pawns.
        let other_way = Corrections::place(&here, [5, 6, 0]);
        let other_pawns = Position::from_sfen(
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 1",
        )
        .unwrap();
        let other_pawns = Corrections::place(&other_pawns, [5, 6, 0]);
        let values = [other_way, other_pawns].map(|place| corrections.value(&place, &params));
        assert!(
            known > values[0] && values[0] > values[1] && values[1] > 0,
            "{values:?}"
        );
        // The other side's errors are its own.
        let white = Position::from_sfen(&Position::STARTPOS_SFEN.replace(" b ", " w ")).unwrap();
        let white = Corrections::place(&white, [5, 6, 0]);
        assert_eq!(corrections.value(&white, &params), 0);
        corrections.clear();
        assert_eq!(corrections.value(&place, &params), 0);
    }
}
