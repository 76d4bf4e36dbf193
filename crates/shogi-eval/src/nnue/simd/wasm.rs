//! The operations with the vector instructions of WebAssembly (`simd128`, and `relaxed-simd` where compiled for it).
//! What a module is compiled for is known when it is compiled: a browser without it does not load it.

#![allow(unsafe_code)]
#![allow(
    clippy::wildcard_imports,
    reason = "instructions are many, and their names begin with what they work on"
)]

use std::arch::wasm32::*;

use super::{Isa, Line};

/// The module is compiled for vectors.
#[derive(Clone, Copy)]
pub(super) struct Simd128(());

#[inline(always)]
fn load<T>(from: &T) -> v128 {
    const { assert!(size_of::<T>() == 16) }
    // SAFETY: the reference is to sixteen bytes; the load is one for any address.
    unsafe { v128_load(std::ptr::from_ref(from).cast()) }
}

#[inline(always)]
fn store<T>(to: &mut T, vector: v128) {
    const { assert!(size_of::<T>() == 16) }
    // SAFETY: the reference is to sixteen bytes, any of which are a value of the integers this is called with.
    unsafe { v128_store(std::ptr::from_mut(to).cast(), vector) }
}

/// Sums of outputs. Without relaxed instructions each is in two parts, which are added in the end.
#[cfg(not(target_feature = "relaxed-simd"))]
type Sums = [v128; 2];
#[cfg(target_feature = "relaxed-simd")]
type Sums = v128;

#[cfg(not(target_feature = "relaxed-simd"))]
mod sums {
    use super::*;

    #[inline(always)]
    pub(super) fn zero() -> Sums {
        [i32x4_splat(0); 2]
    }

    #[inline(always)]
    pub(super) fn group(inputs: v128) -> v128 {
        i16x8_extend_low_i8x16(inputs)
    }

    /// Four inputs twice, as 16 bits; the weights of four outputs.
    #[inline(always)]
    pub(super) fn dot([low, high]: Sums, inputs: v128, weights: &[i8; 16]) -> Sums {
        let weights = load(weights);
        [
            i32x4_add(
                low,
                i32x4_dot_i16x8(inputs, i16x8_extend_low_i8x16(weights)),
            ),
            i32x4_add(
                high,
                i32x4_dot_i16x8(inputs, i16x8_extend_high_i8x16(weights)),
            ),
        ]
    }

    #[inline(always)]
    pub(super) fn add(a: Sums, b: Sums) -> Sums {
        [i32x4_add(a[0], b[0]), i32x4_add(a[1], b[1])]
    }

    #[inline(always)]
    pub(super) fn of(vector: v128) -> Sums {
        let zero = i32x4_splat(0);
        [
            i32x4_shuffle::<0, 4, 1, 5>(vector, zero),
            i32x4_shuffle::<2, 4, 3, 5>(vector, zero),
        ]
    }

    #[inline(always)]
    pub(super) fn whole([low, high]: Sums) -> v128 {
        i32x4_add(
            i32x4_shuffle::<0, 2, 4, 6>(low, high),
            i32x4_shuffle::<1, 3, 5, 7>(low, high),
        )
    }
}

#[cfg(target_feature = "relaxed-simd")]
mod sums {
    use super::*;

    #[inline(always)]
    pub(super) fn zero() -> Sums {
        i32x4_splat(0)
    }

    #[inline(always)]
    pub(super) fn group(inputs: v128) -> v128 {
        inputs
    }

    /// Inputs are 0 to 127, and pairs of products do not leave 16 bits, so that every processor gives the same: what is relaxed
    /// are inputs from 128 on, and sums that do.
    #[inline(always)]
    pub(super) fn dot(sums: Sums, inputs: v128, weights: &[i8; 16]) -> Sums {
        i32x4_relaxed_dot_i8x16_i7x16_add(load(weights), inputs, sums)
    }

    #[inline(always)]
    pub(super) fn add(a: Sums, b: Sums) -> Sums {
        i32x4_add(a, b)
    }

