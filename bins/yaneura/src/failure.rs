//! Errors of commands about evaluation files.

use shogi_eval::inspect::InspectError;
use shogi_eval::kppt::KpptError;
use shogi_eval::loader::EvalError;
use shogi_eval::nnue::file::OpenError;
use thiserror::Error;

/// An error of a command about evaluation files. No file was changed then.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Inspect(#[from] InspectError),
    #[error(transparent)]
    Tables(#[from] KpptError),
    #[error(transparent)]
    Network(#[from] OpenError),
    #[error(transparent)]
    Zeros(#[from] EvalError),
    #[error(transparent)]
    File(#[from] yane_io::Error),
    #[error("{folder}: the files are {found}, not {named}")]
    Kind {
        folder: String,
        found: &'static str,
        named: &'static str,
    },
}

impl Failure {
    /// The error of the system or of the job in it.
    pub(crate) fn file_error(&self) -> Option<&yane_io::Error> {
        match self {
            Self::Inspect(error) => error.file_error(),
            Self::Tables(KpptError::File(error))
            | Self::Network(OpenError::File(error))
            | Self::Zeros(
                EvalError::Tables(KpptError::File(error))
                | EvalError::Network(OpenError::File(error)),
            )
            | Self::File(error) => Some(error),
            _ => None,
        }
    }
}
