//! Evaluation of positions that are given as planes: what a queue or a server asks.

use shogi_core::Position;

use crate::evaluator::EvaluationError;
use crate::{InputPlanes, PolicyValue};

/// Evaluates planes of positions, any number at once. Each result depends on its own position alone.
pub trait BatchEvaluator: Send {
    /// Evaluates `positions` into the first results, of which there are at least as many.
    ///
    /// # Errors
    /// When the runtime fails; results mean nothing then.
    fn evaluate_batch(
        &mut self,
        positions: &[InputPlanes],
        results: &mut [PolicyValue],
    ) -> Result<(), EvaluationError>;
}

/// Positions to be evaluated together, and room for their results.
#[derive(Clone, Debug)]
pub struct PositionBatch {
    positions: Vec<InputPlanes>,
    results: Vec<PolicyValue>,
    count: usize,
}

impl PositionBatch {
    /// Room for so many positions (at least one).
    pub fn with_places(places: usize) -> Self {
        let places = places.max(1);
        let empty = InputPlanes::new(&Position::startpos());
        Self {
            positions: vec![empty; places],
            results: vec![PolicyValue::default(); places],
            count: 0,
        }
    }

    /// These positions.
    pub fn of(positions: Vec<InputPlanes>) -> Self {
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
        self.positions[place] = InputPlanes::new(position);
    }

    /// Sets the number of positions in use, at most [`Self::places`].
    pub fn set_count(&mut self, count: usize) {
        self.count = count.min(self.places());
    }

    /// The positions in use.
    pub fn positions(&self) -> &[InputPlanes] {
        &self.positions[..self.count]
    }

    /// The results of the positions, those in use first.
    pub fn results(&self) -> &[PolicyValue] {
        &self.results
    }

    /// The results of the positions in use, to be written.
    pub fn results_mut(&mut self) -> &mut [PolicyValue] {
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
