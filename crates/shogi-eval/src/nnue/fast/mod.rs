//! Networks laid out for evaluation, and the evaluator that plays with them.
//!
//! [`PreparedNetwork`] holds the weights, once for all threads. [`NnueEvaluator`] holds what one
//! search needs: the sums of the first layer for every position of its line, brought up to date when
//! a value is asked for, and a cache of sums for every place of the kings. [`LaidOut`] is the network in
//! a file that can be mapped.

mod all_features;
mod cache;
mod evaluator;
mod features;
mod finish;
mod inputs;
mod laid_out;
mod layer;
mod order;
mod prepared;
mod rows;
mod sizes;
mod stack;
mod weights;

pub use evaluator::NnueEvaluator;
pub(super) use laid_out::EXTENSION;
pub use laid_out::{LaidOut, LaidOutError, LaidOutKey};
pub use prepared::PreparedNetwork;
