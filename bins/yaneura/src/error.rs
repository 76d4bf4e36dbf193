//! Errors of a line of input, and of commands about evaluation files.

use std::path::PathBuf;

use shogi_core::MoveError;
use shogi_engine::{EvaluationError, SaveError, StartError, ThinkError};
use shogi_eval::inspect::InspectError;
use shogi_eval::kppt::KpptError;
use shogi_eval::loader::EvalError;
use shogi_eval::nnue::MeanError;
use shogi_eval::nnue::file::OpenError;
use shogi_farm::QsearchError;
use shogi_packed::PackError;
use shogi_usi::{CommandError, OptionError, did_you_mean};
use thiserror::Error;

/// An error of a line, or a part of it that was left out. Shown as `info string Error! ...`; the engine continues.
#[derive(Debug, Error)]
pub(crate) enum LineError {
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error("go: {0}")]
    Start(StartError),
    #[error("the side not to move is in check: nobody can play from this position")]
    Diagram,
    #[error("no position: the last one could not be read: {0}")]
    NoPosition(String),
    #[error("unknown command {word:?}{}", did_you_mean(.meant.as_deref()))]
    Unknown { word: String, meant: Option<String> },
    #[error("{word} is a program of its own, no command of the engine; run it in a shell: {line}")]
    Program { word: String, line: String },
    #[error("go: searchmoves: illegal here: {0}")]
    SearchMoves(String),
    #[error("go: perft takes a depth up to {most}, found {found}")]
    Perft { most: u32, found: u32 },
    /// The parts that were left out of a command that was run.
    #[error("{0}")]
    LeftOut(String),
    #[error("{command}: expected {expected}, found {found:?}")]
    Argument {
        command: &'static str,
        expected: &'static str,
        found: String,
    },
    #[error(
        "{0} is about evaluations of the alpha-beta engine, and EvalDir has a policy and value network"
    )]
    Deep(&'static str),
    #[error("no evaluation: {0}")]
    NoEvaluation(EvaluationError),
    #[error("see: {0}")]
    See(MoveError),
    #[error(transparent)]
    Pack(#[from] PackError),
    #[error(transparent)]
    Think(#[from] ThinkError),
    #[error(transparent)]
    Qsearch(#[from] QsearchError),
    #[error("{}", yane_cli::with_causes(.0))]
    Learn(anyhow::Error),
    #[error("wait: the search runs until stop or ponderhit")]
    EndlessSearch,
    #[error("file: cannot read {path}: {reason}")]
    File {
        path: String,
        reason: std::io::Error,
    },
    #[error("position file: {0}")]
    Record(String),
    #[error("cannot log to {}: {reason}", path.display())]
    Log {
        path: PathBuf,
        reason: std::io::Error,
    },
    #[error("d svg: {0}")]
    Picture(yane_io::Error),
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    EvalFiles(#[from] EvalFilesError),
    #[error(transparent)]
    EvalSave(#[from] SaveError),
    #[error("line longer than {0} bytes")]
    TooLong(usize),
}

impl From<yane_io::Error> for LineError {
    fn from(error: yane_io::Error) -> Self {
        Self::Picture(error)
    }
}

impl From<MoveError> for LineError {
    fn from(error: MoveError) -> Self {
        Self::See(error)
    }
}

impl From<EvaluationError> for LineError {
    fn from(error: EvaluationError) -> Self {
        Self::NoEvaluation(error)
    }
}

impl From<StartError> for LineError {
    fn from(error: StartError) -> Self {
        Self::Start(error)
    }
}

/// An error of a command about evaluation files. No file was changed then.
#[derive(Debug, Error)]
pub(crate) enum EvalFilesError {
    #[error(transparent)]
    Inspect(#[from] InspectError),
    #[error(transparent)]
    Tables(#[from] KpptError),
    #[error(transparent)]
    Network(#[from] OpenError),
    #[error(transparent)]
    Zeros(#[from] EvalError),
    #[error("{0}")]
    File(#[from] yane_io::Error),
    #[error("{file}: {error}")]
    Mean { file: String, error: MeanError },
    #[error("{folder}: the files are {found}, not {named}")]
    Kind {
        folder: String,
        found: &'static str,
        named: &'static str,
    },
}

/// Longest error text that is shown, in characters.
const LONGEST: usize = 300;

impl LineError {
    /// The text on one line, shortened if it is very long.
    pub(crate) fn to_line(&self) -> String {
        shortened(&self.to_string())
    }
}

/// `text` on one line, shortened if it is very long.
pub(crate) fn shortened(text: &str) -> String {
    let mut line: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        line.push_str("...");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_shortened() {
        let error = LineError::Command(CommandError::Unknown("x".repeat(100_000)));
        assert_eq!(error.to_line().chars().count(), LONGEST + 3);
        let error = LineError::Pack(PackError::MissingKing { bits: 9 });
        assert!(!error.to_line().ends_with("..."));
    }
}
