//! The evaluator of one thread on one device.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ort::session::Session;

use super::session::{BoundBatch, OpenBatch};
use super::sizes::{next_part, place_of};
use crate::{
    BatchEvaluator, EvaluationError, InputFormat, PolicyValue, PositionQuery, RuntimeError,
};

/// Batches by their size.
#[derive(Debug, Default)]
pub(super) struct BatchCounts(Mutex<BTreeMap<usize, u64>>);

impl BatchCounts {
    fn add(&self, size: usize) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(size).or_default() += 1;
    }

    /// Sizes and their numbers, ascending.
    pub(super) fn list(&self) -> Vec<(usize, u64)> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.iter().map(|(&size, &count)| (size, count)).collect()
    }
}

/// The batches of an evaluator.
pub(super) enum Batches {
    /// Of few sizes, ascending, each with the number of its session.
    Few(Vec<(BoundBatch, usize)>),
    /// Of any size up to a largest one.
    Any(OpenBatch, usize),
}

/// Sessions and memory of one thread on one device: what it is asked, no other one waits for.
pub(crate) struct DeviceEvaluator {
    pub(super) format: InputFormat,
    pub(super) sessions: Vec<Session>,
    pub(super) batches: Batches,
    pub(super) counts: Arc<BatchCounts>,
}

impl DeviceEvaluator {
    /// Evaluates batches of each size, so that nothing is left to be prepared, and what does not work is found.
    pub(super) fn warm_up(&mut self) -> Result<(), RuntimeError> {
        let start = PositionQuery::new(&shogi_core::Position::startpos());
        let positions = [start.clone(), start];
        let mut results = [PolicyValue::default(), PolicyValue::default()];
        match &mut self.batches {
            Batches::Any(batch, most) => {
                let session = &mut self.sessions[0];
                let most = (*most).min(2);
                let (positions, results) = (&positions[..most], &mut results[..most]);
                batch.run(session, self.format, &positions[..1], results)?;
                batch.run(session, self.format, positions, results)
            }
            Batches::Few(batches) => batches.iter_mut().try_for_each(|(batch, session)| {
                let session = &mut self.sessions[*session];
                batch.run(session, &positions[..1], &mut results)
            }),
        }
    }

    /// Evaluates positions in as few batches as they fit into.
    pub(super) fn evaluate(
        &mut self,
        positions: &[PositionQuery],
        results: &mut [PolicyValue],
    ) -> Result<(), RuntimeError> {
        let (mut positions, mut results) = (positions, results);
        while !positions.is_empty() {
            let most = match &self.batches {
                Batches::Few(batches) => batches.last().map_or(1, |(batch, _)| batch.size()),
                Batches::Any(_, most) => *most,
            };
            let (count, labels) = next_part(positions, most);
            let (part, rest) = positions.split_at(count);
            let (here, later) = results.split_at_mut(count);
            match &mut self.batches {
                Batches::Few(batches) => {
                    let sizes = batches.iter().map(|(batch, _)| batch.size());
                    let place = place_of(sizes, count, labels);
                    let (batch, session) = &mut batches[place];
                    self.counts.add(batch.size());
                    batch.run(&mut self.sessions[*session], part, here)?;
                }
                Batches::Any(batch, _) => {
                    self.counts.add(count);
                    batch.run(&mut self.sessions[0], self.format, part, here)?;
                }
            }
            (positions, results) = (rest, later);
        }
        Ok(())
    }
}

impl BatchEvaluator for DeviceEvaluator {
    fn evaluate_batch(
        &mut self,
        positions: &[PositionQuery],
        results: &mut [PolicyValue],
    ) -> Result<(), EvaluationError> {
        self.evaluate(positions, results)
            .map_err(EvaluationError::from)
    }
}
