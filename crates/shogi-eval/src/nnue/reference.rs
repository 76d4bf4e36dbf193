//! Evaluation from scratch, one number after the other: slow and exact. The reference
//! that faster ways of evaluation are tested against.
//!
//! Accumulators have 16 bits and wrap; the sums of the affine layers have 32 bits and wrap.

use shogi_core::Position;

use super::FvScale;
use super::arch::{Architecture, Sfnn};
use super::network::{AffineLayers, FeatureWeights, GameProgress, Layer, Network};
use crate::PieceList;

/// The value of `position` for the side to move, in internal units.
pub fn evaluate(network: &Network, position: &Position, scale: FvScale) -> i32 {
    scale.apply(output(network.transformer(), network.layers(), position))
}

/// The network's output for `position`, before it is divided: `rows` may come from anywhere.
pub fn output(rows: &impl FeatureWeights, layers: &AffineLayers, position: &Position) -> i32 {
    let list = PieceList::new(position);
    let us = position.side_to_move();
    let features = layers.architecture().features();
    let sums = [us, us.flip()].map(|perspective| {
        let active = features.active(position, &list, perspective);
        sum_rows(rows, active.iter().map(|&feature| feature as usize))
    });
    let architecture = layers.architecture();
    let inputs = sums.map(|sums| inputs(architecture, &sums)).concat();
    match architecture {
        Architecture::Classic(_) => classic(layers, &inputs),
        Architecture::Sfnn(sfnn) => {
            let stack = stack_index(layers, position, &list);
            stacked(layers, sfnn, stack, &inputs)
        }
    }
}

/// Biases and the rows of `features`.
pub(crate) fn sum_rows(
    rows: &impl FeatureWeights,
    features: impl Iterator<Item = usize>,
) -> Vec<i16> {
    let mut sums = rows.biases().to_vec();
    let mut row = vec![0; sums.len()];
    for feature in features {
        rows.read_weights(feature, &mut row);
        for (sum, weight) in sums.iter_mut().zip(&row) {
            *sum = sum.wrapping_add(*weight);
        }
    }
    sums
}

/// The inputs of the affine layers that come from one perspective's accumulator, `sums`: 0 to 127 each.
pub(super) fn inputs(architecture: &Architecture, sums: &[i16]) -> Vec<u8> {
    match architecture {
        Architecture::Classic(_) => sums.iter().map(|&sum| sum.clamp(0, 127) as u8).collect(),
        Architecture::Sfnn(_) => products(sums),
    }
}

/// The stack that the network uses for `position`; 0 for classic networks.
pub(crate) fn stack_index(layers: &AffineLayers, position: &Position, list: &PieceList) -> usize {
    let Architecture::Sfnn(sfnn) = layers.architecture() else {
        return 0;
    };
    let progress = layers
        .progress()
        .map_or(0, |progress| GameProgress::at(progress.sum(list)));
    sfnn.stacks()
        .index(position, |color| list.own_king(color), progress)
}

/// `inputs` are those of both perspectives, the side to move's first.
fn classic(layers: &AffineLayers, inputs: &[u8]) -> i32 {
    let [first, second, last] = layers.layers().each_ref().map(|layer| layer.stack(0));
    let hidden = clipped(&affine(first, inputs));
    let hidden = clipped(&affine(second, &hidden));
    affine(last, &hidden)[0]
}

/// As [`classic`].
fn stacked(layers: &AffineLayers, sfnn: &Sfnn, stack: usize, inputs: &[u8]) -> i32 {
    let [first, second, last] = layers.layers().each_ref().map(|layer| layer.stack(stack));
    let outputs = first_of_stack(first, sfnn, inputs);
    let (hidden, shortcut) = outputs.split_at(layers.architecture().hidden()[0]);
    let squares = hidden
        .iter()
        .map(|&z| ((i64::from(z) * i64::from(z)) >> 19).min(127) as u8);
    let hidden: Vec<u8> = squares.chain(clipped(hidden)).collect();
    let hidden = clipped(&affine(second, &hidden));
    let output = affine(last, &hidden)[0];
    output.wrapping_add(shortcut.iter().sum::<i32>())
}

/// Products of the first half of the doubled accumulator with the second, 0 to 126.
fn products(sums: &[i16]) -> Vec<u8> {
    let clipped_relu = |sum: i16| i32::from(sum.wrapping_mul(2).clamp(0, 254));
    let (left, right) = sums.split_at(sums.len() / 2);
    left.iter()
        .zip(right)
        .map(|(&a, &b)| (((clipped_relu(a) << 7) * clipped_relu(b)) >> 16) as u8)
        .collect()
}

/// The first affine layer of a stack: some outputs may use some inputs only.
fn first_of_stack(layer: Layer<'_>, sfnn: &Sfnn, inputs: &[u8]) -> Vec<i32> {
    (0..layer.shape.outputs)
        .map(|output| {
            let row = layer.row(output);
            sfnn.inputs_of(output)
                .into_iter()
                .fold(layer.biases[output], |sum, range| {
                    sum.wrapping_add(dot(&row[range.clone()], &inputs[range]))
                })
        })
        .collect()
}

fn affine(layer: Layer<'_>, inputs: &[u8]) -> Vec<i32> {
    (0..layer.shape.outputs)
        .map(|output| layer.biases[output].wrapping_add(dot(layer.row(output), inputs)))
        .collect()
}

fn dot(weights: &[i8], inputs: &[u8]) -> i32 {
    weights
        .iter()
        .zip(inputs)
        .map(|(&weight, &input)| i32::from(weight) * i32::from(input))
        .sum()
}

fn clipped(outputs: &[i32]) -> Vec<u8> {
    outputs
        .iter()
        .map(|&y| (y >> 6).clamp(0, 127) as u8)
        .collect()
}
