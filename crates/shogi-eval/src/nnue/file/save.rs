//! Writing files by their names.

use std::path::Path;

use yane_io::AtomicFile;

use super::write_network;
use crate::nnue::aligned::Aligned;
use crate::nnue::arch::Architecture;
use crate::nnue::network::{AffineLayers, Network, Rows};
use crate::nnue::progress::Progress;

impl Network {
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

/// Makes a network of `architecture` in which every number is 0 the file `path`, whole or not at all.
/// Every position is worth 0 to it.
///
/// # Errors
/// When the folder cannot be written to or the disk is full. An old file is untouched then.
pub fn save_zeros(architecture: Architecture, path: &Path) -> yane_io::Result<()> {
    let progress = architecture
        .has_progress()
        .then(|| Progress::new(0, Aligned::zeros(Progress::WEIGHTS)));
    let layers = AffineLayers::zeros(architecture, progress);
    let rows = ZeroRows(vec![0; architecture.width()]);
    let mut file = AtomicFile::create(path)?;
    write_network(
        architecture.description().as_bytes(),
        &rows,
        &layers,
        &mut file,
    )
    .map_err(yane_io::Error::io(path))?;
    file.commit()
}

/// A feature transformer of zeros: the biases.
struct ZeroRows(Vec<i16>);

impl Rows for ZeroRows {
    fn biases(&self) -> &[i16] {
        &self.0
    }

    fn read_row(&self, _: usize, row: &mut [i16]) {
        row.fill(0);
    }
}