    #[inline(always)]
    pub(super) fn of(vector: v128) -> Sums {
        vector
    }

    #[inline(always)]
    pub(super) fn whole(sums: Sums) -> v128 {
        sums
    }
}

impl Simd128 {
    /// The name of the instructions.
    pub(super) const NAME: &str = if cfg!(target_feature = "relaxed-simd") {
        "relaxed-simd"
    } else {
        "simd128"
    };

    /// The instructions that the module is compiled for.
    pub(super) const fn compiled() -> Self {
        Self(())
    }

    #[inline(always)]
    fn dots<const N: usize>(self, acc: [Sums; N], inputs: v128, weights: &[i8]) -> [Sums; N] {
        let (weights, _) = weights.as_chunks::<16>();
        std::array::from_fn(|i| sums::dot(acc[i], inputs, &weights[i]))
    }

    #[inline(always)]
    fn loads<const N: usize>(self, from: &[i32]) -> [Sums; N] {
        let (vectors, _) = from.as_chunks::<4>();
        std::array::from_fn(|i| sums::of(load(&vectors[i])))
    }

    #[inline(always)]
    fn stores<const N: usize>(self, acc: [Sums; N], to: &mut [i32]) {
        let (vectors, _) = to.as_chunks_mut::<4>();
        for (acc, vector) in acc.into_iter().zip(vectors) {
            store(vector, sums::whole(acc));
        }
    }

    #[inline(always)]
    fn doubled(self, a: v128) -> v128 {
        i16x8_max(i16x8_min(i16x8_shl(a, 1), i16x8_splat(254)), i16x8_splat(0))
    }

    /// Products of eight pairs: up to 254 × 254, which 16 bits without a sign hold.
    #[inline(always)]
    fn product(self, a: v128, b: v128) -> v128 {
        u16x8_shr(i16x8_mul(self.doubled(a), self.doubled(b)), 9)
    }

    /// Within 0 to 127, as bytes.
    #[inline(always)]
    fn pack(self, low: v128, high: v128) -> v128 {
        i8x16_max(i8x16_narrow_i16x8(low, high), i8x16_splat(0))
    }
}

impl Isa for Simd128 {
    type Lane = [v128; 4];
    type Bytes = [v128; 4];
    type Group = v128;
    type Acc16 = [Sums; 4];
    type Acc8 = [Sums; 2];

    const TILE: usize = 2;
    const SLOW_SUMS: bool = false;

    #[inline(always)]
    fn load(self, line: &Line) -> Self::Lane {
        let (vectors, _) = line.as_chunks::<8>();
        std::array::from_fn(|i| load(&vectors[i]))
    }

    #[inline(always)]
    fn splat(self, number: i16) -> Self::Lane {
        [i16x8_splat(number); 4]
    }

    #[inline(always)]
    fn high_bytes(self, lane: Self::Lane) -> Self::Lane {
        lane.map(|vector| i16x8_shr(vector, 8))
    }

    #[inline(always)]
    fn raise(self, lane: Self::Lane) -> Self::Lane {
        lane.map(|vector| i16x8_shl(vector, 8))
    }

    #[inline(always)]
    fn store(self, lane: Self::Lane, line: &mut Line) {
        let (vectors, _) = line.as_chunks_mut::<8>();
        for (vector, lane) in vectors.iter_mut().zip(lane) {
            store(vector, lane);
        }
    }

    #[inline(always)]
    fn add(self, a: Self::Lane, b: Self::Lane) -> Self::Lane {
        std::array::from_fn(|i| i16x8_add(a[i], b[i]))
    }

    #[inline(always)]
    fn sub(self, a: Self::Lane, b: Self::Lane) -> Self::Lane {
        std::array::from_fn(|i| i16x8_sub(a[i], b[i]))
    }

    #[inline(always)]
    fn mul(self, a: Self::Lane, b: Self::Lane) -> Self::Lane {
        std::array::from_fn(|i| i16x8_mul(a[i], b[i]))
    }

    #[inline(always)]
    fn clipped_relu(self, a: Self::Lane, b: Self::Lane) -> Self::Bytes {
        std::array::from_fn(|i| self.pack(a[i], b[i]))
    }

