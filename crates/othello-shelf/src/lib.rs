#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod books;
#[cfg(feature = "engines")]
mod engines;
mod fields;
mod library;

pub use books::BookShelf;
#[cfg(feature = "engines")]
pub use engines::{EngineChoice, OtherEngine, OtherEngineError};
pub use library::OthelloLibrary;
