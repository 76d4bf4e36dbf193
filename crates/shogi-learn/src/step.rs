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

use crate::batch::{Batch, Lists, Run, Target};
use crate::kernels::{
    AffineForward, Clip, Descend, GatherRows, InputGradient, Inputs, MergeRows, ProductGradients,
    Products, Samples, SumAll, UpdateRows, Updated, WeightGradient,
};
use crate::loss::{Curve, LossSum};
use crate::optimiser::{Rules, Step};
use crate::params::{DenseLayer, Params, transpose};
use crate::shape::{SLAB, Shape, SlabRow};
use crate::simd::Level;

/// Samples that are worked on together: their accumulators fit into the cache next to the processor.
pub(crate) const BLOCK: usize = 64;

/// Rows that one thread takes at least.
const ROWS: usize = 256;

/// An SFNN's products are this much smaller than those of its halves: 254 × 254 / 512 stands for 1, which is 127.
pub(crate) const PRODUCT_SCALE: f32 = 254.0 * 254.0 / 512.0 / 127.0;

/// Squares of an SFNN's first layer are this much smaller than those of its outputs.
pub(crate) const SQUARE_SCALE: f32 = 8128.0 * 8128.0 / (1 << 19) as f32 / 127.0;

/// What 1 in the shortcut of an SFNN is in the output.
pub(crate) const SHORTCUT_SCALE: f32 = 8128.0 / 9600.0;

/// The memory of a pass through a batch. By sample, if nothing else is said.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Accumulators, clipped: by slab, sample, then perspective.
    accumulators: Vec<Vec<f32>>,
    /// Products of their halves, in SFNN networks: the same.
    products: Vec<Vec<f32>>,
    /// Gradients of accumulators: the same.
    gradients: Vec<Vec<f32>>,
    /// Outputs of the first layer.
    first: Vec<f32>,
    /// Inputs of the second layer.
    hidden1: Vec<f32>,
    /// Inputs of the last layer.
    hidden2: Vec<f32>,
    /// The network's outputs.
    outputs: Vec<f32>,
    /// Gradients of the outputs of the layers.
    layer_gradients: [Vec<f32>; 3],
    /// Gradients of the inputs of the second layer, in SFNN networks.
    hidden_gradient: Vec<f32>,
    /// Rows with their factors, by slab, then touched row; later their gradients.
    merged: Vec<Vec<f32>>,
}

/// The part of [`Buffers`] that belongs to a block.
#[derive(Default)]
struct Block<'a> {
    first_sample: usize,
    len: usize,
    accumulators: Vec<&'a mut [f32]>,
    products: Vec<&'a mut [f32]>,
    gradients: Vec<&'a mut [f32]>,
    first: &'a mut [f32],
    hidden1: &'a mut [f32],
    hidden2: &'a mut [f32],
    outputs: &'a mut [f32],
    layer_gradients: [&'a mut [f32]; 3],
    hidden_gradient: &'a mut [f32],
}

