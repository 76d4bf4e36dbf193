//! Networks of any graph, evaluated by `rten`, an ONNX runtime in Rust.
//!
//! They stand in for the kernel of this crate where that has no form of an operator. With graphs that it has, it is the faster one.

use std::sync::Arc;

use rten::{Model, NodeId, RunError, RunOptions, ThreadPool, TryFromValueError, ValueView};
use shogi_core::{Position, Square};

use crate::features::BOARD_PLANES;
use crate::{InputFormat, InputPlanes, PolicyLabel, PolicyValue, PolicyValueEvaluator};

const SQUARES: usize = Square::COUNT;
const SIDE: usize = 9;

/// A network of any graph with dlshogi's inputs and outputs. Clones share its weights.
#[derive(Clone)]
pub(crate) struct GeneralNetwork {
    model: Arc<Model>,
    format: InputFormat,
    /// `input1`, `input2`.
    inputs: [NodeId; 2],
    /// `output_policy`, `output_value`.
    outputs: [NodeId; 2],
    /// Positions that have to be evaluated at once, no more and no less; any number if there is none.
    batch: Option<usize>,
}

impl GeneralNetwork {
    /// Reads the bytes of an ONNX file that has dlshogi's inputs and outputs, with the planes of `format`. `batch` is the number of positions that it
    /// fixes. A position is evaluated, so that what does not work is found here.
    ///
    /// # Errors
    /// In words, when an operator is not supported, or the outputs have other shapes than they should.
    pub(crate) fn from_bytes(
        bytes: Vec<u8>,
        format: InputFormat,
        batch: Option<usize>,
    ) -> Result<Self, String> {
        let model = Model::load(bytes).map_err(|error| error.to_string())?;
        let node = |name: &str| model.node_id(name).map_err(|error| error.to_string());
        let mut network = Self {
            format,
            inputs: [node("input1")?, node("input2")?],
            outputs: [node("output_policy")?, node("output_value")?],
            batch,
            model: Arc::new(model),
        };
        let start = InputPlanes::new(&Position::startpos());
        let mut results = vec![PolicyValue::default(); 2];
        let options = RunOptions::default();
        if network.batch.is_none()
            && network
                .run(&[start.clone(), start.clone()], &mut results, &options)
                .is_err()
        {
            // The batch is open by name alone.
            network.batch = Some(1);
        }
        network
            .run(&[start], &mut results, &options)
            .map_err(|error| error.to_string())?;
        Ok(network)
    }

    /// The planes that it wants.
    pub(crate) const fn format(&self) -> InputFormat {
        self.format
    }

    /// Numbers that were learnt.
    pub(crate) fn parameters(&self) -> usize {
        self.model.total_params()
    }

    /// Returns whether both have the same weights in memory.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.model, &other.model)
    }

    /// Evaluates positions into as many results, in batches of the size that the file wants.
    fn run(
        &self,
        positions: &[InputPlanes],
        results: &mut [PolicyValue],
        options: &RunOptions,
    ) -> Result<(), RunFailure> {
        let batch = self.batch.unwrap_or(positions.len()).max(1);
        let chunks = positions.chunks(batch).zip(results.chunks_mut(batch));
        for (positions, results) in chunks {
            // A batch of a fixed size is filled up with zeros.
            let count = self.batch.unwrap_or(positions.len());
            let (board, state) = self.planes(positions, count);
            let board_shape = [count, BOARD_PLANES, SIDE, SIDE];
            let state_shape = [count, self.format.planes(), SIDE, SIDE];
            let board = ValueView::from_shape(board_shape, &board[..]);
            let state = ValueView::from_shape(state_shape, &state[..]);
            let (Ok(board), Ok(state)) = (board, state) else {
                unreachable!("the planes have the shapes of the inputs")
            };
            let [first, second] = self.inputs;
            let inputs = vec![(first, board.into()), (second, state.into())];
            let [policy, value] = self
                .model
                .run_n(inputs, self.outputs, Some(options.clone()))?;
            let ([rows, labels], logits) = policy.into_shape_vec::<f32, 2>()?;
            let ([values, one], win_rates) = value.into_shape_vec::<f32, 2>()?;
            if [rows, labels, values, one] != [count, PolicyLabel::COUNT, count, 1] {
                return Err(RunFailure::Shapes([rows, labels], [values, one]));
            }
            let logits = logits.chunks_exact(PolicyLabel::COUNT);
            for ((result, logits), value) in results.iter_mut().zip(logits).zip(win_rates) {
                result.logits.copy_from_slice(logits);
                result.value = value;
            }
        }
        Ok(())
    }

    /// The inputs of `count` positions: those that are given, and zeros.
    fn planes(&self, positions: &[InputPlanes], count: usize) -> (Vec<f32>, Vec<f32>) {
        let planes = self.format.planes();
        let mut board = vec![0.0; count * BOARD_PLANES * SQUARES];
        let mut state = vec![0.0; count * planes * SQUARES];
        for (number, position) in positions.iter().enumerate() {
            let first = number * BOARD_PLANES * SQUARES;
            for bit in position.board_bits() {
                board[first + bit] = 1.0;
            }
            for plane in position.state_planes(self.format) {
                let first = (number * planes + plane) * SQUARES;
                state[first..first + SQUARES].fill(1.0);
            }
        }
        (board, state)
    }
}

/// Why an evaluation failed.
#[derive(Debug, thiserror::Error)]
enum RunFailure {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Output(#[from] TryFromValueError),
    #[error("the shapes of output_policy and output_value are {0:?} and {1:?}")]
    Shapes([usize; 2], [usize; 2]),
}

/// Evaluates a [`GeneralNetwork`] on a thread of its own.
pub(crate) struct GeneralEvaluator {
    network: GeneralNetwork,
    options: RunOptions,
    positions: Vec<InputPlanes>,
    results: Vec<PolicyValue>,
}

impl GeneralEvaluator {
    /// An evaluator with `batch` places (at least one).
    pub(crate) fn new(network: GeneralNetwork, batch: usize) -> Self {
        let batch = batch.max(1);
        let empty = InputPlanes::new(&Position::startpos());
        // Each thread of a search has an evaluator, so that evaluators need no more than one.
        let pool = Arc::new(ThreadPool::with_num_threads(1));
        Self {
            options: RunOptions::default().with_thread_pool(Some(pool)),
            network,
            positions: vec![empty; batch],
            results: vec![PolicyValue::default(); batch],
        }
    }
}

impl PolicyValueEvaluator for GeneralEvaluator {
    fn max_batch(&self) -> usize {
        self.positions.len()
    }

    fn put(&mut self, place: usize, position: &Position) {
        self.positions[place] = InputPlanes::new(position);
    }

    /// # Panics
    /// When the runtime fails, which it did not with a position as the network was read.
    fn evaluate(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        let positions = &self.positions[..count];
        let run = self
            .network
            .run(positions, &mut self.results, &self.options);
        if let Err(error) = run {
            panic!("rten: {error}");
        }
    }

    fn output(&self, place: usize) -> &PolicyValue {
        &self.results[place]
    }
}
