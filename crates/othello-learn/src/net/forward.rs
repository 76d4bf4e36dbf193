//! One position through the network and back.
//!
//! Loops go over neighbouring numbers, each on its own, so that compilers make vector instructions of them; sums have one order.

use othello_eval::{FIRST_OUTPUTS, SECOND_OUTPUTS};

use super::params::{Params, SLICE, Sizes, Slice, stack};

/// The most units of a network.
const MOST_UNITS: usize = 96;

/// Activations of a position.
pub(super) struct Activations {
    /// The accumulator before clipping.
    units: [f32; MOST_UNITS],
    first: [f32; FIRST_OUTPUTS],
    inputs: [f32; stack::SECOND_INPUTS],
    second: [f32; SECOND_OUTPUTS],
}

impl Activations {
    pub(super) const fn new() -> Self {
        Self {
            units: [0.0; MOST_UNITS],
            first: [0.0; FIRST_OUTPUTS],
            inputs: [0.0; stack::SECOND_INPUTS],
            second: [0.0; SECOND_OUTPUTS],
        }
    }
}

/// The numbers of a stack, part by part.
struct StackParts<'a> {
    first: &'a [[f32; FIRST_OUTPUTS]],
    first_biases: &'a [f32],
    second: &'a [[f32; SECOND_OUTPUTS]],
    second_biases: &'a [f32],
    output: &'a [f32],
}

impl<'a> StackParts<'a> {
    fn new(sizes: &Sizes, numbers: &'a [f32]) -> Self {
        let (first, rest) = numbers.split_at(sizes.units() * FIRST_OUTPUTS);
        let (first_biases, rest) = rest.split_at(FIRST_OUTPUTS);
        let (second, rest) = rest.split_at(stack::SECOND_INPUTS * SECOND_OUTPUTS);
        let (second_biases, output) = rest.split_at(SECOND_OUTPUTS);
        Self {
            first: first.as_chunks().0,
            first_biases,
            second: second.as_chunks().0,
            second_biases,
            output: &output[..SECOND_OUTPUTS],
        }
    }
}

/// The output for the rows of a position at a ply.
pub(super) fn forward(
    sizes: &Sizes,
    params: &Params,
    rows: &[u32],
    ply: usize,
    at: &mut Activations,
) -> f32 {
    let units = &mut at.units[..sizes.units()];
    units.copy_from_slice(&params.dense[sizes.bias(ply)..][..sizes.units()]);
    for (n, units) in units.as_chunks_mut::<SLICE>().0.iter_mut().enumerate() {
        let slices = &params.rows[n * sizes.rows..][..sizes.rows];
        // A copy, which stays in registers.
        let mut sums = *units;
        for &row in rows {
            add(&mut sums, &slices[row as usize]);
        }
        *units = sums;
    }
    let phase = usize::from(sizes.phases.of_plies()[ply]);
    let parts = StackParts::new(sizes, &params.dense[sizes.stack_at(phase)..]);
    let mut sums = [0.0; FIRST_OUTPUTS];
    sums.copy_from_slice(parts.first_biases);
    for (&unit, weights) in units.iter().zip(parts.first) {
        add_times(&mut sums, unit.clamp(0.0, 1.0), weights);
    }
    at.first = sums;
    let (plain, squares) = at.inputs.split_at_mut(FIRST_OUTPUTS);
    for ((plain, square), &first) in plain.iter_mut().zip(squares).zip(&at.first) {
        *plain = first.clamp(0.0, 1.0);
        let both = first.clamp(-1.0, 1.0);
        *square = both * both;
    }
    let mut sums = [0.0; SECOND_OUTPUTS];
    sums.copy_from_slice(parts.second_biases);
    for (&input, weights) in at.inputs.iter().zip(parts.second) {
        add_times(&mut sums, input, weights);
    }
    at.second = sums;
    let clipped = at.second.map(|sum| sum.clamp(0.0, 1.0));
    let output = dot(&clipped, parts.output);
    output + at.first[FIRST_OUTPUTS - 1] + params.dense[sizes.output(ply)]
}

/// The gradients of a position whose output was to be `error` less: those of dense numbers are added to `gradients`, those of the
/// accumulator put into `of_units`.
pub(super) fn backward(
    sizes: &Sizes,
    params: &Params,
    ply: usize,
    at: &Activations,
    error: f32,
    gradients: &mut [f32],
    of_units: &mut [Slice],
) {
    let phase = usize::from(sizes.phases.of_plies()[ply]);
    let begin = sizes.stack_at(phase);
    let parts = StackParts::new(sizes, &params.dense[begin..]);
    gradients[sizes.output(ply)] += error;
    let own = &mut gradients[begin..][..sizes.stack()];
    let (first, rest) = own.split_at_mut(sizes.units() * FIRST_OUTPUTS);
    let (first_biases, rest) = rest.split_at_mut(FIRST_OUTPUTS);
    let (second, rest) = rest.split_at_mut(stack::SECOND_INPUTS * SECOND_OUTPUTS);
    let (second_biases, output) = rest.split_at_mut(SECOND_OUTPUTS);

    let mut of_second = [0.0; SECOND_OUTPUTS];
    let sums = of_second.iter_mut().zip(&at.second);
    for (((of_sum, &sum), &weight), output) in sums.zip(parts.output).zip(output) {
        *output += error * sum.clamp(0.0, 1.0);
        *of_sum = if sum > 0.0 && sum < 1.0 {
            error * weight
        } else {
            0.0
        };
    }
    add_slice(second_biases, &of_second);
    let mut of_inputs = [0.0; stack::SECOND_INPUTS];
    let weights = parts.second.iter().zip(second.as_chunks_mut().0);
    for ((of_input, &input), (weights, own)) in of_inputs.iter_mut().zip(&at.inputs).zip(weights) {
        *of_input = dot(weights, &of_second);
        add_times(own, input, &of_second);
    }

    let mut of_first = [0.0; FIRST_OUTPUTS];
    let (of_plain, of_squares) = of_inputs.split_at(FIRST_OUTPUTS);
    for (n, of_first) in of_first.iter_mut().enumerate() {
        let sum = at.first[n];
        let plain = if sum > 0.0 && sum < 1.0 {
            of_plain[n]
        } else {
            0.0
        };
        let square = if sum.abs() < 1.0 {
            2.0 * sum * of_squares[n]
        } else {
            0.0
        };
        *of_first = plain + square;
    }
    of_first[FIRST_OUTPUTS - 1] += error;
    add_slice(first_biases, &of_first);
    let of_units = of_units.as_flattened_mut();
    let weights = parts.first.iter().zip(first.as_chunks_mut().0);
    for ((of_unit, &unit), (weights, own)) in of_units.iter_mut().zip(&at.units).zip(weights) {
        add_times(own, unit.clamp(0.0, 1.0), &of_first);
        *of_unit = if unit > 0.0 && unit < 1.0 {
            dot(weights, &of_first)
        } else {
            0.0
        };
    }
    add_slice(&mut gradients[sizes.bias(ply)..][..sizes.units()], of_units);
}

#[inline(always)]
fn add<const N: usize>(to: &mut [f32; N], from: &[f32; N]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

#[inline(always)]
fn add_slice(to: &mut [f32], from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

#[inline(always)]
fn add_times<const N: usize>(to: &mut [f32; N], factor: f32, from: &[f32; N]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

/// The sum of products, eight sums side by side.
#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}
