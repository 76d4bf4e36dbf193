//! Reading a file by its name.

use std::path::{Path, PathBuf};

use thiserror::Error;
use yane_io::Map;

use super::{FileError, Loaded, ReadOptions};
use crate::nnue::network::Network;

/// Why a named file cannot be read.
#[derive(Debug, Error)]
pub enum OpenError {
    /// It cannot be opened or mapped.
    #[error(transparent)]
    File(#[from] yane_io::Error),
    /// It is not an evaluation file.
    #[error("{}: {fault}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: FileError,
    },
}

impl Network {
    /// Reads the file `path` through a memory map. The network does not need the file afterwards.
    ///
    /// # Errors
    /// The file cannot be opened, or as [`Network::from_bytes`].
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Loaded, OpenError> {
        Self::of_map(&Map::open(path)?, options)
    }

    /// Reads a file that is mapped already.
    pub(in crate::nnue) fn of_map(map: &Map, options: &ReadOptions) -> Result<Loaded, OpenError> {
        Self::from_bytes(map, options).map_err(|fault| OpenError::Format {
            path: map.path().to_owned(),
            fault,
        })
    }
}
