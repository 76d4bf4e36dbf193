//! The gradients of a step that every batch has: those of the affine layers and of the transformer's biases.

use rayon::prelude::*;
use yane_base::lanes::LaneLevel;

use crate::batch::{Batch, Run};
use crate::buffers::{Buffers, layer_inputs};
use crate::kernels::{Inputs, Samples, SumAll, WeightGradient};
use crate::params::Params;
use crate::shape::{SLAB, Shape, SlabRow};

/// The gradients of the affine layers and of the biases of the transformer.
pub(crate) struct DenseGradients {
    /// Of the biases of the transformer, by slab.
    pub(crate) transformer: Vec<SlabRow>,
    pub(crate) layers: [LayerGradient; 3],
}

/// The gradient of a layer: zeros in stacks that a batch did not use.
pub(crate) struct LayerGradient {
    /// By stack, piece of inputs, output, then input.
    pub(crate) weights: Vec<f32>,
    /// By stack, then output, padded to whole pieces.
    pub(crate) biases: Vec<f32>,
}

impl DenseGradients {
    /// Sums up the gradients of a batch that has gone forward and backward.
    pub(crate) fn sum(params: &Params, level: LaneLevel, batch: &Batch, buffers: &Buffers) -> Self {
        let len = batch.len * 2 * SLAB;
        let of_slab = |gradients: &Vec<f32>| {
            let mut sum = [0.0; SLAB];
            level.run(SumAll {
                gradients: &gradients[..len],
                to: &mut sum,
            });
            sum
        };
        Self {
            transformer: buffers.gradients.par_iter().map(of_slab).collect(),
            layers: [0, 1, 2].map(|index| layer_gradient(params, level, batch, buffers, index)),
        }
    }

    /// The square of their length.
    pub(crate) fn squares(&self) -> f64 {
        let layers = self.layers.iter();
        let layers = layers.map(|layer| squares(&layer.weights) + squares(&layer.biases));
        squares(self.transformer.as_flattened()) + layers.sum::<f64>()
    }
}

/// The sum of squares, in eight partial sums of every eighth number.
pub(crate) fn squares(numbers: &[f32]) -> f64 {
    let mut sums = [0.0; 8];
    for numbers in numbers.chunks(8) {
        for (sum, &number) in sums.iter_mut().zip(numbers) {
            *sum += f64::from(number) * f64::from(number);
        }
    }
    sums.iter().sum()
}

fn layer_gradient(
    params: &Params,
    level: LaneLevel,
    batch: &Batch,
    buffers: &Buffers,
    index: usize,
) -> LayerGradient {
    let (shape, size) = (params.shape, params.shape.layers[index]);
    let (len, stride) = (size.piece_len(), size.stride());
    let gradient = &buffers.layer_gradients[index];
    let mut weights = vec![0.0; shape.stacks() * size.weights()];
    let mut runs: Vec<Option<Run>> = vec![None; shape.stacks()];
    for run in &batch.runs {
        runs[run.stack] = Some(*run);
    }
    weights
        .par_chunks_mut(len)
        .enumerate()
        .for_each(|(place, sums)| {
            let (stack, piece) = (place / size.pieces, place % size.pieces);
            let Some(run) = runs[stack] else {
                return;
            };
            level.run(WeightGradient {
                inputs: weight_inputs(&shape, buffers, index, piece),
                samples: Samples {
                    first: run.first,
                    end: run.end,
                },
                gradient,
                stride,
                outputs: size.outputs,
                to: sums,
            });
            leave_out_unused(&shape, index, piece, sums);
        });
    let mut biases = vec![0.0; shape.stacks() * stride];
    for run in &batch.runs {
        let sums = &mut biases[run.stack * stride..][..stride];
        for sample in gradient[run.first * stride..run.end * stride].chunks_exact(stride) {
            for (sum, &gradient) in sums.iter_mut().zip(sample).take(size.outputs) {
                *sum += gradient;
            }
        }
    }
    LayerGradient { weights, biases }
}

/// The inputs of a piece of weights, for the whole batch.
fn weight_inputs<'a>(
    shape: &Shape,
    buffers: &'a Buffers,
    layer: usize,
    piece: usize,
) -> Inputs<'a> {
    match layer {
        0 => {
            let per_perspective = shape.layers[0].pieces / 2;
            let (perspective, slab) = (piece / per_perspective, piece % per_perspective);
            let data = match shape.product_slabs() {
                0 => &buffers.accumulators[slab],
                _ => &buffers.products[slab],
            };
            Inputs {
                data,
                offset: perspective * SLAB,
                stride: 2 * SLAB,
            }
        }
        1 => layer_inputs(&buffers.hidden1, piece, shape.layers[1].pieces * SLAB),
        _ => layer_inputs(&buffers.hidden2, piece, shape.layers[1].stride()),
    }
}

/// Weights that a sharded network does not use have no gradient.
fn leave_out_unused(shape: &Shape, layer: usize, piece: usize, sums: &mut [f32]) {
    use shogi_eval::nnue::arch::TransformerKind;
    let is_sharded = shape
        .sfnn()
        .is_some_and(|sfnn| sfnn.transformer_kind() != TransformerKind::Full);
    if layer > 0 || !is_sharded {
        return;
    }
    for (output, row) in sums.as_chunks_mut::<SLAB>().0.iter_mut().enumerate() {
        for (lane, sum) in row.iter_mut().enumerate() {
            let input = shape.input(layer, piece, lane);
            if output < shape.layers[0].outputs
                && input.is_some_and(|input| !shape.is_used(layer, output, input))
            {
                *sum = 0.0;
            }
        }
    }
}
