//! Memory-mapped files, for formats that are searched in place.
//!
//! The only `unsafe` of the crate is here. What the system cannot promise is that nobody changes the
//! file meanwhile; files of this workspace are replaced by renaming ([`crate::AtomicFile`]), which
//! leaves a mapped old version intact.

use std::fs::File;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use crate::{Error, MemoryFiles, Result, SharedBytes};

/// The bytes of a file, read by the system when they are accessed.
///
/// While a map is open, other programs may replace the file (write a new one and rename it) but must
/// not write into it or shorten it: changed bytes may be seen half changed, and looking at bytes that
/// are gone ends the program (`SIGBUS` on Unix).
#[derive(Debug)]
pub struct Map {
    bytes: Bytes,
    path: PathBuf,
}

#[derive(Debug)]
enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
    Shared(SharedBytes),
}

impl Map {
    /// Maps the file as it is now; one in [memory](MemoryFiles) is there already.
    ///
    /// # Errors
    /// When the file cannot be opened or is no regular file.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(bytes) = MemoryFiles::bytes(path) {
            return Ok(Self {
                bytes: Bytes::Shared(bytes),
                path: path.to_owned(),
            });
        }
        if MemoryFiles::sliced(path).is_some() {
            let reason = "is too large to be in memory as a whole: it is only looked up, in slices";
            return Err(Error::file(path, reason));
        }
        let file = File::open(path).map_err(Error::io(path))?;
        let data = file.metadata().map_err(Error::io(path))?;
        if !data.is_file() {
            return Err(Error::file(path, "expected a file"));
        }
        // Some systems refuse to map nothing.
        let bytes = match data.len() {
            0 => Bytes::Owned(Vec::new()),
            _ => Bytes::Mapped(map(&file).map_err(Error::io(path))?),
        };
        Ok(Self {
            bytes,
            path: path.to_owned(),
        })
    }

    /// Bytes that are in memory already; `path` is their name in errors.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Self {
        Self {
            bytes: Bytes::Owned(bytes),
            path: path.to_owned(),
        }
    }

    /// Asks the system to keep the file in large pages, which makes looking here and there faster. A wish:
    /// few systems and file systems can.
    pub fn want_large_pages(&self) {
        #[cfg(target_os = "linux")]
        if let Bytes::Mapped(map) = &self.bytes {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
    }

    /// Tells the system that single places will be looked at here and there: it then reads no more than those. For files that are
    /// searched; one that is read from front to back is read far slower.
    pub fn want_random_access(&self) {
        #[cfg(unix)]
        if let Bytes::Mapped(map) = &self.bytes {
            // A wish: without it the same bytes are read, and others with them.
            let _ = map.advise(memmap2::Advice::Random);
        }
    }

    /// Gives back what was looked at: it stays in the system's cache, but no longer counts as memory of this program. Looking at it
    /// again takes a moment longer.
    pub fn release(&self) {
        #[cfg(unix)]
        if let Bytes::Mapped(map) = &self.bytes {
            // A wish: without it nothing is given back.
            let _ = release(map);
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An error at byte `offset` of the file.
    pub fn error(&self, offset: u64, reason: impl Into<String>) -> Error {
        Error::byte(&self.path, offset, reason)
    }
}

#[allow(unsafe_code)]
fn map(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: the map is private to this process and read only. That the file is not changed or
    // shortened under it is the contract of `Map`, kept by every writer of this crate (they rename).
    // The readers make no memory access depend on a byte having the same value twice: they check
    // every offset against the length of the slice at the time they use it.
    unsafe { Mmap::map(file) }
}

#[cfg(unix)]
#[allow(unsafe_code)]
fn release(map: &Mmap) -> std::io::Result<()> {
    // SAFETY: the map is of a file and never written to, so pages that are dropped are read from the same file again when
    // somebody looks at them; who holds a slice sees the same bytes as before.
    unsafe { map.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
            Bytes::Shared(bytes) => bytes.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_empty_files_are_mapped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.ybb");
        for text in ["", "hello"] {
            std::fs::write(&path, text).unwrap();
            let map = Map::open(&path).unwrap();
            assert_eq!(&*map, text.as_bytes());
            map.want_random_access();
            map.release();
            assert_eq!(&*map, text.as_bytes());
        }
        assert!(Map::open(folder.path()).is_err());
        assert!(Map::open(&folder.path().join("absent")).is_err());
    }
}
