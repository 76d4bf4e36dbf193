//! The operations with the vector instructions of x86-64 processors.

mod wide;
mod ymm;

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

pub(super) use wide::Wide;
pub(super) use ymm::Ymm;

use super::Line;

/// AVX2 (since 2013 Intel's Haswell, 2015 AMD's Excavator).
pub(super) type Avx2 = Ymm<false>;
/// AVX2 and dot products of bytes (since 2021, Alder Lake).
pub(super) type AvxVnni = Ymm<true>;
/// AVX-512 with bytes and words (since 2017, Skylake-X).
pub(super) type Avx512 = Wide<false>;
/// AVX-512 with dot products of bytes (since 2019 Intel's Cascade Lake, 2022 AMD's Zen 4).
pub(super) type Avx512Vnni = Wide<true>;

/// Asks for lines that will be needed soon.
#[allow(unsafe_code)]
#[inline(always)]
pub(super) fn prefetch<const N: usize>(lines: &[Line; N]) {
    for line in lines {
        // SAFETY: every x86-64 processor has the instruction, and it reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) }
    }
}
