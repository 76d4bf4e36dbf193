//! The parts of a game in a pack: how long they are, and the numbers that begin and end it.

use crate::TeacherScore;
use shogi_core::Move;

/// The first byte of a game that starts from an hcp.
pub(crate) const START_HCP: u8 = 0;

/// The first byte of a game that starts from the initial position.
pub(crate) const START_INITIAL: u8 = 1;

/// Bytes before the first ply of a game that starts from an hcp.
pub(crate) const HCP_START_LEN: usize = 35;

/// More plies than any game has: a reader that finds no end within them need not read on.
pub const MAX_PLIES: usize = 1 << 20;

/// Bytes of a ply.
pub(crate) const PLY_LEN: usize = 4;

/// Bytes of the end.
pub(crate) const END_LEN: usize = 3;

/// The bits that stand for a result where a move would be.
pub(crate) const fn terminator(result: crate::TeacherResult) -> u16 {
    let number = result as u16;
    number << 7 | number
}

/// Returns true if the bits in the place of a move mark the end of the game (valid or not): origin
/// and destination are the same.
#[inline(always)]
pub(crate) const fn ends_game(bits: u16) -> bool {
    (bits ^ bits >> 7).trailing_zeros() >= 7
}

/// A move and what its player thought of the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move played.
    pub mv: Move,
    /// The evaluation of the position before the move, from its player's side.
    pub score: TeacherScore,
}
