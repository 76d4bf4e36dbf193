//! In the place of `rten` in programs without it: no network can be read.

use crate::tensors::TensorNetwork;
use crate::{InputFormat, RuntimeError};

/// A network that `rten` evaluates: none is ever made.
#[derive(Clone)]
pub(crate) struct RtenNetwork(());

/// The reason.
const MISSING: &str = "this program was built without it";

impl RtenNetwork {
    /// Says that there is no `rten`.
    ///
    /// # Errors
    /// Always.
    pub(crate) fn from_bytes(_: Vec<u8>, _: InputFormat) -> Result<Self, RuntimeError> {
        Err(RuntimeError::refused(MISSING))
    }

    /// Numbers that were learnt.
    pub(crate) const fn parameters(&self) -> usize {
        0
    }

    /// Returns whether both have the same weights in memory.
    pub(crate) const fn is_same(&self, _: &Self) -> bool {
        true
    }
}

impl TensorNetwork for RtenNetwork {
    fn run(
        &mut self,
        _: usize,
        _: &[f32],
        _: &[f32],
    ) -> Result<(Vec<f32>, Vec<f32>), RuntimeError> {
        Err(RuntimeError::refused(MISSING))
    }
}
