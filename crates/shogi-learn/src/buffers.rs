//! The memory of a step: what a pass through a batch leaves for the one that goes back.

use crate::kernels::Inputs;
use crate::shape::{SLAB, Shape};

/// Samples that are worked on together: their accumulators fit into the cache next to the processor.
pub(crate) const BLOCK: usize = 64;

/// The memory of a pass through a batch. By sample, if nothing else is said.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Accumulators, clipped: by slab, sample, then perspective.
    pub(crate) accumulators: Vec<Vec<f32>>,
    /// Products of their halves, in SFNN networks: the same.
    pub(crate) products: Vec<Vec<f32>>,
    /// Gradients of accumulators: the same.
    pub(crate) gradients: Vec<Vec<f32>>,
    /// Outputs of the first layer.
    pub(crate) first: Vec<f32>,
    /// Inputs of the second layer.
    pub(crate) hidden1: Vec<f32>,
    /// Inputs of the last layer.
    pub(crate) hidden2: Vec<f32>,
    /// The network's outputs.
    pub(crate) outputs: Vec<f32>,
    /// Gradients of the outputs of the layers.
    pub(crate) layer_gradients: [Vec<f32>; 3],
    /// Gradients of the inputs of the second layer, in SFNN networks.
    pub(crate) hidden_gradient: Vec<f32>,
    /// Rows with their factors, by slab, then touched row; later their gradients.
    pub(crate) merged: Vec<Vec<f32>>,
    /// Gradients of factors where they are kept, by slab, then touched factor.
    pub(crate) factor_sums: Vec<Vec<f32>>,
}

/// The part of [`Buffers`] that belongs to a block.
#[derive(Default)]
pub(crate) struct Block<'a> {
    pub(crate) first_sample: usize,
    pub(crate) len: usize,
    pub(crate) accumulators: Vec<&'a mut [f32]>,
    pub(crate) products: Vec<&'a mut [f32]>,
    pub(crate) gradients: Vec<&'a mut [f32]>,
    pub(crate) first: &'a mut [f32],
    pub(crate) hidden1: &'a mut [f32],
    pub(crate) hidden2: &'a mut [f32],
    pub(crate) outputs: &'a mut [f32],
    pub(crate) layer_gradients: [&'a mut [f32]; 3],
    pub(crate) hidden_gradient: &'a mut [f32],
}

impl Buffers {
    /// Room for `len` samples; `backward` with gradients.
    pub(crate) fn fit(&mut self, shape: &Shape, len: usize, backward: bool) {
        let fit = |buffer: &mut Vec<f32>, len: usize| {
            if buffer.len() < len {
                buffer.resize(len, 0.0);
            }
        };
        let fit_slabs = |slabs: &mut Vec<Vec<f32>>, count: usize, len: usize| {
            slabs.resize_with(count, Vec::new);
            for slab in slabs {
                fit(slab, len);
            }
        };
        let back = if backward { len } else { 0 };
        fit_slabs(&mut self.accumulators, shape.slabs, len * 2 * SLAB);
        fit_slabs(&mut self.products, shape.product_slabs(), len * 2 * SLAB);
        fit_slabs(&mut self.gradients, shape.slabs, back * 2 * SLAB);
        let [first, second, last] = shape.layers;
        fit(&mut self.first, len * first.stride());
        fit(&mut self.hidden1, len * second.pieces * SLAB);
        fit(&mut self.hidden2, len * second.stride());
        fit(&mut self.outputs, len * last.stride());
        for (gradient, layer) in self.layer_gradients.iter_mut().zip(shape.layers) {
            fit(gradient, back * layer.stride());
        }
        fit(&mut self.hidden_gradient, back * second.pieces * SLAB);
    }

    /// The blocks of the first `len` samples.
    pub(crate) fn blocks(&mut self, shape: &Shape, len: usize) -> Vec<Block<'_>> {
        let mut blocks: Vec<Block<'_>> = (0..len.div_ceil(BLOCK))
            .map(|number| Block {
                first_sample: number * BLOCK,
                len: BLOCK.min(len - number * BLOCK),
                ..Block::default()
            })
            .collect();
        macro_rules! hand_out {
            ($buffer:expr, $per_sample:expr, $block:ident => $set:expr) => {
                let parts = $buffer.chunks_mut(BLOCK * $per_sample);
                for ($block, part) in blocks.iter_mut().zip(parts) {
                    #[allow(clippy::redundant_closure_call, reason = "the macro's argument")]
                    ($set)(part);
                }
            };
        }
        for slab in &mut self.accumulators {
            hand_out!(slab, 2 * SLAB, block => |part| block.accumulators.push(part));
        }
        for slab in &mut self.products {
            hand_out!(slab, 2 * SLAB, block => |part| block.products.push(part));
        }
        for slab in &mut self.gradients {
            hand_out!(slab, 2 * SLAB, block => |part| block.gradients.push(part));
        }
        let [first, second, last] = shape.layers;
        let hidden1 = second.pieces * SLAB;
        hand_out!(self.first, first.stride(), block => |part| block.first = part);
        hand_out!(self.hidden1, hidden1, block => |part| block.hidden1 = part);
        hand_out!(self.hidden2, second.stride(), block => |part| block.hidden2 = part);
        hand_out!(self.outputs, last.stride(), block => |part| block.outputs = part);
        for (number, gradient) in self.layer_gradients.iter_mut().enumerate() {
            let stride = shape.layers[number].stride();
            hand_out!(gradient, stride, block => |part| block.layer_gradients[number] = part);
        }
        hand_out!(self.hidden_gradient, hidden1, block => |part| block.hidden_gradient = part);
        blocks
    }

    /// The accumulators of a slab, clipped, by sample, then perspective.
    pub(crate) fn accumulators(&self, slab: usize, len: usize) -> &[f32] {
        &self.accumulators[slab][..len * 2 * SLAB]
    }

    /// The outputs of the hidden layers, and how far apart those of samples are.
    pub(crate) fn hidden(&self, shape: &Shape, len: usize) -> [(&[f32], usize); 2] {
        let strides = [shape.layers[1].pieces * SLAB, shape.layers[1].stride()];
        [
            (&self.hidden1[..len * strides[0]], strides[0]),
            (&self.hidden2[..len * strides[1]], strides[1]),
        ]
    }

    /// The network's output for a sample.
    pub(crate) fn output(&self, shape: &Shape, sample: usize) -> f32 {
        self.outputs[sample * shape.layers[2].stride()]
    }
}

/// The inputs of a layer, from a piece of them on.
pub(crate) fn layer_inputs(data: &[f32], piece: usize, stride: usize) -> Inputs<'_> {
    Inputs {
        data,
        offset: piece * SLAB,
        stride,
    }
}
