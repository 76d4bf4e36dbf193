//! Training.
#![deny(unsafe_code)]

mod batch;
mod error;
mod export;
mod features;
mod kernels;
mod loss;
mod optimiser;
mod params;
mod random;
mod shape;
mod simd;
mod step;
#[cfg(test)]
mod goldens;

pub use error::{LearnError, Result};
pub use loss::OUTPUT_UNIT;
pub use optimiser::Optimiser;
