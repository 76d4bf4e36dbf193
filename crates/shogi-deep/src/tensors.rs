//! Networks of any graph, evaluated by an ONNX runtime: batches of positions as tensors.
//!
//! They stand in for the kernel of this crate where that has no form of an operator. With graphs that it has, it is faster than `rten`.

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
