//! A residual network that learns: its numbers, a group of positions forwards through it, and the gradient backwards.
//!
//! Batch normalisation is over the positions of a group, which are always the same number: a batch is as many groups as it takes, on any number
//! of threads, and their gradients are summed in their order.

use std::ops::Range;

use shogi_deep::convolution::{
    BitSums, PAIR, Pair, ProductStart, Products, Rows, SQUARES, vectors_of,
};
use shogi_deep::{BOARD_PLANES, InputPlanes, PolicyLabel};
use yane_base::lanes::{LANES, LaneLevel, Lanes};

use super::kernels::{BitGradient, WeightGradient, transpose};
use super::norm::{ChannelSums, Norm};
use super::shape::DeepShape;
use crate::loss::{LossSum, entropy};

/// Positions of a group.
pub(super) const GROUP: usize = 64;
/// Vectors of a row of a head's map: 27 channels and 5 that are zero.
const HEAD: usize = 2;
/// Directions of the policy, channels of both heads.
pub(super) const DIRECTIONS: usize = PolicyLabel::COUNT / SQUARES;
/// Numbers that the hidden layer of the value sees of a position.
pub(super) const HIDDEN_INPUTS: usize = SQUARES * PAIR;

pub(super) fn pairs(lanes: &[Lanes]) -> &[Pair] {
    lanes.as_chunks().0
}

fn pairs_mut(lanes: &mut [Lanes]) -> &mut [Pair] {
    lanes.as_chunks_mut().0
}

/// The places of a network's numbers, in vectors.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) shape: DeepShape,
    pub(super) board: Range<usize>,
    pub(super) state: Range<usize>,
    /// Two for each block.
    pub(super) convolutions: Vec<Range<usize>>,
    pub(super) policy: Range<usize>,
    /// By square, then direction.
    pub(super) policy_bias: Range<usize>,
    pub(super) value: Range<usize>,
    pub(super) hidden: Range<usize>,
    pub(super) hidden_bias: Range<usize>,
    pub(super) output: Range<usize>,
    /// The first number alone.
    pub(super) output_bias: Range<usize>,
    /// Factors and summands: behind the input, behind each convolution of a block, in the value's head.
    pub(super) norms: Vec<[Range<usize>; 2]>,
    pub(super) len: usize,
}

impl Layout {
    pub(super) fn new(shape: DeepShape) -> Self {
        let mut len = 0;
        let mut part = |vectors: usize| {
            len += vectors;
            len - vectors..len
        };
        let width = shape.vectors();
        let inputs = width * LANES;
        let units = vectors_of(shape.value_units);
        let board = part(9 * BOARD_PLANES * width);
        let state = part(shape.format.planes() * width);
        let convolutions = (0..2 * shape.blocks)
            .map(|_| part(9 * inputs * width))
            .collect();
        let policy = part(inputs * HEAD);
        let policy_bias = part(SQUARES * HEAD);
        let value = part(inputs * HEAD);
        let hidden = part(HIDDEN_INPUTS * units);
        let hidden_bias = part(units);
        let output = part(units);
        let output_bias = part(1);
        let norms = (0..2 * shape.blocks + 2).map(|number| {
            let width = if number > 2 * shape.blocks {
                HEAD
            } else {
                width
            };
            [part(width), part(width)]
        });
        Self {
            norms: norms.collect(),
            shape,
            board,
            state,
            convolutions,
            policy,
            policy_bias,
            value,
            hidden,
            hidden_bias,
            output,
            output_bias,
            len,
        }
    }
}

/// A position with what the network shall say of it.
#[derive(Clone, Debug)]
pub(super) struct DeepSample {
    pub(super) planes: InputPlanes,
    /// Labels and the share of each, 1 in all; none where no move is known.
    pub(super) policy: Vec<(u16, f32)>,
    /// The winning rate.
    pub(super) value: f32,
    pub(super) weight: f32,
}

/// Numbers of a network, to go forwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers<'a> {
    pub(super) layout: &'a Layout,
    pub(super) lanes: &'a [Lanes],
    pub(super) level: LaneLevel,
}

