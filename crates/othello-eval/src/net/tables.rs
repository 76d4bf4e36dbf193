//! The numbers of a network as kernels read them.

use super::shape::{FIRST_OUTPUTS, SECOND_OUTPUTS};
use super::weights::{NET_UNIT, NET_WEIGHT_UNIT, NetStack};
use crate::tables::Places;

/// The bits by which sums of products with weights become activations.
pub(crate) const SHIFT: i32 = NET_WEIGHT_UNIT.trailing_zeros() as i32;

/// The bits of an activation of 1.
pub(crate) const UNIT_BITS: i32 = NET_UNIT.trailing_zeros() as i32;

/// Units of a line of rows.
pub(crate) const LINE: usize = 32;

/// Two lines of rows: a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct RowBlock(pub(crate) [[i8; LINE]; 2]);

/// The layers of a phase, with the weights of two inputs beside each other for each output.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    pub(crate) first: Vec<[i16; 2 * FIRST_OUTPUTS]>,
    pub(crate) first_biases: [i32; FIRST_OUTPUTS],
    pub(crate) second: [[i16; 2 * SECOND_OUTPUTS]; FIRST_OUTPUTS],
    pub(crate) second_biases: [i32; SECOND_OUTPUTS],
    pub(crate) output: [i16; SECOND_OUTPUTS],
}

/// What the kernels read.
///
/// For every place `offset - half ..= offset + half` are rows.
#[derive(Clone, Debug)]
pub(crate) struct NetTables {
    pub(crate) places: Places<4>,
    /// Lines of a row.
    pub(crate) lines: usize,
    /// All rows, by balanced number of their states, `lines` lines each.
    pub(crate) rows: Vec<RowBlock>,
    /// For each ply `lines` lines.
    pub(crate) biases: Vec<[i16; LINE]>,
}

impl Stack {
    /// The layers of a file's stack.
    pub(super) fn new(stack: &NetStack) -> Self {
        let (pairs, _) = stack.first.as_chunks::<2>();
        let (second, _) = stack.second.as_chunks::<2>();
        Self {
            first: pairs.iter().map(interleaved).collect(),
            first_biases: stack.first_biases,
            second: std::array::from_fn(|n| interleaved(&second[n])),
            second_biases: stack.second_biases,
            output: stack.output,
        }
    }
}

/// The weights of two inputs, those of each output beside each other.
fn interleaved<const N: usize, const M: usize>(pair: &[[i16; N]; 2]) -> [i16; M] {
    std::array::from_fn(|n| pair[n % 2][n / 2])
}
