//! Flips and legal moves, by the instructions that the processor has.
//!
//! Every method gives the same bits; [`Method`] lets tests compare them and benchmarks measure them. The functions
//! of this module take the fastest. Builds for one processor know it beforehand; elsewhere the look at what
//! the processor has costs a few instructions.

mod lines;
mod portable;
mod replies;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::{Board, Square};

/// A way to compute flips and legal moves.
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
    /// The methods that this processor has. Except for legal moves, which AVX2 finds faster than AVX-512, the last is
    /// the fastest and the one that is used.
    pub fn available() -> Vec<Self> {
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

    /// The discs that a disc on an empty `square` turns over, computed by this method, or by the portable one where
    /// the processor lacks it. For an occupied square the answer means nothing.
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

    /// The squares on which a disc can be placed, computed by this method, or by the portable one where the
    /// processor lacks it.
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

    /// The number of legal replies to all of the mover's moves `moves`, and those moves after which there is none,
    /// computed by this method, or by the portable one where the processor lacks it.
    #[inline]
    pub fn replies(self, board: Board, moves: u64) -> (u64, u64) {
        #[cfg(target_arch = "x86_64")]
        match (self, x86::Avx2::detect(), x86::Avx512::detect()) {
            (Self::Pext | Self::Avx2, Some(cpu), _) => return x86::replies_avx2(cpu, board, moves),
            (Self::Avx512, _, Some(cpu)) => return x86::replies_avx512(cpu, board, moves),
            _ => {}
        }
        replies::replies(board, moves)
    }
}

/// Discs that a disc on an empty `square` turns over.
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

/// Squares on which a disc can be placed. AVX2 is the fastest by measurement, also where there is AVX-512: it takes
/// longer to bring eight lanes together than four.
#[inline]
pub(crate) fn legal_moves(mover: u64, opponent: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if let Some(cpu) = x86::Avx2::detect() {
        return x86::legal_moves_avx2(cpu, mover, opponent);
    }
    portable::legal_moves(mover, opponent)
}

/// The number of legal replies to all of the mover's moves, and those moves after which there is none.
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
    replies::replies(board, moves)
}
