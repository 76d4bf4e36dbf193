//! Networks laid out for evaluation, and the evaluator that plays with them.
//!
//! [`PreparedNetwork`] holds the weights, once for all threads. [`NnueEvaluator`] holds what one search needs: the
//! accumulators of every position of its line, updated when a value is asked for, and a refresh cache by king square.
//! [`MappedNetwork`] is the network in a file that can be mapped.
//!
//! From a position to its value: features → feature transformer (`transformer`) → `accumulator` → `ClippedReLU`, or
//! products for SFNN, with the non-zero mask (`transformed`) → `fc_0`, `fc_1`, `fc_out` (`affine`).

mod accumulator;
mod affine;
mod evaluator;
mod features;
mod mapped;
mod order;
mod prepared;
mod transformed;
mod transformer;
mod weights;

pub use evaluator::NnueEvaluator;
pub(super) use mapped::EXTENSION;
pub use mapped::{MappedError, MappedKey, MappedNetwork};
pub use prepared::PreparedNetwork;
