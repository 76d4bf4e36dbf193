//! The numbers of a network as tensors in the order of ONNX, and back; random numbers to begin with.

use shogi_deep::convolution::{PAIR, SQUARES};
use shogi_deep::{BOARD_PLANES, BatchNorm, ResidualBlock, ResidualNetwork};
use yane_base::lanes::{LANES, Lanes};
use yane_base::random::Sequence;

use super::network::{DIRECTIONS, HIDDEN_INPUTS, Layout};
use super::norm::ChannelSums;

/// For each number of a tensor, its place among the numbers of the network.
type Places = Vec<usize>;

/// The places of all tensors.
struct Tensors {
    board: Places,
    state: Places,
    convolutions: Vec<Places>,
    policy: Places,
    policy_bias: Places,
    value: Places,
    hidden: Places,
    hidden_bias: Places,
    output: Places,
    output_bias: Places,
    norms: Vec<[Places; 2]>,
}

/// The places of weights: outputs × inputs × taps; `stride` is the number of inputs with those that are zero.
fn weights(start: usize, taps: usize, stride: usize, [outputs, inputs]: [usize; 2]) -> Places {
    let mut places = Vec::with_capacity(outputs * inputs * taps);
    for output in 0..outputs {
        for input in 0..inputs {
            for tap in 0..taps {
                let row = (output / PAIR * taps + tap) * stride + input;
                places.push(start * LANES + row * PAIR + output % PAIR);
            }
        }
    }
    places
}

fn vector(start: usize, len: usize) -> Places {
    (start * LANES..start * LANES + len).collect()
}

impl Tensors {
    fn new(layout: &Layout) -> Self {
        let shape = layout.shape;
        let (channels, units) = (shape.channels, shape.value_units);
        let (stride, planes) = (shape.vectors() * LANES, shape.format.planes());
        let trunk = [channels, channels];
        let head = [DIRECTIONS, channels];
        // A head's map is by square, then direction; a tensor's row by direction, then square.
        let of_map = |place: usize| place % SQUARES * PAIR + place / SQUARES;
        let map = DIRECTIONS * SQUARES;
        let bias = layout.policy_bias.start * LANES;
        let hidden = weights(
            layout.hidden.start,
            1,
            HIDDEN_INPUTS,
            [units, HIDDEN_INPUTS],
        );
        let hidden = (0..units).flat_map(|unit| {
            let row = &hidden[unit * HIDDEN_INPUTS..][..HIDDEN_INPUTS];
            (0..map).map(move |place| row[of_map(place)])
        });
        let last = layout.norms.len() - 1;
        let norms = layout
            .norms
            .iter()
            .enumerate()
            .map(|(number, [scale, shift])| {
                let channels = if number == last { DIRECTIONS } else { channels };
                [vector(scale.start, channels), vector(shift.start, channels)]
            });
        Self {
            board: weights(
                layout.board.start,
                9,
                BOARD_PLANES,
                [channels, BOARD_PLANES],
            ),
            state: weights(layout.state.start, 1, planes, [channels, planes]),
            convolutions: (layout.convolutions.iter())
                .map(|part| weights(part.start, 9, stride, trunk))
                .collect(),
            policy: weights(layout.policy.start, 1, stride, head),
            policy_bias: (0..map).map(|place| bias + of_map(place)).collect(),
            value: weights(layout.value.start, 1, stride, head),
            hidden: hidden.collect(),
            hidden_bias: vector(layout.hidden_bias.start, units),
            output: vector(layout.output.start, units),
            output_bias: vector(layout.output_bias.start, 1),
            norms: norms.collect(),
        }
    }
}

