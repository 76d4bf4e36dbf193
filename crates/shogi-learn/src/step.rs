//! A step of training: forward and backward through a batch, then the optimiser.
//!
//! The batch is worked on in blocks of [`BLOCK`] samples, rows in lists, weights in pieces: all of them are cut in the same way whatever
//! the number of threads, and each is summed up by one thread in a fixed order. So the result does not depend on threads.
//!
//! 1. Blocks: accumulators are gathered, the layers go forward, the loss is taken, and gradients go back as far as the accumulators.
//! 2. Rows: each row of the feature transformer sums up the gradients of the accumulators that used it (`Lists`), and takes its step.
//!    There is nothing atomic about it, and rows that were not used are not looked at.
//! 3. Affine layers: each piece of weights sums up its gradient over the samples, and takes its step.

use rayon::prelude::*;
use yane_base::lanes::LaneLevel;

use crate::batch::{Batch, Run, Target};
use crate::buffers::{Block, Buffers, layer_inputs};
use crate::kernels::{
    AffineForward, Clip, GatherRows, InputGradient, Inputs, MergeRows, SLACK, Samples, UNIT,
};
use crate::loss::{Curve, LossSum};
use crate::optimiser::Rules;
use crate::params::{DenseLayer, Params};
use crate::products::{ProductGradients, Products};
use crate::shape::{SLAB, SlabRow};
use crate::update::update;

/// An SFNN's products are this much smaller than those of its halves: 254 × 254 / 512 stands for 1, which is 127.
pub(crate) const PRODUCT_SCALE: f32 = 254.0 * 254.0 / 512.0 / 127.0;

/// Squares of an SFNN's first layer are this much smaller than those of its outputs.
pub(crate) const SQUARE_SCALE: f32 = 8128.0 * 8128.0 / (1 << 19) as f32 / 127.0;

/// The value in the output of 1 in an SFNN's shortcut.
pub(crate) const SHORTCUT_SCALE: f32 = 8128.0 / 9600.0;

/// The inputs of a pass through blocks.
struct Pass<'a> {
    params: &'a Params,
    level: LaneLevel,
    /// By slab, rows with their factors.
    rows: Vec<&'a [f32]>,
    features: &'a [u32],
    targets: &'a [Target],
    runs: &'a [Run],
    curve: Curve,
}

/// Goes forward through a batch: the loss.
pub(crate) fn evaluate(
    params: &Params,
    level: LaneLevel,
    curve: Curve,
    batch: &Batch,
    buffers: &mut Buffers,
) -> LossSum {
    pass(params, level, curve, batch, buffers, false)
}

/// What a step tells.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StepReport {
    /// The loss before it.
    pub(crate) loss: LossSum,
    /// The length of its gradient, where that is limited.
    pub(crate) length: Option<f64>,
}

/// Takes a step. `number` is that of the step, from 1.
pub(crate) fn train(
    params: &mut Params,
    level: LaneLevel,
    curve: Curve,
    batch: &Batch,
    buffers: &mut Buffers,
    (rules, number): (&Rules, u32),
) -> StepReport {
    let loss = pass(params, level, curve, batch, buffers, true);
    let length = update(params, level, batch, buffers, (rules, number));
    StepReport { loss, length }
}

fn pass(
    params: &Params,
    level: LaneLevel,
    curve: Curve,
    batch: &Batch,
    buffers: &mut Buffers,
    backward: bool,
) -> LossSum {
    let shape = &params.shape;
    buffers.fit(shape, batch.len, backward);
    let mut merged = std::mem::take(&mut buffers.merged);
    let rows = if shape.features.is_factorised() {
        merge(params, level, batch, &mut merged);
        merged.iter().map(Vec::as_slice).collect()
    } else {
        let slabs = params.table.slabs.iter();
        slabs.map(|slab| slab.values.as_slice()).collect()
    };
    let pass = Pass {
        params,
        level,
        rows,
        features: &batch.features,
        targets: &batch.targets,
        runs: &batch.runs,
        curve,
    };
    let factor = 1.0 / batch.len as f64;
    let losses: Vec<LossSum> = buffers
        .blocks(shape, batch.len)
        .into_par_iter()
        .map(|mut block| {
            pass.forward(&mut block);
            let loss = pass.loss(&mut block, backward.then_some(factor));
            if backward {
                pass.backward(&mut block);
            }
            loss
        })
        .collect();
    buffers.merged = merged;
    let mut sum = LossSum::default();
    for loss in losses {
        sum.add(loss);
    }
    sum
}

