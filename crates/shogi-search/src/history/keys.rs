//! Numbers that stand for parts of a position: positions in which the part is the same share what
//! the histories know about it.
//!
//! They are computed from the sets of pieces when a node asks, which takes a few multiplications; a
//! position keeps nothing for them.

use shogi_core::{Bitboard, Color, MoveClass, Position, Square};

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
