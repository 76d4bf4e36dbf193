//! A small network on patterns.
//!
//! Each state of a pattern has a row of numbers, the same for all phases of the game. The rows of all places and a bias of the ply are
//! summed up in the accumulator. Its units, clipped to 0 to 1, go through the layers of a stack, of which there is one for each
//! phase: 16 outputs, which go on both clipped to 0 to 1 and, clipped to −1 to 1, squared; 32 outputs, clipped; the value. The last
//! of the 16 outputs is also added to the value.
//!
//! All numbers are integers. The accumulator is summed up anew for each board: rows belong to the player to move, so that a move
//! changes all of them.

pub(crate) mod shape;
pub(crate) mod tables;
pub(crate) mod weights;

use othello_core::{Board, Square, Squares};

pub use shape::{FIRST_OUTPUTS, NetShape, NetShapeError, SECOND_OUTPUTS};
pub use weights::{
    NET_MOST_BIAS, NET_OUTPUT_DISCS, NET_UNIT, NET_WEIGHT_UNIT, NetStack, NetWeights,
};

use tables::{LINE, NetTables, RowBlock, Stack};

use crate::evaluator::{UNITS_PER_DISC, discs_within};
use crate::layout::Pattern;
use crate::simd::{self, EvalMethod};
use crate::tables::{Features, PLIES, Places, PlyOffsets, ply_of};

/// The largest value, in [`UNITS_PER_DISC`]ths of a disc.
const MOST_VALUE: i32 = 128 * UNITS_PER_DISC;

/// An output of 1 has 131,072 parts; so many are a [`UNITS_PER_DISC`]th of a disc.
const PARTS: i32 = NET_UNIT * NET_WEIGHT_UNIT / (NET_OUTPUT_DISCS * UNITS_PER_DISC);

/// A network laid out for evaluation.
#[derive(Clone, Debug)]
pub struct NetEvaluator {
    tables: NetTables,
    stacks: Vec<Stack>,
    weights: NetWeights,
    method: EvalMethod,
}

impl NetEvaluator {
    /// An evaluator of these numbers.
    ///
    /// # Panics
    /// When there are other counts of numbers than the shape has, or a bias is too large: mistakes of the caller. Files are checked before.
    pub fn new(weights: NetWeights) -> Self {
        let units = weights.shape.units();
        assert_eq!(weights.biases.len(), PLIES * units, "biases");
        assert_eq!(
            weights.stacks.len(),
            weights.phases.count(),
            "a stack for each phase"
        );
        let most = NET_MOST_BIAS;
        assert!(
            weights
                .biases
                .iter()
                .all(|bias| (-most..=most).contains(bias))
        );
        let layout = weights.shape.layout();
        let indices: Vec<_> = layout.patterns().iter().map(Pattern::indices).collect();
        let lines = units / LINE;
        let mut rows = vec![RowBlock([[0; LINE]; 2]); (layout.weights() * lines).div_ceil(2)];
        let (mut start, mut packed) = (0, 0);
        for indices in &indices {
            for (&balanced, &number) in indices.balanced.iter().zip(&indices.packed) {
                let row = &weights.rows[(packed + usize::from(number)) * units..][..units];
                for (n, line) in row.as_chunks::<LINE>().0.iter().enumerate() {
                    let at = (start + usize::from(balanced)) * lines + n;
                    rows[at / 2].0[at % 2] = *line;
                }
            }
            start += indices.balanced.len();
            packed += indices.packed_len;
        }
        assert_eq!(packed * units, weights.rows.len(), "rows");
        Self {
            tables: NetTables {
                places: Places::new(&layout),
                lines,
                rows,
                biases: weights.biases.as_chunks::<LINE>().0.to_vec(),
            },
            stacks: weights.stacks.iter().map(Stack::new).collect(),
            weights,
            method: EvalMethod::best(),
        }
    }

    /// The same evaluator by another method; by the portable one where the processor lacks it. Values are the same.
    pub fn with_method(mut self, method: EvalMethod) -> Self {
        self.method = method.or_portable();
        self
    }

    /// The numbers.
    pub const fn weights(&self) -> &NetWeights {
        &self.weights
    }

    /// What is added to the values of each ply.
    pub(crate) fn offsets(&self) -> PlyOffsets {
        let most = i32::from(i16::MAX);
        let parts = |output: i32| (output / PARTS).clamp(-most, most) as i16;
        PlyOffsets(self.weights.outputs.map(parts))
    }

    /// The same network with other constants for each ply.
    pub(crate) fn with_offsets(mut self, offsets: PlyOffsets) -> Self {
        self.weights.outputs = offsets.0.map(|offset| i32::from(offset) * PARTS);
        self
    }

    /// The indices of a board's patterns.
    pub fn features(&self, board: Board) -> Features<4> {
        self.tables.places.features(board)
    }

    /// The indices after a disc of the mover on `square` that flips `flips`, from the view of the next player.
    #[inline]
    pub fn after(&self, features: &Features<4>, square: Square, flips: Squares) -> Features<4> {
        simd::after(self.method, &self.tables.places, features, square, flips)
    }

    /// The value of `board`, whose indices are `features`, in [`UNITS_PER_DISC`]ths of a disc.
    #[inline]
    pub fn value(&self, features: &Features<4>, board: Board) -> i32 {
        let ply = ply_of(board.discs());
        let stack = &self.stacks[usize::from(self.weights.phases.of_plies()[ply])];
        let output = simd::net_output(self.method, &self.tables, stack, features, ply);
        let output = output.wrapping_add(self.weights.outputs[ply]);
        let value = output.wrapping_add(PARTS / 2).div_euclid(PARTS);
        value.clamp(-MOST_VALUE, MOST_VALUE)
    }

    /// [`value`](Self::value) of the board after a move, from the indices before it.
    #[inline]
    pub fn value_after(
        &self,
        features: &Features<4>,
        square: Square,
        flips: Squares,
        after: Board,
    ) -> i32 {
        self.value(&self.after(features, square, flips), after)
    }

    /// The value of a board.
    pub fn evaluate(&self, board: Board) -> i32 {
        self.value(&self.features(board), board)
    }

    /// A value in whole discs, rounded, half away from zero, within ±64.
    #[inline]
    pub const fn discs(&self, value: i32) -> i32 {
        discs_within(value, 64)
    }
}
