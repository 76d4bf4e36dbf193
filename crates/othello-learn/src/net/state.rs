//! The state of a training between two steps, as a [`Snapshot`] keeps it.
//!
//! All numbers are little-endian: steps, epochs and positions of the epoch that are done (8 bytes each), the epoch's sum of squared errors;
//! then rows and dense numbers, and the same of both moments.

use std::path::Path;

use yane_io::{RunIdentity, Snapshot};

use super::params::Params;
use super::step::Trainer;
use crate::error::OthelloLearnError;

/// Bytes before the numbers.
const HEAD: usize = 32;

/// The progress of a training.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct NetProgress {
    /// Steps that are done.
    pub(super) step: u64,
    /// Epochs that are done.
    pub(super) epoch: u64,
    /// Positions of the current epoch that are done.
    pub(super) positions: u64,
    /// The sum of their squared errors.
    pub(super) loss: f64,
}

/// Keeps the state; the one before is replaced.
pub(super) fn write_state(
    path: &Path,
    identity: &RunIdentity,
    trainer: &Trainer,
    progress: &NetProgress,
) -> Result<(), OthelloLearnError> {
    let mut file = Snapshot::create(path, identity)?;
    for number in [progress.step, progress.epoch, progress.positions] {
        file.put(&number.to_le_bytes())?;
    }
    file.put(&progress.loss.to_le_bytes())?;
    let [first, second] = &trainer.moments;
    for params in [&trainer.params, first, second] {
        for numbers in [params.rows.as_flattened(), &params.dense] {
            for numbers in numbers.chunks(1 << 14) {
                let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
                file.put(&bytes)?;
            }
        }
    }
    Ok(file.commit()?)
}

/// Goes back to a state.
pub(super) fn read_state(
    state: &Snapshot,
    trainer: &mut Trainer,
    progress: &mut NetProgress,
) -> Result<(), OthelloLearnError> {
    let numbers = |params: &Params| params.rows.as_flattened().len() + params.dense.len();
    let len = HEAD + 3 * 4 * numbers(&trainer.params);
    if state.len() != len {
        let reason = format!("expected {len} bytes, found {}", state.len());
        return Err(state.error(0, reason).into());
    }
    let (head, body) = state.split_at(HEAD);
    let words = head.as_chunks::<8>().0;
    progress.step = u64::from_le_bytes(words[0]);
    progress.epoch = u64::from_le_bytes(words[1]);
    progress.positions = u64::from_le_bytes(words[2]);
    progress.loss = f64::from_le_bytes(words[3]);
    let mut body = body.as_chunks::<4>().0.iter();
    let [first, second] = &mut trainer.moments;
    for params in [&mut trainer.params, first, second] {
        let Params { rows, dense } = params;
        let all = rows.as_flattened_mut().iter_mut().chain(dense);
        for (number, bytes) in all.zip(body.by_ref()) {
            *number = f32::from_le_bytes(*bytes);
        }
    }
    Ok(())
}
