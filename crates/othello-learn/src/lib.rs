//! Training of othello evaluations.
//!
//! * [`LabelledPosition`], [`LabelledFiles`]: positions with values, and files of them.
//! * [`OthelloSelfplay`]: positions from games that an evaluation plays against itself, labelled by a search of a few plies or
//!   by solving the end of the game. A run has a journal and resumes.
//! * [`FitPlan`]: pattern tables fitted to labelled positions, phase by phase, with the error on games held out. A run has a
//!   journal and resumes; the number of threads does not change a byte.
//! * [`NetPlan`]: a network on patterns, trained by mini-batches. A run keeps its state and resumes; threads do not change a byte.
//! * [`measure`]: the error of given weights on labelled positions, by ply.
//! * [`OffsetPlan`]: constants for each ply with which searches of even and odd depths are right on average.
//!
//! Units of a run are done by workers of a [`farm`]: one that panics is told and done again. Nothing here prints.

#![forbid(unsafe_code)]

mod error;
mod fit;
mod label;
mod measure;
mod net;
mod offsets;
mod samples;
mod selfplay;
mod split;
mod train;
mod units;

pub use error::OthelloLearnError;
pub use fit::{FitSettings, PhaseReport};
pub use label::{LabelGoal, Labeller};
pub use measure::{PlyErrors, measure};
pub use net::NetPlan;
pub use offsets::{OffsetPlan, OffsetReport};
pub use samples::{LabelKind, LabelledFiles, LabelledPosition, TrainingFile};
pub use selfplay::{OthelloSelfplay, SelfplayTotals};
pub use train::{FitPlan, FitReport};
