//! The functions of the last squares, compiled for each kernel, and the choice of one at run time.
//!
//! All `unsafe` code of the crate is here: calls of functions that need certain instructions, for which a kernel's value
//! is the proof that they are there.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use othello_core::{Avx2, Avx512};
use othello_core::{Board, Portable};

use crate::endgame::{Compiled, few, four, three, two};
use crate::ordering::{Children, Effort, children};

/// Implements [`Compiled`] with functions that have the features of a kernel enabled.
macro_rules! compiled {
    ($kernel:ty, $features:literal) => {
        compiled!($kernel, [target_feature(enable = $features)]);
    };
    ($kernel:ty, [$($attribute:tt)*]) => {
        impl Compiled for $kernel {
            compiled!(@ $kernel, [$($attribute)*], two, (nodes: &mut u64, board: [u64; 2], alpha: i32, empty: [u32; 2]) -> i32);
            compiled!(@ $kernel, [$($attribute)*], three, (nodes: &mut u64, board: [u64; 2], alpha: i32, empty: [u32; 3]) -> i32);
            compiled!(@ $kernel, [$($attribute)*], four, (nodes: &mut u64, board: [u64; 2], alpha: i32, empty: [u32; 4]) -> i32);
            compiled!(@ $kernel, [$($attribute)*], few, (nodes: &mut u64, board: [u64; 2], alpha: i32, empties: u32) -> i32);
            compiled!(@ $kernel, [$($attribute)*], children, (board: Board, effort: Effort, into: &mut Children) -> ());
        }
    };
    (@ $kernel:ty, [$($attribute:tt)*], $name:ident, ($($argument:ident: $type:ty),*) -> $result:ty) => {
        #[inline(always)]
        fn $name(self, $($argument: $type),*) -> $result {
            #[$($attribute)*]
            fn compiled(kernel: $kernel, $($argument: $type),*) -> $result {
                $name(kernel, $($argument),*)
            }
            // SAFETY: the kernel exists only where the processor has the features of the function.
            #[allow(unused_unsafe, reason = "the portable kernel needs none")]
            unsafe { compiled(self, $($argument),*) }
        }
    };
}

compiled!(Portable, [inline(never)]);
#[cfg(target_arch = "x86_64")]
compiled!(Avx2, "avx2,bmi1,bmi2,lzcnt,popcnt");
#[cfg(target_arch = "x86_64")]
compiled!(
    Avx512,
    "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512cd,avx512vpopcntdq"
);

/// The kernel that a search uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cpu {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

/// Calls a function of the kernel.
macro_rules! dispatch {
    ($cpu:expr, $kernel:ident => $call:expr) => {
        match $cpu {
            Cpu::Portable($kernel) => $call,
            #[cfg(target_arch = "x86_64")]
            Cpu::Avx2($kernel) => $call,
            #[cfg(target_arch = "x86_64")]
            Cpu::Avx512($kernel) => $call,
        }
    };
}

impl Cpu {
    /// All that this processor supports, the fastest last.
    pub(crate) fn available() -> Vec<Self> {
        #[allow(unused_mut, reason = "other processors have no other")]
        let mut all = vec![Self::Portable(Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(Avx2::detect().map(Self::Avx2));
            all.extend(Avx512::detect().map(Self::Avx512));
        }
        all
    }

    /// The fastest.
    pub(crate) fn best() -> Self {
        Self::available().pop().unwrap_or(Self::Portable(Portable))
    }

    /// The score of a board with four to a dozen empty squares in the window from `alpha` to `alpha + 1`.
    #[inline(always)]
    pub(crate) fn few(self, nodes: &mut u64, board: Board, alpha: i32, empties: u32) -> i32 {
        let board = [board.mover(), board.opponent()];
        dispatch!(self, kernel => kernel.few(nodes, board, alpha, empties))
    }

    /// The legal moves of a board with their order.
    #[inline(always)]
    pub(crate) fn children(self, board: Board, effort: Effort, children: &mut Children) {
        dispatch!(self, kernel => kernel.children(board, effort, children));
    }
}
