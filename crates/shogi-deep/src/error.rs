//! Errors of reading a model.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Error of reading a network from an ONNX file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The bytes are no ONNX model, or end too early.
    #[error("no ONNX model: {0}")]
    Decode(#[from] prost::DecodeError),
    /// The inputs or outputs are not those of dlshogi's networks.
    #[error("{what}: expected {expected}, found {found}")]
    Interface {
        /// Inputs, outputs, or one of them.
        what: String,
        /// What dlshogi's networks have.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// A node of the graph has an operator, or a form of one, that is not part of these networks.
    #[error("node {node:?}: operator {operator}: {reason}")]
    Operator {
        /// Name of the node, or of its output.
        node: String,
        /// The operator.
        operator: String,
        /// What is not supported about it.
        reason: String,
    },
    /// The kernel of this crate has no form of an operator or a tensor, and the other evaluator refuses the graph too.
    #[error("{native}; {runtime}: {reason}")]
    Runtime {
        /// What the kernel of this crate says.
        native: Box<ModelError>,
        /// The other evaluator.
        runtime: &'static str,
        /// What that says.
        reason: String,
    },
    /// The evaluator that was asked for is not there, or refuses the network.
    #[error("{name}: {reason}")]
    Backend {
        /// Its name in options.
        name: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// A tensor is missing, has another size than its shape says, or a type that is not float.
    #[error("tensor {name:?}: {reason}")]
    Tensor {
        /// Its name.
        name: String,
        /// What is wrong.
        reason: String,
    },
}
