//! Time stamps of files, to notice that they have changed.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use yane_io::FileState;

/// Time of change and size of a file.
pub(crate) type Stamp = (SystemTime, u64);

/// Files with their stamps; none when they are missing.
pub(crate) type Stamps = Vec<(PathBuf, Option<Stamp>)>;

/// The files as they are now.
pub(crate) fn stamps(files: &[PathBuf]) -> Stamps {
    files
        .iter()
        .map(|file| (file.clone(), stamp(file)))
        .collect()
}

/// The file as it is now; `None` when it is missing.
pub(crate) fn stamp(file: &Path) -> Option<Stamp> {
    let state = FileState::of(file).ok()?;
    Some((state.modified?, state.len))
}
