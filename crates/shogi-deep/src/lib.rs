//! Policy and value networks for shogi, in the shape that dlshogi has made common.
//!
//! * [`InputPlanes`]: what such a network sees of a position, as planes of bits.
//! * [`PolicyLabel`]: the number of a move in its output.
//! * [`NetworkModel`]: a network of residual blocks, read from an ONNX file.
//! * [`ResidualNetwork`]: the numbers of such a network as training has them, written as an ONNX file.
//! * [`NativeNetwork`]: its evaluation on this processor, with the vector instructions that it has.
//! * [`DeepModel`]: a network from a file, with evaluators for any number of threads.
//! * [`PolicyValueEvaluator`]: anything that gives a position a policy and a value.
//! * [`EvaluationQueue`]: one queue of positions for many searches, for what is faster with many at once.
//! * [`EvaluationCache`]: evaluations that are known, for all searches of a process.
//! * [`EvalServer`]: evaluation for other machines; [`DeepModel::open`] with [`DeepBackend::Remote`] is its client.
//! * [`PuctSearch`]: playouts through a tree, led by them.
//!
//! Positions are always seen from the side to move: if white moves, colours are swapped and the board is turned round.

#![forbid(unsafe_code)]

mod backend;
mod batch;
mod bounds;
mod cache;
mod compile;
pub mod convolution;
mod error;
mod evaluator;
mod features;
mod graph;
mod kernels;
mod label;
mod model;
mod narrow;
mod native;
mod onnx;
#[cfg(feature = "ort")]
mod onnx_runtime;
mod puct;
mod query;
mod queue;
#[cfg(test)]
mod reference;
mod remote;
mod residual;
#[cfg(feature = "rten")]
mod rten_network;
#[cfg(not(feature = "rten"))]
#[path = "no_rten.rs"]
mod rten_network;
mod runtime;
mod tensors;

pub use backend::{BatchSizes, DeepBackend, DeepRuntime, Precision, QueueUse};
pub use batch::{BatchEvaluator, PositionBatch};
pub use cache::{CacheCounts, EvaluationCache};
pub use error::{ModelError, RuntimeError};
pub use evaluator::EvaluationError;
pub use evaluator::{PolicyValue, PolicyValueEvaluator};
pub use features::{BOARD_PLANES, InputFormat, InputPlanes};
pub use label::PolicyLabel;
pub use model::NetworkModel;
pub use native::NativeNetwork;
pub use puct::{
    PuctParams, PuctRun, PuctSearch, PvMateSolver, RootMove, RootProof, centipawns_of_win_rate,
    units_of_win_rate,
};
pub use query::PositionQuery;
pub use queue::{EvaluationQueue, QueueCounts, QueueSettings, QueuedEvaluator};
pub use remote::frames::FrameReader;
pub use remote::frames::ProtocolError;
pub use remote::problem::{OtherNetwork, ServerProblem};
pub use remote::protocol::{
    ModelFingerprint, RemoteAnswer, RemoteReply, RemoteRequest, ServerHello,
};
pub use remote::server::{EvalServer, ServerCounts, ServerEvent, ServerSettings};
pub use residual::{BatchNorm, OnnxForm, ResidualBlock, ResidualNetwork};
pub use runtime::DeepModel;
pub use yane_base::lanes::VectorLimit;

/// The examples of README.md, compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
