//! The golden files: what public tools made of the same data.

mod convert;
mod edge;
mod hcpe3;
mod selfplay;
mod text;
mod text_laws;
mod text_problems;
mod util;
