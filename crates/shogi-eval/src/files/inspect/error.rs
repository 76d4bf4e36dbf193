//! What may go wrong when files are looked at.

use std::path::PathBuf;

use thiserror::Error;

use crate::kppt::KpptError;
use crate::loader::NETWORK_FILE;
use crate::nnue::file::OpenError;

/// Error of an inspection.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum InspectError {
    /// It cannot be read as a network.
    #[error(transparent)]
    Network(#[from] OpenError),
    /// It cannot be read as three-piece tables.
    #[error(transparent)]
    Tables(#[from] KpptError),
    /// The system refused to read, or the work was interrupted.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// A folder without evaluation files.
    #[error(
        "{}: no evaluation; expected {NETWORK_FILE}, or the three files KK_synthesized.bin, \
         KKP_synthesized.bin and KPP_synthesized.bin",
        .0.display()
    )]
    Empty(PathBuf),
}
