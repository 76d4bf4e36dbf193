//! The numbers in training, and the network that they make.

use othello_eval::{
    FIRST_OUTPUTS, NET_MOST_BIAS, NET_UNIT, NET_WEIGHT_UNIT, NetShape, NetStack, NetWeights,
    PlyPhases, SECOND_OUTPUTS,
};
use yane_base::random::SplitMix64;

use crate::split::LAST_PLY;

/// Units that are trained side by side.
pub(super) const SLICE: usize = 16;

/// Numbers of a slice of a row.
pub(super) type Slice = [f32; SLICE];

/// The largest number of a row: what 8 bits hold.
pub(super) const MOST_OF_ROW: f32 = 127.0 / NET_UNIT as f32;

/// The largest weight of a layer: what 16 bits hold.
pub(super) const MOST_OF_LAYER: f32 = 32_767.0 / NET_WEIGHT_UNIT as f32;

/// Plies of a game, and one for full boards.
const PLIES: usize = LAST_PLY + 1;

/// Where the parts of a stack are.
pub(super) mod stack {
    use super::{FIRST_OUTPUTS, SECOND_OUTPUTS};

    /// Inputs of the second layer.
    pub(in crate::net) const SECOND_INPUTS: usize = 2 * FIRST_OUTPUTS;

    /// Numbers behind the weights of the first layer: biases, the second layer with its biases, the output.
    pub(in crate::net) const BEHIND: usize =
        FIRST_OUTPUTS + SECOND_INPUTS * SECOND_OUTPUTS + 2 * SECOND_OUTPUTS;
}

/// The sizes of a network in training: where its dense numbers are.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    pub(super) shape: NetShape,
    pub(super) phases: PlyPhases,
    pub(super) rows: usize,
}

impl Sizes {
    pub(super) const fn units(&self) -> usize {
        self.shape.units()
    }

    /// Slices of a row.
    pub(super) const fn slices(&self) -> usize {
        self.shape.units() / SLICE
    }

    /// Numbers of a stack.
    pub(super) const fn stack(&self) -> usize {
        self.units() * FIRST_OUTPUTS + stack::BEHIND
    }

    /// Where the biases of a ply are.
    pub(super) const fn bias(&self, ply: usize) -> usize {
        ply * self.units()
    }

    /// Where the stack of a phase is.
    pub(super) const fn stack_at(&self, phase: usize) -> usize {
        PLIES * self.units() + phase * self.stack()
    }

    /// Where the constant of a ply is.
    pub(super) const fn output(&self, ply: usize) -> usize {
        self.stack_at(self.phases.count()) + ply
    }

    /// Dense numbers: biases, stacks, constants.
    pub(super) const fn dense(&self) -> usize {
        self.output(PLIES)
    }
}

/// The numbers in training.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Params {
    /// The first slices of all rows, then the second ones, and so on.
    pub(super) rows: Vec<Slice>,
    /// Biases, stacks, constants.
    pub(super) dense: Vec<f32>,
}

impl Params {
    pub(super) fn zeros(sizes: &Sizes) -> Self {
        Self {
            rows: vec![[0.0; SLICE]; sizes.rows * sizes.slices()],
            dense: vec![0.0; sizes.dense()],
        }
    }

    /// Numbers to begin with. Rows are zeros, so that those of states that are never seen stay so; units differ by their biases, alike at all
    /// plies, and by the weights behind them.
    pub(super) fn random(sizes: &Sizes, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let mut within = |least: f32, most: f32| {
            least + (most - least) * (random.below(1 << 24) as f32 / (1 << 24) as f32)
        };
        let mut params = Self::zeros(sizes);
        let biases: Vec<f32> = (0..sizes.units()).map(|_| within(0.2, 0.6)).collect();
        for ply in 0..PLIES {
            params.dense[sizes.bias(ply)..][..sizes.units()].copy_from_slice(&biases);
        }
        // One draw for all stacks: what they have in common is learnt alike.
        let mut one = Vec::new();
        let first = (1.0 / sizes.units() as f32).sqrt();
        one.extend((0..sizes.units() * FIRST_OUTPUTS).map(|_| within(-first, first)));
        one.extend((0..FIRST_OUTPUTS).map(|_| within(0.0, 0.3)));
        let second = (1.0 / stack::SECOND_INPUTS as f32).sqrt();
        let count = stack::SECOND_INPUTS * SECOND_OUTPUTS;
        one.extend((0..count).map(|_| within(-second, second)));
        one.extend((0..SECOND_OUTPUTS).map(|_| within(0.0, 0.3)));
        one.extend((0..SECOND_OUTPUTS).map(|_| within(-0.2, 0.2)));
        for phase in 0..sizes.phases.count() {
            params.dense[sizes.stack_at(phase)..][..sizes.stack()].copy_from_slice(&one);
        }
        params
    }

