//! Inspection of evaluation files: for people who were given one.
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

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;
use yane_io::Job;

use crate::kppt::{KpptError, KpptLayout, KpptTable};
use crate::loader::NETWORK_FILE;
use crate::nnue::arch::{Architecture, FILE_VERSION};
use crate::nnue::file::OpenError;

pub use network::{Hash, NetworkFile};
pub use tables::{TableFile, TableFiles, TableNote};

/// The result of an inspection.
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
/// [`NetworkReadOptions`](crate::nnue::file::NetworkReadOptions).
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
        if !KpptTable::ALL.iter().any(|table| table.path(path).exists()) {
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
fn table_of(path: &Path) -> Result<Option<KpptTable>, InspectError> {
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
    let named = |table: &KpptTable| path.file_name().is_some_and(|n| n == table.file_name());
    let by_size = |table: &KpptTable| tables::kinds_by_size(*table, len).next().is_some();
    let mut tables = KpptTable::ALL.into_iter();
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

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(file) => file.fmt(f),
            Self::Tables(files) => files.fmt(f),
        }
    }
}

impl fmt::Display for NetworkFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "file          {}", self.path.display())?;
        writeln!(f, "size          {} bytes", self.bytes)?;
        writeln!(f, "sha256        {}", self.sha256)?;
        self.description.fmt(f)?;
        for note in &self.notes {
            writeln!(f, "note          {note}")?;
        }
        Ok(())
    }
}

impl fmt::Display for TableFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "file          {}", self.path.display())?;
        let names: Vec<_> = self.kinds.iter().map(|kind| kind.name()).collect();
        writeln!(f, "kind          {}", names.join(" or "))?;
        if self.kinds == [KpptLayout::Kppt16] {
            writeln!(
                f,
                "note          to evaluate with it, convert it to {}",
                KpptLayout::Kppt.name()
            )?;
        }
        writeln!(f, "fv_scale      32, always")?;
        self.files.iter().try_for_each(|file| file.fmt(f))
    }
}

impl fmt::Display for TableFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.table.file_name();
        writeln!(f, "{name:<20}{} bytes", self.bytes)?;
        writeln!(f, "  sha256            {}", self.sha256)?;
        let (low, high) = (self.board.start(), self.board.end());
        write!(f, "  values            board {low} to {high}")?;
        if let Some(turn) = &self.turn {
            write!(f, ", turn {} to {}", turn.start(), turn.end())?;
        }
        writeln!(f)?;
        self.note
            .iter()
            .try_for_each(|note| writeln!(f, "  note              {note}"))
    }
}

impl fmt::Display for TableNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asymmetric { offset, mirror } => write!(
                f,
                "byte {offset}: differs from byte {mirror}, the same pieces the other way round; \
                 programs will not agree about evaluations"
            ),
        }
    }
}

#[cfg(test)]
mod tests;
