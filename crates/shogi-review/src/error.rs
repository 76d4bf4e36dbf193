//! What can go wrong in an analysis.

use shogi_engine::ThinkError;
use thiserror::Error;

/// An error of an analysis.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReviewError {
    /// The engine failed.
    #[error(transparent)]
    Think(#[from] ThinkError),
    /// It was stopped.
    #[error("the analysis was stopped")]
    Stopped,
    /// The engine said nothing about a position that has moves.
    #[error("{engine} gave no score for {sfen}")]
    NoScore {
        /// The engine.
        engine: String,
        /// The position.
        sfen: String,
    },
}