/// Adds their factors to the rows that a batch touches.
fn merge(params: &Params, level: LaneLevel, batch: &Batch, merged: &mut Vec<Vec<f32>>) {
    let (factor_count, _) = params.shape.features.factors(0);
    merged.resize_with(params.shape.slabs, Vec::new);
    let len = batch.rows.keys.len() * SLAB;
    merged.par_iter_mut().enumerate().for_each(|(slab, to)| {
        to.resize(len.max(to.len()), 0.0);
        level.run(MergeRows {
            table: &params.table.slabs[slab].values,
            factors: &params.factors.slabs[slab].values,
            rows: &batch.rows.keys,
            factors_of: &batch.factors_of,
            factor_count,
            to: &mut to[..len],
        });
    });
}

impl Pass<'_> {
    /// One piece of the inputs of the first layer.
    fn first_inputs<'b>(&self, block: &'b Block<'_>, piece: usize) -> Inputs<'b> {
        let per_perspective = self.params.shape.layers[0].pieces / 2;
        let (perspective, slab) = (piece / per_perspective, piece % per_perspective);
        let data: &[f32] = match self.params.shape.product_slabs() {
            0 => block.accumulators[slab],
            _ => block.products[slab],
        };
        Inputs {
            data,
            offset: perspective * SLAB,
            stride: 2 * SLAB,
        }
    }

    /// The runs of a block, counted from its first sample.
    fn runs(&self, block: &Block<'_>) -> impl Iterator<Item = (usize, Samples)> + use<'_> {
        let (first, end) = (block.first_sample, block.first_sample + block.len);
        let from = self.runs.partition_point(|run| run.end <= first);
        let runs = self.runs[from..]
            .iter()
            .take_while(move |run| run.first < end);
        runs.map(move |run| {
            let samples = Samples {
                first: run.first.max(first) - first,
                end: run.end.min(end) - first,
            };
            (run.stack, samples)
        })
    }

    fn forward(&self, block: &mut Block<'_>) {
        let shape = &self.params.shape;
        let active = shape.features.active_count();
        let from = block.first_sample * 2 * active;
        let features = &self.features[from..from + block.len * 2 * active];
        for (slab, accumulators) in block.accumulators.iter_mut().enumerate() {
            self.level.run(GatherRows {
                rows: self.rows[slab],
                bias: bias_of(self.params, slab),
                features,
                active,
                accumulators,
                rounded: self.params.rounded,
            });
        }
        let len = block.len * 2 * SLAB;
        let half = shape.product_slabs();
        for slab in 0..half {
            self.level.run(Products {
                left: &block.accumulators[slab][..len],
                right: &block.accumulators[half + slab][..len],
                scale: PRODUCT_SCALE,
                to: &mut block.products[slab][..len],
                rounded: self.params.rounded,
            });
        }
        for (stack, samples) in self.runs(block) {
            self.forward_layers(block, stack, samples);
        }
    }

    fn forward_layers(&self, block: &mut Block<'_>, stack: usize, samples: Samples) {
        let [first, second, last] = &self.params.layers;
        let (s1, s2) = (first.size.stride(), second.size.stride());
        let i2 = second.size.pieces * SLAB;
        let outputs = std::mem::take(&mut block.first);
        fill(outputs, first, stack, samples);
        for piece in 0..first.size.pieces {
            let inputs = self.first_inputs(block, piece);
            self.affine(first, stack, piece, inputs, samples, outputs);
        }
        if self.params.shape.sfnn().is_some() {
            let hidden = self.params.shape.architecture.hidden()[0];
            for sample in samples.first..samples.end {
                let outputs = &outputs[sample * s1..][..hidden];
                let inputs = &mut block.hidden1[sample * i2..][..i2];
                square_and_clip(outputs, self.params.rounded, inputs);
            }
        } else {
            let range = samples.first * s1..samples.end * s1;
            block.hidden1[range.clone()].copy_from_slice(&outputs[range.clone()]);
            self.clip(&mut block.hidden1[range]);
        }
        block.first = outputs;
        let outputs = std::mem::take(&mut block.hidden2);
        fill(outputs, second, stack, samples);
        for piece in 0..second.size.pieces {
            let inputs = layer_inputs(block.hidden1, piece, i2);
            self.affine(second, stack, piece, inputs, samples, outputs);
        }
        let range = samples.first * s2..samples.end * s2;
        self.clip(&mut outputs[range]);
        block.hidden2 = outputs;
        fill(block.outputs, last, stack, samples);
        for piece in 0..last.size.pieces {
            let inputs = layer_inputs(block.hidden2, piece, s2);
            self.affine(last, stack, piece, inputs, samples, block.outputs);
        }
        if let Some(sfnn) = self.params.shape.sfnn().filter(|sfnn| sfnn.has_shortcut()) {
            for sample in samples.first..samples.end {
                let shortcut = block.first[sample * s1 + sfnn.hidden()[0]];
                block.outputs[sample * last.size.stride()] += shortcut * SHORTCUT_SCALE;
            }
        }
    }

    fn clip(&self, activations: &mut [f32]) {
        self.level.run(Clip {
            activations,
            rounded: self.params.rounded,
        });
    }

    fn affine(
        &self,
        layer: &DenseLayer,
        stack: usize,
        piece: usize,
        inputs: Inputs<'_>,
        samples: Samples,
        outputs: &mut [f32],
    ) {
        self.level.run(AffineForward {
            inputs,
            samples,
            weights: layer.transposed_piece(stack, piece),
            rows: layer.size.rows(),
            outputs,
            stride: layer.size.stride(),
        });
    }

    /// The loss of a block and, if it is to be scaled by `factor`, the gradient of the outputs.
    fn loss(&self, block: &mut Block<'_>, factor: Option<f64>) -> LossSum {
        let stride = self.params.shape.layers[2].stride();
        let mut sum = LossSum::default();
        for sample in 0..block.len {
            let target = self.targets[block.first_sample + sample];
            let (loss, gradient) = self.curve.loss(block.outputs[sample * stride], target);
            sum.add(loss);
            if let Some(factor) = factor {
                block.layer_gradients[2][sample * stride] = (gradient * factor) as f32;
            }
        }
        sum
    }

    fn backward(&self, block: &mut Block<'_>) {
        for (stack, samples) in self.runs(block) {
            self.backward_layers(block, stack, samples);
        }
        let len = block.len * 2 * SLAB;
        let half = self.params.shape.product_slabs();
        let (left_gradients, right_gradients) = block.gradients.split_at_mut(half);
        for slab in 0..half {
            self.level.run(ProductGradients {
                left: &block.accumulators[slab][..len],
                right: &block.accumulators[half + slab][..len],
                scale: PRODUCT_SCALE,
                gradient: &mut left_gradients[slab][..len],
                right_gradient: &mut right_gradients[slab][..len],
            });
        }
    }

    fn backward_layers(&self, block: &mut Block<'_>, stack: usize, samples: Samples) {
        let [_, second, last] = &self.params.layers;
        let s2 = second.size.stride();
        let i2 = second.size.pieces * SLAB;
        let [gradient1, gradient2, gradient3] = &mut block.layer_gradients;
        for piece in 0..last.size.pieces {
            self.level.run(InputGradient {
                gradient: gradient3,
                stride: last.size.stride(),
                samples,
                weights: last.piece(stack, piece),
                outputs: last.size.outputs,
                clipped: Some(layer_inputs(block.hidden2, piece, s2)),
                to: gradient2,
                offset: piece * SLAB,
                to_stride: s2,
            });
        }
        let is_classic = self.params.shape.sfnn().is_none();
        for piece in 0..second.size.pieces {
            let inputs = layer_inputs(block.hidden1, piece, i2);
            let (to, clipped) = if is_classic {
                (&mut **gradient1, Some(inputs))
            } else {
                (&mut *block.hidden_gradient, None)
            };
            self.level.run(InputGradient {
                gradient: gradient2,
                stride: s2,
                samples,
                weights: second.piece(stack, piece),
                outputs: second.size.outputs,
                clipped,
                to,
                offset: piece * SLAB,
                to_stride: i2,
            });
        }
        if !is_classic {
            self.square_and_clip_gradients(block, samples);
        }
        self.backward_to_accumulators(block, stack, samples);
    }

    /// The gradients of the first layer's outputs from those of the second layer's inputs, in SFNN networks.
    fn square_and_clip_gradients(&self, block: &mut Block<'_>, samples: Samples) {
        let Some(sfnn) = self.params.shape.sfnn() else {
            return;
        };
        let [first, second, last] = self.params.shape.layers;
        let (s1, i2) = (first.stride(), second.pieces * SLAB);
        let hidden = sfnn.hidden()[0];
        let [to, _, output_gradient] = &mut block.layer_gradients;
        for sample in samples.first..samples.end {
            let to = &mut to[sample * s1..][..s1];
            square_and_clip_gradient(
                &block.first[sample * s1..][..hidden],
                &block.hidden_gradient[sample * i2..][..2 * hidden],
                to,
            );
            if sfnn.has_shortcut() {
                to[hidden] = output_gradient[sample * last.stride()] * SHORTCUT_SCALE;
            }
        }
    }

    fn backward_to_accumulators(&self, block: &mut Block<'_>, stack: usize, samples: Samples) {
        let first = &self.params.layers[0];
        let is_classic = self.params.shape.sfnn().is_none();
        let per_perspective = first.size.pieces / 2;
        for piece in 0..first.size.pieces {
            let (perspective, slab) = (piece / per_perspective, piece % per_perspective);
            let clipped = Inputs {
                data: block.accumulators[slab],
                offset: perspective * SLAB,
                stride: 2 * SLAB,
            };
            self.level.run(InputGradient {
                gradient: block.layer_gradients[0],
                stride: first.size.stride(),
                samples,
                weights: first.piece(stack, piece),
                outputs: first.size.outputs,
                clipped: is_classic.then_some(clipped),
                to: block.gradients[slab],
                offset: perspective * SLAB,
                to_stride: 2 * SLAB,
            });
        }
    }
}

