//! Lanes, and what a kernel is written in terms of.

/// Numbers of a vector.
pub const LANES: usize = 16;

/// A vector in memory.
pub type Lanes = [f32; LANES];

/// The operations that kernels are made of. A value of an implementing type is the proof that the processor has the instructions.
pub trait Isa: Copy {
    /// Sixteen numbers in registers.
    type Vector: Copy;

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
    /// `value` where 0 < `x` < 1, else 0.
    fn where_inside(self, x: Self::Vector, value: Self::Vector) -> Self::Vector;
}

/// Code in terms of an [`Isa`].
pub trait LaneKernel {
    /// Runs it. To be `#[inline(always)]` with all that it calls, and without closures that use `isa`: what is not inlined is
    /// compiled without the instructions.
    fn run<I: Isa>(self, isa: I);
}
