//! The two sets of discs.

/// The bitboards of the player to move and of the opponent, a1 = bit 0, without a square in common.
///
/// A [`Position`](crate::Position) also knows which of them is black. Boards are ordered by the mover's discs as a number,
/// then the opponent's: a [`canonical`](Self::canonical) board is the smallest of its images.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    pub(super) mover: u64,
    pub(super) opponent: u64,
}
