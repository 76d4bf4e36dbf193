//! What `soundness.rs` is made of.

pub(crate) mod positions;
pub(crate) mod solver;
