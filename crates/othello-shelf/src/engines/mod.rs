//! Engines beside ours: programs that speak GTP or the protocol of NBoard, and make the moves of `play` where a page chooses them.
//! They tell no values of all moves: hints and analysis stay ours.

mod choice;
mod other;

pub use choice::EngineChoice;
pub use other::{OtherEngine, OtherEngineError};
