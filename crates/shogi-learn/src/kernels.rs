//! The kernels of training: sums of rows, affine layers forward and backward, steps of the optimiser.
//!
//! No sum goes across a vector, and every sum has one order that does not depend on the instructions: see [`crate::simd`].

#![expect(
    clippy::needless_range_loop,
    reason = "a tile's samples are in several arrays, and iterators over vectors are not always inlined"
)]

use yane_base::lanes::{Isa, LANES, LaneKernel, Lanes};

use crate::optimiser::{CatchUp, Rule, Step};
use crate::shape::{SLAB, SlabRow};

/// One piece of the inputs of a layer for all samples: [`SLAB`] numbers of each sample, `stride` apart.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) data: &'a [f32],
    /// Offset of those of sample 0.
    pub(crate) offset: usize,
    pub(crate) stride: usize,
}

impl<'a> Inputs<'a> {
    #[inline(always)]
    fn at(self, sample: usize) -> &'a SlabRow {
        slab_at(self.data, self.offset + sample * self.stride)
    }
}

#[inline(always)]
fn slab_at(data: &[f32], at: usize) -> &SlabRow {
    data[at..at + SLAB]
        .as_chunks()
        .0
        .first()
        .expect("a slab's numbers")
}

#[inline(always)]
fn lanes_at(data: &[f32], at: usize) -> &Lanes {
    data[at..at + LANES]
        .as_chunks()
        .0
        .first()
        .expect("a vector's numbers")
}

#[inline(always)]
fn lanes_at_mut(data: &mut [f32], at: usize) -> &mut Lanes {
    data[at..at + LANES]
        .as_chunks_mut()
        .0
        .first_mut()
        .expect("a vector's numbers")
}

#[inline(always)]
fn halves(row: &SlabRow) -> [&Lanes; 2] {
    [lanes_at(row, 0), lanes_at(row, LANES)]
}

/// Accumulators of both perspectives in one slab: bias and rows of the active features, within 0 to 1 (`ClippedReLU`).
pub(crate) struct GatherRows<'a> {
    pub(crate) rows: &'a [f32],
    pub(crate) bias: &'a SlabRow,
    /// By sample, perspective, then `active` of them.
    pub(crate) features: &'a [u32],
    pub(crate) active: usize,
    /// By sample, then perspective.
    pub(crate) accumulators: &'a mut [f32],
    /// True if rows are rounded as in files.
    pub(crate) rounded: bool,
}

/// The integer that stands for 1 in files: rows of the transformer, and activations.
pub(crate) const UNIT: f32 = 127.0;

/// Numbers that are rounded down may be below a whole one by this part of a [`UNIT`]th and still count as it: arithmetic leaves them there.
pub(crate) const SLACK: f32 = 1.0 / 256.0;

/// Taken away before rounding to the nearest, it makes it rounding down.
const FLOOR: f32 = 0.5 - SLACK;

/// Added and taken away again, it leaves whole numbers.
const WHOLE: f32 = 1.5 * (1 << 23) as f32;

/// The number times [`UNIT`], rounded to a whole number if `ROUNDED`; else as it is.
#[inline(always)]
fn in_units<I: Isa, const ROUNDED: bool>(isa: I, number: I::Vector) -> I::Vector {
    if ROUNDED {
        let whole = isa.splat(WHOLE);
        isa.sub(isa.mul_add(number, isa.splat(UNIT), whole), whole)
    } else {
        number
    }
}

/// The number rounded down to a whole number of [`UNIT`]ths if `ROUNDED`, as engines do by a shift, but for [`SLACK`]; else as it is. For
/// multiples of a 128th of a `UNIT`th.
#[inline(always)]
pub(crate) fn floor_to_units<I: Isa, const ROUNDED: bool>(isa: I, number: I::Vector) -> I::Vector {
    if ROUNDED {
        let lowered = isa.sub(number, isa.splat(FLOOR / UNIT));
        isa.div(in_units::<I, true>(isa, lowered), isa.splat(UNIT))
    } else {
        number
    }
}

impl LaneKernel for GatherRows<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        if self.rounded {
            self.gather::<I, true>(isa);
        } else {
            self.gather::<I, false>(isa);
        }
    }
}

