//! What can be wrong with a line of input.

use std::path::PathBuf;

use shogi_core::{MoveError, PackError};
use shogi_engine::{SaveError, StartError, ThinkError};
use shogi_usi::{CommandError, OptionError};
use thiserror::Error;

use crate::failure::Failure;
use crate::leaves::LeavesError;

/// Why a line was not carried out. Shown as `info string Error! ...`; the engine goes on as if the
/// line had not been there.
#[derive(Debug, Error)]
pub(crate) enum LineError {
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error("go: {0}")]
    Start(#[from] StartError),
    #[error("the side not to move is in check: nobody can play from this position")]
    Diagram,
    #[error("{command}: expected {expected}, found {found:?}")]
    Argument {
        command: &'static str,
        expected: &'static str,
        found: String,
    },
    #[error("see: {0}")]
    See(#[from] MoveError),
    #[error("{0}")]
    Pack(#[from] PackError),
    #[error("{0}")]
    Think(#[from] ThinkError),
    #[error(transparent)]
    Leaves(#[from] LeavesError),
    #[error("wait: the search runs until stop or ponderhit")]
    WaitsForEver,
    #[error("file: cannot read {path}: {source}")]
    File {
        path: String,
        source: std::io::Error,
    },
    #[error("cannot log to {}: {source}", path.display())]
    Log {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    EvalFiles(#[from] Failure),
    #[error(transparent)]
    EvalSave(#[from] SaveError),
    #[error("line longer than {0} bytes")]
    TooLong(usize),
}

/// Longest error text that is shown, in characters.
const LONGEST: usize = 300;

impl LineError {
    /// The text on one line, shortened if the input was a monster.
    pub(crate) fn to_line(&self) -> String {
        let text = self.to_string();
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monsters_are_shortened() {
        let error = LineError::Command(CommandError::Unknown("x".repeat(100_000)));
        assert_eq!(error.to_line().chars().count(), LONGEST + 3);
        let error = LineError::Pack(PackError::MissingKing { bits: 9 });
        assert!(!error.to_line().ends_with("..."));
    }
}
