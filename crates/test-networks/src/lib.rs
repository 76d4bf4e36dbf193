//! Neural networks for tests and measurements: random ones, such as count material, and mixed ones.
//!
//! They have any shape that `shogi-eval` knows, and nobody's weights.
#![forbid(unsafe_code)]

mod material;
mod random;

pub use material::{CannotCount, MaterialNetwork};
pub use random::{MixedNetwork, NoPlace, RandomNetwork};
