//! Errors of reading a model, and of what evaluates it.

use std::io;
use std::path::PathBuf;

use thiserror::Error;
use yane_io::secret::SecretError;

use crate::EvaluationError;
use crate::remote::problem::ServerProblem;

/// Error of reading a network from an ONNX file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file cannot be read.
    #[error("{}: {reason}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// The bytes are no ONNX model, or end too early.
    #[error("no ONNX model: {0}")]
    Decode(prost::DecodeError),
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
        reason: Box<RuntimeError>,
    },
    /// The evaluator that was asked for is not there, or refuses the network.
    #[error("{name}: {reason}")]
    Backend {
        /// Its name in options.
        name: &'static str,
        /// What is wrong.
        reason: Box<RuntimeError>,
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

impl From<prost::DecodeError> for ModelError {
    fn from(error: prost::DecodeError) -> Self {
        Self::Decode(error)
    }
}

/// Why an evaluator is not there, or does not evaluate a network.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// The program has no such runtime.
    #[error("this program was built without ONNX Runtime (the feature `ort`)")]
    NotBuilt,
    /// The library of the runtime is not there, or is none.
    #[error("{0} (start the program anew to try another library)")]
    Library(String),
    /// The value of a position is none: numbers of the network are too large for their width, for example.
    #[error("output_value has the number {0}, which is no probability")]
    NoProbability(f32),
    /// No device evaluates.
    #[error("{0}")]
    NoDevice(String),
    /// The runtime refuses the network, or what it is to do with it.
    #[error("{0}")]
    Refused(Box<dyn std::error::Error + Send + Sync>),
    /// The network has no output of a name.
    #[error("no {0}")]
    NoOutput(String),
    /// The outputs have other sizes than those of dlshogi's networks.
    #[error(
        "output_policy and output_value have {policy} and {values} numbers for {positions} positions"
    )]
    Sizes {
        /// Numbers of `output_policy`.
        policy: usize,
        /// Numbers of `output_value`.
        values: usize,
        /// Positions that were evaluated.
        positions: usize,
    },
    /// The system gives no thread.
    #[error("{0}")]
    Thread(io::Error),
    /// No server was named.
    #[error("DNN_Server has to name it: HOST:PORT")]
    NoServer,
    /// The secret cannot be used.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The server cannot be used.
    #[error("{address}: {problem}")]
    Server {
        /// Where it is.
        address: String,
        /// What is wrong.
        problem: ServerProblem,
    },
}

impl RuntimeError {
    /// What a runtime says.
    pub(crate) fn refused(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Refused(error.into())
    }
}

impl From<RuntimeError> for EvaluationError {
    fn from(error: RuntimeError) -> Self {
        Self::Failed(error.to_string())
    }
}
