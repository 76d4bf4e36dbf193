//! The evaluation of a network on this processor.

use std::sync::Arc;

use shogi_core::Position;
use yane_base::lanes::{LANES, LaneLevel, Lanes, VectorLimit};

use crate::kernels::{
    ElementwiseKernel, MatrixProduct, bit_convolution, convolution, flatten, plane_sums,
    scale_channels,
};
use crate::model::{Step, StepKind};
use crate::narrow;
use crate::{
    BatchEvaluator, EvaluationError, InputPlanes, NetworkModel, PolicyLabel, PolicyValue,
    PolicyValueEvaluator, PositionQuery,
};

/// Evaluates a network with the vector instructions of this processor, one position after the other, on the thread that asks.
///
/// The weights are shared by all clones. The results are the same bits with all instructions and in any batch.
#[derive(Clone, Debug)]
pub struct NativeNetwork {
    model: Arc<NetworkModel>,
    level: LaneLevel,
    buffers: Vec<Vec<Lanes>>,
    bits: Vec<u16>,
    /// A map in numbers of 16 bits.
    narrow: Vec<u32>,
    batch: Vec<InputPlanes>,
    outputs: Vec<PolicyValue>,
}

impl NativeNetwork {
    /// An evaluator with `batch` places (at least one), with the best instructions within `limit`.
    pub fn new(model: Arc<NetworkModel>, batch: usize, limit: VectorLimit) -> Self {
        let buffer = |&vectors: &usize| vec![[0.0; LANES]; vectors];
        let empty = InputPlanes::new(&Position::startpos());
        Self {
            level: LaneLevel::within(limit),
            buffers: model.buffers.iter().map(buffer).collect(),
            bits: Vec::new(),
            narrow: Vec::new(),
            batch: vec![empty; batch.max(1)],
            outputs: vec![PolicyValue::default(); batch.max(1)],
            model,
        }
    }

    /// The network.
    pub const fn model(&self) -> &Arc<NetworkModel> {
        &self.model
    }

    /// The policy and the value of a position that has these features.
    pub fn evaluate_features(&mut self, features: &InputPlanes, result: &mut PolicyValue) {
        let model = Arc::clone(&self.model);
        self.bits.clear();
        self.bits
            .extend(features.board_bits().map(|bit| bit as u16));
        for step in &model.steps {
            self.step(step, features);
        }
        let policy = self.buffers[model.policy].as_flattened();
        result.logits.copy_from_slice(&policy[..PolicyLabel::COUNT]);
        result.value = self.buffers[model.value][0][0];
    }

    fn step(&mut self, step: &Step, features: &InputPlanes) {
        // A step never writes what it reads.
        let mut out = std::mem::take(&mut self.buffers[step.output]);
        let output_of = &mut out[..];
        let (level, buffers) = (self.level, &self.buffers);
        match &step.kind {
            StepKind::Board { weights } => {
                bit_convolution(level, weights, &self.bits, output_of);
            }
            StepKind::State { weights } => {
                plane_sums(weights, features.state_planes(self.model.format), output_of);
            }
            StepKind::Convolution { weights, input } => {
                level.run(convolution(weights, &buffers[*input], output_of));
            }
            StepKind::NarrowConvolution { weights, input } => {
                let map = &buffers[*input];
                narrow::convolution(level, weights, map, &mut self.narrow, output_of);
            }
            StepKind::Scale {
                scale,
                shift,
                input,
            } => scale_channels(&buffers[*input], scale, shift, output_of),
            StepKind::Elementwise {
                operation,
                first,
                second,
            } => level.run(ElementwiseKernel {
                operation: *operation,
                first: &buffers[*first],
                second: &buffers[*second],
                output: output_of,
            }),
            StepKind::Shift { numbers, input } => level.run(ElementwiseKernel {
                operation: crate::kernels::Elementwise::Add,
                first: &buffers[*input],
                second: numbers,
                output: output_of,
            }),
            StepKind::Flatten { channels, input } => {
                flatten(&buffers[*input], *channels, output_of);
            }
            StepKind::Matrix { weights, input } => level.run(MatrixProduct {
                weights,
                input: &buffers[*input],
                output: output_of,
            }),
        }
        self.buffers[step.output] = out;
    }
}

impl PolicyValueEvaluator for NativeNetwork {
    fn max_batch(&self) -> usize {
        self.batch.len()
    }

    fn put(&mut self, place: usize, position: &Position) {
        self.batch[place] = InputPlanes::new(position);
    }

    fn evaluate(&mut self, count: usize) {
        let batch = std::mem::take(&mut self.batch);
        let mut outputs = std::mem::take(&mut self.outputs);
        for (features, result) in batch.iter().zip(&mut outputs).take(count) {
            self.evaluate_features(features, result);
        }
        (self.batch, self.outputs) = (batch, outputs);
    }

    fn output(&self, place: usize) -> &PolicyValue {
        &self.outputs[place]
    }
}

impl BatchEvaluator for NativeNetwork {
    /// Never fails.
    fn evaluate_batch(
        &mut self,
        positions: &[PositionQuery],
        results: &mut [PolicyValue],
    ) -> Result<(), EvaluationError> {
        for (position, result) in positions.iter().zip(results) {
            self.evaluate_features(&position.planes, result);
        }
        Ok(())
    }
}
