//! Networks that all processes of a machine share.
//!
//! A [`SharedNetworks`] is a folder with networks laid out for evaluation ([`MappedNetwork`]), one file for
//! each evaluation file that was opened. Processes map these files, so that the system holds them in
//! memory once. The folder is a cache: whatever is in it can be made again and may be removed at any
//! time.
//!
//! ```
//! use shogi_eval::nnue::file::NetworkReadOptions;
//! use test_networks::RandomNetwork;
//! use shogi_eval::nnue::shared::{SharedNetworks, Sharing};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("nn.bin");
//! RandomNetwork::new("kp_32x2-8-8".parse()?, 1).write(std::fs::File::create(&path)?)?;
//!
//! let shared = SharedNetworks::new(folder.path().join("cache"));
//! let options = NetworkReadOptions::default();
//! let first = shared.open(&path, &options)?;
//! assert!(matches!(first.sharing, Sharing::Made(_)));
//! let second = shared.open(&path, &options)?;
//! assert!(matches!(second.sharing, Sharing::Found(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod folder;

use std::fs;
use std::path::{Path, PathBuf};

use yane_io::Map;

use super::fast::{MappedKey, MappedNetwork, PreparedNetwork};
use super::file::{Loaded, NetworkReadOptions, Note, OpenError};
use super::network::Network;
use folder::Lock;

/// Bytes of files that a folder may have before the oldest are removed.
const LIMIT: u64 = 2 << 30;

/// A folder with networks to share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedNetworks {
    folder: PathBuf,
    limit: u64,
}

/// A network, and how it came into memory.
#[derive(Debug)]
pub struct SharedNetwork {
    /// The network.
    pub network: PreparedNetwork,
    /// Oddities of its evaluation file.
    pub notes: Vec<Note>,
    /// The place of the network in memory.
    pub sharing: Sharing,
}

/// The way a network is shared, if it is.
#[derive(Debug)]
pub enum Sharing {
    /// It lies in this file, which was there.
    Found(PathBuf),
    /// It lies in this file, which was not there or not usable.
    Made(PathBuf),
    /// It lies in the memory of this process alone, because of this.
    Private(yane_io::Error),
}

impl SharedNetworks {
    /// Networks in `folder`, which is made when it is needed. Files of other kinds in it stay as they
    /// are, except temporary ones (`.….tmp`).
    ///
    /// Whoever can write to the folder decides what the networks in it are worth: it should be the
    /// user's own.
    pub const fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            limit: LIMIT,
        }
    }

    /// Networks in the folder of the user for such files: `yaneura/eval` in `$XDG_CACHE_HOME` or
    /// `~/.cache` (Linux), `~/Library/Caches` (macOS), `%LOCALAPPDATA%` (Windows). `None` for a user
    /// without a home.
    pub fn of_user() -> Option<Self> {
        folder::of_user().map(Self::new)
    }

    /// The same with another limit in bytes; the default is 2 GiB. When a file is made and all together
    /// are larger, those that were not used for the longest time are removed, but never the new one.
    /// Processes that have them mapped keep them.
    #[must_use]
    pub fn with_limit(self, limit: u64) -> Self {
        Self { limit, ..self }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens the evaluation file `path`: maps the file that was made of it, makes it first if need be,
    /// and keeps the network in private memory when that is not possible. What was made of a file is
    /// found by a hash of all its bytes, so it is never that of another one.
    ///
    /// # Errors
    /// As [`Network::open`].
    pub fn open(
        &self,
        path: &Path,
        options: &NetworkReadOptions,
    ) -> Result<SharedNetwork, OpenError> {
        let source = Map::open(path)?;
        let key = MappedKey::new(&source, options);
        let shared = self.folder.join(key.file_name());
        if let Some(found) = find(&shared, key) {
            return Ok(found);
        }
        // When several processes begin at once, one makes the file and the others wait for it. Should
        // locking fail, several make it, each whole.
        let lock = Lock::wait(&self.folder);
        if let Some(found) = find(&shared, key) {
            return Ok(found);
        }
        let Loaded { network, notes } = Network::of_map(&source, options)?;
        let mapped = MappedNetwork {
            network: PreparedNetwork::new(network),
            notes,
        };
        let made = lock.and_then(|lock| self.make(&mapped, key, &shared, &lock));
        Ok(match made {
            Ok(MappedNetwork { network, notes }) => SharedNetwork {
                network,
                notes,
                sharing: Sharing::Made(shared),
            },
            Err(error) => SharedNetwork {
                network: mapped.network,
                notes: mapped.notes,
                sharing: Sharing::Private(error),
            },
        })
    }

    fn make(
        &self,
        mapped: &MappedNetwork,
        key: MappedKey,
        path: &Path,
        _lock: &Lock,
    ) -> yane_io::Result<MappedNetwork> {
        mapped.save(key, path)?;
        folder::tidy(&self.folder, path, self.limit);
        MappedNetwork::open(path, key).ok_or_else(|| {
            let _ = fs::remove_file(path);
            yane_io::Error::file(path, "is not as it was written")
        })
    }
}

/// The network in the file `path`, if it is there and good.
fn find(path: &Path, key: MappedKey) -> Option<SharedNetwork> {
    let MappedNetwork { network, notes } = MappedNetwork::open(path, key)?;
    folder::mark_as_used(path);
    Some(SharedNetwork {
        network,
        notes,
        sharing: Sharing::Found(path.to_owned()),
    })
}
