//! The unit in which the values of squares are exact.

/// A value in 1/[`ONE`] of the internal unit. Every term is an integer in it, and sums of them fit
/// with ease.
pub(super) type Exact = i64;

/// The internal unit: attacks come in 2⁻²⁰, times a rate in 2⁻¹⁰.
pub(super) const ONE: Exact = 1 << 30;
