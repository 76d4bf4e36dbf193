//! Shogi teacher data: games and positions with scores, for training evaluation functions.
//!
//! # Formats
//!
//! * [`pack`]: whole games, about four bytes a ply.
//! * [`hcpe3`]: whole games with the visits of the moves that were searched.
//! * [`hcpe`]: one position, move, score and result in 38 bytes.
//! * [`psv`]: the same and the ply in 40 bytes.
//! * [`text`]: all of them as JSON lines and CSV.
//!
//! Scores are those of the player to move in all of them ([`Score`]); results are the players' or
//! the mover's by type ([`GameResult`], [`Outcome`]).

#![forbid(unsafe_code)]

pub mod check;
pub mod convert;
mod error;
mod format;
pub mod hcpe;
pub mod hcpe3;
mod labels;
pub mod pack;
pub mod psv;
pub mod record;
mod sample;
pub mod stats;
pub mod stream;
pub mod text;

pub use error::{Damage, Result, TeacherError};
pub use format::Format;
pub use hcpe::Hcpe;
pub use hcpe3::Hcpe3Game;
pub use labels::{EndReason, GameResult, Outcome, Score};
pub use psv::Psv;
pub use sample::{Sample, SampleError};
