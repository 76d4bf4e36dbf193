//! Vector instructions: one description of each kernel, run with what the processor has.
//!
//! A kernel is a [`Kernel`]: code in terms of [`Isa`], a small set of operations on whole cache lines.
//! [`Level::run`] compiles it once for each set of instructions and calls the version that the level
//! stands for. All versions give the same bits; `Scalar` is the one to compare with, and the one
//! for processors of other kinds.

mod level;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

use shogi_core::{Bitboard, Piece, Square};

use super::features::{BoardFeatures, Codes, PLACES};
pub use level::Level;

/// Numbers of 16 bits in a line: 64 bytes.
pub(super) const LINE: usize = 32;

/// So many features are looked for among others at once.
pub(super) const FEW: usize = 4;

/// A cache line of accumulator values or weights.
pub(super) type Line = [i16; LINE];

/// Features. There is room for more than there are.
#[derive(Clone, Debug)]
pub(super) struct FeatureList {
    features: [u32; Self::ROOM + Self::MORE],
    len: usize,
}

impl FeatureList {
    /// Twice what may be on at once, and a vector.
    const ROOM: usize = 128;
    /// Room for what is written behind the last one and does not count.
    const MORE: usize = 32;

    pub(super) const EMPTY: Self = Self {
        features: [0; Self::ROOM + Self::MORE],
        len: 0,
    };

    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[u32] {
        &self.features[..self.len.min(Self::ROOM)]
    }

    #[inline(always)]
    pub(super) fn as_mut_slice(&mut self) -> &mut [u32] {
        &mut self.features[..self.len.min(Self::ROOM)]
    }

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub(super) fn push(&mut self, feature: u32) {
        self.push_if(feature, true);
    }

    /// Appends `feature` if `is_there`, without a branch.
    #[inline(always)]
    fn push_if(&mut self, feature: u32, is_there: bool) {
        // Never that many, but this way it is seen without a check.
        self.features[self.len % Self::ROOM] = feature;
        self.len += usize::from(is_there);
    }

    /// Appends `count` features from `first` on, `N` at most: so many are written, without a branch.
    #[inline(always)]
    pub(super) fn push_run<const N: usize>(&mut self, first: u32, count: u8) {
        const { assert!(N <= Self::MORE) }
        let place = self.len % Self::ROOM;
        for (place, feature) in self.features[place..place + N].iter_mut().zip(first..) {
            *place = feature;
        }
        self.len += usize::from(count);
    }
}

/// The pieces on every square.
pub(super) type Board = [Option<Piece>; Square::COUNT];

/// [`Isa::list_board`], one square after the other.
#[inline(always)]
fn list_board(
    views: [&BoardFeatures; 2],
    board: &Board,
    squares: Bitboard,
    lists: &mut [FeatureList; 2],
) {
    for list in &mut *lists {
        list.clear();
    }
    for square in squares {
        let code = board[square.index()].map_or(0, |piece| piece as u8);
        for (view, list) in views.into_iter().zip(&mut *lists) {
            list.push(view.feature(code, square.index()).0);
        }
    }
}

/// [`Isa::list_pieces`], one square after the other.
#[inline(always)]
fn list_pieces(features: &BoardFeatures, board: &Codes, other: &Codes, list: &mut FeatureList) {
    for (half, mut bits) in different(board, other).into_iter().enumerate() {
        while bits != 0 {
            let at = 64 * half + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let at = at.min(PLACES - 1);
            let (feature, is_there) = features.feature(board[at], at);
            list.push_if(feature, is_there);
        }
    }
}

