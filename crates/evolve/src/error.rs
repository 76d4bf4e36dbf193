//! Errors of runs and of their settings.

use std::path::PathBuf;

use shogi_farm::SettingsError;
use thiserror::Error;
use tournament::TournamentError;

/// The result of work on a run.
pub type Result<T, E = EvolveError> = std::result::Result<T, E>;

/// An error in the settings of a run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EvolveSettingsError {
    /// No JSON5.
    #[error(transparent)]
    Syntax(#[from] SettingsError),
    /// No kind is named, or one that there is not.
    #[error("kind: expected \"nnue\", \"deep\" or \"othello\"")]
    Kind,
    /// A key that there is not, or a value of another type.
    #[error("{path}: {reason}")]
    Type {
        /// The key with those around it.
        path: String,
        /// What was expected.
        reason: String,
    },
    /// A value that makes no sense.
    #[error("{path}: expected {expected}")]
    Value {
        /// The key with those around it.
        path: String,
        /// What was expected.
        expected: String,
    },
    /// A setting of another kind.
    #[error("{path}: means nothing for {kind}")]
    OtherKind {
        /// The key with those around it.
        path: String,
        /// The kind.
        kind: &'static str,
    },
}

impl EvolveSettingsError {
    pub(crate) fn value(path: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Value {
            path: path.into(),
            expected: expected.into(),
        }
    }
}

/// The reason why a run cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EvolveError {
    /// A file cannot be read or written, or the run was asked to stop.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// The log of a match.
    #[error(transparent)]
    Match(#[from] TournamentError),
    /// The settings file is wrong.
    #[error("{}: {reason}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        reason: EvolveSettingsError,
    },
    /// A line of the journal that is no such line.
    #[error("{}: line {line}: {reason}", path.display())]
    Journal {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What was expected.
        reason: String,
    },
    /// The folder has another run.
    #[error(
        "{}: is a run with other settings: {difference}; use those of the run, choose another folder with -o, or pass --force to begin anew",
        path.display()
    )]
    OtherRun {
        /// The journal.
        path: PathBuf,
        /// What differs.
        difference: String,
    },
    /// A program is not there.
    #[error("the program {name} is not beside this one ({})", folder.display())]
    NoProgram {
        /// Its name.
        name: &'static str,
        /// The folder in which it should be.
        folder: PathBuf,
    },
    /// A program cannot be started or watched.
    #[error("{program}: {reason}")]
    Start {
        /// The program.
        program: String,
        /// What the system says.
        reason: std::io::Error,
    },
    /// A program failed.
    #[error("{stage}: {command}\nended with {code}: {text}")]
    Failed {
        /// The stage, such as `generation 3, self-play`.
        stage: String,
        /// Its command line.
        command: String,
        /// `exit code 1`, or that the system ended it.
        code: String,
        /// The last lines of its errors.
        text: String,
    },
    /// A program has done its work, and its results are not what they should be.
    #[error("{stage}: {reason}")]
    Result {
        /// The stage.
        stage: String,
        /// What is missing.
        reason: String,
    },
    /// The folder has no run.
    #[error("{}: there is no run ({} is missing)", folder.display(), crate::history::JOURNAL_FILE)]
    NoRun {
        /// The folder.
        folder: PathBuf,
    },
}
