//! Exact end games: the last squares, parity, stability, and the search above them.

mod last_squares;
mod parity;
mod search;
mod stability;

pub(crate) use last_squares::{Compiled, few, four, three, two};
pub(crate) use parity::{CORNERS, odd_quadrants};
pub use stability::stable_squares;
pub(crate) use stability::{corner_stability, stability_cut, stable_edges};
