//! Indices and sums of weights with the vector instructions of the processor.
//!
//! Every method gives the same bits. Indices are clamped to their table before a weight is read, so that wrong flips give a
//! wrong value and nothing worse.

#[cfg(target_arch = "aarch64")]
mod neon;
mod net;
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

use othello_core::{Square, Squares};

use crate::net::tables::{NetTables, Stack};
use crate::tables::{Features, Places, Tables};

/// A way to compute indices and sums of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EvalMethod {
    /// One number after the other: any processor.
    Portable,
    /// 16 indices at a time, weights one by one. `AArch64`.
    Neon,
    /// 8 indices at a time, weights one by one. WebAssembly with `simd128`.
    Simd128,
    /// 16 indices and 8 weights at a time. x86-64 with AVX2.
    Avx2,
    /// 32 indices and 16 weights at a time. x86-64 with AVX-512 (F, BW, VL).
    Avx512,
}

impl EvalMethod {
    /// The methods that this processor supports, the fastest last.
    pub fn available() -> Vec<Self> {
        let all = [
            Self::Portable,
            Self::Neon,
            Self::Simd128,
            Self::Avx2,
            Self::Avx512,
        ];
        let available = all.into_iter().filter(|method| method.is_available());
        available.collect()
    }

    /// The fastest method that this processor supports.
    pub(crate) fn best() -> Self {
        Self::available().pop().unwrap_or(Self::Portable)
    }

    /// This method, or the portable one where the processor lacks it.
    pub(crate) fn or_portable(self) -> Self {
        if self.is_available() {
            self
        } else {
            Self::Portable
        }
    }

    fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "aarch64")]
            Self::Neon => neon::Neon::detect().is_some(),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => x86::Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => x86::Avx512::detect().is_some(),
            #[allow(unreachable_patterns, reason = "those of other processors")]
            _ => false,
        }
    }
}

/// Calls a function of the method's module, or the portable one.
macro_rules! dispatch {
    ($method:expr, $function:ident($($argument:expr),*)) => {{
        #[cfg(target_arch = "x86_64")]
        match $method {
            EvalMethod::Avx512 => {
                if let Some(cpu) = x86::Avx512::detect() {
                    return x86::wide::$function(cpu, $($argument),*);
                }
            }
            EvalMethod::Avx2 => {
                if let Some(cpu) = x86::Avx2::detect() {
                    return x86::$function(cpu, $($argument),*);
                }
            }
            _ => {}
        }
        #[cfg(target_arch = "aarch64")]
        if let (EvalMethod::Neon, Some(cpu)) = ($method, neon::Neon::detect()) {
            return neon::$function(cpu, $($argument),*);
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        if $method == EvalMethod::Simd128 {
            return wasm::$function($($argument),*);
        }
        portable::$function($($argument),*)
    }};
}

/// The indices after a move, from the view of the next player.
#[inline]
pub(crate) fn after<const C: usize>(
    method: EvalMethod,
    places: &Places<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
) -> Features<C> {
    dispatch!(method, after(places, features, square, flips))
}

/// The sum of the weights of all places.
#[inline]
pub(crate) fn sum<const C: usize>(
    method: EvalMethod,
    tables: &Tables<C>,
    features: &Features<C>,
    phase: usize,
) -> i32 {
    dispatch!(method, sum(tables, features, phase))
}

/// The sum of the weights of all places after a move.
#[inline]
pub(crate) fn sum_after<const C: usize>(
    method: EvalMethod,
    tables: &Tables<C>,
    features: &Features<C>,
    square: Square,
    flips: Squares,
    phase: usize,
) -> i32 {
    dispatch!(method, sum_after(tables, features, square, flips, phase))
}

/// The output of a network for a ply, in 131,072ths.
#[inline]
pub(crate) fn net_output(
    method: EvalMethod,
    tables: &NetTables,
    stack: &Stack,
    features: &Features<4>,
    ply: usize,
) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if let EvalMethod::Avx2 | EvalMethod::Avx512 = method
        && let Some(cpu) = x86::Avx2::detect()
    {
        return x86::net::net_output(cpu, tables, stack, features, ply);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = method;
    net::net_output(tables, stack, features, ply)
}