impl GatherRows<'_> {
    #[inline(always)]
    fn gather<I: Isa, const ROUNDED: bool>(self, isa: I) {
        let rows: &[SlabRow] = self.rows.as_chunks().0;
        let bias = halves(self.bias);
        let bias = [
            in_units::<I, ROUNDED>(isa, isa.load(bias[0])),
            in_units::<I, ROUNDED>(isa, isa.load(bias[1])),
        ];
        let zero = isa.splat(0.0);
        let full = isa.splat(if ROUNDED { UNIT } else { 1.0 });
        let samples = self.features.chunks_exact(2 * self.active);
        let (pairs, _) = self.accumulators.as_chunks_mut::<{ 2 * SLAB }>();
        for (features, pair) in samples.zip(pairs) {
            let (ours, theirs) = features.split_at(self.active);
            // Both perspectives side by side: four sums that do not wait for each other.
            let mut sums = [bias[0], bias[1], bias[0], bias[1]];
            for (&us, &them) in ours.iter().zip(theirs) {
                let (us, them) = (halves(&rows[us as usize]), halves(&rows[them as usize]));
                sums[0] = isa.add(sums[0], in_units::<I, ROUNDED>(isa, isa.load(us[0])));
                sums[1] = isa.add(sums[1], in_units::<I, ROUNDED>(isa, isa.load(us[1])));
                sums[2] = isa.add(sums[2], in_units::<I, ROUNDED>(isa, isa.load(them[0])));
                sums[3] = isa.add(sums[3], in_units::<I, ROUNDED>(isa, isa.load(them[1])));
            }
            for (lanes, sum) in pair.as_chunks_mut().0.iter_mut().zip(sums) {
                let mut sum = isa.clamp(sum, zero, full);
                if ROUNDED {
                    sum = isa.div(sum, full);
                }
                isa.store(sum, lanes);
            }
        }
    }
}

/// The samples of a run: those before are others'.
#[derive(Clone, Copy)]
pub(crate) struct Samples {
    pub(crate) first: usize,
    pub(crate) end: usize,
}

/// Calls `$tile::<I, N>` for as many samples at once as the instructions are good for, then for single ones.
macro_rules! tiles {
    ($isa:ident, $samples:expr, $sample:ident => $tile:ident($($argument:expr),*)) => {{
        let Samples { first, end } = $samples;
        let mut $sample = first;
        if I::SAMPLES == 8 {
            while $sample + 8 <= end {
                $tile::<I, 8>($isa, $sample, $($argument),*);
                $sample += 8;
            }
        } else if I::SAMPLES == 2 {
            while $sample + 2 <= end {
                $tile::<I, 2>($isa, $sample, $($argument),*);
                $sample += 2;
            }
        }
        while $sample < end {
            $tile::<I, 1>($isa, $sample, $($argument),*);
            $sample += 1;
        }
    }};
}

/// Adds the products of one piece of inputs to the outputs of a layer.
pub(crate) struct AffineForward<'a> {
    pub(crate) inputs: Inputs<'a>,
    pub(crate) samples: Samples,
    /// By input, then by output.
    pub(crate) weights: &'a [f32],
    pub(crate) rows: usize,
    /// By sample, `stride` apart.
    pub(crate) outputs: &'a mut [f32],
    pub(crate) stride: usize,
}

impl LaneKernel for AffineForward<'_> {
    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        let vectors = self.rows / LANES;
        let mut output = 0;
        while output + 2 <= vectors {
            tiles!(isa, self.samples, sample => forward_two(output, &mut self));
            output += 2;
        }
        if output < vectors {
            tiles!(isa, self.samples, sample => forward_one(output, &mut self));
        }
    }
}

#[inline(always)]
fn forward_two<I: Isa, const S: usize>(
    isa: I,
    sample: usize,
    output: usize,
    work: &mut AffineForward<'_>,
) {
    let (weights, _) = work.weights.as_chunks::<LANES>();
    let vectors = work.rows / LANES;
    let mut inputs = [work.inputs.at(sample); S];
    let mut sums = [[isa.splat(0.0); 2]; S];
    for s in 0..S {
        let at = (sample + s) * work.stride + output * LANES;
        inputs[s] = work.inputs.at(sample + s);
        sums[s][0] = isa.load(lanes_at(work.outputs, at));
        sums[s][1] = isa.load(lanes_at(work.outputs, at + LANES));
    }
    for i in 0..SLAB {
        let at = i * vectors + output;
        let (first, second) = (isa.load(&weights[at]), isa.load(&weights[at + 1]));
        for s in 0..S {
            let input = isa.splat(inputs[s][i]);
            sums[s][0] = isa.mul_add(input, first, sums[s][0]);
            sums[s][1] = isa.mul_add(input, second, sums[s][1]);
        }
    }
    for s in 0..S {
        let at = (sample + s) * work.stride + output * LANES;
        isa.store(sums[s][0], lanes_at_mut(work.outputs, at));
        isa.store(sums[s][1], lanes_at_mut(work.outputs, at + LANES));
    }
}

