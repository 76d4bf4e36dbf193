//! The affine layers `fc_0`, `fc_1` and `fc_out`, stored so that few instructions compute them, and their activation.

use std::ops::Range;

use crate::nnue::aligned::Aligned;
use crate::nnue::arch::LayerShape;
use crate::nnue::fast::sizes::LayerSizes;
use crate::nnue::simd::{Isa, clipped_relu};

/// Inputs that are multiplied at once.
pub(super) const GROUP: usize = 4;

/// Inputs are padded to a multiple of this.
pub(super) const BLOCK: usize = 16;

/// Outputs are padded to a multiple of this.
const OUTPUTS: usize = 8;

/// An affine layer in all layer stacks.
///
/// Weights lie by group of four inputs, then by output, then by input within the group: one vector
/// holds the weights of many outputs for one group, and a group whose inputs are all zero is skipped.
#[derive(Debug)]
pub(super) struct AffineLayer {
    sizes: LayerSizes,
    /// By stack, then by output.
    pub(super) biases: Aligned<i32>,
    /// By stack, group, output, input.
    pub(super) weights: Aligned<i8>,
}

/// An affine layer in one layer stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct AffineStack<'a> {
    biases: &'a [i32],
    weights: &'a [i8],
}

impl AffineLayer {
    /// A layer with these `shape` and `weight`s by stack, output and input. Inputs are
    /// `inputs` many with padding; weights of padding are zero.
    pub(super) fn new(
        shape: LayerShape,
        stacks: usize,
        inputs: usize,
        bias: impl Fn(usize, usize) -> i32,
        weight: impl Fn(usize, usize, usize) -> i8,
    ) -> Self {
        debug_assert!(inputs.is_multiple_of(BLOCK));
        let groups = inputs / GROUP;
        let padded_outputs = shape.outputs.next_multiple_of(OUTPUTS);
        let mut biases = Aligned::zeros(stacks * padded_outputs);
        let mut weights = Aligned::zeros(stacks * inputs * padded_outputs);
        for stack in 0..stacks {
            let biases = &mut biases[stack * padded_outputs..][..shape.outputs];
            for (output, place) in biases.iter_mut().enumerate() {
                *place = bias(stack, output);
            }
            let weights = &mut weights[stack * inputs * padded_outputs..];
            for input in 0..inputs {
                for output in 0..shape.outputs {
                    let group = (input / GROUP * padded_outputs + output) * GROUP;
                    weights[group + input % GROUP] = weight(stack, output, input);
                }
            }
        }
        Self {
            sizes: LayerSizes {
                groups,
                outputs: padded_outputs,
            },
            biases,
            weights,
        }
    }

    /// A layer of this `shape` and padded `inputs` whose arrays are there already.
    pub(super) fn of_arrays(
        shape: LayerShape,
        inputs: usize,
        biases: Aligned<i32>,
        weights: Aligned<i8>,
    ) -> Self {
        Self {
            sizes: LayerSizes {
                groups: inputs / GROUP,
                outputs: shape.outputs.next_multiple_of(OUTPUTS),
            },
            biases,
            weights,
        }
    }

    /// The numbers of biases and weights of such a layer.
    pub(super) fn array_lens(shape: LayerShape, stacks: usize, inputs: usize) -> [u64; 2] {
        let outputs = stacks as u64 * shape.outputs.next_multiple_of(OUTPUTS) as u64;
        [outputs, outputs * inputs as u64]
    }

    /// Its padded sizes.
    pub(super) const fn sizes(&self) -> LayerSizes {
        self.sizes
    }

    /// The layer in one stack. `sizes` are those of [`Self::sizes`], known to the compiler or not.
    #[inline(always)]
    pub(super) fn stack(&self, sizes: LayerSizes, stack: usize) -> AffineStack<'_> {
        let weights = sizes.groups * sizes.outputs * GROUP;
        AffineStack {
            biases: &self.biases[stack * sizes.outputs..][..sizes.outputs],
            weights: &self.weights[stack * weights..][..weights],
        }
    }
}

/// The inputs of a layer, and which of them may not be zero.
#[derive(Clone)]
pub(super) struct AffineInputs<'a> {
    /// All of them, 0 to 127, with padding to a multiple of [`BLOCK`].
    pub(super) bytes: &'a [u8],
    /// Blocks of inputs, in two ranges.
    pub(super) blocks: [Range<usize>; 2],
    /// True to go through ranges from their ends.
    pub(super) backward: bool,
    /// Numbers of groups in no such block.
    pub(super) list: &'a [u16],
}

