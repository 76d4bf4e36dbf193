//! Files: read in pieces, written so that a crash never damages what was there.

mod atomic;
mod chunks;
mod ordered;

use std::path::{Path, PathBuf};

pub use atomic::{AtomicFile, Overwrite};
pub use chunks::{Chunk, ChunkReader};
pub use ordered::Ordered;

/// The folder that holds `path`.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
