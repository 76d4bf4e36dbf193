//! Errors of runs of games, of their settings and of their start positions.

use std::path::PathBuf;

use pack_format::pack::GameError;
use shogi_core::PositionLineError;
use shogi_farm::{EngineSetupError, SettingsError};
use shogi_kifu::KifuProblem;
use thiserror::Error;

/// The reason why a run cannot start or continue. Finished games are safe.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SelfplayError {
    /// A file could not be read or written.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// The settings are wrong.
    #[error("{}: {problem}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// The expected and the found data, and their place.
        problem: Box<SelfplaySettingsError>,
    },
    /// A line of the file of start positions is wrong.
    #[error("{}: line {line}: {problem}", path.display())]
    Start {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The expected and the found data.
        problem: StartLineProblem,
    },
    /// The file has no position to start from.
    #[error("{}: no start positions", .0.display())]
    NoStarts(PathBuf),
    /// An engine is not there, refuses an option, or has not the evaluation that was asked for.
    #[error(transparent)]
    Setup(#[from] EngineSetupError),
    /// No engine is left, or the queue cannot be used.
    #[error(transparent)]
    Farm(#[from] farm::FarmError),
}

/// What is wrong with the text of a file of settings.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SelfplaySettingsError {
    /// No JSON5, a key that nobody knows, or no engines.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A value of another type.
    #[error(transparent)]
    Type(#[from] serde_path_to_error::Error<serde_json::Error>),
    /// A word that is none of those that a key takes.
    #[error("{key}: expected {expected}, found {found:?}")]
    Word {
        /// The key.
        key: &'static str,
        /// The words, for people.
        expected: String,
        /// The word that stands there.
        found: String,
    },
    /// A number out of bounds.
    #[error("{key}: expected a number from {min} to {max}, found {found}")]
    Number {
        /// The key.
        key: &'static str,
        /// The smallest.
        min: f64,
        /// The largest.
        max: f64,
        /// The number that stands there.
        found: f64,
    },
    /// No nodes a move.
    #[error("NODES: expected at least 1")]
    NoNodes,
    /// A temperature that is no number.
    #[error("HCPE3_TEMPERATURE: expected a number of centipawns")]
    Temperature,
    /// The file of start positions has an empty name.
    #[error(
        "START_SFENS_PATH is empty; name a file, or leave it out to begin with the initial position"
    )]
    EmptyStarts,
}

impl SelfplaySettingsError {
    /// A [`Self::Word`].
    pub(crate) fn word(key: &'static str, expected: impl Into<String>, found: &str) -> Self {
        Self::Word {
            key,
            expected: expected.into(),
            found: found.to_owned(),
        }
    }
}

/// What is wrong with a line of a file of start positions, or with a game of a file of records.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StartLineProblem {
    /// No position, or moves that cannot be played.
    #[error(transparent)]
    Line(#[from] PositionLineError),
    /// No record of a game.
    #[error(transparent)]
    Record(#[from] KifuProblem),
    /// A game that is over, of which nobody said how much of it to take.
    #[error(
        "this game has been played to its end: say how many of its moves to take (--start-plies N)"
    )]
    Decided,
    /// A ply number that teacher data cannot hold.
    #[error("ply {0} is above 65535")]
    Ply(u32),
    /// A position from which no game of teacher data can begin.
    #[error(transparent)]
    Game(#[from] GameError),
}