/// A network to begin with: weights of a normal distribution by the number of inputs (He), policy and value near even.
pub(super) fn random(layout: &Layout, seed: u64) -> Vec<Lanes> {
    /// Of weights that give outputs, beside others.
    const SMALL: f32 = 0.1;
    let tensors = Tensors::new(layout);
    let mut lanes = vec![[0.0; LANES]; layout.len];
    let numbers = lanes.as_flattened_mut();
    let sequence = Sequence::new(seed, "residual network");
    let channels = layout.shape.channels;
    let he = |inputs: usize| (2.0 / inputs as f32).sqrt();
    let parts = [
        (&tensors.board, he(9 * BOARD_PLANES)),
        (&tensors.state, he(9 * BOARD_PLANES)),
        (&tensors.policy, SMALL * he(channels)),
        (&tensors.value, he(channels)),
        (&tensors.hidden, he(DIRECTIONS * SQUARES)),
        (&tensors.output, SMALL * he(layout.shape.value_units)),
    ];
    let trunk = tensors
        .convolutions
        .iter()
        .map(|part| (part, he(9 * channels)));
    for (places, deviation) in parts.into_iter().chain(trunk) {
        for &place in places {
            numbers[place] = sequence.normal(place as u64, deviation);
        }
    }
    for [scale, _] in &tensors.norms {
        for &place in scale {
            numbers[place] = 1.0;
        }
    }
    lanes
}

/// The network with these numbers, and with the statistics of its normalisations.
pub(super) fn network(
    layout: &Layout,
    lanes: &[Lanes],
    statistics: &[ChannelSums],
) -> ResidualNetwork {
    let tensors = Tensors::new(layout);
    let numbers = lanes.as_flattened();
    let take = |places: &Places| places.iter().map(|&place| numbers[place]).collect();
    let norm = |number: usize| {
        let [scale, shift] = &tensors.norms[number];
        let sums = &statistics[number];
        let moments = (0..scale.len()).map(|channel| sums.moments(channel));
        let (mean, variance) = moments
            .map(|(mean, variance)| (mean as f32, variance as f32))
            .unzip();
        BatchNorm {
            scale: take(scale),
            shift: take(shift),
            mean,
            variance,
        }
    };
    let blocks = (0..layout.shape.blocks).map(|block| ResidualBlock {
        convolutions: [0, 1].map(|half| take(&tensors.convolutions[2 * block + half])),
        norms: [1, 2].map(|half| norm(2 * block + half)),
    });
    ResidualNetwork {
        format: layout.shape.format,
        channels: layout.shape.channels,
        value_units: layout.shape.value_units,
        board: take(&tensors.board),
        state: take(&tensors.state),
        norm: norm(0),
        blocks: blocks.collect(),
        policy: take(&tensors.policy),
        policy_bias: take(&tensors.policy_bias),
        value: take(&tensors.value),
        value_norm: norm(2 * layout.shape.blocks + 1),
        hidden: take(&tensors.hidden),
        hidden_bias: take(&tensors.hidden_bias),
        output: take(&tensors.output),
        output_bias: numbers[tensors.output_bias[0]],
    }
}

/// The numbers of a network of this shape.
pub(super) fn numbers_of(layout: &Layout, network: &ResidualNetwork) -> Vec<Lanes> {
    let tensors = Tensors::new(layout);
    let mut lanes = vec![[0.0; LANES]; layout.len];
    let numbers = lanes.as_flattened_mut();
    let mut put = |places: &Places, tensor: &[f32]| {
        for (&place, &number) in places.iter().zip(tensor) {
            numbers[place] = number;
        }
    };
    let blocks = network.blocks.iter();
    let convolutions = blocks.clone().flat_map(|block| &block.convolutions);
    for (places, tensor) in tensors.convolutions.iter().zip(convolutions) {
        put(places, tensor);
    }
    let norms = std::iter::once(&network.norm)
        .chain(blocks.flat_map(|block| &block.norms))
        .chain([&network.value_norm]);
    for ([scale, shift], norm) in tensors.norms.iter().zip(norms) {
        put(scale, &norm.scale);
        put(shift, &norm.shift);
    }
    put(&tensors.board, &network.board);
    put(&tensors.state, &network.state);
    put(&tensors.policy, &network.policy);
    put(&tensors.policy_bias, &network.policy_bias);
    put(&tensors.value, &network.value);
    put(&tensors.hidden, &network.hidden);
    put(&tensors.hidden_bias, &network.hidden_bias);
    put(&tensors.output, &network.output);
    put(&tensors.output_bias, &[network.output_bias]);
    lanes
}
