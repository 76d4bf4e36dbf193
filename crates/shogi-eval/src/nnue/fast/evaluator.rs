//! The evaluator: sums brought up to date, then the small layers.

use std::sync::Arc;

use shogi_core::{Delta, Position};

use super::cache::RefreshCache;
use super::inputs::Inputs;
use super::layer::{GROUP, LayerInputs, WideLayer};
use super::prepared::PreparedNetwork;
use super::stack::Stack;
use crate::Evaluator;
use crate::nnue::FvScale;
use crate::nnue::arch::Architecture;
use crate::nnue::progress::Progress;
use crate::nnue::simd::{Isa, Kernel, Level};

/// Evaluates with a neural network.
///
/// Moves are only remembered when they are made. A value asks for the sums of the first layer, which
/// are computed from those of the last position of the line that has them, by adding and subtracting
/// the rows of pieces that moved. When the viewer's king moved they come from a cache, by what changed
/// since it stood there last.
///
/// Values are those of [`reference::evaluate`](crate::nnue::reference::evaluate), bit for bit, with
/// all instructions.
#[derive(Debug)]
pub struct NnueEvaluator {
    network: Arc<PreparedNetwork>,
    scale: FvScale,
    level: Level,
    stack: Stack,
    cache: RefreshCache,
    inputs: Inputs,
    /// Outputs of a small layer.
    outputs: Vec<i32>,
    /// Inputs of the small layers but the first.
    hidden: Vec<u8>,
}

impl NnueEvaluator {
    /// An evaluator that waits for [`Evaluator::reset`]. Outputs are divided by `scale`.
    pub fn new(network: Arc<PreparedNetwork>, scale: FvScale) -> Self {
        Self::with_level(network, scale, Level::best())
    }

    /// As [`Self::new`], with these instructions.
    pub fn with_level(network: Arc<PreparedNetwork>, scale: FvScale, level: Level) -> Self {
        let layers = [&network.hidden[0], &network.hidden[1], &network.last];
        let groups = layers.map(WideLayer::groups);
        let outputs = layers.map(WideLayer::padded_outputs);
        let most = |numbers: &[usize]| numbers.iter().copied().max().unwrap_or(0);
        Self {
            scale,
            level,
            stack: Stack::new(&network),
            cache: RefreshCache::new(&network),
            inputs: Inputs::new(groups[0]),
            outputs: vec![0; most(&outputs)],
            hidden: vec![0; (GROUP * most(&groups[1..])).max(2 * most(&outputs))],
            network,
        }
    }

    /// The network.
    pub fn network(&self) -> &Arc<PreparedNetwork> {
        &self.network
    }

    /// What outputs are divided by.
    pub fn scale(&self) -> FvScale {
        self.scale
    }

    /// Which instructions are used.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The value of `position` from scratch, as if nothing were known of any position before.
    pub fn evaluate_from_scratch(&mut self, position: &Position) -> i32 {
        self.stack.reset(position);
        self.run(position, true)
    }

    fn run(&mut self, position: &Position, from_scratch: bool) -> i32 {
        let scale = self.scale;
        scale.apply(self.level.run(Evaluation {
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
struct Evaluation<'a> {
    evaluator: &'a mut NnueEvaluator,
    position: &'a Position,
    from_scratch: bool,
}

impl Kernel for Evaluation<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> i32 {
        let (this, position) = (self.evaluator, self.position);
        let network = &*this.network;
        if self.from_scratch {
            this.stack
                .compute_afresh(isa, network, &mut this.cache, position);
        } else {
            this.stack.bring_up(isa, network, &mut this.cache, position);
        }
        let views = this.stack.views(position.side_to_move());
        match network.architecture() {
            Architecture::Classic(_) => {
                this.inputs.clip(isa, views);
                this.classic(isa)
            }
            Architecture::Sfnn(sfnn) => {
                this.inputs.multiply(isa, views);
                let progress = network.progress();
                let progress = progress.map_or(0, |progress| {
                    Progress::at(i64::from(progress.bias()) + this.stack.progress())
                });
                let own_king = |color| this.stack.own_king(color);
                let stack = sfnn.stacks().index(position, own_king, progress);
                this.stacked(isa, stack, sfnn.hidden()[0], sfnn.has_shortcut())
            }
        }
    }
}

impl NnueEvaluator {
    #[inline(always)]
    fn classic<I: Isa>(&mut self, isa: I) -> i32 {
        let outputs = self.first(isa, 0);
        clip(&self.outputs[..outputs], &mut self.hidden);
        self.rest(isa, 0)
    }

    #[inline(always)]
    fn stacked<I: Isa>(&mut self, isa: I, stack: usize, hidden: usize, shortcut: bool) -> i32 {
        self.first(isa, stack);
        let outputs = &self.outputs[..hidden];
        let (squares, clipped) = self.hidden.split_at_mut(hidden);
        square(outputs, squares);
        clip(outputs, clipped);
        // Padding behind an odd number of inputs has weights of zero.
        let shortcut = if shortcut { self.outputs[hidden] } else { 0 };
        self.rest(isa, stack).wrapping_add(shortcut)
    }

    /// The first small layer; returns the number of outputs.
    #[inline(always)]
    fn first<I: Isa>(&mut self, isa: I, stack: usize) -> usize {
        let layer = &self.network.hidden[0];
        let outputs = &mut self.outputs[..layer.padded_outputs()];
        layer.stack(stack).run(isa, self.inputs.get(isa), outputs);
        outputs.len()
    }

    /// The second layer and the last, on `hidden`.
    #[inline(always)]
    fn rest<I: Isa>(&mut self, isa: I, stack: usize) -> i32 {
        for (layer, is_last) in [(&self.network.hidden[1], false), (&self.network.last, true)] {
            let outputs = &mut self.outputs[..layer.padded_outputs()];
            let inputs = LayerInputs {
                bytes: &self.hidden[..layer.groups() * GROUP],
                list: None,
            };
            layer.stack(stack).run(isa, inputs, outputs);
            if !is_last {
                clip(outputs, &mut self.hidden);
            }
        }
        self.outputs[0]
    }
}

/// 1/64 of each sum, within 0 to 127.
#[inline(always)]
fn clip(sums: &[i32], inputs: &mut [u8]) {
    for (input, &sum) in inputs.iter_mut().zip(sums) {
        *input = (sum >> 6).clamp(0, 127) as u8;
    }
}

/// The square of each sum, / 2^19, 127 at most.
#[inline(always)]
fn square(sums: &[i32], inputs: &mut [u8]) {
    for (input, &sum) in inputs.iter_mut().zip(sums) {
        // Larger ones have the same result.
        let sum = sum.unsigned_abs().min(1 << 13);
        *input = ((sum * sum) >> 19).min(127) as u8;
    }
}