impl<'a> Numbers<'a> {
    fn part(&self, part: &Range<usize>) -> &'a [Lanes] {
        &self.lanes[part.clone()]
    }

    fn pairs(&self, part: &Range<usize>) -> &'a [Pair] {
        pairs(self.part(part))
    }

    /// Factors and summands of a normalisation.
    fn norm(&self, number: usize) -> [&'a [Lanes]; 2] {
        let [scale, shift] = &self.layout.norms[number];
        [self.part(scale), self.part(shift)]
    }
}

/// Weights of a network for the way back.
#[derive(Debug)]
pub(super) struct Transposed {
    convolutions: Vec<Vec<Pair>>,
    policy: Vec<Pair>,
    value: Vec<Pair>,
    hidden: Vec<Pair>,
}

impl Transposed {
    pub(super) fn new(numbers: Numbers<'_>) -> Self {
        let layout = numbers.layout;
        let inputs = layout.shape.vectors() * LANES;
        let of = |part, taps, inputs| transpose(numbers.pairs(part), taps, inputs);
        Self {
            convolutions: layout
                .convolutions
                .iter()
                .map(|part| of(part, 9, inputs))
                .collect(),
            policy: of(&layout.policy, 1, inputs),
            value: of(&layout.value, 1, inputs),
            hidden: of(&layout.hidden, 1, HIDDEN_INPUTS),
        }
    }
}

/// What a group of positions needs on its way forwards and back.
#[derive(Debug)]
pub(super) struct Workspace {
    /// Bits of each position.
    bits: Vec<Vec<u16>>,
    /// The sum behind the input, not normalised yet, then that of each convolution of a block.
    sums: Vec<Vec<Lanes>>,
    /// The map before the first block, then behind each.
    maps: Vec<Vec<Lanes>>,
    /// The map between the convolutions of each block.
    middles: Vec<Vec<Lanes>>,
    norms: Vec<Norm>,
    logits: Vec<Lanes>,
    value_sums: Vec<Lanes>,
    value_map: Vec<Lanes>,
    hidden: Vec<Lanes>,
    /// The logit of each position's value.
    values: Vec<f32>,
    /// Gradients on the way back, of a map, of the middle of a block, of a sum (whose border is zero).
    map_slope: Vec<Lanes>,
    middle_slope: Vec<Lanes>,
    sum_slope: Vec<Lanes>,
    hidden_slope: Vec<Lanes>,
    value_slope: Vec<Lanes>,
    value_sum_slope: Vec<Lanes>,
}

impl Workspace {
    pub(super) fn new(shape: DeepShape) -> Self {
        let width = shape.vectors();
        let map = || vec![[0.0; LANES]; GROUP * Rows::Bordered.of_position() * width];
        let head = || vec![[0.0; LANES]; GROUP * SQUARES * HEAD];
        let units = || vec![[0.0; LANES]; GROUP * vectors_of(shape.value_units)];
        let mut norms = vec![Norm::new(Rows::Bordered, width); 2 * shape.blocks + 1];
        norms.push(Norm::new(Rows::Plain, HEAD));
        Self {
            bits: vec![Vec::new(); GROUP],
            sums: (0..=2 * shape.blocks).map(|_| map()).collect(),
            maps: (0..=shape.blocks).map(|_| map()).collect(),
            middles: (0..shape.blocks).map(|_| map()).collect(),
            norms,
            logits: head(),
            value_sums: head(),
            value_map: head(),
            hidden: units(),
            values: vec![0.0; GROUP],
            map_slope: map(),
            middle_slope: map(),
            sum_slope: map(),
            hidden_slope: units(),
            value_slope: head(),
            value_sum_slope: head(),
        }
    }

    /// The statistics of all normalisations, of the last group that went forwards.
    pub(super) fn statistics(&self) -> Vec<ChannelSums> {
        self.norms.iter().map(|norm| norm.sums.clone()).collect()
    }

