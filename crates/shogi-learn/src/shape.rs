//! The sizes of a network in training, and where its numbers lie in memory.
//!
//! Everything is cut into pieces of [`SLAB`] numbers, padded with zeros that stay zero: accumulators and rows of the feature transformer into
//! *slabs* of columns, the inputs of affine layers into *pieces*. So every kernel works on whole vectors, whatever the sizes are.

use shogi_eval::nnue::arch::{Architecture, Sfnn};
use yane_base::lanes::LANES;

use crate::features::TrainingFeatures;

/// Numbers of a slab of columns and of a piece of inputs: two vectors.
pub(crate) const SLAB: usize = 2 * LANES;

/// A slab's numbers of one row or accumulator.
pub(crate) type SlabRow = [f32; SLAB];

/// The shape of a network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) architecture: Architecture,
    pub(crate) features: TrainingFeatures,
    /// Slabs of the accumulator of one perspective.
    pub(crate) slabs: usize,
    pub(crate) layers: [LayerSize; 3],
}

/// The sizes of an affine layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerSize {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// Pieces of inputs.
    pub(crate) pieces: usize,
}

impl LayerSize {
    /// Outputs, padded to whole vectors: rows of weights.
    pub(crate) const fn rows(self) -> usize {
        self.outputs.next_multiple_of(LANES)
    }

    /// Outputs of a sample in memory, padded to whole pieces.
    pub(crate) const fn stride(self) -> usize {
        self.outputs.next_multiple_of(SLAB)
    }

    /// Weights of one piece of inputs.
    pub(crate) const fn piece_len(self) -> usize {
        self.rows() * SLAB
    }

    /// Weights of one stack.
    pub(crate) const fn weights(self) -> usize {
        self.pieces * self.piece_len()
    }
}

impl Shape {
    pub(crate) fn new(architecture: Architecture, factorised: bool) -> Self {
        let slabs = match architecture {
            Architecture::Classic(_) => architecture.width().div_ceil(SLAB),
            Architecture::Sfnn(_) => 2 * (architecture.width() / 2).div_ceil(SLAB),
        };
        let [first, second, last] = architecture.layers();
        let first_pieces = match architecture {
            Architecture::Classic(_) => 2 * slabs,
            Architecture::Sfnn(_) => slabs,
        };
        let size = |layer: shogi_eval::nnue::arch::LayerShape, pieces| LayerSize {
            inputs: layer.inputs,
            outputs: layer.outputs,
            pieces,
        };
        Self {
            architecture,
            features: TrainingFeatures::new(architecture.features(), factorised),
            slabs,
            layers: [
                size(first, first_pieces),
                size(second, second.inputs.div_ceil(SLAB)),
                size(last, last.inputs.div_ceil(SLAB)),
            ],
        }
    }

    /// The SFNN shape, if it is one.
    pub(crate) const fn sfnn(&self) -> Option<&Sfnn> {
        match &self.architecture {
            Architecture::Sfnn(sfnn) => Some(sfnn),
            Architecture::Classic(_) => None,
        }
    }

    /// Slabs of products of one perspective: the inputs of an SFNN's first affine layer; 0 for classic networks.
    pub(crate) const fn product_slabs(&self) -> usize {
        match self.architecture {
            Architecture::Sfnn(_) => self.slabs / 2,
            Architecture::Classic(_) => 0,
        }
    }

    /// The column of the transformer at `lane` of `slab`; `None` for padding.
    pub(crate) const fn column(&self, slab: usize, lane: usize) -> Option<usize> {
        let width = self.architecture.width();
        match self.architecture {
            Architecture::Classic(_) => below(slab * SLAB + lane, width, 0),
            Architecture::Sfnn(_) => {
                let half = self.slabs / 2;
                below(
                    (slab % half) * SLAB + lane,
                    width / 2,
                    slab / half * (width / 2),
                )
            }
        }
    }

    /// The input of `layer` at `lane` of `piece`; `None` for padding.
    pub(crate) const fn input(&self, layer: usize, piece: usize, lane: usize) -> Option<usize> {
        let inputs = self.layers[layer].inputs;
        if layer > 0 {
            return below(piece * SLAB + lane, inputs, 0);
        }
        // Both perspectives, each padded by itself.
        let pieces = self.layers[0].pieces / 2;
        below(
            (piece % pieces) * SLAB + lane,
            inputs / 2,
            piece / pieces * (inputs / 2),
        )
    }

    /// Returns whether an output of the first layer uses an input: not all do in sharded networks.
    pub(crate) fn is_used(&self, layer: usize, output: usize, input: usize) -> bool {
        match self.sfnn() {
            Some(sfnn) if layer == 0 => sfnn
                .inputs_of(output)
                .iter()
                .any(|range| range.contains(&input)),
            _ => true,
        }
    }

    /// Stacks of affine layers.
    pub(crate) const fn stacks(&self) -> usize {
        self.architecture.stack_count()
    }
}

/// `at` counted from `first` if it is below `end`.
const fn below(at: usize, end: usize, first: usize) -> Option<usize> {
    if at < end { Some(first + at) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_one_place() {
        for name in [
            "kp_32x2-8-8",
            "kp_40x2-5-33",
            "halfkp_256x2-32-32",
            "SFNN_halfkahm2_64_15_32_k3k3",
            "SFNN_kp_72_8_16",
        ] {
            let shape = Shape::new(name.parse().unwrap(), false);
            let mut columns: Vec<usize> = (0..shape.slabs)
                .flat_map(|slab| (0..SLAB).filter_map(move |lane| shape.column(slab, lane)))
                .collect();
            columns.sort_unstable();
            let all: Vec<usize> = (0..shape.architecture.width()).collect();
            assert_eq!(columns, all, "{name}");
            for (number, layer) in shape.layers.iter().enumerate() {
                let mut inputs: Vec<usize> = (0..layer.pieces)
                    .flat_map(|piece| {
                        (0..SLAB).filter_map(move |lane| shape.input(number, piece, lane))
                    })
                    .collect();
                inputs.sort_unstable();
                let all: Vec<usize> = (0..layer.inputs).collect();
                assert_eq!(inputs, all, "{name} layer {number}");
            }
        }
    }
}
