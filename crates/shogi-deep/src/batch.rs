//! Evaluation of positions that are given as planes and labels: what a queue or a server asks.

use shogi_core::Position;

use crate::evaluator::EvaluationError;
use crate::{PolicyValue, PositionQuery};

/// Evaluates positions, any number at once. Each result depends on its own position alone.
pub trait BatchEvaluator: Send {
    /// Evaluates `positions` into the first results, of which there are at least as many. Logits of other labels than those of the position
    /// need not be written.
    ///
    /// # Errors
    /// When the runtime fails; results mean nothing then.
    fn evaluate_batch(
        &mut self,
        positions: &[PositionQuery],
        results: &mut [PolicyValue],
    ) -> Result<(), EvaluationError>;

    /// The number of the device on which it evaluates, from 0.
    fn device(&self) -> usize {
        0
    }
}

/// A [`BatchEvaluator`] with places, for one thread of a search.
#[cfg(feature = "ort")]
pub(crate) struct PlacedEvaluator<E> {
    evaluator: E,
    batch: PositionBatch,
}

#[cfg(feature = "ort")]
impl<E: BatchEvaluator> PlacedEvaluator<E> {
    /// So many places (at least one).
    pub(crate) fn new(evaluator: E, places: usize) -> Self {
        Self {
            evaluator,
            batch: PositionBatch::with_places(places),
        }
    }
}

#[cfg(feature = "ort")]
impl<E: BatchEvaluator> crate::PolicyValueEvaluator for PlacedEvaluator<E> {
    fn max_batch(&self) -> usize {
        self.batch.places()
    }

    fn put(&mut self, place: usize, position: &Position) {
        self.batch.put(place, position);
    }

    fn put_query(&mut self, place: usize, _: &Position, query: PositionQuery) {
        self.batch.put_query(place, query);
    }

    fn evaluate(&mut self, count: usize) {
        crate::evaluator::expect_evaluated(self.try_evaluate(count));
    }

    fn try_evaluate(&mut self, count: usize) -> Result<(), EvaluationError> {
        self.batch.set_count(count);
        self.batch.evaluate(&mut self.evaluator)
    }

    fn output(&self, place: usize) -> &PolicyValue {
        &self.batch.results()[place]
    }
}

/// What stands in for an evaluator that cannot be made: it fails with the reason.
#[cfg(feature = "ort")]
pub(crate) struct NoEvaluator(pub(crate) EvaluationError);

#[cfg(feature = "ort")]
impl BatchEvaluator for NoEvaluator {
    fn evaluate_batch(
        &mut self,
        _: &[PositionQuery],
        _: &mut [PolicyValue],
    ) -> Result<(), EvaluationError> {
        Err(self.0.clone())
    }
}

/// Positions to be evaluated together, and room for their results.
#[derive(Clone, Debug)]
pub struct PositionBatch {
    positions: Vec<PositionQuery>,
    results: Vec<PolicyValue>,
    count: usize,
}

impl PositionBatch {
    /// Room for so many positions (at least one).
    pub(crate) fn with_places(places: usize) -> Self {
        let places = places.max(1);
        let empty = PositionQuery::new(&Position::startpos());
        Self {
            positions: vec![empty; places],
            results: vec![PolicyValue::default(); places],
            count: 0,
        }
    }

    /// These positions.
    pub fn of(positions: Vec<PositionQuery>) -> Self {
        Self {
            results: vec![PolicyValue::default(); positions.len()],
            count: positions.len(),
            positions,
        }
    }

    /// Positions that there is room for.
    pub const fn places(&self) -> usize {
        self.positions.len()
    }

    /// Positions in use: the first ones.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Puts a position into a place that is less than [`Self::places`].
    pub fn put(&mut self, place: usize, position: &Position) {
        self.positions[place] = PositionQuery::new(position);
    }

    /// [`Self::put`] of a position whose planes and labels are known.
    pub fn put_query(&mut self, place: usize, position: PositionQuery) {
        self.positions[place] = position;
    }

    /// Sets the number of positions in use, at most [`Self::places`].
    pub fn set_count(&mut self, count: usize) {
        self.count = count.min(self.places());
    }

    /// The positions in use.
    pub fn positions(&self) -> &[PositionQuery] {
        &self.positions[..self.count]
    }

    /// The positions in use, to be exchanged.
    pub(crate) fn positions_mut(&mut self) -> &mut [PositionQuery] {
        &mut self.positions[..self.count]
    }

    /// The results of the positions, those in use first.
    pub fn results(&self) -> &[PolicyValue] {
        &self.results
    }

    /// The results of the positions in use, to be written.
    pub(crate) fn results_mut(&mut self) -> &mut [PolicyValue] {
        &mut self.results[..self.count]
    }

    /// Has the positions in use evaluated.
    ///
    /// # Errors
    /// As [`BatchEvaluator::evaluate_batch`].
    pub fn evaluate(&mut self, evaluator: &mut dyn BatchEvaluator) -> Result<(), EvaluationError> {
        let count = self.count;
        evaluator.evaluate_batch(&self.positions[..count], &mut self.results[..count])
    }
}