    /// Logits by label, and the logit of the value, of a position that went forwards.
    #[cfg(test)]
    pub(super) fn said(&self, number: usize) -> (Vec<f32>, f32) {
        let logits = &self.logits.as_flattened()[number * HIDDEN_INPUTS..][..HIDDEN_INPUTS];
        let labels = 0..PolicyLabel::COUNT as u16;
        let by_label = labels.map(|label| logits[logit_of(label)]).collect();
        (by_label, self.values[number])
    }

    /// Takes samples forwards, at most [`GROUP`].
    pub(super) fn forward(&mut self, numbers: Numbers<'_>, samples: &[DeepSample]) {
        self.enter(numbers, samples);
        let count = samples.len();
        let layout = numbers.layout;
        let inputs = layout.shape.vectors() * LANES;
        for block in 0..layout.shape.blocks {
            let (before, after) = self.maps.split_at_mut(block + 1);
            let (map, middle) = (&before[block], &mut self.middles[block]);
            let (first, second) = (2 * block, 2 * block + 1);
            let sums = &mut self.sums[first + 1];
            convolve(
                numbers,
                (&layout.convolutions[first], inputs),
                count,
                map,
                sums,
            );
            self.norms[first + 1].forward(count, numbers.norm(first + 1), sums, None, middle);
            let sums = &mut self.sums[second + 1];
            convolve(
                numbers,
                (&layout.convolutions[second], inputs),
                count,
                middle,
                sums,
            );
            let (norm, after) = (&mut self.norms[second + 1], &mut after[0]);
            norm.forward(count, numbers.norm(second + 1), sums, Some(map), after);
        }
        self.heads(numbers, count);
    }

