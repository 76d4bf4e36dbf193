//! The second half of a step: rows of the feature transformer and affine layers sum up their gradients, and the optimiser moves them.

use rayon::prelude::*;
use yane_base::lanes::LaneLevel;

use crate::batch::{Batch, Lists, Run};
use crate::buffers::{Buffers, layer_inputs};
use crate::kernels::{Descend, Inputs, Samples, SumAll, UpdateRows, Updated, WeightGradient};
use crate::optimiser::{CatchUp, Rules, Step};
use crate::params::{DenseLayer, Params, transpose};
use crate::scales::Scales;
use crate::shape::{SLAB, Shape, SlabRow};

/// Rows that one thread takes at least.
const ROWS: usize = 256;

/// What the steps since the last time mean for these rows, which are touched now.
fn touch(last: &mut [u32], keys: &[u32], rules: &Rules, number: u32) -> Vec<CatchUp> {
    let catch_up = |&key: &u32| {
        let before = std::mem::replace(&mut last[key as usize], number);
        rules.catch_up(before, number)
    };
    keys.iter().map(catch_up).collect()
}

/// Updates the rows that a batch touched, and the biases of the transformer.
pub(crate) fn update_rows(
    params: &mut Params,
    level: LaneLevel,
    batch: &Batch,
    buffers: &mut Buffers,
    (rules, number): (&Rules, u32),
) {
    let factorised = params.shape.features.is_factorised();
    let step = Step::new(rules.rows());
    let of_rows = touch(&mut params.table.last, &batch.rows.keys, rules, number);
    let of_factors = touch(&mut params.factors.last, &batch.factors.keys, rules, number);
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
            let rows = Rows::new(&gradients[..len], &batch.rows, &of_rows);
            rows.update(level, 0, table.updated(), kept, step);
            if factorised {
                let rows = Rows::new(&merged[..kept_len], &batch.factors, &of_factors);
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
        step: Step::new(rules.biases()).after(rules.catch_up(number - 1, number)),
    });
}

/// Touched rows of a table.
#[derive(Clone, Copy)]
struct Rows<'a> {
    gradients: &'a [f32],
    keys: &'a [u32],
    starts: &'a [u32],
    entries: &'a [u32],
    catch_up: &'a [CatchUp],
}

impl<'a> Rows<'a> {
    fn new(gradients: &'a [f32], lists: &'a Lists, catch_up: &'a [CatchUp]) -> Self {
        Self {
            gradients,
            keys: &lists.keys,
            starts: &lists.starts,
            entries: &lists.entries,
            catch_up,
        }
    }

    /// Updates the rows, in halves on several threads. `first_row` is the number of the first row in `to`.
    fn update(
        self,
        level: LaneLevel,
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
                catch_up: self.catch_up,
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
        let (average, average_after) = to.average.split_at_mut(at.min(to.average.len()));
        let (kept, kept_after) = kept.map(|kept| kept.split_at_mut(middle * SLAB)).unzip();
        let before = Self {
            keys: &self.keys[..middle],
            starts: &self.starts[..=middle],
            catch_up: &self.catch_up[..middle],
            ..self
        };
        let after = Self {
            keys: &self.keys[middle..],
            starts: &self.starts[middle..],
            catch_up: &self.catch_up[middle..],
            ..self
        };
        let to = Updated {
            values,
            first,
            second,
            average,
        };
        let to_after = Updated {
            values: values_after,
            first: first_after,
            second: second_after,
            average: average_after,
        };
        rayon::join(
            || before.update(level, first_row, to, kept, step),
            || after.update(level, row, to_after, kept_after, step),
        );
    }
}

/// Updates the affine layers of the stacks that a batch used.
pub(crate) fn update_layers(
    params: &mut Params,
    level: LaneLevel,
    batch: &Batch,
    buffers: &Buffers,
    (rules, number): (&Rules, u32),
) {
    let shape = params.shape;
    let stacks: Vec<u32> = batch.runs.iter().map(|run| run.stack as u32).collect();
    let catch_up = touch(&mut params.last, &stacks, rules, number);
    let mut runs: Vec<Option<(Run, CatchUp)>> = vec![None; shape.stacks()];
    for (run, catch_up) in batch.runs.iter().zip(catch_up) {
        runs[run.stack] = Some((*run, catch_up));
    }
    let scales = [0, 1, 2].map(|number| params.rounding(number));
    let limits = Scales::of(&shape.architecture).limits();
    for (index, layer) in params.layers.iter_mut().enumerate() {
        let size = layer.size;
        let gradient = &buffers.layer_gradients[index];
        let step = Step::new(rules.layer(index));
        let len = size.piece_len();
        let pieces = layer.weights.pieces(len).into_par_iter();
        pieces
            .zip(layer.transposed.par_chunks_mut(len))
            .enumerate()
            .for_each(|(place, (to, transposed))| {
                let (stack, piece) = (place / size.pieces, place % size.pieces);
                let Some((run, catch_up)) = runs[stack] else {
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
                        values: &mut *to.values,
                        ..to
                    },
                    step: step.after(catch_up).limited(limits[index]),
                });
                transpose(to.values, transposed, size.rows(), scales[index]);
            });
        for (run, catch_up) in runs.iter().flatten() {
            update_biases(layer, level, gradient, *run, step.after(*catch_up));
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

fn update_biases(layer: &mut DenseLayer, level: LaneLevel, gradient: &[f32], run: Run, step: Step) {
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
        to: layer.biases.updated_in(range),
        step,
    });
}