    #[inline(always)]
    fn products(self, pairs: [[Self::Lane; 2]; 2]) -> Self::Bytes {
        let [[a, b], [c, d]] = pairs;
        let first: Self::Lane = std::array::from_fn(|i| self.product(a[i], b[i]));
        let second = std::array::from_fn(|i| self.product(c[i], d[i]));
        self.clipped_relu(first, second)
    }

    #[inline(always)]
    fn store_bytes(self, bytes: Self::Bytes, to: &mut [u8; 64]) {
        let (vectors, _) = to.as_chunks_mut::<16>();
        for (vector, bytes) in vectors.iter_mut().zip(bytes) {
            store(vector, bytes);
        }
    }

    #[inline(always)]
    fn nnz_mask(self, bytes: Self::Bytes) -> u16 {
        let zero = i32x4_splat(0);
        let mut mask = 0;
        for (i, bytes) in bytes.into_iter().enumerate() {
            mask |= u16::from(i32x4_bitmask(i32x4_ne(bytes, zero))) << (4 * i);
        }
        mask
    }

    #[inline(always)]
    fn group(self, inputs: [u8; 4]) -> v128 {
        sums::group(i32x4_splat(i32::from_le_bytes(inputs)))
    }

    #[inline(always)]
    fn groups(self, inputs: &[u8; 16]) -> [v128; 4] {
        let v = load(inputs);
        [
            i32x4_shuffle::<0, 0, 0, 0>(v, v),
            i32x4_shuffle::<1, 1, 1, 1>(v, v),
            i32x4_shuffle::<2, 2, 2, 2>(v, v),
            i32x4_shuffle::<3, 3, 3, 3>(v, v),
        ]
        .map(|group| sums::group(group))
    }

    #[inline(always)]
    fn zero16(self) -> Self::Acc16 {
        [sums::zero(); 4]
    }

    #[inline(always)]
    fn dot16(self, acc: Self::Acc16, inputs: v128, weights: &[i8; 64]) -> Self::Acc16 {
        self.dots(acc, inputs, weights)
    }

    #[inline(always)]
    fn add16(self, a: Self::Acc16, b: Self::Acc16) -> Self::Acc16 {
        std::array::from_fn(|i| sums::add(a[i], b[i]))
    }

    #[inline(always)]
    fn load16(self, sums: &[i32; 16]) -> Self::Acc16 {
        self.loads(sums)
    }

    #[inline(always)]
    fn store16(self, acc: Self::Acc16, sums: &mut [i32; 16]) {
        self.stores(acc, sums);
    }

    #[inline(always)]
    fn clipped_relu16(self, acc: Self::Acc16) -> [u8; 16] {
        let n = acc.map(|sums| i32x4_shr(sums::whole(sums), 6));
        let low = i16x8_narrow_i32x4(n[0], n[1]);
        let high = i16x8_narrow_i32x4(n[2], n[3]);
        let mut bytes = [0; 16];
        store(&mut bytes, self.pack(low, high));
        bytes
    }

    #[inline(always)]
    fn zero8(self) -> Self::Acc8 {
        [sums::zero(); 2]
    }

    #[inline(always)]
    fn dot8(self, acc: Self::Acc8, inputs: v128, weights: &[i8; 32]) -> Self::Acc8 {
        self.dots(acc, inputs, weights)
    }

    #[inline(always)]
    fn add8(self, a: Self::Acc8, b: Self::Acc8) -> Self::Acc8 {
        std::array::from_fn(|i| sums::add(a[i], b[i]))
    }

    #[inline(always)]
    fn load8(self, sums: &[i32; 8]) -> Self::Acc8 {
        self.loads(sums)
    }

    #[inline(always)]
    fn store8(self, acc: Self::Acc8, sums: &mut [i32; 8]) {
        self.stores(acc, sums);
    }

    #[inline(always)]
    fn first8(self, acc: Self::Acc8) -> i32 {
        i32x4_extract_lane::<0>(sums::whole(acc[0]))
    }
}