    /// From planes to the first map.
    fn enter(&mut self, numbers: Numbers<'_>, samples: &[DeepSample]) {
        let layout = numbers.layout;
        let width = layout.shape.vectors();
        let of_position = Rows::Bordered.of_position() * width;
        let state = numbers.pairs(&layout.state);
        let planes = layout.shape.format.planes();
        let outputs = self.sums[0].chunks_exact_mut(of_position);
        for ((sample, bits), output) in samples.iter().zip(&mut self.bits).zip(outputs) {
            bits.clear();
            bits.extend(sample.planes.board_bits().map(|bit| bit as u16));
            let mut start = vec![[0.0; LANES]; width];
            for plane in sample.planes.state_planes(layout.shape.format) {
                for (pair, start) in start.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                    add(
                        start.as_flattened_mut(),
                        state[pair * planes + plane].as_flattened(),
                    );
                }
            }
            numbers.level.run(BitSums {
                weights: numbers.pairs(&layout.board),
                taps: 9,
                planes: BOARD_PLANES,
                bits,
                start: &start,
                output,
            });
        }
        let (sums, map) = (&self.sums[0], &mut self.maps[0]);
        self.norms[0].forward(samples.len(), numbers.norm(0), sums, None, map);
    }

    fn heads(&mut self, numbers: Numbers<'_>, count: usize) {
        let layout = numbers.layout;
        let inputs = layout.shape.vectors() * LANES;
        let map = self.maps.last().expect("the first map");
        let parts = [
            (&layout.policy, &mut self.logits),
            (&layout.value, &mut self.value_sums),
        ];
        for (part, output) in parts {
            numbers.level.run(Products {
                weights: numbers.pairs(part),
                taps: 1,
                inputs,
                stride: inputs,
                input: map.as_flattened(),
                from: Rows::Bordered,
                output,
                to: Rows::Plain,
                rows: count * SQUARES,
                start: ProductStart::Zero,
            });
        }
        let bias = numbers.part(&layout.policy_bias).as_flattened();
        for logits in self.logits.chunks_exact_mut(SQUARES * HEAD).take(count) {
            add(logits.as_flattened_mut(), bias);
        }
        let last = self.norms.len() - 1;
        let (sums, map) = (&self.value_sums, &mut self.value_map);
        self.norms[last].forward(count, numbers.norm(last), sums, None, map);
        numbers.level.run(Products {
            weights: numbers.pairs(&layout.hidden),
            taps: 1,
            inputs: HIDDEN_INPUTS,
            stride: HIDDEN_INPUTS,
            input: self.value_map.as_flattened(),
            from: Rows::Plain,
            output: &mut self.hidden,
            to: Rows::Plain,
            rows: count,
            start: ProductStart::Zero,
        });
        let bias = numbers.part(&layout.hidden_bias).as_flattened();
        let weights = numbers.part(&layout.output).as_flattened();
        let start = numbers.part(&layout.output_bias)[0][0];
        let rows = self.hidden.as_flattened_mut().chunks_exact_mut(bias.len());
        for (row, value) in rows.zip(&mut self.values).take(count) {
            for (unit, bias) in row.iter_mut().zip(bias) {
                *unit = (*unit + bias).max(0.0);
            }
            let products = row.iter().zip(weights).map(|(unit, weight)| unit * weight);
            *value = start + products.sum::<f32>();
        }
    }

    /// The losses of samples that went forwards. Logits and values become the gradients of themselves, times `scale`.
    fn losses(&mut self, samples: &[DeepSample], scale: f32) -> LossSum {
        let mut sum = LossSum::default();
        let logits = self
            .logits
            .as_flattened_mut()
            .chunks_exact_mut(HIDDEN_INPUTS);
        for ((sample, logits), value) in samples.iter().zip(logits).zip(&mut self.values) {
            let weight = f64::from(sample.weight);
            let mut loss = policy_loss(&sample.policy, logits, sample.weight * scale);
            loss.add(value_loss(*value, sample.value));
            let rate = 1.0 / (1.0 + (-*value).exp());
            *value = (rate - sample.value) * sample.weight * scale;
            sum.add(LossSum {
                cross_entropy: loss.cross_entropy * weight,
                entropy: loss.entropy * weight,
                weight,
            });
        }
        sum
    }

    /// Takes samples that went forwards back: the loss, and `gradient` += the gradient times `scale`.
    pub(super) fn backward(
        &mut self,
        numbers: Numbers<'_>,
        transposed: &Transposed,
        samples: &[DeepSample],
        scale: f32,
        gradient: &mut [Lanes],
    ) -> LossSum {
        let loss = self.losses(samples, scale);
        let count = samples.len();
        let blocks = numbers.layout.shape.blocks;
        self.hidden_back(numbers, transposed, count, gradient);
        self.heads_back(numbers, transposed, count, gradient);
        for block in (0..blocks).rev() {
            self.block_back(numbers, transposed, count, block, gradient);
        }
        self.entry_back(numbers, samples, gradient);
        loss
    }

    fn hidden_back(
        &mut self,
        numbers: Numbers<'_>,
        transposed: &Transposed,
        count: usize,
        gradient: &mut [Lanes],
    ) {
        let layout = numbers.layout;
        let units = layout.hidden_bias.len() * LANES;
        let weights = numbers.part(&layout.output).as_flattened();
        let hidden = self.hidden.as_flattened().chunks_exact(units);
        let slopes = self.hidden_slope.as_flattened_mut().chunks_exact_mut(units);
        for ((row, slope), &by) in hidden.zip(slopes).zip(&self.values).take(count) {
            let output = gradient[layout.output.clone()].as_flattened_mut();
            for (change, unit) in output.iter_mut().zip(row) {
                *change += by * unit;
            }
            gradient[layout.output_bias.clone()][0][0] += by;
            for ((slope, unit), weight) in slope.iter_mut().zip(row).zip(weights) {
                *slope = if *unit > 0.0 { by * weight } else { 0.0 };
            }
            add(
                gradient[layout.hidden_bias.clone()].as_flattened_mut(),
                slope,
            );
        }
        numbers.level.run(WeightGradient {
            gradient: pairs_mut(&mut gradient[layout.hidden.clone()]),
            taps: 1,
            inputs: HIDDEN_INPUTS,
            input: &self.value_map,
            from: Rows::Plain,
            outer: &self.hidden_slope,
            to: Rows::Plain,
            rows: count,
        });
        numbers.level.run(Products {
            weights: &transposed.hidden,
            taps: 1,
            inputs: units,
            stride: units,
            input: self.hidden_slope.as_flattened(),
            from: Rows::Plain,
            output: &mut self.value_slope,
            to: Rows::Plain,
            rows: count,
            start: ProductStart::Zero,
        });
    }

    fn heads_back(
        &mut self,
        numbers: Numbers<'_>,
        transposed: &Transposed,
        count: usize,
        gradient: &mut [Lanes],
    ) {
        let layout = numbers.layout;
        let last = self.norms.len() - 1;
        let [scale, _] = numbers.norm(last);
        self.norms[last].backward(
            count,
            scale,
            [&self.value_sums, &self.value_map],
            &mut self.value_slope,
            &mut self.value_sum_slope,
            two(gradient, &layout.norms[last]),
        );
        let bias = gradient[layout.policy_bias.clone()].as_flattened_mut();
        for slopes in self.logits.chunks_exact(SQUARES * HEAD).take(count) {
            add(bias, slopes.as_flattened());
        }
        let map = self.maps.last().expect("the first map");
        let parts = [
            (&layout.value, &transposed.value, &self.value_sum_slope),
            (&layout.policy, &transposed.policy, &self.logits),
        ];
        for (number, (part, turned, outer)) in parts.into_iter().enumerate() {
            numbers.level.run(WeightGradient {
                gradient: pairs_mut(&mut gradient[part.clone()]),
                taps: 1,
                inputs: layout.shape.vectors() * LANES,
                input: map,
                from: Rows::Bordered,
                outer,
                to: Rows::Plain,
                rows: count * SQUARES,
            });
            numbers.level.run(Products {
                weights: turned,
                taps: 1,
                inputs: PAIR,
                stride: PAIR,
                input: outer.as_flattened(),
                from: Rows::Plain,
                output: &mut self.map_slope,
                to: Rows::Bordered,
                rows: count * SQUARES,
                start: added_if(number > 0),
            });
        }
    }

    fn block_back(
        &mut self,
        numbers: Numbers<'_>,
        transposed: &Transposed,
        count: usize,
        block: usize,
        gradient: &mut [Lanes],
    ) {
        let layout = numbers.layout;
        let inputs = layout.shape.vectors() * LANES;
        for half in [1, 0] {
            let number = 2 * block + half;
            let (input, output, outer) = match half {
                1 => (
                    &self.middles[block],
                    &self.maps[block + 1],
                    &mut self.map_slope,
                ),
                _ => (
                    &self.maps[block],
                    &self.middles[block],
                    &mut self.middle_slope,
                ),
            };
            let [scale, _] = numbers.norm(number + 1);
            self.norms[number + 1].backward(
                count,
                scale,
                [&self.sums[number + 1], output],
                outer,
                &mut self.sum_slope,
                two(gradient, &layout.norms[number + 1]),
            );
            numbers.level.run(WeightGradient {
                gradient: pairs_mut(&mut gradient[layout.convolutions[number].clone()]),
                taps: 9,
                inputs,
                input,
                from: Rows::Bordered,
                outer: &self.sum_slope,
                to: Rows::Bordered,
                rows: count * SQUARES,
            });
            numbers.level.run(Products {
                weights: &transposed.convolutions[number],
                taps: 9,
                inputs,
                stride: inputs,
                input: self.sum_slope.as_flattened(),
                from: Rows::Bordered,
                output: if half == 1 {
                    &mut self.middle_slope
                } else {
                    &mut self.map_slope
                },
                to: Rows::Bordered,
                rows: count * SQUARES,
                // What goes round the block is there already.
                start: added_if(half == 0),
            });
        }
    }

    fn entry_back(&mut self, numbers: Numbers<'_>, samples: &[DeepSample], gradient: &mut [Lanes]) {
        let layout = numbers.layout;
        let width = layout.shape.vectors();
        let [scale, _] = numbers.norm(0);
        self.norms[0].backward(
            samples.len(),
            scale,
            [&self.sums[0], &self.maps[0]],
            &mut self.map_slope,
            &mut self.sum_slope,
            two(gradient, &layout.norms[0]),
        );
        let planes = layout.shape.format.planes();
        let of_position = Rows::Bordered.of_position() * width;
        let slopes = self.sum_slope.chunks_exact(of_position);
        for ((sample, bits), outer) in samples.iter().zip(&self.bits).zip(slopes) {
            numbers.level.run(BitGradient {
                gradient: pairs_mut(&mut gradient[layout.board.clone()]),
                planes: BOARD_PLANES,
                bits,
                outer,
            });
            let mut sums = vec![[0.0; LANES]; width];
            for row in outer.chunks_exact(width) {
                add(sums.as_flattened_mut(), row.as_flattened());
            }
            let state = pairs_mut(&mut gradient[layout.state.clone()]);
            for plane in sample.planes.state_planes(layout.shape.format) {
                for (pair, sums) in pairs(&sums).iter().enumerate() {
                    add(
                        state[pair * planes + plane].as_flattened_mut(),
                        sums.as_flattened(),
                    );
                }
            }
        }
    }
}

