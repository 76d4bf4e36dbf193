//! The numbers of a network as files and training have them.

use super::shape::{FIRST_OUTPUTS, NetShape, SECOND_OUTPUTS};
use crate::layout::Pattern;
use crate::tables::{PLIES, PlyPhases};

/// Activations of 1, and rows and biases of the accumulator that make them, are this.
pub const NET_UNIT: i32 = 1 << 8;

/// Weights of 1 behind the accumulator are this.
pub const NET_WEIGHT_UNIT: i32 = 1 << 9;

/// Discs that an output of 1 means.
pub const NET_OUTPUT_DISCS: i32 = 16;

/// The largest bias of the accumulator, so that no sum of rows leaves 16 bits.
pub const NET_MOST_BIAS: i16 = 1 << 14;

/// The layers behind the accumulator for some plies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetStack {
    /// Weights of the first layer, in 512ths: for each input those of all outputs.
    pub first: Vec<[i16; FIRST_OUTPUTS]>,
    /// Its biases, in 131,072ths.
    pub first_biases: [i32; FIRST_OUTPUTS],
    /// Weights of the second layer, in 512ths: for each input (the outputs of the first layer, then their squares) those of all outputs.
    pub second: [[i16; SECOND_OUTPUTS]; 2 * FIRST_OUTPUTS],
    /// Its biases, in 131,072ths.
    pub second_biases: [i32; SECOND_OUTPUTS],
    /// Weights of the output, in 512ths.
    pub output: [i16; SECOND_OUTPUTS],
}

/// All numbers of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetWeights {
    /// The architecture.
    pub shape: NetShape,
    /// The stack of each ply.
    pub phases: PlyPhases,
    /// Rows of the accumulator, in 256ths: for each pattern those of its states, equal ones by symmetry once, as
    /// [`PatternIndices::packed`](crate::PatternIndices) numbers them; one behind the other.
    pub rows: Vec<i8>,
    /// Biases of the accumulator for each ply, in 256ths, within ±[`NET_MOST_BIAS`].
    pub biases: Vec<i16>,
    /// A stack for each phase.
    pub stacks: Vec<NetStack>,
    /// What is added to the output at each ply, in 131,072ths.
    pub outputs: [i32; PLIES],
}

impl NetWeights {
    /// Rows of a shape.
    pub fn rows_of(shape: NetShape) -> usize {
        let layout = shape.layout();
        let lens = layout.patterns().iter().map(Pattern::indices);
        lens.map(|indices| indices.packed_len).sum()
    }

    /// A network of zeros.
    pub fn zeros(shape: NetShape, phases: PlyPhases) -> Self {
        let stack = NetStack {
            first: vec![[0; FIRST_OUTPUTS]; shape.units()],
            first_biases: [0; FIRST_OUTPUTS],
            second: [[0; SECOND_OUTPUTS]; 2 * FIRST_OUTPUTS],
            second_biases: [0; SECOND_OUTPUTS],
            output: [0; SECOND_OUTPUTS],
        };
        Self {
            shape,
            rows: vec![0; Self::rows_of(shape) * shape.units()],
            biases: vec![0; PLIES * shape.units()],
            stacks: vec![stack; phases.count()],
            outputs: [0; PLIES],
            phases,
        }
    }
}
