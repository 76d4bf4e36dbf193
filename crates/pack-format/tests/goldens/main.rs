//! The golden files: what public tools made of the same data.

mod edge;
mod selfplay;
mod util;
