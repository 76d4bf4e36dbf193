//! Networks prepared for evaluation, and the evaluator that plays with them.
//!
//! [`PreparedNetwork`] holds the weights, once for all threads. [`NnueEvaluator`] holds what one search needs: the
//! accumulators of every position of its line, updated when a value is asked for, and a refresh cache by king square.
//! [`MappedNetwork`] is the network in a file that can be mapped.
//!
//! From a position to its value: features → feature transformer (`transformer`) → `accumulator` → `ClippedReLU`, or
//! products for SFNN, with the non-zero mask (`transformer`) → `fc_0`, `fc_1`, `fc_out` (`affine`).

mod accumulator;
mod affine;
mod features;
mod mapped;
mod order;
mod prepared;
mod progress_line;
mod sizes;
mod transformer;
mod weights;

use std::sync::Arc;

use shogi_core::{Color, Delta, Position};

use crate::Evaluator;
use crate::nnue::FvScale;
use crate::nnue::arch::Architecture;
use crate::nnue::simd::{Isa, Kernel, Level, clipped_relu};

use crate::nnue::fast::sizes::Sizes;
use accumulator::{AccumulatorStack, RefreshCache};
use affine::{AffineInputs, ClippedRelu, FirstOutput, GROUP, RawOutputs};
use features::AllFeatures;
use transformer::Inputs;

pub(crate) use mapped::EXTENSION;
pub use mapped::{MappedError, MappedKey, MappedNetwork};
pub use prepared::PreparedNetwork;

// The evaluator: accumulators updated, then the affine layers.

/// Evaluates with a neural network.
///
/// Moves are only recorded when they are made. [`Evaluator::evaluate`] updates the accumulators from the last position of
/// the line that has them, by the feature deltas of the moves since. When the perspective's own king moved, its accumulator is
/// refreshed from a cache by king square.
///
/// Values are those of [`reference::evaluate`](crate::nnue::reference::evaluate), bit for bit, with
/// all instruction sets.
#[derive(Debug)]
pub struct NnueEvaluator {
    network: Arc<PreparedNetwork>,
    scale: FvScale,
    level: Level,
    sizes: Sizes,
    stack: AccumulatorStack,
    cache: RefreshCache,
    all: AllFeatures,
    inputs: Inputs,
    /// Outputs of `fc_0`, when they are needed as they are.
    outputs: Vec<i32>,
    /// Inputs of `fc_1`, then of `fc_out`.
    hidden: Vec<u8>,
}

impl NnueEvaluator {
    /// An evaluator that waits for [`Evaluator::reset`]. Outputs are divided by `scale`.
    pub fn new(network: Arc<PreparedNetwork>, scale: FvScale) -> Self {
        Self::with_level(network, scale, Level::best())
    }

    /// As [`Self::new`], with this instruction set.
    pub fn with_level(network: Arc<PreparedNetwork>, scale: FvScale, level: Level) -> Self {
        let sizes = network.sizes();
        let [first, second, last] = sizes.layers;
        let hidden = GROUP * second.groups + (GROUP * last.groups).max(second.outputs);
        Self {
            scale,
            level,
            sizes,
            stack: AccumulatorStack::new(&network),
            cache: RefreshCache::new(&network),
            all: AllFeatures::NONE,
            inputs: Inputs::new(first.groups, network.dense),
            outputs: vec![0; first.outputs.next_multiple_of(16)],
            hidden: vec![0; hidden.next_multiple_of(32)],
            network,
        }
    }

    /// The network.
    pub fn network(&self) -> &Arc<PreparedNetwork> {
        &self.network
    }

    /// The divisor of outputs (`FV_SCALE`).
    pub fn scale(&self) -> FvScale {
        self.scale
    }

    /// The instruction set in use.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The value of `position` with refreshed accumulators, without any earlier position.
    pub fn evaluate_from_scratch(&mut self, position: &Position) -> i32 {
        self.stack.reset(position);
        self.run(position, true)
    }

    fn run(&mut self, position: &Position, from_scratch: bool) -> i32 {
        let scale = self.scale;
        scale.apply(self.level.run(EvaluateKernel {
            evaluator: self,
            position,
            from_scratch,
        }))
    }
}

impl Clone for NnueEvaluator {
    /// An evaluator with the same network that waits for [`Evaluator::reset`].
    fn clone(&self) -> Self {
        Self::with_level(Arc::clone(&self.network), self.scale, self.level)
    }
}

impl Evaluator for NnueEvaluator {
    fn reset(&mut self, position: &Position) {
        self.stack.reset(position);
    }

    #[inline]
    fn push(&mut self, delta: Option<&Delta>) {
        self.stack.push(&self.network, delta);
    }

    #[inline]
    fn pop(&mut self) {
        self.stack.pop();
    }

    fn evaluate(&mut self, position: &Position) -> i32 {
        if self.stack.is_empty() {
            self.stack.reset(position);
        }
        self.run(position, false)
    }
}

/// The output of the network for a position.
struct EvaluateKernel<'a> {
    evaluator: &'a mut NnueEvaluator,
    position: &'a Position,
    from_scratch: bool,
}

impl Kernel for EvaluateKernel<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> i32 {
        match self.evaluator.sizes {
            sizes if !I::KNOWN_SIZES => self.of_sizes(isa, sizes),
            Sizes::CLASSIC_256 => self.of_sizes(isa, Sizes::CLASSIC_256),
            Sizes::SFNN_512 => self.of_sizes(isa, Sizes::SFNN_512),
            Sizes::SFNN_1536 => self.of_sizes(isa, Sizes::SFNN_1536),
            sizes => self.of_sizes(isa, sizes),
        }
    }
}

