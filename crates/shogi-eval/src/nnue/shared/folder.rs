//! The folder of shared networks: where it is, what may stay in it, and the lock for making files in it.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use etcetera::BaseStrategy;
use etcetera::base_strategy::choose_native_strategy;
use yane_io::{Error, Result};

use crate::nnue::fast::EXTENSION;

/// `yaneura/eval` in the user's folder for files that can be made again.
pub(super) fn of_user() -> Option<PathBuf> {
    let folders = choose_native_strategy().ok()?;
    Some(folders.cache_dir().join("yaneura").join("eval"))
}

/// Makes the file the one that was used last.
pub(super) fn mark_as_used(path: &Path) {
    // Only the order of removal depends on it, and a folder may be read-only.
    if let Ok(file) = OpenOptions::new().write(true).open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Removes the files that were not used for the longest time until `limit` bytes are left, but not
/// `keep`, and temporary files whose writers are gone. What cannot be removed stays.
pub(super) fn tidy(folder: &Path, keep: &Path, limit: u64) {
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
pub(super) const LOCK_FILE: &str = "lock";

/// A process that has the lock for longer is not waited for: it may have been stopped.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pause before the lock is tried again.
const PAUSE: Duration = Duration::from_millis(5);

/// The right to make files in a folder.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "closing it gives the lock back")] File);

impl Lock {
    /// Waits for the lock of `folder`, which is made if it is not there. Where files cannot be locked
    /// (some network file systems) everybody has it.
    ///
    /// # Errors
    /// When the folder cannot be made or written to, or another process does not give the lock back.
    pub(super) fn wait(folder: &Path) -> Result<Self> {
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
