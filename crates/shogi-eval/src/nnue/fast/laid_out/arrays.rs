//! The arrays of a network, one after the other.

use std::ops::Range;
use std::sync::Arc;

use yane_io::Map;

use crate::nnue::aligned::Aligned;
use crate::nnue::arch::Architecture;
use crate::nnue::fast::layer::{BLOCK, WideLayer};
use crate::nnue::fast::prepared::{Padding, PreparedNetwork};
use crate::nnue::progress::Progress;

/// Biases and weights of the first layer, the progress, and of the small layers.
pub(super) const ARRAYS: usize = 9;

/// Where the arrays are in a file.
pub(super) type Places = [Range<usize>; ARRAYS];

/// The bytes of the arrays of `network`.
pub(super) fn arrays(network: &PreparedNetwork) -> [&[u8]; ARRAYS] {
    let progress = network.progress.as_ref();
    let [first, second] = &network.hidden;
    let last = &network.last;
    [
        bytemuck::cast_slice(&network.biases),
        bytemuck::cast_slice(&network.weights),
        progress.map_or(&[], |progress| bytemuck::cast_slice(progress.weights())),
        bytemuck::cast_slice(&first.biases),
        bytemuck::cast_slice(&first.weights),
        bytemuck::cast_slice(&second.biases),
        bytemuck::cast_slice(&second.weights),
        bytemuck::cast_slice(&last.biases),
        bytemuck::cast_slice(&last.weights),
    ]
}

/// The inputs of the small layers with padding.
fn padded_inputs(architecture: &Architecture) -> [usize; 3] {
    let [_, second, last] = architecture.layers();
    [
        Padding::new(architecture).padded_inputs(),
        second.inputs.next_multiple_of(BLOCK),
        last.inputs.next_multiple_of(BLOCK),
    ]
}

/// How many bytes the arrays of a network of this architecture have.
pub(super) fn array_bytes(architecture: &Architecture) -> [u64; ARRAYS] {
    let row = 2 * Padding::new(architecture).padded() as u64;
    let features = architecture.features().dimensions() as u64;
    let progress = if architecture.has_progress() {
        4 * Progress::WEIGHTS as u64
    } else {
        0
    };
    let shapes = architecture.layers();
    let inputs = padded_inputs(architecture);
    let [first, second, last] = [0, 1, 2].map(|layer| {
        let stacks = architecture.stack_count();
        let [biases, weights] = WideLayer::array_lens(shapes[layer], stacks, inputs[layer]);
        [4 * biases, weights]
    });
    [
        row,
        row * features,
        progress,
        first[0],
        first[1],
        second[0],
        second[1],
        last[0],
        last[1],
    ]
}

/// The network of this architecture whose arrays are at these `places` of a file; `None` when the file
/// does not have them. They must have the sizes of [`array_bytes`].
pub(super) fn network(
    architecture: Architecture,
    description: Vec<u8>,
    progress_bias: i32,
    map: &Arc<Map>,
    places: &Places,
) -> Option<PreparedNetwork> {
    let shapes = architecture.layers();
    let inputs = padded_inputs(&architecture);
    let layer = |layer: usize| {
        let [biases, weights] = [3 + 2 * layer, 4 + 2 * layer].map(|place| places[place].clone());
        Some(WideLayer::of_arrays(
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
    Some(PreparedNetwork {
        description,
        architecture,
        biases: Aligned::part_of(map, places[0].clone())?,
        weights: Aligned::part_of(map, places[1].clone())?,
        progress,
        hidden: [layer(0)?, layer(1)?],
        last: layer(2)?,
    })
}
