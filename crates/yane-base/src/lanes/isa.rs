//! Lanes, and what a kernel is written in terms of.

/// Numbers of a vector.
pub const LANES: usize = 16;

/// A vector in memory.
pub type Lanes = [f32; LANES];

/// A vector of pairs of [bfloat16](super::bfloat16) numbers in memory, the first of a pair in the lower half.
pub type PairLanes = [u32; LANES];

/// The operations that kernels are made of. A value of an implementing type is the proof that the processor has the instructions.
pub trait Isa: Copy {
    /// Sixteen numbers in registers.
    type Vector: Copy;
    /// Sixteen pairs of bfloat16 numbers in registers.
    type Pairs: Copy;

    /// Rows that a tile of a matrix product has beside each other, of two vectors each: as many as registers allow.
    const SAMPLES: usize;

    /// Memory to registers.
    fn load(self, lanes: &Lanes) -> Self::Vector;
    /// Registers to memory.
    fn store(self, vector: Self::Vector, lanes: &mut Lanes);
    /// The number in all lanes.
    fn splat(self, number: f32) -> Self::Vector;
    /// Sums.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Differences.
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Products.
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Quotients.
    fn div(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Square roots.
    fn sqrt(self, a: Self::Vector) -> Self::Vector;
    /// `a` × `b` + `c`, rounded once.
    fn mul_add(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// `a` within `low` to `high`. Not for NaN.
    fn clamp(self, a: Self::Vector, low: Self::Vector, high: Self::Vector) -> Self::Vector;
    /// Memory to registers.
    fn load_pairs(self, pairs: &PairLanes) -> Self::Pairs;
    /// `sum` and each pair's two products with a pair of factors: first that of the second numbers is added, then that of the first ones, each rounded
    /// once. Numbers below 2⁻¹²⁶ may be taken as 0.
    fn add_products(self, factors: u32, pairs: Self::Pairs, sum: Self::Vector) -> Self::Vector;
    /// `value` where 0 < `x` < 1, else 0.
    fn where_inside(self, x: Self::Vector, value: Self::Vector) -> Self::Vector;
}

/// Code in terms of an [`Isa`].
pub trait LaneKernel {
    /// Runs it. To be `#[inline(always)]` with all that it calls, and without closures that use `isa`: what is not inlined is
    /// compiled without the instructions.
    fn run<I: Isa>(self, isa: I);
}
