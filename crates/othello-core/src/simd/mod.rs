//! Flips and legal moves with the vector instructions of the processor.
//!
//! Every method gives the same bits; [`Method`] lets tests compare them and benchmarks measure them. The functions
//! of this module use the fastest. Native builds know it at compile time; elsewhere run-time detection costs a few
//! instructions.

mod kernel;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

use std::fmt::Debug;

use crate::{Board, Square};
pub use kernel::{Kernel, Portable};

/// A method of computing flips and legal moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// Additions that carry along a line, and leading zeros: any processor. On `AArch64` the many-boards part is
    /// NEON code, as every such processor has it.
    Portable,
    /// Lines as bytes in tables, by `pext` and `pdep` (flips), the rest as AVX2. x86-64 with BMI2.
    Pext,
    /// Four directions at once. x86-64 with AVX2.
    Avx2,
    /// Eight directions at once. x86-64 with AVX-512 (F, VL, CD).
    Avx512,
}

impl Method {
    /// The methods that this processor supports. The last is the fastest and the one in use, except that legal moves are
    /// faster with AVX2 than with AVX-512.
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut, reason = "other processors have no other")]
        let mut methods = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if x86::Avx2::detect().is_some() {
                methods.extend([Self::Pext, Self::Avx2]);
            }
            if x86::Avx512::detect().is_some() {
                methods.push(Self::Avx512);
            }
        }
        methods
    }

    /// The flips of a disc on an empty `square`, computed by this method, or by the portable one where the processor
    /// lacks it. The result for an occupied square is unspecified.
    #[inline]
    pub fn flips(self, board: Board, square: Square) -> u64 {
        let (mover, opponent) = (board.mover(), board.opponent());
        #[cfg(target_arch = "x86_64")]
        match (self, x86::Avx2::detect(), x86::Avx512::detect()) {
            (Self::Pext, Some(cpu), _) => return x86::flips_pext(cpu, mover, opponent, square),
            (Self::Avx2, Some(cpu), _) => return x86::flips_avx2(cpu, mover, opponent, square),
            (Self::Avx512, _, Some(cpu)) => {
                return x86::flips_avx512(cpu, mover, opponent, square);
            }
            _ => {}
        }
        portable::flips(mover, opponent, square)
    }

    /// The legal moves, computed by this method, or by the portable one where the processor lacks it.
    #[inline]
    pub fn legal_moves(self, board: Board) -> u64 {
        let (mover, opponent) = (board.mover(), board.opponent());
        #[cfg(target_arch = "x86_64")]
        match (self, x86::Avx2::detect(), x86::Avx512::detect()) {
            (Self::Pext | Self::Avx2, Some(cpu), _) => {
                return x86::legal_moves_avx2(cpu, mover, opponent);
            }
            (Self::Avx512, _, Some(cpu)) => {
                return x86::legal_moves_avx512(cpu, mover, opponent);
            }
            _ => {}
        }
        portable::legal_moves(mover, opponent)
    }

    /// The number of legal replies to all of `moves`, and the moves that leave none, computed by this method, or by the
    /// portable one where the processor lacks it.
    #[inline]
    pub fn replies(self, board: Board, moves: u64) -> (u64, u64) {
        #[cfg(target_arch = "x86_64")]
        match (self, x86::Avx2::detect(), x86::Avx512::detect()) {
            (Self::Pext | Self::Avx2, Some(cpu), _) => return x86::replies_avx2(cpu, board, moves),
            (Self::Avx512, _, Some(cpu)) => return x86::replies_avx512(cpu, board, moves),
            _ => {}
        }
        portable::replies(board, moves)
    }
}

/// The flips of a disc on an empty `square`.
#[inline]
pub(crate) fn flips(mover: u64, opponent: u64, square: Square) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(cpu) = x86::Avx512::detect() {
            return x86::flips_avx512(cpu, mover, opponent, square);
        }
        if let Some(cpu) = x86::Avx2::detect() {
            return x86::flips_avx2(cpu, mover, opponent, square);
        }
    }
    portable::flips(mover, opponent, square)
}

/// The legal moves. AVX2 is the fastest by measurement even where there is AVX-512: reducing eight lanes takes longer
/// than reducing four.
#[inline]
pub(crate) fn legal_moves(mover: u64, opponent: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if let Some(cpu) = x86::Avx2::detect() {
        return x86::legal_moves_avx2(cpu, mover, opponent);
    }
    portable::legal_moves(mover, opponent)
}

/// The number of legal replies to all of `moves`, and the moves that leave none.
#[inline]
pub(crate) fn replies(board: Board, moves: u64) -> (u64, u64) {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(cpu) = x86::Avx512::detect() {
            return x86::replies_avx512(cpu, board, moves);
        }
        if let Some(cpu) = x86::Avx2::detect() {
            return x86::replies_avx2(cpu, board, moves);
        }
    }
    portable::replies(board, moves)
}
