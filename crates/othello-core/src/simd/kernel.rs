//! Kernels that compute flips and moves.

use std::fmt::Debug;

use crate::Square;
use crate::simd::portable;

/// Moves computed with certain instructions of the processor. A value is the proof that they are there.
///
/// For loops over millions of moves, where detection at each move is too slow: within functions that have these
/// instructions enabled (`#[target_feature]`), the methods are inlined. All kernels give the same bits.
pub trait Kernel: Copy + Debug + Send + Sync + 'static {
    /// The discs that a disc on the empty `square` flips; `mover` and `opponent` are disjoint. Unspecified for an occupied
    /// square.
    fn flips(self, mover: u64, opponent: u64, square: Square) -> u64;

    /// The legal moves.
    fn legal_moves(self, mover: u64, opponent: u64) -> u64;

    /// The number of discs that a disc of `mover` on `square` flips where all other squares are occupied.
    fn last_flips(self, mover: u64, square: Square) -> u32;
}

/// The kernel of any processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Portable;

impl Kernel for Portable {
    #[inline(always)]
    fn flips(self, mover: u64, opponent: u64, square: Square) -> u64 {
        portable::flips(mover, opponent, square)
    }

    #[inline(always)]
    fn legal_moves(self, mover: u64, opponent: u64) -> u64 {
        portable::legal_moves(mover, opponent)
    }

    #[inline(always)]
    fn last_flips(self, mover: u64, square: Square) -> u32 {
        portable::last_flips(mover, square)
    }
}
