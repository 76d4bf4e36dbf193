//! Sets of vector instructions, of which a kernel runs with the best that the processor has.

use std::fmt;

use crate::nnue::simd::Kernel;
#[cfg(target_arch = "aarch64")]
use crate::nnue::simd::neon;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::nnue::simd::scalar::Scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::nnue::simd::wasm;
#[cfg(target_arch = "x86_64")]
use crate::nnue::simd::x86;

/// The instructions that are used.
///
/// The best ones that the processor has are chosen when the program runs; [`Level::available`] is for
/// tests and measurements.
#[derive(Clone, Copy)]
pub struct Level(pub(super) Inner);

#[derive(Clone, Copy)]
pub(super) enum Inner {
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    #[cfg(target_arch = "x86_64")]
    AvxVnni(x86::AvxVnni),
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni(x86::Avx512Vnni),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Neon),
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128(wasm::Simd128),
}

impl Level {
    /// Ordinary instructions, which every processor has.
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    pub(crate) const SCALAR: Self = Self(Inner::Scalar);

    /// A module that is compiled for vectors runs nowhere without, so that it has no other kernels, which would make it larger.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    pub(crate) const SCALAR: Self = Self(Inner::Simd128(wasm::Simd128::compiled()));

    /// The best that this processor has.
    pub fn best() -> Self {
        Self::available().next_back().unwrap_or(Self::SCALAR)
    }

    /// All that this processor has, the best last.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        [
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            Some(Inner::Scalar),
            #[cfg(target_arch = "x86_64")]
            x86::Avx2::detect().map(Inner::Avx2),
            #[cfg(target_arch = "x86_64")]
            x86::AvxVnni::detect().map(Inner::AvxVnni),
            #[cfg(target_arch = "x86_64")]
            x86::Avx512::detect().map(Inner::Avx512),
            #[cfg(target_arch = "x86_64")]
            x86::Avx512Vnni::detect().map(Inner::Avx512Vnni),
            #[cfg(target_arch = "aarch64")]
            neon::Neon::detect().map(Inner::Neon),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Some(Inner::Simd128(wasm::Simd128::compiled())),
        ]
        .into_iter()
        .flatten()
        .map(Self)
    }

    /// The name of the instructions.
    pub const fn name(self) -> &'static str {
        match self.0 {
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            Inner::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Inner::Avx2(_) => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Inner::AvxVnni(_) => "AVX-VNNI",
            #[cfg(target_arch = "x86_64")]
            Inner::Avx512(_) => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Inner::Avx512Vnni(_) => "AVX-512 VNNI",
            #[cfg(target_arch = "aarch64")]
            Inner::Neon(_) => "NEON",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Inner::Simd128(_) => wasm::Simd128::NAME,
        }
    }

    /// Runs `kernel` with these instructions.
    #[inline]
    pub(in crate::nnue) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            Inner::Scalar => kernel.run(Scalar),
            #[cfg(target_arch = "x86_64")]
            Inner::Avx2(isa) => isa.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Inner::AvxVnni(isa) => isa.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Inner::Avx512(isa) => isa.run(kernel),
            #[cfg(target_arch = "x86_64")]
            Inner::Avx512Vnni(isa) => isa.run(kernel),
            #[cfg(target_arch = "aarch64")]
            Inner::Neon(isa) => isa.run(kernel),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Inner::Simd128(isa) => kernel.run(isa),
        }
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
