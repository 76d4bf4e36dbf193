//! Reading files: mapping them and checking every byte.

use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;
use yane_io::Map;

use super::arrays;
use super::facts::Facts;
use super::header::{self, Header, SECTIONS};
use super::{MappedError, MappedKey, PAGE};
use crate::nnue::fast::PreparedNetwork;
use crate::nnue::file::Note;

/// A network laid out for evaluation, with what was odd about the file it was made of.
///
/// Written to a file ([`Self::save`]) it can be mapped by any number of processes, whose memory it
/// takes once.
///
/// ```
/// use std::sync::Arc;
/// use shogi_eval::nnue::file::ReadOptions;
/// use test_networks::RandomNetwork;
/// use shogi_eval::nnue::{MappedNetwork, MappedKey, Network, PreparedNetwork};
/// use yane_io::Map;
///
/// let mut file = Vec::new();
/// RandomNetwork::new("kp_32x2-8-8".parse()?, 1).write(&mut file)?;
/// let options = ReadOptions::default();
/// let loaded = Network::from_bytes(&file, &options)?;
/// let mapped = MappedNetwork {
///     network: PreparedNetwork::new(loaded.network),
///     notes: loaded.notes,
/// };
/// let key = MappedKey::new(&file, &options);
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join(key.file_name());
/// mapped.save(key, &path)?;
/// let shared = MappedNetwork::of_map(&Arc::new(Map::open(&path)?), key)?;
/// assert_eq!(shared.network.architecture().to_string(), "kp_32x2-8-8");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MappedNetwork {
    /// The network.
    pub network: PreparedNetwork,
    /// What was odd about the evaluation file.
    pub notes: Vec<Note>,
}

impl MappedNetwork {
    /// The network in a mapped file that must have this `key`. Reads every byte once, to compare check
    /// values: some 10 GB a second when the file is in the system's cache.
    ///
    /// # Errors
    /// When anything in the file is not as it was written.
    pub fn of_map(map: &Arc<Map>, key: MappedKey) -> Result<Self, MappedError> {
        let header = Header::from_bytes(map)?;
        if header.key != key {
            return Err(MappedError::Key);
        }
        if xxh3_64(&map[PAGE..]) != header.check {
            let part = "the sections";
            return Err(MappedError::Check { part });
        }
        let wrong = |section| MappedError::Section { section };
        let places = header.places().ok_or(wrong(SECTIONS))?;
        for (section, place) in places.iter().enumerate() {
            let behind = map.get(place.end..place.end.next_multiple_of(PAGE));
            if behind.is_none_or(|bytes| bytes.iter().any(|&byte| byte != 0)) {
                return Err(wrong(section));
            }
        }
        let bytes = |section: usize| map.get(places[section].clone()).ok_or(wrong(section));
        let facts = Facts::from_bytes(bytes(0)?)?;
        let [_, _, lens @ ..] = &header.lens;
        if let Some(array) = arrays::wrong_array(&facts.architecture, lens) {
            return Err(wrong(2 + array));
        }
        let [_, _, arrays @ ..] = &places;
        let network = arrays::network(
            facts.architecture,
            bytes(1)?.to_vec(),
            facts.progress_bias,
            facts.dense,
            map,
            arrays,
        );
        Ok(Self {
            network: network.ok_or(wrong(SECTIONS))?,
            notes: facts.notes,
        })
    }

    /// Maps the file `path`, which must have this `key`; `None` when it does not, cannot be opened, or is
    /// damaged.
    pub(in crate::nnue) fn open(path: &Path, key: MappedKey) -> Option<Self> {
        let map = Map::open(path).ok()?;
        map.want_large_pages();
        Self::of_map(&Arc::new(map), key).ok()
    }

    /// Gives the bytes of a file that was changed the check values that they should have: for tests of
    /// what is behind them. Anything too short for a header stays as it is.
    pub fn seal(bytes: &mut [u8]) {
        header::seal(bytes);
    }
}