#[inline(always)]
fn forward_one<I: Isa, const S: usize>(
    isa: I,
    sample: usize,
    output: usize,
    work: &mut AffineForward<'_>,
) {
    let (weights, _) = work.weights.as_chunks::<LANES>();
    let vectors = work.rows / LANES;
    let mut inputs = [work.inputs.at(sample); S];
    let mut sums = [isa.splat(0.0); S];
    for s in 0..S {
        inputs[s] = work.inputs.at(sample + s);
        let at = (sample + s) * work.stride + output * LANES;
        sums[s] = isa.load(lanes_at(work.outputs, at));
    }
    for i in 0..SLAB {
        let weight = isa.load(&weights[i * vectors + output]);
        for s in 0..S {
            sums[s] = isa.mul_add(isa.splat(inputs[s][i]), weight, sums[s]);
        }
    }
    for s in 0..S {
        let at = (sample + s) * work.stride + output * LANES;
        isa.store(sums[s], lanes_at_mut(work.outputs, at));
    }
}

/// The gradient of one piece of a layer's inputs; 0 where an input was clipped, if they are activations.
pub(crate) struct InputGradient<'a> {
    /// The gradient of the outputs, by sample, `stride` apart.
    pub(crate) gradient: &'a [f32],
    pub(crate) stride: usize,
    pub(crate) samples: Samples,
    /// By output, then by input.
    pub(crate) weights: &'a [f32],
    pub(crate) outputs: usize,
    /// The inputs; `None` when they are not clipped.
    pub(crate) clipped: Option<Inputs<'a>>,
    /// The gradients: that of sample 0 first, then those of the others at equal distances.
    pub(crate) to: &'a mut [f32],
    pub(crate) offset: usize,
    pub(crate) to_stride: usize,
}

impl LaneKernel for InputGradient<'_> {
    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        tiles!(isa, self.samples, sample => input_gradient(&mut self));
    }
}

#[inline(always)]
fn input_gradient<I: Isa, const S: usize>(isa: I, sample: usize, work: &mut InputGradient<'_>) {
    let (weights, _) = work.weights.as_chunks::<SLAB>();
    let mut gradients: [&[f32]; S] = [&[]; S];
    for s in 0..S {
        let at = (sample + s) * work.stride;
        gradients[s] = &work.gradient[at..at + work.outputs];
    }
    let mut sums = [[isa.splat(0.0); 2]; S];
    for (output, weights) in weights.iter().enumerate().take(work.outputs) {
        let [first, second] = halves(weights);
        let (first, second) = (isa.load(first), isa.load(second));
        for s in 0..S {
            let gradient = isa.splat(gradients[s][output]);
            sums[s][0] = isa.mul_add(gradient, first, sums[s][0]);
            sums[s][1] = isa.mul_add(gradient, second, sums[s][1]);
        }
    }
    for s in 0..S {
        if let Some(inputs) = work.clipped {
            let inputs = halves(inputs.at(sample + s));
            sums[s][0] = isa.where_inside(isa.load(inputs[0]), sums[s][0]);
            sums[s][1] = isa.where_inside(isa.load(inputs[1]), sums[s][1]);
        }
        let at = work.offset + (sample + s) * work.to_stride;
        isa.store(sums[s][0], lanes_at_mut(work.to, at));
        isa.store(sums[s][1], lanes_at_mut(work.to, at + LANES));
    }
}

/// The gradient of the weights of one piece of inputs, summed over the samples in their order.
pub(crate) struct WeightGradient<'a> {
    pub(crate) inputs: Inputs<'a>,
    pub(crate) samples: Samples,
    /// The gradient of the outputs, by sample, `stride` apart.
    pub(crate) gradient: &'a [f32],
    pub(crate) stride: usize,
    pub(crate) outputs: usize,
    /// By output, then by input.
    pub(crate) to: &'a mut [f32],
}

