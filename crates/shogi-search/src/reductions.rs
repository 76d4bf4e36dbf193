//! By how much late moves are searched less deep.

use crate::Params;

/// Depths and move numbers that reductions tell apart.
pub(super) const REDUCTIONS: usize = 256;

/// Logarithms whose product is the base of a reduction.
#[derive(Debug)]
pub(crate) struct Reductions(pub(super) [i32; REDUCTIONS]);

impl Reductions {
    #[allow(clippy::cast_precision_loss)]
    pub(crate) fn new(params: &Params) -> Self {
        let factor = f64::from(params.lmr_scale).sqrt() * 32.0;
        Self(std::array::from_fn(|i| {
            (factor * (i.max(1) as f64).ln()) as i32
        }))
    }

    /// The base for the `number`th move of a node of this depth, in 1024ths of a ply.
    #[inline]
    pub(super) fn get(&self, depth: i32, number: i32) -> i32 {
        let log = |n: i32| self.0[(n.max(0) as usize).min(REDUCTIONS - 1)];
        (log(depth) * log(number)) >> 10
    }
}
