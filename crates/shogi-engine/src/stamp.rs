//! Whether files are still those that were read.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files with their times of change and sizes; none when they are missing.
pub(crate) type Stamps = Vec<(PathBuf, Option<(SystemTime, u64)>)>;

/// The files as they are now.
pub(crate) fn stamps(files: &[PathBuf]) -> Stamps {
    files
        .iter()
        .map(|file| (file.clone(), stamp(file)))
        .collect()
}

fn stamp(file: &Path) -> Option<(SystemTime, u64)> {
    let data = fs::metadata(file).ok()?;
    Some((data.modified().ok()?, data.len()))
}