impl LaneKernel for WeightGradient<'_> {
    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        let all = Samples {
            first: 0,
            end: self.outputs,
        };
        tiles!(isa, all, output => weight_gradient(&mut self));
    }
}

#[inline(always)]
fn weight_gradient<I: Isa, const S: usize>(isa: I, output: usize, work: &mut WeightGradient<'_>) {
    let mut sums = [[isa.splat(0.0); 2]; S];
    for sample in work.samples.first..work.samples.end {
        let inputs = halves(work.inputs.at(sample));
        let (first, second) = (isa.load(inputs[0]), isa.load(inputs[1]));
        let at = sample * work.stride + output;
        let gradients = &work.gradient[at..at + S];
        for s in 0..S {
            let gradient = isa.splat(gradients[s]);
            sums[s][0] = isa.mul_add(gradient, first, sums[s][0]);
            sums[s][1] = isa.mul_add(gradient, second, sums[s][1]);
        }
    }
    for s in 0..S {
        let at = (output + s) * SLAB;
        isa.store(sums[s][0], lanes_at_mut(work.to, at));
        isa.store(sums[s][1], lanes_at_mut(work.to, at + LANES));
    }
}

/// Numbers with the moments that the optimiser keeps of each.
pub(crate) struct Updated<'a> {
    pub(crate) values: &'a mut [f32],
    pub(crate) first: &'a mut [f32],
    pub(crate) second: &'a mut [f32],
    /// Their moving averages; none without.
    pub(crate) average: &'a mut [f32],
}

/// A step of the optimiser, from a gradient for each number. All are whole vectors.
pub(crate) struct Descend<'a> {
    pub(crate) gradient: &'a [f32],
    pub(crate) to: Updated<'a>,
    pub(crate) step: Step,
}

impl LaneKernel for Descend<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let (gradients, _) = self.gradient.as_chunks::<LANES>();
        let (values, _) = self.to.values.as_chunks_mut::<LANES>();
        let (first, _) = self.to.first.as_chunks_mut::<LANES>();
        let (second, _) = self.to.second.as_chunks_mut::<LANES>();
        let mut averages = self.to.average.as_chunks_mut::<LANES>().0.iter_mut();
        let numbers = values.iter_mut().zip(first).zip(second);
        for (gradient, ((value, first), second)) in gradients.iter().zip(numbers) {
            let number = (value, first, second, averages.next());
            descend(isa, &self.step, isa.load(gradient), number);
        }
    }
}

/// The rule of the optimiser for sixteen numbers.
#[inline(always)]
fn descend<I: Isa>(
    isa: I,
    step: &Step,
    gradient: I::Vector,
    (value, first, second, average): (&mut Lanes, &mut Lanes, &mut Lanes, Option<&mut Lanes>),
) {
    let old = isa.load(value);
    let gradient = isa.mul(gradient, isa.splat(step.factor));
    let new = match step.rule {
        Rule::Adam(adam) => {
            let m = isa.mul(isa.load(first), isa.splat(step.first_decay));
            let v = isa.mul(isa.load(second), isa.splat(step.second_decay));
            let m = isa.mul_add(
                gradient,
                isa.splat(1.0 - adam.beta1),
                isa.mul(m, isa.splat(adam.beta1)),
            );
            let square = isa.mul(gradient, gradient);
            let v = isa.mul_add(
                square,
                isa.splat(1.0 - adam.beta2),
                isa.mul(v, isa.splat(adam.beta2)),
            );
            isa.store(m, first);
            isa.store(v, second);
            let root = isa.mul(isa.sqrt(v), isa.splat(adam.root_scale));
            let quotient = isa.div(m, isa.add(root, isa.splat(adam.epsilon)));
            let kept = isa.mul(old, isa.splat(adam.keep));
            isa.sub(kept, isa.mul(quotient, isa.splat(adam.rate)))
        }
        Rule::Sgd { rate, momentum } => {
            let m = isa.mul_add(isa.load(first), isa.splat(momentum), gradient);
            isa.store(m, first);
            isa.sub(old, isa.mul(m, isa.splat(rate)))
        }
        Rule::RowSgd { rate } => isa.sub(old, isa.mul(gradient, isa.splat(rate))),
        #[cfg(test)]
        Rule::Gradient => {
            isa.store(gradient, first);
            old
        }
    };
    let limit = isa.splat(step.limit);
    let new = isa.clamp(new, isa.splat(-step.limit), limit);
    isa.store(new, value);
    if let Some(average) = average {
        let mut mean = isa.load(average);
        for (share, number) in step.shares.into_iter().zip([old, new]) {
            mean = isa.mul_add(isa.sub(number, mean), isa.splat(share), mean);
        }
        isa.store(mean, average);
    }
}

