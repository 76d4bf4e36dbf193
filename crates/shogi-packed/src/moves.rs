//! The moves of several records at once, in the 16 bits of either family.
//!
//! Both families have the destination in bits 0 to 6, the origin above it, and the promotion on top. They differ
//! in where the promotion is and in the numbers of origins in the hand.

use crate::FEW;
use shogi_core::{HandKind, MoveText, Origin, Square};

/// Bit layout of the moves of one family.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveForm {
    /// The bit of the promotion; the origin takes what is between it and the destination.
    pub(crate) promotion: u32,
    /// Number added to a kind's number when the piece is dropped.
    pub(crate) hand: u16,
}

impl MoveForm {
    /// The bits of the origin.
    #[inline(always)]
    pub(crate) const fn origins(self) -> u16 {
        (1 << (self.promotion - 7)) - 1
    }
}

/// Layout of [`shogi_core::Move16`]: the highest bit of the origin marks a drop.
pub(crate) const YANEURAOU: MoveForm = MoveForm {
    promotion: 15,
    hand: 128,
};
/// Layout of [`shogi_core::AperyMove16`].
pub(crate) const APERY: MoveForm = MoveForm {
    promotion: 14,
    hand: 80,
};

/// The number of squares.
pub(crate) const SQUARES: u16 = Square::COUNT as u16;

/// A move as it is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shift {
    /// The square that the piece leaves, or 80 more than the number of its [`HandKind`].
    pub(crate) from: u8,
    /// The square that it arrives on.
    pub(crate) to: u8,
    /// True if the piece promotes.
    pub(crate) promote: bool,
}

impl Shift {
    /// Returns true if the piece is dropped from the hand.
    #[inline(always)]
    pub(crate) const fn is_drop(self) -> bool {
        self.from >= SQUARES as u8
    }

    /// The number of the kind that comes out of the hand, 7 at most.
    #[inline(always)]
    pub(crate) const fn kind(self) -> u8 {
        self.from.wrapping_sub(APERY.hand as u8) % 8
    }

    /// The square that the piece arrives on.
    #[inline(always)]
    pub(crate) const fn destination(self) -> Square {
        Square::ALL[self.to as usize]
    }
}

impl From<MoveText> for Shift {
    #[inline(always)]
    fn from(text: MoveText) -> Self {
        Self {
            from: match text.origin {
                Origin::Board(from) => from as u8,
                Origin::Hand(kind) => APERY.hand as u8 + kind as u8,
            },
            to: text.to as u8,
            promote: text.promote,
        }
    }
}

/// A move of each of several records.
pub(crate) struct Moves {
    /// See [`Shift::from`].
    pub(crate) from: [u16; FEW],
    /// See [`Shift::to`].
    pub(crate) to: [u16; FEW],
    /// See [`Shift::promote`].
    pub(crate) promote: [u16; FEW],
    /// A bit for each: whether there is a move. If not, the rest is of no use.
    pub(crate) is_move: u8,
    /// The moves in the form that is wanted.
    pub(crate) written: [u16; FEW],
}

impl Moves {
    /// No moves.
    pub(crate) const NONE: Self = Self {
        from: [0; FEW],
        to: [0; FEW],
        promote: [0; FEW],
        is_move: 0,
        written: [0; FEW],
    };

    /// Reads the bits of records in the form `from` and writes them in the form `to`.
    #[inline(always)]
    pub(crate) fn read_plain(&mut self, codes: [u16; FEW], [from, to]: [MoveForm; 2]) {
        self.is_move = 0;
        for (i, code) in codes.into_iter().enumerate() {
            let destination = code & 0x7f;
            let origin = code >> 7 & from.origins();
            let promote = code >> from.promotion;
            let kind = origin.wrapping_sub(from.hand);
            let in_hand = (1..=HandKind::ALL.len() as u16).contains(&kind);
            let stands = origin < SQUARES && origin != destination;
            let drops = in_hand && promote == 0;
            let is_move = (stands || drops) && destination < SQUARES && promote <= 1;
            let add = |hand| if in_hand { kind + hand } else { origin };
            self.is_move |= u8::from(is_move) << i;
            self.from[i] = add(APERY.hand);
            self.to[i] = destination;
            self.promote[i] = promote;
            self.written[i] = destination | add(to.hand) << 7 | promote << to.promotion;
        }
    }

    /// Move `i`, if it is one.
    #[inline(always)]
    pub(crate) const fn get(&self, i: usize) -> Option<Shift> {
        if self.is_move >> i & 1 == 0 {
            return None;
        }
        Some(Shift {
            from: self.from[i] as u8,
            to: self.to[i] as u8,
            promote: self.promote[i] != 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;
    use shogi_core::{AperyMove16, Move16};

    fn text(code: u16, form: MoveForm) -> Option<MoveText> {
        match form.promotion {
            15 => Move16(code).decode(),
            _ => AperyMove16(code).decode(),
        }
    }

    #[test]
    fn all_bits_are_those_of_one_move() {
        let mut found = 0;
        for forms in [
            [YANEURAOU, APERY],
            [APERY, YANEURAOU],
            [APERY; 2],
            [YANEURAOU; 2],
        ] {
            for first in (0..=u16::MAX).step_by(FEW) {
                let codes = std::array::from_fn(|i| first + i as u16);
                let (mut moves, mut plain) = (Moves::NONE, Moves::NONE);
                Level::best().read_moves(&mut moves, codes, forms);
                plain.read_plain(codes, forms);
                for level in Level::all() {
                    let mut same = Moves::NONE;
                    level.read_moves(&mut same, codes, forms);
                    let all = |moves: &Moves| [0, 1, 2, 3, 4, 5, 6, 7].map(|i| moves.get(i));
                    assert_eq!(all(&same), all(&plain), "{level:?}");
                }
                for (i, code) in codes.into_iter().enumerate() {
                    let expected = text(code, forms[0]);
                    assert_eq!(moves.get(i), expected.map(Shift::from), "{code:#06x}");
                    assert_eq!(plain.get(i), moves.get(i), "{code:#06x}");
                    let Some(expected) = expected else { continue };
                    found += 1;
                    assert_eq!(text(moves.written[i], forms[1]), Some(expected));
                    assert_eq!(plain.written[i], moves.written[i]);
                    let shift = moves.get(i).unwrap();
                    match expected.origin {
                        Origin::Hand(kind) => assert_eq!(shift.kind(), kind as u8),
                        Origin::Board(_) => assert!(!shift.is_drop()),
                    }
                }
            }
        }
        // From each square to each other one, promoting or not, and seven kinds to each square.
        assert_eq!(found, 4 * (81 * 80 * 2 + 7 * 81));
    }
}
