//! The midgame: null windows and principal variations with an evaluation at the leaves, and Multi-ProbCut.

pub(crate) mod probcut;
mod search;

pub use probcut::{ProbCut, ProbCutSample};