/// The gradient of one slab of a row: the sum over a list of accumulators' gradients.
///
/// Four partial sums, of every fourth entry, so that the processor need not wait for one addition before the next.
#[inline(always)]
fn sum_list<I: Isa>(isa: I, gradients: &[SlabRow], list: &[u32]) -> [I::Vector; 2] {
    let mut sums = [[isa.splat(0.0); 2]; 4];
    let (fours, rest) = list.as_chunks::<4>();
    for entries in fours {
        for (sum, &entry) in sums.iter_mut().zip(entries) {
            let row = halves(&gradients[entry as usize]);
            sum[0] = isa.add(sum[0], isa.load(row[0]));
            sum[1] = isa.add(sum[1], isa.load(row[1]));
        }
    }
    for (sum, &entry) in sums.iter_mut().zip(rest) {
        let row = halves(&gradients[entry as usize]);
        sum[0] = isa.add(sum[0], isa.load(row[0]));
        sum[1] = isa.add(sum[1], isa.load(row[1]));
    }
    [
        isa.add(
            isa.add(sums[0][0], sums[1][0]),
            isa.add(sums[2][0], sums[3][0]),
        ),
        isa.add(
            isa.add(sums[0][1], sums[1][1]),
            isa.add(sums[2][1], sums[3][1]),
        ),
    ]
}

/// What is done with the rows that are touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowPass {
    /// They sum up their gradients and take their steps.
    Whole,
    /// They sum up their gradients, which are kept.
    Sum,
    /// They take their steps by the gradients that were kept.
    Descend,
}

/// Rows of a table with the gradients that each of them sums up.
pub(crate) struct UpdateRows<'a> {
    /// Gradients to sum up, by number.
    pub(crate) gradients: &'a [f32],
    /// The rows that are touched, ascending.
    pub(crate) rows: &'a [u32],
    /// Start of the list of each of them and, one further, its end.
    pub(crate) starts: &'a [u32],
    pub(crate) entries: &'a [u32],
    /// By touched row, what the steps since the last time mean for it.
    pub(crate) catch_up: &'a [CatchUp],
    /// The number of the first row in `to`.
    pub(crate) first_row: usize,
    pub(crate) to: Updated<'a>,
    pub(crate) pass: RowPass,
    /// By touched row, where its gradient goes, or comes from, if that is needed.
    pub(crate) kept: Option<&'a mut [f32]>,
    pub(crate) step: Step,
}

impl LaneKernel for UpdateRows<'_> {
    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        let (gradients, _) = self.gradients.as_chunks::<SLAB>();
        for (number, &row) in self.rows.iter().enumerate() {
            let sums = match (&mut self.kept, self.pass) {
                (Some(kept), RowPass::Descend) => {
                    let sums = halves(slab_at(kept, number * SLAB));
                    [isa.load(sums[0]), isa.load(sums[1])]
                }
                (kept, _) => {
                    let list = self.starts[number] as usize..self.starts[number + 1] as usize;
                    let sums = sum_list(isa, gradients, &self.entries[list]);
                    if let Some(kept) = kept {
                        isa.store(sums[0], lanes_at_mut(kept, number * SLAB));
                        isa.store(sums[1], lanes_at_mut(kept, number * SLAB + LANES));
                    }
                    sums
                }
            };
            if self.pass == RowPass::Sum {
                continue;
            }
            let step = self.step.after(self.catch_up[number]);
            let at = (row as usize - self.first_row) * SLAB;
            for (half, sum) in sums.into_iter().enumerate() {
                let at = at + half * LANES;
                let has_average = !self.to.average.is_empty();
                let number = (
                    lanes_at_mut(self.to.values, at),
                    lanes_at_mut(self.to.first, at),
                    lanes_at_mut(self.to.second, at),
                    has_average.then(|| lanes_at_mut(self.to.average, at)),
                );
                descend(isa, &step, sum, number);
            }
        }
    }
}

