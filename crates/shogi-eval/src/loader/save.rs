//! Writing evaluation files into a folder, from which they can be loaded again.

use std::fs;
use std::path::Path;

use yane_io::{Error, Job, Overwrite};

use super::{EvalError, EvalFiles, NETWORK_FILE, OpenOptions};
use crate::kppt::Layout;
use crate::kppt::convert::{TurnValues, convert, write_zeros};
use crate::nnue::Network;
use crate::nnue::arch::Architecture;
use crate::nnue::file::{OpenError, ReadOptions, save_zeros};

/// A kind of evaluation files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalKind {
    /// Three-piece tables.
    Tables(Layout),
    /// A network.
    Network(Architecture),
}

impl EvalKind {
    /// Writes an evaluation of this kind in which every value is 0 to `folder`, which is made if it is
    /// not there.
    ///
    /// # Errors
    /// When the folder cannot be written to, the disk is full, or the job is cancelled. Nothing that
    /// was in the folder changed then.
    pub fn write_zeros(self, folder: &Path, job: &Job) -> Result<(), EvalError> {
        match self {
            Self::Tables(layout) => Ok(write_zeros(folder, layout, job)?),
            Self::Network(architecture) => {
                make(folder)?;
                let saved = save_zeros(architecture, &folder.join(NETWORK_FILE));
                Ok(saved.map_err(OpenError::File)?)
            }
        }
    }
}

impl EvalFiles {
    /// Reads the files and writes them to `folder`, which is made if it is not there: tables as they are,
    /// a network as [`NETWORK_FILE`] with the usual hashes.
    ///
    /// # Errors
    /// When the files cannot be read, are wrong, or would be replaced, the folder cannot be written to, the
    /// disk is full, or the job is cancelled. Nothing that was in the folder changed then.
    pub fn save(&self, folder: &Path, options: &OpenOptions, job: &Job) -> Result<(), EvalError> {
        match self {
            Self::Tables { folder: from } => {
                let layout = Layout::of(from)?;
                let overwrite = Overwrite::Refuse;
                convert(from, folder, layout, TurnValues::MustBeZero, overwrite, job)?;
                Ok(())
            }
            Self::Network { path, .. } => {
                make(folder)?;
                Ok(rewrite(
                    path,
                    &folder.join(NETWORK_FILE),
                    options,
                    Overwrite::Refuse,
                )?)
            }
        }
    }
}

/// Reads a network and writes it as the file `to`, with the usual hashes.
///
/// # Errors
/// When `from` cannot be read or is no network, when `to` is the same file and `overwrite` does not
/// allow it, or when it cannot be written. Nothing changed then.
pub fn rewrite(
    from: &Path,
    to: &Path,
    options: &OpenOptions,
    overwrite: Overwrite,
) -> Result<(), OpenError> {
    overwrite.check(to, &[from])?;
    let architecture = options.architecture;
    let loaded = Network::open(from, &ReadOptions { architecture })?;
    Ok(loaded.network.save(to)?)
}

fn make(folder: &Path) -> Result<(), OpenError> {
    fs::create_dir_all(folder).map_err(|source| OpenError::File(Error::io(folder)(source)))
}
