//! The small layers, laid out so that few instructions compute them.

use super::finish::Finish;
use crate::nnue::aligned::Aligned;
use crate::nnue::arch::LayerShape;
use crate::nnue::simd::Isa;

/// Inputs that are multiplied at once.
pub(super) const GROUP: usize = 4;

/// Inputs are padded to a multiple of this.
pub(super) const BLOCK: usize = 16;

/// Outputs are padded to a multiple of this.
const OUTPUTS: usize = 8;

/// A small layer in all stacks.
///
/// Weights lie by group of four inputs, then by output, then by input within the group: one vector
/// holds the weights of many outputs for one group, and a group whose inputs are all zero is skipped.
#[derive(Debug)]
pub(super) struct WideLayer {
    groups: usize,
    padded_outputs: usize,
    /// By stack, then by output.
    pub(super) biases: Aligned<i32>,
    /// By stack, group, output, input.
    pub(super) weights: Aligned<i8>,
}

/// Such a layer in one stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackOfLayer<'a> {
    biases: &'a [i32],
    weights: &'a [i8],
}

impl WideLayer {
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
            groups,
            padded_outputs,
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
            groups: inputs / GROUP,
            padded_outputs: shape.outputs.next_multiple_of(OUTPUTS),
            biases,
            weights,
        }
    }

    /// How many biases and weights such a layer has.
    pub(super) fn array_lens(shape: LayerShape, stacks: usize, inputs: usize) -> [u64; 2] {
        let outputs = stacks as u64 * shape.outputs.next_multiple_of(OUTPUTS) as u64;
        [outputs, outputs * inputs as u64]
    }

    /// Groups of inputs.
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// Outputs with padding.
    pub(super) fn padded_outputs(&self) -> usize {
        self.padded_outputs
    }

    /// The layer in one stack.
    #[inline(always)]
    pub(super) fn stack(&self, stack: usize) -> StackOfLayer<'_> {
        let weights = self.groups * self.padded_outputs * GROUP;
        StackOfLayer {
            biases: &self.biases[stack * self.padded_outputs..][..self.padded_outputs],
            weights: &self.weights[stack * weights..][..weights],
        }
    }
}

/// The inputs of a layer.
#[derive(Clone, Copy)]
pub(super) struct LayerInputs<'a> {
    /// All of them, 0 to 127, with padding to a multiple of 16.
    pub(super) bytes: &'a [u8],
    /// The numbers of the groups that are not all zero; `None` to go through all.
    pub(super) list: Option<&'a [u16]>,
}

impl StackOfLayer<'_> {
    /// Gives all sums, padding included, to `finish`.
    ///
    /// # Panics
    /// When a number in the list is too large.
    #[inline(always)]
    pub(super) fn run<I: Isa>(&self, isa: I, inputs: LayerInputs<'_>, finish: &mut impl Finish) {
        // Slow sums that wait for each other should be four or more at a time.
        match self.biases.len() {
            8 => self.eight::<I, 4>(isa, inputs, finish),
            16 => self.all::<I, 1, 4>(isa, inputs, finish),
            32 if !I::SLOW_SUMS => self.all::<I, 2, 1>(isa, inputs, finish),
            32 => self.all::<I, 2, 4>(isa, inputs, finish),
            64 => self.all::<I, 4, 1>(isa, inputs, finish),
            _ => self.any(isa, inputs, finish),
        }
    }

    /// Sixteen times `N` outputs, each as `CHAINS` sums.
    #[inline(always)]
    fn all<I: Isa, const N: usize, const CHAINS: usize>(
        &self,
        isa: I,
        inputs: LayerInputs<'_>,
        finish: &mut impl Finish,
    ) {
        let weights = self.weights.as_chunks::<64>().0.as_chunks::<N>().0;
        let Some(biases) = self.biases.as_chunks::<16>().0.first_chunk::<N>() else {
            return;
        };
        let mut sums = [[isa.zero16(); N]; CHAINS];
        sums[0] = biases.each_ref().map(|biases| isa.load16(biases));
        each_group::<I, [[i8; 64]; N], CHAINS>(isa, inputs, weights, |chain, group, weights| {
            for (sum, weights) in sums[chain].iter_mut().zip(weights) {
                *sum = isa.dot16(*sum, group, weights);
            }
        });
        let [first, others @ ..] = &sums[..] else {
            return;
        };
        for (n, &sum) in first.iter().enumerate() {
            let sum = others
                .iter()
                .fold(sum, |sum, chain| isa.add16(sum, chain[n]));
            finish.sixteen(isa, n, sum);
        }
    }

    /// Eight outputs, each as `CHAINS` sums.
    #[inline(always)]
    fn eight<I: Isa, const CHAINS: usize>(
        &self,
        isa: I,
        inputs: LayerInputs<'_>,
        finish: &mut impl Finish,
    ) {
        let weights = self.weights.as_chunks::<32>().0;
        let Some(biases) = self.biases.first_chunk() else {
            return;
        };
        let mut sums = [isa.zero8(); CHAINS];
        sums[0] = isa.load8(biases);
        each_group::<I, [i8; 32], CHAINS>(isa, inputs, weights, |chain, group, weights| {
            sums[chain] = isa.dot8(sums[chain], group, weights);
        });
        let sum = (1..CHAINS).fold(sums[0], |sum, chain| isa.add8(sum, sums[chain]));
        finish.eight(isa, 0, sum);
    }

    /// Any number of outputs, eight at a time.
    #[inline(always)]
    fn any<I: Isa>(&self, isa: I, inputs: LayerInputs<'_>, finish: &mut impl Finish) {
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
            finish.eight(isa, n, sum);
        }
    }
}

/// Calls `step` with each group that counts and its weights, and with the number of the chain of sums
/// to add to.
#[inline(always)]
fn each_group<I: Isa, W, const CHAINS: usize>(
    isa: I,
    inputs: LayerInputs<'_>,
    weights: &[W],
    mut step: impl FnMut(usize, I::Group, &W),
) {
    let Some(list) = inputs.list else {
        let blocks = inputs.bytes.as_chunks::<16>().0;
        for (block, weights) in blocks.iter().zip(weights.as_chunks::<4>().0) {
            let groups = isa.groups(block);
            for (i, (group, weights)) in groups.into_iter().zip(weights).enumerate() {
                step(i % CHAINS, group, weights);
            }
        }
        return;
    };
    let groups = inputs.bytes.as_chunks::<GROUP>().0;
    // The same length: one check for both.
    let len = groups.len().min(weights.len());
    let (groups, weights) = (&groups[..len], &weights[..len]);
    let mut step = |chain, number: &u16| {
        let number = usize::from(*number);
        step(chain, isa.group(groups[number]), &weights[number]);
    };
    let (chunks, rest) = list.as_chunks::<CHAINS>();
    for numbers in chunks {
        for (chain, number) in numbers.iter().enumerate() {
            step(chain, number);
        }
    }
    for number in rest {
        step(0, number);
    }
}
