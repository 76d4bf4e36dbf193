//! Files of neural networks.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use yane_io::{Job, Map, Unit};

use super::{InspectError, hex};
use crate::nnue::arch::Architecture;
use crate::nnue::file::{Loaded, NetworkReadOptions, Note, OpenError};
use crate::nnue::{Description, Network};

/// A network's file.
#[derive(Clone, Debug)]
pub struct NetworkFile {
    /// Its name.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The SHA-256 of the whole file: 64 hexadecimal digits.
    pub sha256: String,
    /// The number before the whole network.
    pub file_hash: Hash,
    /// The number before the feature transformer.
    pub transformer_hash: Hash,
    /// The number before the affine layers (of the first stack).
    pub layers_hash: Hash,
    /// Shape and ranges.
    pub description: Description,
    /// Oddities of the file.
    pub notes: Vec<Note>,
}

/// One of the numbers by which programs recognize files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash {
    /// The hash in the file.
    pub found: u32,
    /// The usual hash of files of this shape.
    pub usual: u32,
}

impl NetworkFile {
    pub(super) fn inspect(
        path: &Path,
        architecture: Option<Architecture>,
        job: &Job,
    ) -> Result<Self, InspectError> {
        let map = Map::open(path)?;
        let options = NetworkReadOptions { architecture };
        let Loaded { network, notes } =
            Network::from_bytes(&map, &options).map_err(|fault| OpenError::Format {
                path: path.to_owned(),
                fault,
            })?;
        let found = |offset: usize| {
            let bytes = map.get(offset..).and_then(|rest| rest.first_chunk());
            u32::from_le_bytes(bytes.copied().unwrap_or_default())
        };
        let shape = network.architecture();
        let stacks = shape.stack_bytes() * shape.stack_count();
        let hash = |offset, usual| Hash {
            found: found(offset),
            usual,
        };
        Ok(Self {
            path: path.to_owned(),
            bytes: map.len() as u64,
            sha256: sha256(&map, path, job)?,
            file_hash: hash(4, shape.file_hash()),
            transformer_hash: hash(12 + network.description().len(), shape.transformer_hash()),
            layers_hash: hash(map.len() - stacks, shape.network_hash()),
            description: network.describe(),
            notes,
        })
    }
}

fn sha256(bytes: &[u8], path: &Path, job: &Job) -> yane_io::Result<String> {
    const CHUNK: usize = 1 << 22;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    job.progress
        .stage(&name, Some(bytes.len() as u64), Unit::Bytes);
    let mut hash = Sha256::new();
    for chunk in bytes.chunks(CHUNK) {
        job.check()?;
        hash.update(chunk);
        job.progress.advance(chunk.len() as u64);
    }
    Ok(hex(hash))
}