/// A bit for each byte that is different.
#[inline(always)]
fn different(a: &Codes, b: &Codes) -> [u64; 2] {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let mut bits = [0; 2];
    let words = a.as_chunks().0.iter().zip(b.as_chunks().0);
    for (i, (a, b)) in words.enumerate() {
        let bytes = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        let tops = (((bytes & LOW) + LOW) | bytes) & !LOW;
        // The top bits come together in the highest byte.
        let byte = (tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits[i / 8] |= byte << (8 * (i % 8));
    }
    bits
}

/// The source of each byte when two lines become bytes: eight numbers of the first line, eight of the
/// second, and so on. That is how processors pack vectors; another order would take an instruction more.
pub(super) const PACKED: [u8; 2 * LINE] = {
    let mut places = [0; 2 * LINE];
    let mut byte = 0;
    while byte < places.len() {
        let (eight, line) = (byte / 16, byte / 8 % 2);
        places[byte] = (line * LINE + 8 * eight + byte % 8) as u8;
        byte += 1;
    }
    places
};

/// 1/64 of a sum (rounded down), within 0 to 127.
#[inline(always)]
pub(super) fn clipped_relu(sum: i32) -> u8 {
    (sum >> 6).clamp(0, 127) as u8
}

/// The operations that kernels are made of. A value of an implementing type is the proof that the processor has the
/// instructions.
pub(super) trait Isa: Copy {
    /// [`Line`] in registers.
    type Lane: Copy;
    /// 64 numbers of 8 bits in registers, 0 to 127 each.
    type Bytes: Copy;
    /// Four inputs in registers, as often as outputs need them.
    type Group: Copy;
    /// Sixteen sums of 32 bits in registers.
    type Acc16: Copy;
    /// Eight sums of 32 bits in registers.
    type Acc8: Copy;

    /// Pairs of lines that may stay in registers while features are added: 2 or 8.
    const TILE: usize;

    /// True if networks in common use have kernels of their own, with sizes that the compiler knows.
    const KNOWN_SIZES: bool = true;

    /// True if the latency of [`Self::dot16`] and [`Self::dot8`] makes several chains at a time faster.
    const SLOW_SUMS: bool = true;

    /// `line` in registers.
    fn load(self, line: &Line) -> Self::Lane;
    /// The number in all places.
    fn splat(self, number: i16) -> Self::Lane;
    /// The high byte of each number, as a number.
    fn high_bytes(self, lane: Self::Lane) -> Self::Lane;
    /// The low byte of each number as its high byte, with zeros below.
    fn raise(self, lane: Self::Lane) -> Self::Lane;
    /// Registers to memory.
    fn store(self, lane: Self::Lane, line: &mut Line);
    /// Sums, which wrap.
    fn add(self, a: Self::Lane, b: Self::Lane) -> Self::Lane;
    /// Differences, which wrap.
    fn sub(self, a: Self::Lane, b: Self::Lane) -> Self::Lane;
    /// Products, which wrap.
    fn mul(self, a: Self::Lane, b: Self::Lane) -> Self::Lane;

    /// Both lines, each number within 0 to 127, in the order of [`PACKED`].
    fn clipped_relu(self, a: Self::Lane, b: Self::Lane) -> Self::Bytes;
    /// Twice the number (wrapping) within 0 to 254, times the same of its partner, / 512: 0 to 126.
    /// The partners of `pair[0]` are in `pair[1]`; the products of both pairs are in the order of [`PACKED`].
    fn products(self, pairs: [[Self::Lane; 2]; 2]) -> Self::Bytes;
    /// Registers to memory.
    fn store_bytes(self, bytes: Self::Bytes, to: &mut [u8; 64]);
    /// A bit for each group of four bytes that are not all zero, the first one's lowest.
    fn nnz_mask(self, bytes: Self::Bytes) -> u16;
    /// Writes the numbers of the bits that are set, plus `first`, to the beginning of `list`, and
    /// returns how many. Behind them anything may be written.
    #[inline(always)]
    fn list_bits(self, mut bits: u16, first: u16, list: &mut [u16; 16]) -> usize {
        let count = bits.count_ones() as usize;
        for place in list.iter_mut().take(count) {
            *place = first + bits.trailing_zeros() as u16;
            bits &= bits - 1;
        }
        count
    }

    /// Appends the features of the pieces of `board` on those squares that are different in `other`.
    #[inline(always)]
    fn list_pieces(
        self,
        features: &BoardFeatures,
        board: &Codes,
        other: &Codes,
        list: &mut FeatureList,
    ) {
        list_pieces(features, board, other, list);
    }

    /// The lists become the features of the pieces on `squares` in both views. Each of these is one.
    #[inline(always)]
    fn list_board(
        self,
        views: [&BoardFeatures; 2],
        board: &Board,
        squares: Bitboard,
        lists: &mut [FeatureList; 2],
    ) {
        list_board(views, board, squares, lists);
    }

    /// Returns whether one of the `few` is among `features`.
    #[inline(always)]
    fn has_any(self, features: &[u32; 16], few: &[u32; FEW]) -> bool {
        features.iter().any(|feature| few.contains(feature))
    }

    /// Zeros.
    fn zero16(self) -> Self::Acc16;
    /// Four inputs, 0 to 127 each, for all outputs.
    fn group(self, inputs: [u8; 4]) -> Self::Group;
    /// Four times four inputs.
    fn groups(self, inputs: &[u8; 16]) -> [Self::Group; 4];
    /// Adds the products of four inputs with the weights of sixteen outputs, four each.
    fn dot16(self, acc: Self::Acc16, inputs: Self::Group, weights: &[i8; 64]) -> Self::Acc16;
    /// Sums.
    fn add16(self, a: Self::Acc16, b: Self::Acc16) -> Self::Acc16;
    /// Memory to registers.
    fn load16(self, sums: &[i32; 16]) -> Self::Acc16;
    /// Registers to memory.
    fn store16(self, acc: Self::Acc16, sums: &mut [i32; 16]);
    /// [`clipped_relu`] of each sum.
    fn clipped_relu16(self, acc: Self::Acc16) -> [u8; 16];

    /// As [`Self::zero16`].
    fn zero8(self) -> Self::Acc8;
    /// As [`Self::load16`].
    fn load8(self, sums: &[i32; 8]) -> Self::Acc8;
    /// As [`Self::store16`].
    fn store8(self, acc: Self::Acc8, sums: &mut [i32; 8]);
    /// The first of the sums.
    fn first8(self, acc: Self::Acc8) -> i32;
    /// As [`Self::dot16`] for eight outputs.
    fn dot8(self, acc: Self::Acc8, inputs: Self::Group, weights: &[i8; 32]) -> Self::Acc8;
    /// As [`Self::add16`].
    fn add8(self, a: Self::Acc8, b: Self::Acc8) -> Self::Acc8;
}

/// Code in terms of an [`Isa`].
pub(super) trait Kernel {
    /// The result.
    type Output;

    /// Runs it. To be `#[inline(always)]` with all that it calls: what is not inlined cannot use the
    /// instructions. So nothing of `isa` in a closure, which is a function of its own that is compiled for any
    /// processor: the compiler then sees a call for each instruction, and does not inline that.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

#[cfg(test)]
mod tests;