impl<'a> AffineInputs<'a> {
    /// Dense inputs.
    #[inline(always)]
    pub(super) fn all(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            blocks: [0..bytes.len() / BLOCK, 0..0],
            backward: false,
            list: &[],
        }
    }
}

impl AffineStack<'_> {
    /// Computes the layer and gives all outputs, padding included, to `activation`.
    ///
    /// # Panics
    /// When a number in the list is too large.
    #[inline(always)]
    pub(super) fn run<I: Isa>(
        &self,
        isa: I,
        inputs: &AffineInputs<'_>,
        activation: &mut impl Activation,
    ) {
        // Slow sums that wait for each other should be four or more at a time.
        match self.biases.len() {
            8 => self.eight::<I, 4>(isa, inputs, activation),
            16 => self.all::<I, 1, 4>(isa, inputs, activation),
            32 if !I::SLOW_SUMS => self.all::<I, 2, 1>(isa, inputs, activation),
            32 => self.all::<I, 2, 4>(isa, inputs, activation),
            64 => self.all::<I, 4, 1>(isa, inputs, activation),
            _ => self.any(isa, inputs, activation),
        }
    }

    /// Sixteen times `N` outputs, each as `CHAINS` sums.
    #[inline(always)]
    fn all<I: Isa, const N: usize, const CHAINS: usize>(
        &self,
        isa: I,
        inputs: &AffineInputs<'_>,
        activation: &mut impl Activation,
    ) {
        let weights = self.weights.as_chunks::<64>().0.as_chunks::<N>().0;
        let Some(biases) = self.biases.as_chunks::<16>().0.first_chunk::<N>() else {
            return;
        };
        let mut sums = Sums16 {
            chains: [[isa.zero16(); N]; CHAINS],
        };
        for (sum, biases) in sums.chains[0].iter_mut().zip(biases) {
            *sum = isa.load16(biases);
        }
        each_group::<I, _, _, CHAINS>(isa, inputs, weights, &mut sums);
        let [first, others @ ..] = &sums.chains[..] else {
            return;
        };
        for (n, &first) in first.iter().enumerate() {
            let mut sum = first;
            for chain in others {
                sum = isa.add16(sum, chain[n]);
            }
            activation.sixteen(isa, n, sum);
        }
    }

    /// Eight outputs, each as `CHAINS` sums.
    #[inline(always)]
    fn eight<I: Isa, const CHAINS: usize>(
        &self,
        isa: I,
        inputs: &AffineInputs<'_>,
        activation: &mut impl Activation,
    ) {
        let weights = self.weights.as_chunks::<32>().0;
        let Some(biases) = self.biases.first_chunk() else {
            return;
        };
        let mut sums = Sums8 {
            chains: [isa.zero8(); CHAINS],
        };
        sums.chains[0] = isa.load8(biases);
        each_group::<I, _, _, CHAINS>(isa, inputs, weights, &mut sums);
        let [mut sum, ref others @ ..] = sums.chains[..] else {
            return;
        };
        for &chain in others {
            sum = isa.add8(sum, chain);
        }
        activation.eight(isa, 0, sum);
    }

    /// Any number of outputs, eight at a time.
    #[inline(always)]
    fn any<I: Isa>(&self, isa: I, inputs: &AffineInputs<'_>, activation: &mut impl Activation) {
        let (biases, _) = self.biases.as_chunks();
        let stride = biases.len();
        let weights = self.weights.as_chunks::<32>().0;
        for (n, biases) in biases.iter().enumerate() {
            let mut sum = isa.load8(biases);
            for (group, weights) in inputs
                .bytes
                .as_chunks()
                .0
                .iter()
                .zip(weights.chunks(stride))
            {
                sum = isa.dot8(sum, isa.group(*group), &weights[n]);
            }
            activation.eight(isa, n, sum);
        }
    }
}

/// Sums of some outputs, to each of which chains of sums lead, in registers.
///
/// No closure in its place: a closure is a function of its own, compiled for any processor.
trait Chains<I: Isa, W> {
    /// Adds the products of a group with its `weights` to one chain.
    fn add(&mut self, isa: I, chain: usize, group: I::Group, weights: &W);
}

/// Sixteen times `N` outputs.
struct Sums16<I: Isa, const N: usize, const CHAINS: usize> {
    chains: [[I::Acc16; N]; CHAINS],
}

impl<I: Isa, const N: usize, const CHAINS: usize> Chains<I, [[i8; 64]; N]>
    for Sums16<I, N, CHAINS>
{
    #[inline(always)]
    fn add(&mut self, isa: I, chain: usize, group: I::Group, weights: &[[i8; 64]; N]) {
        for (sum, weights) in self.chains[chain].iter_mut().zip(weights) {
            *sum = isa.dot16(*sum, group, weights);
        }
    }
}