impl EvaluateKernel<'_> {
    /// The output of a network of these `sizes`, known to the compiler or not.
    #[inline(always)]
    fn of_sizes<I: Isa>(self, isa: I, sizes: Sizes) -> i32 {
        let (this, position) = (self.evaluator, self.position);
        if !sizes.products {
            this.transform::<I, false>(isa, sizes, position, self.from_scratch);
            return this.classic(isa, sizes);
        }
        this.transform::<I, true>(isa, sizes, position, self.from_scratch);
        let Architecture::Sfnn(sfnn) = *this.network.architecture() else {
            unreachable!("only SFNN networks take products");
        };
        let progress = this.stack.progress(&this.network, position);
        let own_king = |color| this.stack.own_king(color);
        let stack = sfnn.stacks().index(position, own_king, progress);
        this.stacked(isa, sizes, stack, sfnn.hidden()[0], sfnn.has_shortcut())
    }
}

impl NnueEvaluator {
    /// Updates the accumulators and makes the inputs of `fc_0` of them.
    #[inline(always)]
    fn transform<I: Isa, const PRODUCTS: bool>(
        &mut self,
        isa: I,
        sizes: Sizes,
        position: &Position,
        from_scratch: bool,
    ) {
        let network = &*self.network;
        let [mover, other] = &mut self.inputs.places::<PRODUCTS>(sizes.layers[0]);
        let [black, white] = match position.side_to_move() {
            Color::Black => [mover, other],
            Color::White => [other, mover],
        };
        if from_scratch {
            (self.stack).refresh_accumulator(isa, network, sizes, &mut self.all, position);
        } else {
            if self
                .stack
                .update_and_activate(isa, network, sizes, [black, white])
            {
                return;
            }
            (self.stack).update_accumulator(isa, network, sizes, &mut self.cache, position);
        }
        transformer::activate(isa, self.stack.accumulator(sizes, Color::Black), black);
        transformer::activate(isa, self.stack.accumulator(sizes, Color::White), white);
    }

    #[inline(always)]
    fn classic<I: Isa>(&mut self, isa: I, sizes: Sizes) -> i32 {
        let inputs = self.inputs.get(isa, sizes.layers[0]);
        let layer = self.network.hidden[0].stack(sizes.layers[0], 0);
        layer.run(isa, &inputs, &mut ClippedRelu(&mut self.hidden));
        self.fc_1_and_out(isa, sizes, 0)
    }

    #[inline(always)]
    fn stacked<I: Isa>(
        &mut self,
        isa: I,
        sizes: Sizes,
        stack: usize,
        hidden: usize,
        shortcut: bool,
    ) -> i32 {
        let inputs = self.inputs.get(isa, sizes.layers[0]);
        let layer = self.network.hidden[0].stack(sizes.layers[0], stack);
        layer.run(isa, &inputs, &mut RawOutputs(&mut self.outputs));
        sqr_clipped_relu(&self.outputs, hidden, &mut self.hidden);
        // Padding behind an odd number of inputs has weights of zero.
        let shortcut = if shortcut { self.outputs[hidden] } else { 0 };
        self.fc_1_and_out(isa, sizes, stack).wrapping_add(shortcut)
    }

    /// `fc_1` and `fc_out` on `hidden`.
    #[inline(always)]
    fn fc_1_and_out<I: Isa>(&mut self, isa: I, sizes: Sizes, stack: usize) -> i32 {
        let [_, second, last] = sizes.layers;
        let (inputs, outputs) = self.hidden.split_at_mut(second.groups * GROUP);
        let layer = self.network.hidden[1].stack(second, stack);
        layer.run(isa, &AffineInputs::all(inputs), &mut ClippedRelu(outputs));
        let inputs = AffineInputs::all(&outputs[..last.groups * GROUP]);
        let mut first = FirstOutput(0);
        let layer = self.network.last.stack(last, stack);
        layer.run(isa, &inputs, &mut first);
        first.0
    }
}

/// `SqrClippedReLU` of the first `count` sums (squares / 2^19, 127 at most), then `ClippedReLU` of them. Behind them anything may be
/// written.
#[inline(always)]
fn sqr_clipped_relu(sums: &[i32], count: usize, inputs: &mut [u8]) {
    // All of a vector at once: the place behind `count` is overwritten, or padding.
    if let (Some(sums), 1..=16) = (sums.first_chunk::<16>(), count)
        && let Some(inputs) = inputs.first_chunk_mut::<32>()
    {
        let (squares, clipped) = (sums.map(square), sums.map(clipped_relu));
        inputs[..16].copy_from_slice(&squares);
        inputs[count..count + 16].copy_from_slice(&clipped);
        return;
    }
    let (squares, clipped) = inputs.split_at_mut(count);
    for (sum, (squared, clipped)) in sums.iter().zip(squares.iter_mut().zip(clipped)) {
        *squared = square(*sum);
        *clipped = clipped_relu(*sum);
    }
}

/// The square of a sum, / 2^19, 127 at most.
#[inline(always)]
fn square(sum: i32) -> u8 {
    // Larger ones have the same result.
    let sum = sum.unsigned_abs().min(1 << 13);
    ((sum * sum) >> 19).min(127) as u8
}