    /// The numbers of a network.
    pub(super) fn of_net(sizes: &Sizes, net: &NetWeights) -> Self {
        let mut params = Self::zeros(sizes);
        let unit = NET_UNIT as f32;
        for (n, row) in net.rows.chunks_exact(sizes.units()).enumerate() {
            for (slice, numbers) in row.as_chunks::<SLICE>().0.iter().enumerate() {
                params.rows[slice * sizes.rows + n] =
                    numbers.map(|number| f32::from(number) / unit);
            }
        }
        let biases = net.biases.iter().map(|&bias| f32::from(bias) / unit);
        let mut dense: Vec<f32> = biases.collect();
        let weight = |&weight: &i16| f32::from(weight) / NET_WEIGHT_UNIT as f32;
        let sum = |&sum: &i32| sum as f32 / (NET_UNIT * NET_WEIGHT_UNIT) as f32;
        // Each phase of ours begins with the stack that its first ply has there.
        for phase in 0..sizes.phases.count() {
            let ply = sizes.phases.plies(phase).next().unwrap_or_default();
            let stack = &net.stacks[usize::from(net.phases.of_plies()[ply])];
            dense.extend(stack.first.as_flattened().iter().map(weight));
            dense.extend(stack.first_biases.iter().map(sum));
            dense.extend(stack.second.as_flattened().iter().map(weight));
            dense.extend(stack.second_biases.iter().map(sum));
            dense.extend(stack.output.iter().map(weight));
        }
        dense.extend(net.outputs.iter().map(sum));
        params.dense = dense;
        params
    }

    /// The network, its numbers rounded.
    pub(super) fn net(&self, sizes: &Sizes) -> NetWeights {
        let mut net = NetWeights::zeros(sizes.shape, sizes.phases.clone());
        for (n, row) in net.rows.chunks_exact_mut(sizes.units()).enumerate() {
            for (slice, numbers) in row.as_chunks_mut::<SLICE>().0.iter_mut().enumerate() {
                let own = self.rows[slice * sizes.rows + n];
                *numbers = own.map(|x| rounded(x, NET_UNIT, 127) as i8);
            }
        }
        for (bias, &number) in net.biases.iter_mut().zip(&self.dense) {
            *bias = rounded(number, NET_UNIT, NET_MOST_BIAS.into()) as i16;
        }
        for (phase, stack) in net.stacks.iter_mut().enumerate() {
            put_stack(&self.dense[sizes.stack_at(phase)..][..sizes.stack()], stack);
        }
        for (output, &number) in net.outputs.iter_mut().zip(&self.dense[sizes.output(0)..]) {
            *output = sum(number);
        }
        net
    }
}

/// A number in parts of `unit`, within ±`most` of them.
fn rounded(number: f32, unit: i32, most: i32) -> i32 {
    let most = most as f32;
    (number * unit as f32).round().clamp(-most, most) as i32
}

/// A weight of a layer.
fn weight(number: f32) -> i16 {
    rounded(number, NET_WEIGHT_UNIT, i16::MAX.into()) as i16
}

/// A bias of a layer.
fn sum(number: f32) -> i32 {
    rounded(number, NET_UNIT * NET_WEIGHT_UNIT, 1 << 25)
}

fn put_stack(mut numbers: &[f32], stack: &mut NetStack) {
    let mut take = |len: usize| {
        let (own, rest) = numbers.split_at(len);
        numbers = rest;
        own
    };
    let weights = |into: &mut [i16], from: &[f32]| {
        for (into, &from) in into.iter_mut().zip(from) {
            *into = weight(from);
        }
    };
    let first = stack.first.as_flattened_mut();
    weights(first, take(first.len()));
    stack.first_biases = std::array::from_fn(|_| sum(take(1)[0]));
    let second = stack.second.as_flattened_mut();
    weights(second, take(second.len()));
    stack.second_biases = std::array::from_fn(|_| sum(take(1)[0]));
    weights(&mut stack.output, take(SECOND_OUTPUTS));
}
