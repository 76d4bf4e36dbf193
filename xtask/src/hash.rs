//! Numbers that look random and are the same on every machine and in every version: what a position
//! "is worth", which moves its players like, where a walk turns.
//!
//! They are made by `yane_base::random`, not by `rand`: a book must stay the same byte for byte when a library changes how
//! it draws numbers.

use othello_core::Board;
use shogi_core::{Move, Move16};
use shogi_packed::PackedSfen;
use yane_base::random::{GOLDEN_GAMMA, mix};

/// A number for two numbers; the order counts.
pub(crate) const fn combine(a: u64, b: u64) -> u64 {
    mix(mix(a.wrapping_add(GOLDEN_GAMMA)) ^ b)
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
