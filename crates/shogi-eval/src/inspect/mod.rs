//! What an evaluation file is: for people who were given one.
//!
//! [`inspect`] takes a file or a folder of any kind and tells its shape, size and hashes, the ranges
//! of the parameters of every part, and what is odd about it. The whole file is read.
//!
//! ```
//! use shogi_eval::inspect::{Inspection, inspect};
//! use test_networks::RandomNetwork;
//! use yane_io::{AtomicFile, Job};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("nn.bin");
//! let mut file = AtomicFile::create(&path)?;
//! RandomNetwork::new("kp_32x2-8-8".parse()?, 1).write(&mut file)?;
//! file.commit()?;
//!
//! let found = inspect(&path, None, &Job::default())?;
//! println!("{found}");
//! assert!(matches!(found, Inspection::Network(file) if file.notes.is_empty()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod network;
mod tables;
mod text;

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;
use yane_io::Job;

use crate::kppt::{KpptError, Table};
use crate::loader::NETWORK_FILE;
use crate::nnue::arch::{Architecture, FILE_VERSION};
use crate::nnue::file::OpenError;

pub use network::{Hash, NetworkFile};
pub use tables::{TableFile, TableFiles, TableNote};

/// What was found.
#[derive(Clone, Debug)]
pub enum Inspection {
    /// A neural network.
    Network(Box<NetworkFile>),
    /// Three-piece tables: all three, or one of them.
    Tables(TableFiles),
}

/// Why nothing can be told.
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
    #[error(transparent)]
    File(#[from] yane_io::Error),
    /// A folder without evaluation files.
    #[error(
        "{}: no evaluation; expected {NETWORK_FILE}, or the three files KK_synthesized.bin, \
         KKP_synthesized.bin and KPP_synthesized.bin",
        .0.display()
    )]
    Empty(PathBuf),
}

impl InspectError {
    /// The error of the system or of the job in it.
    pub fn file_error(&self) -> Option<&yane_io::Error> {
        match self {
            Self::Network(OpenError::File(error))
            | Self::Tables(KpptError::File(error))
            | Self::File(error) => Some(error),
            _ => None,
        }
    }
}

/// Tells what `path` is: the file of a network, one of three-piece tables, or a folder with either
/// (the network, if it has both). `architecture` is for networks that do not name theirs, see
/// [`ReadOptions`](crate::nnue::file::ReadOptions).
///
/// # Errors
/// The file cannot be read or is none of these, or the job is cancelled.
pub fn inspect(
    path: &Path,
    architecture: Option<Architecture>,
    job: &Job,
) -> Result<Inspection, InspectError> {
    let network = |path: &Path| {
        NetworkFile::inspect(path, architecture, job)
            .map(|file| Inspection::Network(Box::new(file)))
    };
    if path.is_dir() {
        let file = path.join(NETWORK_FILE);
        if file.exists() {
            return network(&file);
        }
        if !Table::ALL.iter().any(|table| table.path(path).exists()) {
            return Err(InspectError::Empty(path.to_owned()));
        }
        return Ok(Inspection::Tables(TableFiles::of_folder(path, job)?));
    }
    match table_of(path)? {
        Some(table) => Ok(Inspection::Tables(TableFiles::of_file(path, table, job)?)),
        None => network(path),
    }
}

/// Which table the file `path` is: told by its size, or by its name if the size is wrong. `None` for
/// everything else.
fn table_of(path: &Path) -> Result<Option<Table>, InspectError> {
    let mut file = File::open(path).map_err(yane_io::Error::io(path))?;
    let len = file.metadata().map_err(yane_io::Error::io(path))?.len();
    let mut version = [0; 4];
    match file.read_exact(&mut version) {
        Ok(()) if u32::from_le_bytes(version) == FILE_VERSION => return Ok(None),
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => {
            return Err(yane_io::Error::io(path)(error).into());
        }
        _ => {}
    }
    let named = |table: &Table| path.file_name().is_some_and(|n| n == table.file_name());
    let by_size = |table: &Table| tables::kinds_by_size(*table, len).next().is_some();
    let mut tables = Table::ALL.into_iter();
    let by_name = tables.clone().find(named);
    Ok(by_name.or_else(|| tables.find(by_size)))
}

/// Hexadecimal digits of a SHA-256.
fn hex(hash: Sha256) -> String {
    use std::fmt::Write;
    let mut text = String::with_capacity(64);
    for byte in hash.finalize() {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests;
