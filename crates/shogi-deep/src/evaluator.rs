//! What gives positions a policy and a value.

use shogi_core::Position;

use crate::{PolicyLabel, PositionQuery};
use thiserror::Error;

/// The output of a network for a position.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyValue {
    /// Logits by [`PolicyLabel`]: the larger, the better the move looks. Labels of moves that are not legal mean nothing.
    pub logits: Box<[f32; PolicyLabel::COUNT]>,
    /// The probability, 0 to 1, that the side to move wins.
    pub value: f32,
}

impl Default for PolicyValue {
    fn default() -> Self {
        Self {
            logits: Box::new([0.0; PolicyLabel::COUNT]),
            value: 0.5,
        }
    }
}

/// Evaluates positions in batches: first each is put into a place of the batch, then all are evaluated.
pub trait PolicyValueEvaluator: Send {
    /// Number of places.
    fn max_batch(&self) -> usize;

    /// Puts a position into the place with number `place`, which is less than [`Self::max_batch`].
    fn put(&mut self, place: usize, position: &Position);

    /// Evaluates the first `count` places.
    ///
    /// # Panics
    /// When the evaluation fails, which evaluators on the processor never do.
    fn evaluate(&mut self, count: usize);

    /// [`Self::evaluate`] without the panic.
    ///
    /// # Errors
    /// When the evaluation fails; results mean nothing then.
    fn try_evaluate(&mut self, count: usize) -> Result<(), EvaluationError> {
        self.evaluate(count);
        Ok(())
    }

    /// Puts a position whose planes and labels are known, as [`Self::put`] does.
    fn put_query(&mut self, place: usize, position: &Position, query: PositionQuery) {
        drop(query);
        self.put(place, position);
    }

    /// Begins [`Self::try_evaluate`]; evaluators that have other threads for it come back at once. Nothing may be put before [`Self::finish`].
    ///
    /// # Errors
    /// As there.
    fn begin(&mut self, count: usize) -> Result<(), EvaluationError> {
        self.try_evaluate(count)
    }

    /// Waits for what was begun, if it was.
    ///
    /// # Errors
    /// When the evaluation fails; results mean nothing then.
    fn finish(&mut self) -> Result<(), EvaluationError> {
        Ok(())
    }

    /// The result of a place, as of the last [`Self::evaluate`].
    fn output(&self, place: usize) -> &PolicyValue;
}

impl<E: PolicyValueEvaluator + ?Sized> PolicyValueEvaluator for Box<E> {
    fn max_batch(&self) -> usize {
        (**self).max_batch()
    }

    fn put(&mut self, place: usize, position: &Position) {
        (**self).put(place, position);
    }

    fn evaluate(&mut self, count: usize) {
        (**self).evaluate(count);
    }

    fn try_evaluate(&mut self, count: usize) -> Result<(), EvaluationError> {
        (**self).try_evaluate(count)
    }

    fn put_query(&mut self, place: usize, position: &Position, query: PositionQuery) {
        (**self).put_query(place, position, query);
    }

    fn begin(&mut self, count: usize) -> Result<(), EvaluationError> {
        (**self).begin(count)
    }

    fn finish(&mut self) -> Result<(), EvaluationError> {
        (**self).finish()
    }

    fn output(&self, place: usize) -> &PolicyValue {
        (**self).output(place)
    }
}

/// The panic of an evaluation that failed.
pub(crate) fn expect_evaluated(result: Result<(), EvaluationError>) {
    if let Err(error) = result {
        panic!("the evaluation of a network failed: {error}");
    }
}

/// The reason why positions were not evaluated.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The evaluator failed; what it says.
    #[error("{0}")]
    Failed(String),
    /// Whatever evaluated has ended.
    #[error("the evaluation has ended")]
    Closed,
}