/// Products are added to what is there, or are all that will be.
const fn added_if(is_there: bool) -> ProductStart<'static> {
    if is_there {
        ProductStart::Output
    } else {
        ProductStart::Zero
    }
}

/// A convolution of 3 × 3 of a bordered map into another.
fn convolve(
    numbers: Numbers<'_>,
    (part, inputs): (&Range<usize>, usize),
    count: usize,
    input: &[Lanes],
    output: &mut [Lanes],
) {
    numbers.level.run(Products {
        weights: numbers.pairs(part),
        taps: 9,
        inputs,
        stride: inputs,
        input: input.as_flattened(),
        from: Rows::Bordered,
        output,
        to: Rows::Bordered,
        rows: count * SQUARES,
        start: ProductStart::Zero,
    });
}

/// Two parts, the second behind the first.
fn two<'a>(lanes: &'a mut [Lanes], [first, second]: &[Range<usize>; 2]) -> [&'a mut [Lanes]; 2] {
    let (first_part, second_part) = lanes[first.start..second.end].split_at_mut(first.len());
    [first_part, second_part]
}

fn add(sums: &mut [f32], numbers: &[f32]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}

/// The place of a label among logits by square, then direction.
pub(super) const fn logit_of(label: u16) -> usize {
    let label = label as usize;
    label % SQUARES * PAIR + label / SQUARES
}

