//! Networks that all processes of a machine share.
//!
//! A [`SharedNetworks`] is a folder with networks prepared for evaluation ([`MappedNetwork`]), one file for
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

use std::ffi::OsStr;
use std::fs;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use etcetera::BaseStrategy;
use etcetera::base_strategy::choose_native_strategy;
use yane_io::{Error, Map};

use crate::nnue::file::{Loaded, NetworkReadOptions, Note, OpenError};
use crate::nnue::{EXTENSION, MappedKey, MappedNetwork, Network, PreparedNetwork};

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
        of_user().map(Self::new)
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
        tidy(&self.folder, path, self.limit);
        MappedNetwork::open(path, key).ok_or_else(|| {
            let _ = fs::remove_file(path);
            yane_io::Error::file(path, "is not as it was written")
        })
    }
}

/// The network in the file `path`, if it is there and good.
fn find(path: &Path, key: MappedKey) -> Option<SharedNetwork> {
    let MappedNetwork { network, notes } = MappedNetwork::open(path, key)?;
    mark_as_used(path);
    Some(SharedNetwork {
        network,
        notes,
        sharing: Sharing::Found(path.to_owned()),
    })
}

// The folder of shared networks: its place, its size limit, and the lock for making files in it.

/// `yaneura/eval` in the user's folder for files that can be made again.
fn of_user() -> Option<PathBuf> {
    let folders = choose_native_strategy().ok()?;
    Some(folders.cache_dir().join("yaneura").join("eval"))
}

/// Makes the file the one that was used last.
fn mark_as_used(path: &Path) {
    // Only the order of removal depends on it, and a folder may be read-only.
    if let Ok(file) = OpenOptions::new().write(true).open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Removes the files that were not used for the longest time until `limit` bytes are left, but not
/// `keep`, and temporary files whose writers are gone. What cannot be removed stays.
fn tidy(folder: &Path, keep: &Path, limit: u64) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    for path in paths.iter().filter(|path| is_orphan(path)) {
        let _ = fs::remove_file(path);
    }
    let mut files: Vec<_> = paths
        .into_iter()
        .filter(|path| path.extension() == Some(OsStr::new(EXTENSION)))
        .filter_map(|path| {
            let data = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
            Some((data.modified().ok()?, data.len(), path))
        })
        .collect();
    files.sort();
    let mut total: u64 = files.iter().map(|(_, len, _)| len).sum();
    for (_, len, path) in files {
        if total <= limit {
            return;
        }
        if path != keep && fs::remove_file(&path).is_ok() {
            total -= len;
        }
    }
}

/// Returns whether it is a temporary file that nobody writes any more.
fn is_orphan(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.')
        && name.ends_with(".tmp")
        && name.contains(EXTENSION)
        && File::options()
            .write(true)
            .open(path)
            .is_ok_and(|file| file.try_lock().is_ok())
}

/// The file that is locked.
const LOCK_FILE: &str = "lock";

/// A process that has the lock for longer is not waited for: it may have been stopped.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pause before the lock is tried again.
const PAUSE: Duration = Duration::from_millis(5);

/// The right to make files in a folder.
#[derive(Debug)]
struct Lock(#[allow(dead_code, reason = "closing it gives the lock back")] File);

impl Lock {
    /// Waits for the lock of `folder`, which is made if it is not there. Where files cannot be locked
    /// (some network file systems) everybody has it.
    ///
    /// # Errors
    /// When the folder cannot be made or written to, or another process does not give the lock back.
    fn wait(folder: &Path) -> yane_io::Result<Self> {
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let path = folder.join(LOCK_FILE);
        let file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(Error::io(&path))?;
        let begin = Instant::now();
        while let Err(TryLockError::WouldBlock) = file.try_lock() {
            if begin.elapsed() > PATIENCE {
                return Err(Error::file(&path, "another process has locked it for long"));
            }
            sleep(PAUSE);
        }
        Ok(Self(file))
    }
}
