//! The client's evaluator: positions of one thread, asked of the server or evaluated here.

use std::sync::Arc;

use shogi_core::Position;

use super::client::{LocalNetwork, RemoteModel};
use crate::evaluator::expect_evaluated;
use crate::{EvaluationError, PolicyValue, PolicyValueEvaluator, PositionQuery};

/// One thread's access to a network on a server.
pub(crate) struct RemoteEvaluator {
    model: Arc<RemoteModel>,
    positions: Vec<PositionQuery>,
    /// The positions themselves, where a network of this machine may have to evaluate them.
    originals: Vec<Position>,
    results: Vec<PolicyValue>,
    local: Option<Box<dyn PolicyValueEvaluator>>,
    /// The last results are those of [`Self::local`].
    is_local: bool,
}

impl RemoteEvaluator {
    /// An evaluator with so many places (at least one).
    pub(crate) fn new(model: Arc<RemoteModel>, places: usize) -> Self {
        let places = places.max(1);
        let start = Position::startpos();
        let empty = PositionQuery::new(&start);
        let has_local = model.local().is_some();
        Self {
            model,
            positions: vec![empty; places],
            originals: vec![start; if has_local { places } else { 0 }],
            results: vec![PolicyValue::default(); places],
            local: None,
            is_local: false,
        }
    }

    /// Evaluates the first places here.
    fn evaluate_here(&mut self, count: usize, here: &LocalNetwork) -> Result<(), EvaluationError> {
        let places = self.results.len();
        let local = self.local.get_or_insert_with(|| (here.evaluator)(places));
        for (place, position) in self.originals.iter().take(count).enumerate() {
            local.put(place, position);
        }
        self.is_local = true;
        local.try_evaluate(count)
    }
}

impl PolicyValueEvaluator for RemoteEvaluator {
    fn max_batch(&self) -> usize {
        self.results.len()
    }

    fn put(&mut self, place: usize, position: &Position) {
        self.positions[place] = PositionQuery::new(position);
        if let Some(original) = self.originals.get_mut(place) {
            original.clone_from(position);
        }
    }

    fn evaluate(&mut self, count: usize) {
        expect_evaluated(self.try_evaluate(count));
    }

    fn try_evaluate(&mut self, count: usize) -> Result<(), EvaluationError> {
        if count == 0 {
            return Ok(());
        }
        let model = Arc::clone(&self.model);
        let positions = &self.positions[..count];
        match (model.ask(positions), model.local()) {
            (Err(_), Some(here)) => return self.evaluate_here(count, here),
            (Err(reason), None) => {
                let text = format!("DNN_Server {}: {reason}", model.address());
                return Err(EvaluationError::Failed(text));
            }
            (Ok(answers), _) => {
                let places = self.positions.iter().zip(&mut self.results);
                for (answer, (position, result)) in answers.into_iter().zip(places) {
                    result.value = answer.value;
                    for (&label, logit) in position.labels.iter().zip(answer.logits) {
                        result.logits[usize::from(label)] = logit;
                    }
                }
            }
        }
        self.is_local = false;
        Ok(())
    }

    fn output(&self, place: usize) -> &PolicyValue {
        match &self.local {
            Some(local) if self.is_local => local.output(place),
            _ => &self.results[place],
        }
    }
}