/// Eight outputs.
struct Sums8<I: Isa, const CHAINS: usize> {
    chains: [I::Acc8; CHAINS],
}

impl<I: Isa, const CHAINS: usize> Chains<I, [i8; 32]> for Sums8<I, CHAINS> {
    #[inline(always)]
    fn add(&mut self, isa: I, chain: usize, group: I::Group, weights: &[i8; 32]) {
        self.chains[chain] = isa.dot8(self.chains[chain], group, weights);
    }
}

/// Adds each group that counts to `sums`, to one chain after the other.
#[inline(always)]
fn each_group<I: Isa, W, S: Chains<I, W>, const CHAINS: usize>(
    isa: I,
    inputs: &AffineInputs<'_>,
    weights: &[W],
    sums: &mut S,
) {
    let all = inputs.bytes.as_chunks::<BLOCK>().0;
    let weights_of_blocks = weights.as_chunks::<4>().0;
    let [first, second] = &inputs.blocks;
    let ranges = if inputs.backward {
        [second, first]
    } else {
        [first, second]
    };
    for range in ranges {
        debug_assert!(range.end <= all.len());
        let blocks = all.get(range.clone()).unwrap_or_default();
        let weights = weights_of_blocks.get(range.clone()).unwrap_or_default();
        let len = blocks.len().min(weights.len());
        let (blocks, weights) = (&blocks[..len], &weights[..len]);
        for n in 0..len {
            let at = if inputs.backward { len - 1 - n } else { n };
            let groups = isa.groups(&blocks[at]);
            for (i, (group, weights)) in groups.into_iter().zip(&weights[at]).enumerate() {
                sums.add(isa, i % CHAINS, group, weights);
            }
        }
    }
    let groups = inputs.bytes.as_chunks::<GROUP>().0;
    // The same length: one check for both.
    let len = groups.len().min(weights.len());
    let (groups, weights) = (&groups[..len], &weights[..len]);
    let (chunks, rest) = inputs.list.as_chunks::<CHAINS>();
    for numbers in chunks {
        for (chain, number) in numbers.iter().enumerate() {
            let number = usize::from(*number);
            sums.add(isa, chain, isa.group(groups[number]), &weights[number]);
        }
    }
    for number in rest {
        let number = usize::from(*number);
        sums.add(isa, 0, isa.group(groups[number]), &weights[number]);
    }
}

/// The activation of an affine layer's outputs while they are in registers, 16 or 8 at a time.
pub(super) trait Activation {
    /// Sums `16 * n` and those that follow.
    fn sixteen<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc16);
    /// Sums `8 * n` and those that follow.
    fn eight<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc8);
}

/// Writes the outputs as they are.
pub(super) struct RawOutputs<'a>(pub(super) &'a mut [i32]);

impl Activation for RawOutputs<'_> {
    #[inline(always)]
    fn sixteen<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc16) {
        if let Some(place) = self.0.as_chunks_mut().0.get_mut(n) {
            isa.store16(sums, place);
        }
    }

    #[inline(always)]
    fn eight<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc8) {
        if let Some(place) = self.0.as_chunks_mut().0.get_mut(n) {
            isa.store8(sums, place);
        }
    }
}

/// `ClippedReLU`: the outputs become inputs of the next layer, [`clipped_relu`] of each.
pub(super) struct ClippedRelu<'a>(pub(super) &'a mut [u8]);

impl Activation for ClippedRelu<'_> {
    #[inline(always)]
    fn sixteen<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc16) {
        if let Some(place) = self.0.as_chunks_mut().0.get_mut(n) {
            *place = isa.clipped_relu16(sums);
        }
    }

    #[inline(always)]
    fn eight<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc8) {
        if let Some(place) = self.0.as_chunks_mut().0.get_mut(n) {
            let mut numbers = [0; 8];
            isa.store8(sums, &mut numbers);
            *place = numbers.map(clipped_relu);
        }
    }
}

/// Keeps the first output: that of `fc_out`.
pub(super) struct FirstOutput(pub(super) i32);

impl Activation for FirstOutput {
    #[inline(always)]
    fn sixteen<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc16) {
        if n == 0 {
            let mut numbers = [0; 16];
            isa.store16(sums, &mut numbers);
            self.0 = numbers[0];
        }
    }

    #[inline(always)]
    fn eight<I: Isa>(&mut self, isa: I, n: usize, sums: I::Acc8) {
        if n == 0 {
            self.0 = isa.first8(sums);
        }
    }
}
