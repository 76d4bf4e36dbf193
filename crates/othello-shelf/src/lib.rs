#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod books;
mod engines;
mod fields;
mod library;

pub use books::BookShelf;
pub use engines::{EngineChoice, OtherEngine, OtherEngineError};
pub use library::OthelloLibrary;
