//! Networks in files: opened, mapped, saved.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;
use yane_io::{AtomicFile, Map};

use crate::nnue::arch::Architecture;
use crate::nnue::file::{FileError, Loaded, NetworkReadOptions, write_network};
use crate::nnue::{
    AffineLayers, Aligned, FeatureWeights, GameProgress, MappedKey, MappedNetwork, Network,
};

/// The error of a named file that cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It cannot be opened or mapped.
    #[error("{0}")]
    File(#[from] yane_io::Error),
    /// It is not an evaluation file.
    #[error("{}: {fault}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The fault.
        fault: FileError,
    },
}

impl Network {
    /// Reads the file `path` through a memory map. The network does not need the file afterwards.
    ///
    /// # Errors
    /// The file cannot be opened, or as [`Network::from_bytes`].
    pub fn open(path: &Path, options: &NetworkReadOptions) -> Result<Loaded, OpenError> {
        Self::of_map(&Map::open(path)?, options)
    }

    /// Reads a file that is mapped already.
    pub(crate) fn of_map(map: &Map, options: &NetworkReadOptions) -> Result<Loaded, OpenError> {
        Self::from_bytes(map, options).map_err(|fault| OpenError::Format {
            path: map.path().to_owned(),
            fault,
        })
    }

    /// Makes the network the file `path`, as [`Network::write`] writes it, whole or not at all.
    ///
    /// # Errors
    /// When the folder cannot be written to or the disk is full. An old file is untouched then.
    pub fn save(&self, path: &Path) -> yane_io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        self.write(&mut file).map_err(yane_io::Error::io(path))?;
        file.commit()
    }
}

impl MappedNetwork {
    /// Maps the file `path`, which must have this `key`; `None` when it does not, cannot be opened, or is
    /// damaged.
    pub(super) fn open(path: &Path, key: MappedKey) -> Option<Self> {
        let map = Map::open(path).ok()?;
        map.want_large_pages();
        Self::of_map(&Arc::new(map), key).ok()
    }

    /// Makes the network the file `path` that is known by `key`, whole or not at all.
    ///
    /// # Errors
    /// When the folder cannot be written to or the disk is full. An old file is untouched then.
    pub fn save(&self, key: MappedKey, path: &Path) -> yane_io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        self.write(key, &mut file)
            .map_err(yane_io::Error::io(path))?;
        file.commit()
    }
}

/// Makes a network of `architecture` in which every number is 0 the file `path`, whole or not at all.
/// Every position is worth 0 to it.
///
/// # Errors
/// When the folder cannot be written to or the disk is full. An old file is untouched then.
pub fn save_zeros(architecture: Architecture, path: &Path) -> yane_io::Result<()> {
    let progress = architecture
        .has_progress()
        .then(|| GameProgress::new(0, Aligned::zeros(GameProgress::WEIGHTS)));
    let layers = AffineLayers::zeros(architecture, progress);
    let weights = ZeroWeights(vec![0; architecture.width()]);
    let mut file = AtomicFile::create(path)?;
    write_network(
        architecture.description().as_bytes(),
        &weights,
        &layers,
        &mut file,
    )
    .map_err(yane_io::Error::io(path))?;
    file.commit()
}

/// A feature transformer of zeros: the biases.
struct ZeroWeights(Vec<i16>);

impl FeatureWeights for ZeroWeights {
    fn biases(&self) -> &[i16] {
        &self.0
    }

    fn read_weights(&self, _: usize, row: &mut [i16]) {
        row.fill(0);
    }
}
