//! `rten`, the runtime for networks of any graph that is part of the program.

use std::sync::Arc;

use rten::{Model, NodeId, RunOptions, ThreadPool, ValueView};

use crate::tensors::{TensorNetwork, input_shapes};
use crate::{InputFormat, RuntimeError};

/// A network that `rten` evaluates, on one thread. Clones share its weights, and each has a thread of its own.
pub(crate) struct RtenNetwork {
    model: Arc<Model>,
    format: InputFormat,
    /// `input1`, `input2`.
    inputs: [NodeId; 2],
    /// `output_policy`, `output_value`.
    outputs: [NodeId; 2],
    options: RunOptions,
}

impl RtenNetwork {
    /// Reads the bytes of an ONNX file that has dlshogi's inputs and outputs.
    ///
    /// # Errors
    /// In words, when an operator is not supported.
    pub(crate) fn from_bytes(bytes: Vec<u8>, format: InputFormat) -> Result<Self, RuntimeError> {
        let model = Model::load(bytes).map_err(RuntimeError::refused)?;
        let node = |name: &str| model.node_id(name).map_err(RuntimeError::refused);
        Ok(Self {
            format,
            inputs: [node("input1")?, node("input2")?],
            outputs: [node("output_policy")?, node("output_value")?],
            model: Arc::new(model),
            options: one_thread(),
        })
    }

    /// Numbers that were learnt.
    pub(crate) fn parameters(&self) -> usize {
        self.model.total_params()
    }

    /// Returns whether both have the same weights in memory.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.model, &other.model)
    }
}

impl Clone for RtenNetwork {
    fn clone(&self) -> Self {
        Self {
            model: Arc::clone(&self.model),
            options: one_thread(),
            ..*self
        }
    }
}

/// Each thread of a search has an evaluator, so that an evaluator needs no more than one.
fn one_thread() -> RunOptions {
    let pool = Arc::new(ThreadPool::with_num_threads(1));
    RunOptions::default().with_thread_pool(Some(pool))
}

impl TensorNetwork for RtenNetwork {
    fn run(
        &mut self,
        count: usize,
        board: &[f32],
        state: &[f32],
    ) -> Result<(Vec<f32>, Vec<f32>), RuntimeError> {
        let [board_shape, state_shape] = input_shapes(count, self.format);
        let board = ValueView::from_shape(board_shape, board).map_err(RuntimeError::refused)?;
        let state = ValueView::from_shape(state_shape, state).map_err(RuntimeError::refused)?;
        let [first, second] = self.inputs;
        let inputs = vec![(first, board.into()), (second, state.into())];
        let outputs = self
            .model
            .run_n(inputs, self.outputs, Some(self.options.clone()));
        let [policy, value] = outputs.map_err(RuntimeError::refused)?;
        let numbers = |value: rten::Value| {
            let vector = value.into_shape_vec::<f32, 2>();
            vector
                .map(|(_, numbers)| numbers)
                .map_err(RuntimeError::refused)
        };
        Ok((numbers(policy)?, numbers(value)?))
    }
}
