//! A network as it is used: read from its file, evaluated by whatever can.

use std::path::Path;
use std::sync::Arc;

use float_lanes::{LaneLevel, VectorLimit};

use crate::{InputFormat, ModelError, NativeNetwork, NetworkModel, PolicyValueEvaluator};

/// A network that was read, from which any number of evaluators are made. Clones share it.
#[derive(Clone, Debug)]
pub struct DeepModel {
    network: Arc<NetworkModel>,
    bytes: u64,
}

impl DeepModel {
    /// Reads an ONNX file.
    ///
    /// # Errors
    /// When it is no network in dlshogi's shape: with what was found.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let bytes = std::fs::read(path).map_err(|source| ModelError::Io {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            network: Arc::new(NetworkModel::from_bytes(&bytes)?),
            bytes: bytes.len() as u64,
        })
    }

    /// An evaluator for one thread, with so many places (at least one).
    pub fn evaluator(&self, batch: usize) -> Box<dyn PolicyValueEvaluator> {
        let network = Arc::clone(&self.network);
        Box::new(NativeNetwork::new(network, batch, VectorLimit::Best))
    }

    /// The planes that it wants.
    pub fn format(&self) -> InputFormat {
        self.network.format()
    }

    /// Size of its file in bytes.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What evaluates it, and its size, for people.
    pub fn description(&self) -> String {
        let millions = self.network.parameters() as f64 / 1e6;
        let level = LaneLevel::within(VectorLimit::Best);
        format!("{millions:.2} M parameters, native {level:?}")
    }

    /// Returns whether both are the same network, not only equal ones.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.network, &other.network)
    }
}
