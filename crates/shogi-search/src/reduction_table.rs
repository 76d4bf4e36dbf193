//! The logarithms from which reductions of late moves are made.

use crate::Params;

/// Depths and move numbers that are told apart.
const SIZE: usize = 256;

/// Logarithms whose product is the base of the reduction.
#[derive(Debug)]
pub(crate) struct Reductions([i32; SIZE]);

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
    pub(crate) fn get(&self, depth: i32, number: i32) -> i32 {
        let log = |n: i32| self.0[(n.max(0) as usize).min(SIZE - 1)];
        (log(depth) * log(number)) >> 10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_moves_of_deeper_nodes_are_reduced_more() {
        let reductions = Reductions::new(&Params::default());
        assert_eq!(reductions.get(1, 40), 0);
        assert!((2000..3000).contains(&reductions.get(10, 10)));
        for depth in 1..100 {
            for number in 1..600 {
                let here = reductions.get(depth, number);
                assert!(here <= reductions.get(depth + 1, number));
                assert!(here <= reductions.get(depth, number + 1));
            }
        }
    }
}
