//! Zobrist keys.
//!
//! The board part is the XOR of one 128-bit number for every piece on its square (and one for white
//! to move); `Position::do_move` keeps it up to date with one XOR of a 16-byte value for each change.
//! The hands enter through a mixing function of their 32-bit packed counts when the key is asked
//! for: two multiplications, cheaper than keeping them incrementally. The 64-bit key is the low half
//! of the 128-bit key.
//!
//! The numbers come from [`SplitMix64`] with a fixed seed, so keys are the same on every machine and in
//! every build of this version. They are not part of any file format.

use std::ops::{BitXor, BitXorAssign};

use splitmix::{SplitMix64, mix};

use crate::{Color, Hand, Piece, Square};

/// A 128-bit number as two words, low word first, so that it is kept in one vector register: a `u128`
/// is moved as two halves at some places and as a whole at others, and reading as a whole what was
/// just written in halves stalls the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub(crate) struct BoardKey([u64; 2]);

impl BoardKey {
    /// The number of the side to move.
    #[inline(always)]
    pub(crate) const fn of_side(color: Color) -> Self {
        match color {
            Color::Black => Self([0; 2]),
            Color::White => WHITE_TO_MOVE,
        }
    }

    /// The number of `piece` on `square`.
    #[inline(always)]
    pub(crate) fn of_piece(piece: Piece, square: Square) -> Self {
        PIECES[piece as usize][square as usize]
    }

    /// The low half.
    #[inline(always)]
    pub(crate) const fn low(self) -> u64 {
        self.0[0]
    }

    /// Both halves as one number.
    #[inline(always)]
    pub(crate) const fn wide(self) -> u128 {
        (self.0[1] as u128) << 64 | self.0[0] as u128
    }
}

impl BitXor for BoardKey {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1]])
    }
}

impl BitXorAssign for BoardKey {
    #[inline(always)]
    fn bitxor_assign(&mut self, other: Self) {
        *self = *self ^ other;
    }
}

/// A number for every piece on every square.
static PIECES: [[BoardKey; 81]; Piece::INDEX_LIMIT] = {
    let mut table = [[BoardKey([0; 2]); 81]; Piece::INDEX_LIMIT];
    let mut random = SplitMix64::new(0x79616e65_75726121);
    let mut i = 0;
    while i < Piece::ALL.len() {
        let mut square = 0;
        while square < 81 {
            let low = random.next_u64();
            let high = random.next_u64();
            table[Piece::ALL[i] as usize][square] = BoardKey([low, high]);
            square += 1;
        }
        i += 1;
    }
    table
};

/// White to move.
const WHITE_TO_MOVE: BoardKey = BoardKey([0x2af7398005aaa5c7, 0x9d39247e33776d41]);

/// The 64-bit number of both hands.
#[inline(always)]
pub(crate) const fn hands_key(black: Hand, white: Hand) -> u64 {
    let both = (black.bits() as u64) << 32 | white.bits() as u64;
    mix(both)
}

/// The 128-bit number of both hands; its low half is [`hands_key`].
#[inline(always)]
pub(crate) const fn hands_key_128(black: Hand, white: Hand) -> u128 {
    let low = hands_key(black, white);
    let both = (black.bits() as u64) << 32 | white.bits() as u64;
    let high = mix(both
        .wrapping_mul(0xd1342543de82ef95)
        .wrapping_add(0x2545f4914f6cdd1d));
    (high as u128) << 64 | low as u128
}