/// The loss of a policy; logits become their gradient times `scale`.
fn policy_loss(policy: &[(u16, f32)], logits: &mut [f32], scale: f32) -> LossSum {
    if policy.is_empty() {
        logits.fill(0.0);
        return LossSum::default();
    }
    let rows = || logits.chunks_exact(PAIR).flat_map(|row| &row[..DIRECTIONS]);
    let largest = rows().fold(f32::NEG_INFINITY, |largest, &logit| largest.max(logit));
    let mut loss = LossSum::default();
    for &(label, share) in policy {
        let share = f64::from(share);
        loss.cross_entropy -= share * f64::from(logits[logit_of(label)] - largest);
        loss.entropy -= if share > 0.0 { share * share.ln() } else { 0.0 };
    }
    let mut sum = 0.0;
    for row in logits.chunks_exact_mut(PAIR) {
        let (row, rest) = row.split_at_mut(DIRECTIONS);
        for logit in row {
            *logit = (*logit - largest).exp();
            sum += f64::from(*logit);
        }
        rest.fill(0.0);
    }
    loss.cross_entropy += sum.ln();
    let factor = scale / sum as f32;
    for logit in logits.iter_mut() {
        *logit *= factor;
    }
    for &(label, share) in policy {
        logits[logit_of(label)] -= share * scale;
    }
    loss
}

/// The loss of the logit of a value.
pub(super) fn value_loss(logit: f32, rate: f32) -> LossSum {
    let (logit, rate) = (f64::from(logit), f64::from(rate));
    LossSum {
        cross_entropy: logit.max(0.0) + (-logit.abs()).exp().ln_1p() - rate * logit,
        entropy: entropy(rate),
        weight: 0.0,
    }
}
