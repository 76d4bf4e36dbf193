//! The operations in ordinary code: what all other versions are compared with.

use super::{Isa, LINE, Line, PACKED, clipped_relu};

/// Needs nothing.
#[derive(Clone, Copy)]
pub(super) struct Scalar;

#[inline(always)]
fn both<const N: usize, T: Copy>(a: [T; N], b: [T; N], f: impl Fn(T, T) -> T) -> [T; N] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

/// Adds four products to each sum.
#[inline(always)]
fn dot<const N: usize>(mut acc: [i32; N], inputs: [u8; 4], weights: &[i8]) -> [i32; N] {
    for (sum, weights) in acc.iter_mut().zip(weights.chunks_exact(4)) {
        for (input, weight) in inputs.into_iter().zip(weights) {
            *sum = sum.wrapping_add(i32::from(input) * i32::from(*weight));
        }
    }
    acc
}

/// A number twice, within 0 to 254.
#[inline(always)]
fn doubled(sum: i16) -> i32 {
    i32::from(sum.wrapping_mul(2).clamp(0, 254))
}

impl Isa for Scalar {
    type Lane = Line;
    type Bytes = [u8; 64];
    type Group = [u8; 4];
    type Acc16 = [i32; 16];
    type Acc8 = [i32; 8];

    const TILE: usize = 2;
    // Known sizes buy nothing that is worth compiling two more kernels.
    const KNOWN_SIZES: bool = false;

    #[inline(always)]
    fn load(self, line: &Line) -> Line {
        *line
    }

    #[inline(always)]
    fn splat(self, number: i16) -> Line {
        [number; LINE]
    }

    #[inline(always)]
    fn high_bytes(self, lane: Line) -> Line {
        lane.map(|number| number >> 8)
    }

    #[inline(always)]
    fn raise(self, lane: Line) -> Line {
        lane.map(|number| number << 8)
    }

    #[inline(always)]
    fn store(self, lane: Line, line: &mut Line) {
        *line = lane;
    }

    #[inline(always)]
    fn add(self, a: Line, b: Line) -> Line {
        both(a, b, i16::wrapping_add)
    }

    #[inline(always)]
    fn sub(self, a: Line, b: Line) -> Line {
        both(a, b, i16::wrapping_sub)
    }

    #[inline(always)]
    fn mul(self, a: Line, b: Line) -> Line {
        both(a, b, i16::wrapping_mul)
    }

    #[inline(always)]
    fn clipped_relu(self, a: Line, b: Line) -> [u8; 64] {
        PACKED.map(|i| [a, b].as_flattened()[usize::from(i)].clamp(0, 127) as u8)
    }

    #[inline(always)]
    fn products(self, pairs: [[Line; 2]; 2]) -> [u8; 64] {
        let products =
            pairs.map(|[a, b]| both(a, b, |a, b| ((doubled(a) * doubled(b)) >> 9) as i16));
        self.clipped_relu(products[0], products[1])
    }

    #[inline(always)]
    fn store_bytes(self, bytes: [u8; 64], to: &mut [u8; 64]) {
        *to = bytes;
    }

    #[inline(always)]
    fn nnz_mask(self, bytes: [u8; 64]) -> u16 {
        let groups = bytes.as_chunks::<4>().0.iter().enumerate();
        groups.fold(0, |bits, (i, &group)| {
            bits | u16::from(group != [0; 4]) << i
        })
    }

    #[inline(always)]
    fn group(self, inputs: [u8; 4]) -> [u8; 4] {
        inputs
    }

    #[inline(always)]
    fn groups(self, inputs: &[u8; 16]) -> [[u8; 4]; 4] {
        let groups = inputs.as_chunks().0;
        std::array::from_fn(|i| groups[i])
    }

    #[inline(always)]
    fn zero16(self) -> [i32; 16] {
        [0; 16]
    }

    #[inline(always)]
    fn dot16(self, acc: [i32; 16], inputs: [u8; 4], weights: &[i8; 64]) -> [i32; 16] {
        dot(acc, inputs, weights)
    }

    #[inline(always)]
    fn add16(self, a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        both(a, b, i32::wrapping_add)
    }

    #[inline(always)]
    fn load16(self, sums: &[i32; 16]) -> [i32; 16] {
        *sums
    }

    #[inline(always)]
    fn store16(self, acc: [i32; 16], sums: &mut [i32; 16]) {
        *sums = acc;
    }

    #[inline(always)]
    fn clipped_relu16(self, acc: [i32; 16]) -> [u8; 16] {
        acc.map(clipped_relu)
    }

    #[inline(always)]
    fn zero8(self) -> [i32; 8] {
        [0; 8]
    }

    #[inline(always)]
    fn dot8(self, acc: [i32; 8], inputs: [u8; 4], weights: &[i8; 32]) -> [i32; 8] {
        dot(acc, inputs, weights)
    }

    #[inline(always)]
    fn add8(self, a: [i32; 8], b: [i32; 8]) -> [i32; 8] {
        both(a, b, i32::wrapping_add)
    }

    #[inline(always)]
    fn load8(self, sums: &[i32; 8]) -> [i32; 8] {
        *sums
    }

    #[inline(always)]
    fn store8(self, acc: [i32; 8], sums: &mut [i32; 8]) {
        *sums = acc;
    }

    #[inline(always)]
    fn first8(self, acc: [i32; 8]) -> i32 {
        acc[0]
    }
}
