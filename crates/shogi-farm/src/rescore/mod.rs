//! New scores for the positions of shogi teacher data, by the engine in this process or by any USI engine as a program.
//!
//! Every position of pack, hcpe, hcpe3 and psv files is searched, or evaluated without a search ([`RescoreDepth`]), and
//! the score takes the place of the old one. Everything else stays, byte by byte.
//!
//! The scores depend on the files, the engine and its limit alone: engines forget everything before each run of positions
//! ([`pack_format::rescore::PositionRun`]), so that it does not matter on which thread a run is searched, nor where the
//! work was interrupted. Engines are workers of a [`farm`]: one that dies, hangs or panics is told of, made anew, and its run handed
//! out again. Scores go to a journal beside the output as they come, and the output is written from it when all
//! are there: the same call resumes what was interrupted.
//!
//! ```no_run
//! use std::path::Path;
//! use pack_format::TeacherFormat;
//! use pack_format::stream::Input;
//! use shogi_farm::rescore::{RescoreDepth, RescoreEngine, RescoreOptions, rescore};
//! use yane_io::Job;
//!
//! let format = TeacherFormat::Psv;
//! let mut engine = RescoreEngine::new(format, &[("EvalDir".to_owned(), "eval".to_owned())], &[])?;
//! let options = RescoreOptions::new(RescoreDepth::Nodes(10_000));
//! let inputs = [Input::named("old.psv")];
//! let report = rescore(&inputs, Path::new("new.psv"), &mut engine, &options, &Job::default())?;
//! println!("{} of {} scores changed", report.changed, report.positions);
//! # Ok::<(), shogi_farm::rescore::RescoreError>(())
//! ```
mod engine;
mod log;
mod program;
mod run;
mod scorer;

use farm::FarmError;
use pack_format::TeacherError;
use serde::Serialize;
use shogi_engine::{EvaluationError, ThinkError};
use thiserror::Error;
use yane_io::Overwrite;

use crate::error::EngineSetupError;

pub use engine::RescoreEngine;
pub use program::RescoreProgram;
pub use run::rescore;

/// How far each position is looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RescoreDepth {
    /// A search of so many positions; playouts with the deep engine.
    Nodes(u64),
    /// A search of so many plies.
    Depth(u32),
    /// No search: the value of the quiescence search, or of the network of the deep engine.
    Evaluation,
}

/// Options of [`rescore`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RescoreOptions {
    /// How far each position is looked into.
    pub depth: RescoreDepth,
    /// True if the best move of the search takes the place of the move of a record (hcpe, psv); a record without a move
    /// gets one. Moves of games stay.
    pub best_move: bool,
    /// Permission to write the output over a file that exists.
    pub overwrite: Overwrite,
}

impl RescoreOptions {
    /// Options with which moves stay and the output is none of the inputs.
    pub fn new(depth: RescoreDepth) -> Self {
        Self {
            depth,
            best_move: false,
            overwrite: Overwrite::default(),
        }
    }
}

/// Report of [`rescore`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RescoreReport {
    /// Games; 0 in formats without.
    pub games: u64,
    /// Positions.
    pub positions: u64,
    /// Positions among them that an earlier, interrupted call had done.
    pub resumed: u64,
    /// Positions whose score is another one now.
    pub changed: u64,
    /// Mean of the sizes of all changes, in centipawns.
    pub mean_change: f64,
    /// Records whose move is another one now.
    pub moves_changed: u64,
    /// Bytes written.
    pub bytes: u64,
}

/// Error of [`rescore`]. No output file was changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RescoreError {
    /// The engine is not there, refuses an option, or has not the evaluation that was asked for.
    #[error(transparent)]
    Engine(#[from] EngineSetupError),
    /// A file cannot be read or written, is damaged, or an option makes no sense.
    #[error(transparent)]
    Data(#[from] TeacherError),
    /// The search failed.
    #[error(transparent)]
    Think(#[from] ThinkError),
    /// A network was not evaluated.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// The search gave no score.
    #[error("the engine reported no score for {0}")]
    NoScore(String),
    /// An engine failed again and again, or the work panicked three times at the same positions.
    #[error(transparent)]
    Workers(#[from] FarmError),
}

impl From<yane_io::Error> for RescoreError {
    fn from(error: yane_io::Error) -> Self {
        Self::Data(error.into())
    }
}
