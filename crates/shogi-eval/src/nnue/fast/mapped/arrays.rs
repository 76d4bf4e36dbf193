//! The arrays of a network, one after the other.

use std::ops::Range;
use std::sync::Arc;

use yane_io::Map;

use crate::nnue::aligned::Aligned;
use crate::nnue::arch::Architecture;
use crate::nnue::fast::affine::{AffineLayer, BLOCK};
use crate::nnue::fast::prepared::{Padding, PreparedNetwork};
use crate::nnue::fast::weights::{ByteWeights, Weights, are_lens};
use crate::nnue::progress::Progress;

/// Biases and weights of the feature transformer, the progress, biases and weights of the affine layers; where notes on the
/// first layer's weights begin, and these.
pub(super) const ARRAYS: usize = 11;

/// Where the arrays are in a file.
pub(super) type Places = [Range<usize>; ARRAYS];

/// The bytes of the arrays of `network`.
pub(super) fn arrays(network: &PreparedNetwork) -> [&[u8]; ARRAYS] {
    let progress = network.progress.as_ref();
    let [first, second] = &network.hidden;
    let last = &network.last;
    let [weights, starts, notes] = network.weights.arrays();
    [
        bytemuck::cast_slice(&network.biases),
        weights,
        progress.map_or(&[], |progress| bytemuck::cast_slice(progress.weights())),
        bytemuck::cast_slice(&first.biases),
        bytemuck::cast_slice(&first.weights),
        bytemuck::cast_slice(&second.biases),
        bytemuck::cast_slice(&second.weights),
        bytemuck::cast_slice(&last.biases),
        bytemuck::cast_slice(&last.weights),
        starts,
        notes,
    ]
}

/// The inputs of the affine layers with padding.
fn padded_inputs(architecture: &Architecture) -> [usize; 3] {
    let [_, second, last] = architecture.layers();
    [
        Padding::new(architecture).padded_inputs(),
        second.inputs.next_multiple_of(BLOCK),
        last.inputs.next_multiple_of(BLOCK),
    ]
}

/// The first array that cannot have so many bytes in a network of this architecture.
pub(super) fn wrong_array(architecture: &Architecture, lens: &[u64; ARRAYS]) -> Option<usize> {
    let row = Padding::new(architecture).padded() as u64;
    let features = architecture.features().dimensions() as u64;
    let [_, weights, .., starts, notes] = *lens;
    let expected = other_array_bytes(architecture, 2 * row);
    let other = (0..expected.len()).find(|&array| array != 1 && lens[array] != expected[array]);
    other.or_else(|| {
        let may_be = are_lens([weights, starts, notes], row * features, features);
        (!may_be).then_some(1)
    })
}

/// How many bytes the arrays have whose sizes follow from the architecture; 0 for the weights of the feature transformer.
fn other_array_bytes(architecture: &Architecture, biases: u64) -> [u64; ARRAYS - 2] {
    let progress = if architecture.has_progress() {
        4 * Progress::WEIGHTS as u64
    } else {
        0
    };
    let shapes = architecture.layers();
    let inputs = padded_inputs(architecture);
    let [first, second, last] = [0, 1, 2].map(|layer| {
        let stacks = architecture.stack_count();
        let [biases, weights] = AffineLayer::array_lens(shapes[layer], stacks, inputs[layer]);
        [4 * biases, weights]
    });
    [
        biases, 0, progress, first[0], first[1], second[0], second[1], last[0], last[1],
    ]
}

/// The network of this architecture whose arrays are at these `places` of a file; `None` when the file
/// does not have them, or they make no sense. None must be a [`wrong_array`].
pub(super) fn network(
    architecture: Architecture,
    description: Vec<u8>,
    progress_bias: i32,
    dense: usize,
    map: &Arc<Map>,
    places: &Places,
) -> Option<PreparedNetwork> {
    let shapes = architecture.layers();
    let inputs = padded_inputs(&architecture);
    let layer = |layer: usize| {
        let [biases, weights] = [3 + 2 * layer, 4 + 2 * layer].map(|place| places[place].clone());
        Some(AffineLayer::of_arrays(
            shapes[layer],
            inputs[layer],
            Aligned::part_of(map, biases)?,
            Aligned::part_of(map, weights)?,
        ))
    };
    let progress = if architecture.has_progress() {
        let weights = Aligned::part_of(map, places[2].clone())?;
        Some(Progress::new(progress_bias, weights))
    } else {
        None
    };
    let biases: Aligned<i16> = Aligned::part_of(map, places[0].clone())?;
    let features = architecture.features().dimensions();
    let weights = if places[1].len() == features * biases.len() {
        Weights::Bytes(ByteWeights::of_arrays(
            Aligned::part_of(map, places[1].clone())?,
            Aligned::part_of(map, places[9].clone())?,
            Aligned::part_of(map, places[10].clone())?,
            biases.len(),
        )?)
    } else {
        Weights::Whole(Aligned::part_of(map, places[1].clone())?)
    };
    Some(PreparedNetwork {
        description,
        architecture,
        biases,
        weights,
        progress,
        hidden: [layer(0)?, layer(1)?],
        last: layer(2)?,
        dense,
    })
}
