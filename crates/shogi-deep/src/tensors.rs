//! Networks of any graph, evaluated by an ONNX runtime: batches of positions as tensors, and `rten`, the runtime that is part of the program.
//!
//! They stand in for the kernel of this crate where that has no form of an operator. With graphs that it has, it is faster than `rten`.

use std::sync::Arc;

use rten::{Model, NodeId, RunOptions, ThreadPool, ValueView};
use shogi_core::{Position, Square};

use crate::evaluator::expect_evaluated;
use crate::features::BOARD_PLANES;
use crate::{
    BatchEvaluator, EvaluationError, InputFormat, InputPlanes, PolicyLabel, PolicyValue,
    PolicyValueEvaluator, PositionQuery, RuntimeError,
};

const SQUARES: usize = Square::COUNT;
const SIDE: usize = 9;

/// A network that takes and gives tensors.
pub(crate) trait TensorNetwork: Send {
    /// Evaluates `count` positions: from the numbers of `input1` and `input2` to those of `output_policy` and `output_value`.
    ///
    /// # Errors
    /// What the runtime says.
    fn run(
        &mut self,
        count: usize,
        board: &[f32],
        state: &[f32],
    ) -> Result<(Vec<f32>, Vec<f32>), RuntimeError>;
}

/// The shapes of `input1` and `input2`.
pub(crate) const fn input_shapes(count: usize, format: InputFormat) -> [[usize; 4]; 2] {
    [
        [count, BOARD_PLANES, SIDE, SIDE],
        [count, format.planes(), SIDE, SIDE],
    ]
}

/// Evaluates a [`TensorNetwork`] on a thread of its own.
pub(crate) struct TensorEvaluator<N> {
    network: N,
    format: InputFormat,
    /// Positions that have to be evaluated at once, no more and no less; any number if there is none.
    batch: Option<usize>,
    positions: Vec<InputPlanes>,
    results: Vec<PolicyValue>,
}

impl<N: TensorNetwork> TensorEvaluator<N> {
    /// An evaluator with `places` places (at least one).
    pub(crate) fn new(network: N, form: TensorForm, places: usize) -> Self {
        let places = places.max(1);
        let empty = InputPlanes::new(&Position::startpos());
        Self {
            network,
            format: form.format,
            batch: form.batch,
            positions: vec![empty; places],
            results: vec![PolicyValue::default(); places],
        }
    }

    /// Evaluates the first `count` places.
    fn evaluate_places(&mut self, count: usize) -> Result<(), RuntimeError> {
        let positions = std::mem::take(&mut self.positions);
        let mut results = std::mem::take(&mut self.results);
        let result = self.evaluate_planes(&positions[..count], &mut results);
        (self.positions, self.results) = (positions, results);
        result
    }

    /// Evaluates positions, in batches of the size that the network wants.
    fn evaluate_planes(
        &mut self,
        positions: &[InputPlanes],
        results: &mut [PolicyValue],
    ) -> Result<(), RuntimeError> {
        let size = self.batch.unwrap_or(positions.len()).max(1);
        for (positions, results) in positions.chunks(size).zip(results.chunks_mut(size)) {
            // A batch of a fixed size is filled up with zeros.
            let count = self.batch.unwrap_or(positions.len());
            let (board, state) = planes(positions, count, self.format);
            let (logits, win_rates) = self.network.run(count, &board, &state)?;
            if [logits.len(), win_rates.len()] != [count * PolicyLabel::COUNT, count] {
                return Err(RuntimeError::Sizes {
                    policy: logits.len(),
                    values: win_rates.len(),
                    positions: count,
                });
            }
            let logits = logits.chunks_exact(PolicyLabel::COUNT);
            for ((result, logits), value) in results.iter_mut().zip(logits).zip(win_rates) {
                result.logits.copy_from_slice(logits);
                result.value = value;
            }
        }
        Ok(())
    }
}

impl<N: TensorNetwork> BatchEvaluator for TensorEvaluator<N> {
    fn evaluate_batch(
        &mut self,
        positions: &[PositionQuery],
        results: &mut [PolicyValue],
    ) -> Result<(), EvaluationError> {
        let planes = positions.iter().map(|position| position.planes.clone());
        let planes: Vec<InputPlanes> = planes.collect();
        let evaluated = self.evaluate_planes(&planes, results);
        evaluated.map_err(EvaluationError::from)
    }
}

impl<N: TensorNetwork> PolicyValueEvaluator for TensorEvaluator<N> {
    fn max_batch(&self) -> usize {
        self.positions.len()
    }

    fn put(&mut self, place: usize, position: &Position) {
        self.positions[place] = InputPlanes::new(position);
    }

    fn evaluate(&mut self, count: usize) {
        expect_evaluated(self.try_evaluate(count));
    }

    fn try_evaluate(&mut self, count: usize) -> Result<(), EvaluationError> {
        Ok(self.evaluate_places(count)?)
    }

    fn output(&self, place: usize) -> &PolicyValue {
        &self.results[place]
    }
}

/// What a network wants: planes, and a number of positions at once if its file says one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorForm {
    pub(crate) format: InputFormat,
    pub(crate) batch: Option<usize>,
}

impl TensorForm {
    /// The form, as far as `network` works with it: positions are evaluated, so that what does not work is found here.
    ///
    /// # Errors
    /// What the runtime says, or the sizes of the outputs.
    pub(crate) fn checked<N: TensorNetwork>(self, network: N) -> Result<Self, RuntimeError> {
        let mut evaluator = TensorEvaluator::new(network, self, 2);
        if self.batch.is_none() && evaluator.evaluate_places(2).is_err() {
            // The batch is open by name alone.
            evaluator.batch = Some(1);
        }
        evaluator.evaluate_places(1)?;
        Ok(Self {
            batch: evaluator.batch,
            ..self
        })
    }
}

/// The inputs of `count` positions: those that are given, and zeros.
fn planes(positions: &[InputPlanes], count: usize, format: InputFormat) -> (Vec<f32>, Vec<f32>) {
    let mut board = vec![0.0; count * BOARD_PLANES * SQUARES];
    let mut state = vec![0.0; count * format.planes() * SQUARES];
    fill_planes(positions.iter(), format, &mut board, &mut state);
    (board, state)
}

/// Writes positions as numbers; what is left is 0.
pub(crate) fn fill_planes<'a>(
    positions: impl Iterator<Item = &'a InputPlanes>,
    format: InputFormat,
    board: &mut [f32],
    state: &mut [f32],
) {
    let planes = format.planes();
    board.fill(0.0);
    state.fill(0.0);
    for (number, position) in positions.enumerate() {
        let first = number * BOARD_PLANES * SQUARES;
        for bit in position.board_bits() {
            board[first + bit] = 1.0;
        }
        for plane in position.state_planes(format) {
            let first = (number * planes + plane) * SQUARES;
            state[first..first + SQUARES].fill(1.0);
        }
    }
}

// rten.

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
