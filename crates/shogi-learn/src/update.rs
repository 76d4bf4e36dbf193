//! The second half of a step: rows of the feature transformer sum up their gradients, and the optimiser moves them and all else.
//!
//! A row takes its step as soon as its gradient is there. Where the length of the whole gradient is limited, all rows sum theirs up first, and
//! where the lists of rows are long, in blocks of accumulators that stay in the cache.

use rayon::prelude::*;
use yane_base::lanes::LaneLevel;

use crate::batch::{Batch, Lists};
use crate::buffers::Buffers;
use crate::gradients::{DenseGradients, squares};
use crate::kernels::{Descend, RowPass, SumBlocks, UpdateRows, Updated};
use crate::optimiser::{CatchUp, Rules, Step};
use crate::params::{Params, transpose};
use crate::scales::Scales;
use crate::shape::SLAB;

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

/// Sums up the gradients of a batch and takes a step: the length of the whole gradient, where that is limited.
pub(crate) fn update(
    params: &mut Params,
    level: LaneLevel,
    batch: &Batch,
    buffers: &mut Buffers,
    (rules, number): (&Rules, u32),
) -> Option<f64> {
    let dense = DenseGradients::sum(params, level, batch, buffers);
    let catch_up = [
        touch(&mut params.table.last, &batch.rows.keys, rules, number),
        touch(&mut params.factors.last, &batch.factors.keys, rules, number),
    ];
    let step = Step::new(rules.rows());
    let mut rows = |pass, step, buffers: &mut Buffers| {
        update_rows(params, level, batch, buffers, (&catch_up, step, pass));
    };
    let Some(limit) = rules.limit() else {
        rows(RowPass::Whole, step, buffers);
        update_dense(params, level, batch, &dense, (rules, number, 1.0));
        return None;
    };
    rows(RowPass::Sum, step, buffers);
    let touched = [&batch.rows, &batch.factors].map(|lists| lists.keys.len() * SLAB);
    let length = (dense.squares() + row_squares(buffers, touched)).sqrt();
    // A gradient that is no number stays as it is: the training ends with an error.
    let factor = if length > limit {
        (limit / length) as f32
    } else {
        1.0
    };
    rows(RowPass::Descend, step.times(factor), buffers);
    update_dense(params, level, batch, &dense, (rules, number, factor));
    Some(length)
}

/// Goes through the rows that a batch touched. What steps before mean for rows and for factors, then the step and what is to be done with
/// it.
fn update_rows(
    params: &mut Params,
    level: LaneLevel,
    batch: &Batch,
    buffers: &mut Buffers,
    (catch_up, step, pass): (&[Vec<CatchUp>; 2], Step, RowPass),
) {
    let factorised = params.shape.features.is_factorised();
    // Lists in blocks are summed up block by block before the first row takes its step.
    let is_blocked = !batch.rows.cuts.is_empty();
    let passes = match pass {
        RowPass::Whole if is_blocked => &[RowPass::Sum, RowPass::Descend][..],
        RowPass::Whole => &[RowPass::Whole],
        RowPass::Sum => &[RowPass::Sum],
        RowPass::Descend => &[RowPass::Descend],
    };
    let is_kept = pass != RowPass::Whole;
    let len = batch.len * 2 * SLAB;
    let [kept_len, factor_len] = [&batch.rows, &batch.factors].map(|lists| lists.keys.len() * SLAB);
    let slabs = params.shape.slabs;
    for (sums, len, is_kept) in [
        (&mut buffers.merged, kept_len, is_kept || is_blocked),
        (&mut buffers.factor_sums, factor_len, is_kept),
    ] {
        sums.resize_with(slabs, Vec::new);
        if is_kept {
            for sums in sums.iter_mut() {
                sums.resize(len.max(sums.len()), 0.0);
            }
        }
    }
    let slabs = params.table.slabs.par_iter_mut();
    slabs
        .zip(&mut params.factors.slabs)
        .zip(&buffers.gradients)
        .zip(&mut buffers.merged)
        .zip(&mut buffers.factor_sums)
        .for_each(|((((table, factors), gradients), merged), factor_sums)| {
            // The gradients of touched rows go where the rows were: the forward pass is over.
            for &pass in passes {
                let is_kept = factorised || is_kept || is_blocked;
                let kept = is_kept.then(|| &mut merged[..kept_len]);
                let rows = Rows::new(&gradients[..len], &batch.rows, &catch_up[0], pass);
                rows.update(level, 0, table.updated(), kept, step);
            }
            if factorised {
                let kept = is_kept.then(|| &mut factor_sums[..factor_len]);
                let rows = Rows::new(&merged[..kept_len], &batch.factors, &catch_up[1], pass);
                rows.update(level, 0, factors.updated(), kept, step);
            }
        });
}