/// The biases of the transformer in one slab.
fn bias_of(params: &Params, slab: usize) -> &SlabRow {
    &params.bias.values.as_chunks().0[slab]
}

/// The outputs of a layer begin as its biases.
fn fill(outputs: &mut [f32], layer: &DenseLayer, stack: usize, samples: Samples) {
    let stride = layer.size.stride();
    for output in outputs[samples.first * stride..samples.end * stride].chunks_exact_mut(stride) {
        output.copy_from_slice(layer.bias(stack));
    }
}

/// Squares, then the outputs themselves, both within 0 to 1 (`SqrClippedReLU` and `ClippedReLU`), if that is wanted rounded down as engines
/// have them.
fn square_and_clip(outputs: &[f32], rounded: bool, inputs: &mut [f32]) {
    let down = |activation: f32| {
        if rounded {
            (activation * UNIT + SLACK).floor() / UNIT
        } else {
            activation
        }
    };
    let (squares, clipped) = inputs.split_at_mut(outputs.len());
    for ((&z, square), clipped) in outputs.iter().zip(squares).zip(clipped) {
        *square = down((z * z * SQUARE_SCALE).min(1.0));
        *clipped = down(z.clamp(0.0, 1.0));
    }
}

/// The gradient of outputs from those of what [`square_and_clip`] makes of them.
fn square_and_clip_gradient(outputs: &[f32], gradients: &[f32], to: &mut [f32]) {
    let (squares, clipped) = gradients.split_at(outputs.len());
    for (((&z, square), clipped), to) in outputs.iter().zip(squares).zip(clipped).zip(to) {
        let mut gradient = 0.0;
        if z * z * SQUARE_SCALE < 1.0 {
            gradient += square * 2.0 * SQUARE_SCALE * z;
        }
        if z > 0.0 && z < 1.0 {
            gradient += clipped;
        }
        *to = gradient;
    }
}
