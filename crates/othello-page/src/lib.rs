#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod engines;
mod export;
mod fields;
mod game_fields;
mod import;
mod line;
mod position;
mod search;
mod service;
mod tables;

pub use engines::EngineNames;
pub use game_fields::GameFields;
pub use service::OthelloPage;