/// The square of the length of the gradient of rows and factors, of which there are so many numbers in a slab.
fn row_squares(buffers: &Buffers, [rows, factors]: [usize; 2]) -> f64 {
    let of_tables = [(&buffers.merged, rows), (&buffers.factor_sums, factors)];
    let sums = of_tables.map(|(slabs, len)| {
        let of_slabs = slabs.par_iter().map(|sums| squares(&sums[..len]));
        of_slabs.collect::<Vec<f64>>().iter().sum::<f64>()
    });
    sums.iter().sum()
}

/// Touched rows of a table.
#[derive(Clone, Copy)]
struct Rows<'a> {
    gradients: &'a [f32],
    keys: &'a [u32],
    starts: &'a [u32],
    entries: &'a [u32],
    catch_up: &'a [CatchUp],
    pass: RowPass,
    /// By block of all keys, the ends of lists in it; and the number of the first key here.
    cuts: &'a [u32],
    all_keys: usize,
    first_key: usize,
}

impl<'a> Rows<'a> {
    fn new(gradients: &'a [f32], lists: &'a Lists, catch_up: &'a [CatchUp], pass: RowPass) -> Self {
        Self {
            gradients,
            keys: &lists.keys,
            starts: &lists.starts,
            entries: &lists.entries,
            catch_up,
            pass,
            cuts: &lists.cuts,
            all_keys: lists.keys.len(),
            first_key: 0,
        }
    }

    /// Sums the gradients up block by block, where lists are cut into blocks: false where they are not.
    fn sum_blocks(self, level: LaneLevel, to: &mut [f32]) -> bool {
        let of_rows = self.first_key..self.first_key + self.keys.len();
        let blocks = self.cuts.chunks_exact(self.all_keys.max(1));
        let blocks: Vec<_> = blocks.map(|ends| &ends[of_rows.clone()]).collect();
        if !blocks.is_empty() {
            level.run(SumBlocks {
                gradients: self.gradients,
                starts: self.starts,
                entries: self.entries,
                blocks: &blocks,
                to,
            });
        }
        !blocks.is_empty()
    }

    /// Updates the rows, in halves on several threads. `first_row` is the number of the first row in `to`.
    fn update(
        self,
        level: LaneLevel,
        first_row: usize,
        to: Updated<'_>,
        mut kept: Option<&mut [f32]>,
        step: Step,
    ) {
        let count = self.keys.len();
        if count < 2 * ROWS {
            if self.pass == RowPass::Sum
                && let Some(kept) = &mut kept
                && self.sum_blocks(level, kept)
            {
                return;
            }
            level.run(UpdateRows {
                gradients: self.gradients,
                rows: self.keys,
                starts: self.starts,
                entries: self.entries,
                catch_up: self.catch_up,
                pass: self.pass,
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
            first_key: self.first_key + middle,
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

/// Moves the biases of the transformer, and the affine layers of the stacks that a batch used; gradients times `factor`.
fn update_dense(
    params: &mut Params,
    level: LaneLevel,
    batch: &Batch,
    gradients: &DenseGradients,
    (rules, number, factor): (&Rules, u32, f32),
) {
    let bias = Step::new(rules.biases()).after(rules.catch_up(number - 1, number));
    level.run(Descend {
        gradient: gradients.transformer.as_flattened(),
        to: params.bias.updated(),
        step: bias.times(factor),
    });
    let shape = params.shape;
    let stacks: Vec<u32> = batch.runs.iter().map(|run| run.stack as u32).collect();
    let catch_up = touch(&mut params.last, &stacks, rules, number);
    let mut of_stacks: Vec<Option<CatchUp>> = vec![None; shape.stacks()];
    for (run, catch_up) in batch.runs.iter().zip(catch_up) {
        of_stacks[run.stack] = Some(catch_up);
    }
    let scales = [0, 1, 2].map(|number| params.rounding(number));
    let limits = Scales::of(&shape.architecture).limits();
    for (index, layer) in params.layers.iter_mut().enumerate() {
        let (size, gradient) = (layer.size, &gradients.layers[index]);
        let step = Step::new(rules.layer(index)).times(factor);
        let (len, stride) = (size.piece_len(), size.stride());
        let pieces = layer.weights.pieces(len).into_par_iter();
        pieces
            .zip(layer.transposed.par_chunks_mut(len))
            .zip(gradient.weights.par_chunks(len))
            .enumerate()
            .for_each(|(place, ((to, transposed), gradient))| {
                let Some(catch_up) = of_stacks[place / size.pieces] else {
                    return;
                };
                level.run(Descend {
                    gradient,
                    to: Updated {
                        values: &mut *to.values,
                        ..to
                    },
                    step: step.after(catch_up).limited(limits[index]),
                });
                transpose(to.values, transposed, size.rows(), scales[index]);
            });
        for (stack, catch_up) in of_stacks.iter().enumerate() {
            if let Some(catch_up) = catch_up {
                let range = stack * stride..(stack + 1) * stride;
                level.run(Descend {
                    gradient: &gradient.biases[range.clone()],
                    to: layer.biases.updated_in(range),
                    step: step.after(*catch_up),
                });
            }
        }
    }
}