impl Buffers {
    /// Room for `len` samples; `backward` with gradients.
    fn fit(&mut self, shape: &Shape, len: usize, backward: bool) {
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
    fn blocks(&mut self, shape: &Shape, len: usize) -> Vec<Block<'_>> {
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

/// What a pass through blocks looks at.
struct Pass<'a> {
    params: &'a Params,
    level: Level,
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
    level: Level,
    curve: Curve,
    batch: &Batch,
    buffers: &mut Buffers,
) -> LossSum {
    pass(params, level, curve, batch, buffers, false)
}

/// Takes a step: the loss before it. `number` is that of the step, from 1.
pub(crate) fn train(
    params: &mut Params,
    level: Level,
    curve: Curve,
    batch: &Batch,
    buffers: &mut Buffers,
    (rules, number): (&Rules, u32),
) -> LossSum {
    let loss = pass(params, level, curve, batch, buffers, true);
    update_rows(params, level, batch, buffers, (rules, number));
    update_layers(params, level, batch, buffers, (rules, number));
    loss
}

fn pass(
    params: &Params,
    level: Level,
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
    losses.into_iter().for_each(|loss| sum.add(loss));
    sum
}

/// Adds their factors to the rows that a batch touches.
fn merge(params: &Params, level: Level, batch: &Batch, merged: &mut Vec<Vec<f32>>) {
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
        match self.params.shape.sfnn() {
            None => {
                let range = samples.first * s1..samples.end * s1;
                block.hidden1[range.clone()].copy_from_slice(&outputs[range.clone()]);
                self.level.run(Clip(&mut block.hidden1[range]));
            }
            Some(_) => {
                let hidden = self.params.shape.architecture.hidden()[0];
                for sample in samples.first..samples.end {
                    let outputs = &outputs[sample * s1..][..hidden];
                    let inputs = &mut block.hidden1[sample * i2..][..i2];
                    square_and_clip(outputs, inputs);
                }
            }
        }
        block.first = outputs;
        let outputs = std::mem::take(&mut block.hidden2);
        fill(outputs, second, stack, samples);
        for piece in 0..second.size.pieces {
            let inputs = layer_inputs(block.hidden1, piece, i2);
            self.affine(second, stack, piece, inputs, samples, outputs);
        }
        let range = samples.first * s2..samples.end * s2;
        self.level.run(Clip(&mut outputs[range]));
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
        let [first, second, last] = &self.params.layers;
        let (s1, s2) = (first.size.stride(), second.size.stride());
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
        let sfnn = self.params.shape.sfnn();
        for piece in 0..second.size.pieces {
            let inputs = layer_inputs(block.hidden1, piece, i2);
            let (to, clipped) = match sfnn {
                None => (&mut **gradient1, Some(inputs)),
                Some(_) => (&mut *block.hidden_gradient, None),
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
        if let Some(sfnn) = sfnn {
            let hidden = sfnn.hidden()[0];
            for sample in samples.first..samples.end {
                let to = &mut gradient1[sample * s1..][..s1];
                square_and_clip_gradient(
                    &block.first[sample * s1..][..hidden],
                    &block.hidden_gradient[sample * i2..][..2 * hidden],
                    to,
                );
                if sfnn.has_shortcut() {
                    to[hidden] = gradient3[sample * last.size.stride()] * SHORTCUT_SCALE;
                }
            }
        }
        let per_perspective = first.size.pieces / 2;
        for piece in 0..first.size.pieces {
            let (perspective, slab) = (piece / per_perspective, piece % per_perspective);
            let clipped = Inputs {
                data: block.accumulators[slab],
                offset: perspective * SLAB,
                stride: 2 * SLAB,
            };
            self.level.run(InputGradient {
                gradient: gradient1,
                stride: s1,
                samples,
                weights: first.piece(stack, piece),
                outputs: first.size.outputs,
                clipped: sfnn.is_none().then_some(clipped),
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

fn layer_inputs(data: &[f32], piece: usize, stride: usize) -> Inputs<'_> {
    Inputs {
        data,
        offset: piece * SLAB,
        stride,
    }
}

/// The outputs of a layer begin as its biases.
fn fill(outputs: &mut [f32], layer: &DenseLayer, stack: usize, samples: Samples) {
    let stride = layer.size.stride();
    for output in outputs[samples.first * stride..samples.end * stride].chunks_exact_mut(stride) {
        output.copy_from_slice(layer.bias(stack));
    }
}

/// Squares, then the outputs themselves, both within 0 to 1 (`SqrClippedReLU` and `ClippedReLU`).
fn square_and_clip(outputs: &[f32], inputs: &mut [f32]) {
    let (squares, clipped) = inputs.split_at_mut(outputs.len());
    for ((&z, square), clipped) in outputs.iter().zip(squares).zip(clipped) {
        *square = (z * z * SQUARE_SCALE).min(1.0);
        *clipped = z.clamp(0.0, 1.0);
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

/// Decay of the moments of these rows, which are touched now.
fn touch(last: &mut [u32], keys: &[u32], rules: &Rules, number: u32) -> Vec<[f32; 2]> {
    let decay = |&key: &u32| {
        let before = std::mem::replace(&mut last[key as usize], number);
        rules.decay(number.saturating_sub(before + 1))
    };
    keys.iter().map(decay).collect()
}

fn update_rows(
    params: &mut Params,
    level: Level,
    batch: &Batch,
    buffers: &mut Buffers,
    (rules, number): (&Rules, u32),
) {
    let factorised = params.shape.features.is_factorised();
    let step = Step::new(rules.rows);
    let decays = touch(&mut params.table.last, &batch.rows.keys, rules, number);
    let factor_decays = touch(&mut params.factors.last, &batch.factors.keys, rules, number);
    let len = batch.len * 2 * SLAB;
    let kept_len = batch.rows.keys.len() * SLAB;
    buffers.merged.resize_with(params.shape.slabs, Vec::new);
    let slabs = params.table.slabs.par_iter_mut();
    slabs
        .zip(&mut params.factors.slabs)
        .zip(&buffers.gradients)
        .zip(&mut buffers.merged)
        .for_each(|(((table, factors), gradients), merged)| {
            // The gradients of touched rows go where the rows were: the forward pass is over.
            let kept = factorised.then(|| &mut merged[..kept_len]);
            let rows = Rows::new(&gradients[..len], &batch.rows, &decays);
            rows.update(level, 0, table.updated(), kept, step);
            if factorised {
                let rows = Rows::new(&merged[..kept_len], &batch.factors, &factor_decays);
                rows.update(level, 0, factors.updated(), None, step);
            }
        });
    let sums: Vec<SlabRow> = buffers
        .gradients
        .par_iter()
        .map(|gradients| {
            let mut sum = [0.0; SLAB];
            level.run(SumAll {
                gradients: &gradients[..len],
                to: &mut sum,
            });
            sum
        })
        .collect();
    level.run(Descend {
        gradient: sums.as_flattened(),
        to: params.bias.updated(),
        step: Step::new(rules.dense),
    });
}

/// Touched rows of a table.
#[derive(Clone, Copy)]
struct Rows<'a> {
    gradients: &'a [f32],
    keys: &'a [u32],
    starts: &'a [u32],
    entries: &'a [u32],
    decays: &'a [[f32; 2]],
}

impl<'a> Rows<'a> {
    fn new(gradients: &'a [f32], lists: &'a Lists, decays: &'a [[f32; 2]]) -> Self {
        Self {
            gradients,
            keys: &lists.keys,
            starts: &lists.starts,
            entries: &lists.entries,
            decays,
        }
    }

    /// Updates the rows, in halves on several threads. `first_row` is the number of the first row in `to`.
    fn update(
        self,
        level: Level,
        first_row: usize,
        to: Updated<'_>,
        kept: Option<&mut [f32]>,
        step: Step,
    ) {
        let count = self.keys.len();
        if count < 2 * ROWS {
            level.run(UpdateRows {
                gradients: self.gradients,
                rows: self.keys,
                starts: self.starts,
                entries: self.entries,
                decays: self.decays,
                first_row,
                to,
                kept,
                step,
            });
            return;
        }
        let middle = count / 2;
        let row = self.keys[middle] as usize;
        let at = (row - first_row) * SLAB;
        let (values, values_after) = to.values.split_at_mut(at);
        let (first, first_after) = to.first.split_at_mut(at);
        let (second, second_after) = to.second.split_at_mut(at);
        let (kept, kept_after) = kept.map(|kept| kept.split_at_mut(middle * SLAB)).unzip();
        let before = Self {
            keys: &self.keys[..middle],
            starts: &self.starts[..=middle],
            decays: &self.decays[..middle],
            ..self
        };
        let after = Self {
            keys: &self.keys[middle..],
            starts: &self.starts[middle..],
            decays: &self.decays[middle..],
            ..self
        };
        let updated = |values, first, second| Updated {
            values,
            first,
            second,
        };
        rayon::join(
            || before.update(level, first_row, updated(values, first, second), kept, step),
            || {
                let to = Updated {
                    values: values_after,
                    first: first_after,
                    second: second_after,
                };
                after.update(level, row, to, kept_after, step);
            },
        );
    }
}

fn update_layers(
    params: &mut Params,
    level: Level,
    batch: &Batch,
    buffers: &Buffers,
    (rules, number): (&Rules, u32),
) {
    let shape = params.shape;
    let stacks: Vec<u32> = batch.runs.iter().map(|run| run.stack as u32).collect();
    let decays = touch(&mut params.last, &stacks, rules, number);
    let mut runs: Vec<Option<(Run, [f32; 2])>> = vec![None; shape.stacks()];
    for (run, decay) in batch.runs.iter().zip(decays) {
        runs[run.stack] = Some((*run, decay));
    }
    let limits = crate::export::Scales::of(&shape.architecture).limits();
    for (index, layer) in params.layers.iter_mut().enumerate() {
        let size = layer.size;
        let gradient = &buffers.layer_gradients[index];
        let step = Step::new(rules.dense);
        let len = size.piece_len();
        let values = layer.weights.values.par_chunks_mut(len);
        values
            .zip(layer.weights.first.par_chunks_mut(len))
            .zip(layer.weights.second.par_chunks_mut(len))
            .zip(layer.transposed.par_chunks_mut(len))
            .enumerate()
            .for_each(|(place, (((values, first), second), transposed))| {
                let (stack, piece) = (place / size.pieces, place % size.pieces);
                let Some((run, decay)) = runs[stack] else {
                    return;
                };
                let mut sums = vec![0.0; len];
                level.run(WeightGradient {
                    inputs: weight_inputs(&shape, buffers, index, piece),
                    samples: samples_of(run),
                    gradient,
                    stride: size.stride(),
                    outputs: size.outputs,
                    to: &mut sums,
                });
                leave_out_unused(&shape, index, piece, &mut sums);
                level.run(Descend {
                    gradient: &sums,
                    to: Updated {
                        values: &mut *values,
                        first,
                        second,
                    },
                    step: step.decayed(decay).limited(limits[index]),
                });
                transpose(values, transposed, size.rows());
            });
        for (run, decay) in runs.iter().flatten() {
            update_biases(layer, level, gradient, *run, step.decayed(*decay));
        }
    }
}

fn samples_of(run: Run) -> Samples {
    Samples {
        first: run.first,
        end: run.end,
    }
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

fn update_biases(layer: &mut DenseLayer, level: Level, gradient: &[f32], run: Run, step: Step) {
    let stride = layer.size.stride();
    let mut sums = vec![0.0; stride];
    for sample in gradient[run.first * stride..run.end * stride].chunks_exact(stride) {
        for (sum, &gradient) in sums.iter_mut().zip(sample).take(layer.size.outputs) {
            *sum += gradient;
        }
    }
    let range = run.stack * stride..(run.stack + 1) * stride;
    level.run(Descend {
        gradient: &sums,
        to: Updated {
            values: &mut layer.biases.values[range.clone()],
            first: &mut layer.biases.first[range.clone()],
            second: &mut layer.biases.second[range],
        },
        step,
    });
}
