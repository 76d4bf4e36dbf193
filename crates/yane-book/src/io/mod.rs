//! Files: read in pieces, written so that a crash never damages what was there.

mod atomic;
mod chunks;
mod map;
mod ordered;
mod pool;

use std::path::{Path, PathBuf};

pub use atomic::{AtomicFile, Overwrite};
pub use chunks::{Chunk, ChunkReader};
pub use map::Map;
pub use ordered::Ordered;
pub use pool::Pool;

/// The folder that holds `path`.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