/// The gradients of rows whose lists are cut into blocks: each block is gone through for all rows, and stays in the cache meanwhile.
pub(crate) struct SumBlocks<'a> {
    /// Gradients to sum up, by number.
    pub(crate) gradients: &'a [f32],
    /// Start of the list of each row and, one further, its end.
    pub(crate) starts: &'a [u32],
    pub(crate) entries: &'a [u32],
    /// By block, the ends of the parts of lists in it, of which these are those of the rows.
    pub(crate) blocks: &'a [&'a [u32]],
    /// By row, where its gradient goes.
    pub(crate) to: &'a mut [f32],
}

impl LaneKernel for SumBlocks<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let (gradients, _) = self.gradients.as_chunks::<SLAB>();
        let (to, _) = self.to.as_chunks_mut::<SLAB>();
        let mut starts = self.starts;
        for (number, &ends) in self.blocks.iter().enumerate() {
            for ((&from, &end), to) in starts.iter().zip(ends).zip(&mut *to) {
                let list = &self.entries[from as usize..end as usize];
                let mut sums = sum_list(isa, gradients, list);
                if number > 0 {
                    let before = halves(to);
                    sums[0] = isa.add(isa.load(before[0]), sums[0]);
                    sums[1] = isa.add(isa.load(before[1]), sums[1]);
                }
                isa.store(sums[0], lanes_at_mut(to, 0));
                isa.store(sums[1], lanes_at_mut(to, LANES));
            }
            starts = ends;
        }
    }
}

/// The sum of all gradients of a slab: that of its biases. In four partial sums as [`sum_list`].
pub(crate) struct SumAll<'a> {
    pub(crate) gradients: &'a [f32],
    pub(crate) to: &'a mut SlabRow,
}

impl LaneKernel for SumAll<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let (gradients, _) = self.gradients.as_chunks::<SLAB>();
        let mut sums = [[isa.splat(0.0); 2]; 4];
        for fours in gradients.chunks(4) {
            for (sum, row) in sums.iter_mut().zip(fours) {
                let row = halves(row);
                sum[0] = isa.add(sum[0], isa.load(row[0]));
                sum[1] = isa.add(sum[1], isa.load(row[1]));
            }
        }
        for half in 0..2 {
            let low = isa.add(sums[0][half], sums[1][half]);
            let high = isa.add(sums[2][half], sums[3][half]);
            isa.store(isa.add(low, high), lanes_at_mut(self.to, half * LANES));
        }
    }
}

/// Rows with their factors: what forward passes read when there are factors.
pub(crate) struct MergeRows<'a> {
    pub(crate) table: &'a [f32],
    pub(crate) factors: &'a [f32],
    pub(crate) rows: &'a [u32],
    /// By touched row, [`crate::features::MAX_FACTORS`] factors of which the first `factor_count` count.
    pub(crate) factors_of: &'a [[u32; crate::features::MAX_FACTORS]],
    pub(crate) factor_count: usize,
    pub(crate) to: &'a mut [f32],
}

impl LaneKernel for MergeRows<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let (table, _) = self.table.as_chunks::<SLAB>();
        let (factor_rows, _) = self.factors.as_chunks::<SLAB>();
        let (to, _) = self.to.as_chunks_mut::<SLAB>();
        for ((&row, factors), to) in self.rows.iter().zip(self.factors_of).zip(to) {
            let own = halves(&table[row as usize]);
            let mut sum = [isa.load(own[0]), isa.load(own[1])];
            for &factor in &factors[..self.factor_count] {
                let factor = halves(&factor_rows[factor as usize]);
                sum[0] = isa.add(sum[0], isa.load(factor[0]));
                sum[1] = isa.add(sum[1], isa.load(factor[1]));
            }
            isa.store(sum[0], lanes_at_mut(to, 0));
            isa.store(sum[1], lanes_at_mut(to, LANES));
        }
    }
}

/// Activations within 0 to 1 (`ClippedReLU`), if that is wanted rounded as engines have them. Whole vectors.
pub(crate) struct Clip<'a> {
    pub(crate) activations: &'a mut [f32],
    pub(crate) rounded: bool,
}

impl LaneKernel for Clip<'_> {
    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let (zero, one) = (isa.splat(0.0), isa.splat(1.0));
        for lanes in self.activations.as_chunks_mut().0 {
            let mut clipped = isa.clamp(isa.load(lanes), zero, one);
            if self.rounded {
                clipped = isa.div(in_units::<I, true>(isa, clipped), isa.splat(UNIT));
            }
            isa.store(clipped, lanes);
        }
    }
}
