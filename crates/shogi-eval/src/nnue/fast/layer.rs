//! The small layers, laid out so that few instructions compute them.

use crate::nnue::aligned::Aligned;
use crate::nnue::arch::LayerShape;
use crate::nnue::simd::Isa;

/// Inputs that are multiplied at once.
pub(super) const GROUP: usize = 4;

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
    biases: Aligned<i32>,
    /// By stack, group, output, input.
    weights: Aligned<i8>,
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
        debug_assert!(inputs.is_multiple_of(GROUP));
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

impl StackOfLayer<'_> {
    /// The outputs (as many as biases) for inputs of which those of the groups in `list` are not all
    /// zero.
    ///
    /// # Panics
    /// When `outputs` is not as long as the biases or a number in `list` is too large.
    #[inline(always)]
    pub(super) fn run<I: Isa>(
        &self,
        isa: I,
        inputs: &[[u8; GROUP]],
        list: &[u16],
        outputs: &mut [i32],
    ) {
        outputs.copy_from_slice(self.biases);
        // Sums that wait for each other should be four or more at a time.
        match outputs.len() {
            8 => self.eight::<I, 4>(isa, inputs, list, outputs),
            16 => self.all::<I, 1, 4>(isa, inputs, list, outputs),
            32 => self.all::<I, 2, 2>(isa, inputs, list, outputs),
            64 => self.all::<I, 4, 1>(isa, inputs, list, outputs),
            _ => self.any(isa, inputs, list, outputs),
        }
    }

    /// Sixteen times `N` outputs, each as `CHAINS` sums.
    #[inline(always)]
    fn all<I: Isa, const N: usize, const CHAINS: usize>(
        &self,
        isa: I,
        inputs: &[[u8; GROUP]],
        list: &[u16],
        outputs: &mut [i32],
    ) {
        let weights = self.weights.as_chunks::<64>().0.as_chunks::<N>().0;
        // The same length: one check for both.
        let inputs = &inputs[..weights.len()];
        let mut sums = [[isa.zero16(); N]; CHAINS];
        let step = |sums: &mut [I::Acc16; N], group: u16| {
            let (inputs, weights) = (inputs[usize::from(group)], &weights[usize::from(group)]);
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = isa.dot16(*sum, inputs, weights);
            }
        };
        let (chunks, rest) = list.as_chunks::<CHAINS>();
        for groups in chunks {
            for (sums, &group) in sums.iter_mut().zip(groups) {
                step(sums, group);
            }
        }
        for &group in rest {
            step(&mut sums[0], group);
        }
        let outputs = outputs.as_chunks_mut::<16>().0;
        for (n, outputs) in outputs.iter_mut().take(N).enumerate() {
            let sum = (1..CHAINS).fold(sums[0][n], |sum, chain| isa.add16(sum, sums[chain][n]));
            isa.add16_to(sum, outputs);
        }
    }

    /// Eight outputs, each as `CHAINS` sums.
    #[inline(always)]
    fn eight<I: Isa, const CHAINS: usize>(
        &self,
        isa: I,
        inputs: &[[u8; GROUP]],
        list: &[u16],
        outputs: &mut [i32],
    ) {
        let weights = self.weights.as_chunks::<32>().0;
        let inputs = &inputs[..weights.len()];
        let mut sums = [isa.zero8(); CHAINS];
        let step = |sum: &mut I::Acc8, group: u16| {
            let (inputs, weights) = (inputs[usize::from(group)], &weights[usize::from(group)]);
            *sum = isa.dot8(*sum, inputs, weights);
        };
        let (chunks, rest) = list.as_chunks::<CHAINS>();
        for groups in chunks {
            for (sum, &group) in sums.iter_mut().zip(groups) {
                step(sum, group);
            }
        }
        for &group in rest {
            step(&mut sums[0], group);
        }
        for outputs in outputs.as_chunks_mut::<8>().0 {
            let sum = (1..CHAINS).fold(sums[0], |sum, chain| isa.add8(sum, sums[chain]));
            isa.add8_to(sum, outputs);
        }
    }

    /// Any number of outputs, eight at a time.
    #[inline(always)]
    fn any<I: Isa>(&self, isa: I, inputs: &[[u8; GROUP]], list: &[u16], outputs: &mut [i32]) {
        let (outputs, _) = outputs.as_chunks_mut::<8>();
        let stride = outputs.len();
        for (first, outputs) in outputs.iter_mut().enumerate() {
            let weights = self.weights.as_chunks::<32>().0;
            let mut sum = isa.zero8();
            for &group in list {
                let group = usize::from(group);
                sum = isa.dot8(sum, inputs[group], &weights[group * stride + first]);
            }
            isa.add8_to(sum, outputs);
        }
    }
}
