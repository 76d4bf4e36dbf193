//! The folder of shared networks: where it is, and what may stay in it.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use etcetera::BaseStrategy;
use etcetera::base_strategy::choose_native_strategy;

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

/// Whether it is a temporary file that nobody writes any more.
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
