//! The operations with the vector instructions of x86-64 processors.

mod wide;
mod ymm;

pub(super) use wide::Wide;
pub(super) use ymm::Ymm;

/// AVX2 (since 2013 Intel's Haswell, 2015 AMD's Excavator).
pub(super) type Avx2 = Ymm<false>;
/// AVX2 and dot products of bytes (since 2021, Alder Lake).
pub(super) type AvxVnni = Ymm<true>;
/// AVX-512 with bytes and words (since 2017, Skylake-X).
pub(super) type Avx512 = Wide<false>;
/// AVX-512 with dot products of bytes (since 2019 Intel's Cascade Lake, 2022 AMD's Zen 4).
pub(super) type Avx512Vnni = Wide<true>;
