//! Numbers that look random and are the same on every machine and in every version: what a position
//! "is worth", which moves its players like, where a walk turns.
//!
//! Written out here because a book must stay the same byte for byte when a library changes how it
//! draws numbers.

use othello_core::Board;
use shogi_core::{Move, Move16, PackedSfen};

/// Added at every step, as in `SplitMix64` (Steele, Lea, Flood 2014): the golden ratio in 64 bits.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of `SplitMix64`: every bit of `x` reaches every bit of the result.
pub(crate) const fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A number for two numbers; the order counts.
pub(crate) const fn combine(a: u64, b: u64) -> u64 {
    mix(mix(a.wrapping_add(STEP)) ^ b)
}

/// A number for a position, from its packed form and so independent of the keys of the rules crate.
pub(crate) fn of_position(packed: &PackedSfen) -> u64 {
    packed.0.chunks_exact(8).fold(0, |hash, word| {
        combine(
            hash,
            u64::from_le_bytes(word.try_into().expect("eight bytes")),
        )
    })
}

/// A number for an othello board.
pub(crate) const fn of_board(board: Board, seed: u64) -> u64 {
    combine(combine(seed, board.mover()), board.opponent())
}

/// A number for a move.
pub(crate) fn of_move(m: Move) -> u64 {
    u64::from(Move16::from(m).0)
}

/// A stream of numbers from a seed.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number from 0 to `bound` - 1; `bound` must be above 0.
    pub(crate) const fn below(&mut self, bound: usize) -> usize {
        scale(self.next(), bound as u64) as usize
    }
}

/// Maps all 64-bit numbers evenly to 0 .. `bound` - 1.
pub(crate) const fn scale(bits: u64, bound: u64) -> u64 {
    ((bits as u128 * bound as u128) >> 64) as u64
}
