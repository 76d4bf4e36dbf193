//! Files in memory, for programs of systems that have none, such as a module in the tab of a browser.
//!
//! A file is put here under a path. From then on everything of this crate that reads, maps or replaces files takes that path for the file here,
//! whatever the system has there. Nothing is here unless a program puts it here.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use crate::{Error, Result, SlicedFile};

/// The bytes of a file in memory. Clones share them; they stay as they are when the file is replaced.
#[derive(Clone, Debug)]
pub struct SharedBytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A file in memory, or one that is read slice by slice.
#[derive(Clone, Debug)]
struct MemoryFile {
    contents: Contents,
    /// Counts what was put: another one is another version.
    version: u64,
}

#[derive(Clone, Debug)]
enum Contents {
    Bytes(SharedBytes),
    Slices(SlicedFile),
}

/// All files, and the version of the last one.
static FILES: RwLock<(BTreeMap<PathBuf, MemoryFile>, u64)> = RwLock::new((BTreeMap::new(), 0));

/// False until the first file is put here, so that programs without any pay nothing.
static ARE_THERE: AtomicBool = AtomicBool::new(false);

/// The files in memory, which the whole process shares.
#[derive(Clone, Copy, Debug)]
pub struct MemoryFiles;

impl MemoryFiles {
    /// Puts a file here. Who has read or mapped an older version of it keeps that.
    pub fn put(path: &Path, bytes: Vec<u8>) {
        Self::put_contents(path, Contents::Bytes(SharedBytes(Arc::new(bytes))));
    }

    /// Puts a file here that is too large for memory: it is read from front to back, or looked at here and there, but never mapped.
    pub fn put_sliced(path: &Path, file: SlicedFile) {
        Self::put_contents(path, Contents::Slices(file));
    }

    fn put_contents(path: &Path, contents: Contents) {
        let mut files = FILES.write().unwrap_or_else(PoisonError::into_inner);
        files.1 += 1;
        let file = MemoryFile {
            contents,
            version: files.1,
        };
        files.0.insert(path.to_owned(), file);
        ARE_THERE.store(true, Ordering::Release);
    }

    /// The bytes of a file that is in memory as a whole.
    pub fn bytes(path: &Path) -> Option<SharedBytes> {
        match Self::file(path)?.contents {
            Contents::Bytes(bytes) => Some(bytes),
            Contents::Slices(_) => None,
        }
    }

    /// A file that is read slice by slice.
    pub fn sliced(path: &Path) -> Option<SlicedFile> {
        match Self::file(path)?.contents {
            Contents::Bytes(_) => None,
            Contents::Slices(file) => Some(file),
        }
    }

    /// Returns whether a file is here.
    pub fn has(path: &Path) -> bool {
        Self::file(path).is_some()
    }

    /// Takes a file away; returns whether it was here.
    pub fn remove(path: &Path) -> bool {
        let mut files = FILES.write().unwrap_or_else(PoisonError::into_inner);
        files.0.remove(path).is_some()
    }

    fn file(path: &Path) -> Option<MemoryFile> {
        if !ARE_THERE.load(Ordering::Acquire) {
            return None;
        }
        let files = FILES.read().unwrap_or_else(PoisonError::into_inner);
        files.0.get(path).cloned()
    }
}

/// Where the bytes of an opened file come from.
#[derive(Debug)]
enum Source {
    System(File),
    Memory(Cursor<SharedBytes>),
    /// With the place of the next byte.
    Slices(SlicedFile, u64),
}

/// A file that is read: of the system, or in memory.
#[derive(Debug)]
pub struct InputFile {
    source: Source,
    state: FileState,
}

/// What is known of a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// What it is.
    pub kind: PathKind,
    /// Its length in bytes, where the system tells.
    pub len: u64,
    /// When it was changed, where the system tells. Of a file in memory each version has a time of its own.
    pub modified: Option<SystemTime>,
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A file whose length is known.
    File,
    /// A folder.
    Folder,
    /// A device or a pipe.
    Other,
}

impl FileState {
    /// The state of what is at `path` now.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn of(path: &Path) -> io::Result<Self> {
        match MemoryFiles::file(path) {
            Some(file) => Ok(Self::of_memory(&file)),
            None => fs::metadata(path).map(|data| Self::of_system(&data)),
        }
    }

    fn of_memory(file: &MemoryFile) -> Self {
        Self {
            kind: PathKind::File,
            len: match &file.contents {
                Contents::Bytes(bytes) => bytes.0.len() as u64,
                Contents::Slices(file) => file.file_len(),
            },
            modified: Some(SystemTime::UNIX_EPOCH + Duration::from_nanos(file.version)),
        }
    }

    fn of_system(data: &fs::Metadata) -> Self {
        let kind = if data.is_file() {
            PathKind::File
        } else if data.is_dir() {
            PathKind::Folder
        } else {
            PathKind::Other
        };
        Self {
            kind,
            len: data.len(),
            modified: data.modified().ok(),
        }
    }

    /// Returns whether `path` leads to a file, of the system or in memory.
    pub fn is_file(path: &Path) -> bool {
        Self::of(path).is_ok_and(|state| state.kind == PathKind::File)
    }

    /// Its length, if it is a file.
    pub fn file_len(&self) -> Option<u64> {
        (self.kind == PathKind::File).then_some(self.len)
    }
}

/// The path of a file without symbolic links in it; that of a file in memory as it is.
///
/// # Errors
/// When there is no such file, or the system does not tell.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    if MemoryFiles::has(path) {
        return Ok(path.to_owned());
    }
    fs::canonicalize(path)
}

impl InputFile {
    /// Opens a file, or a pipe.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(file) = MemoryFiles::file(path) {
            return Ok(Self {
                state: FileState::of_memory(&file),
                source: match file.contents {
                    Contents::Bytes(bytes) => Source::Memory(Cursor::new(bytes)),
                    Contents::Slices(file) => Source::Slices(file, 0),
                },
            });
        }
        let file = File::open(path).map_err(Error::io(path))?;
        let data = file.metadata().map_err(Error::io(path))?;
        Ok(Self {
            state: FileState::of_system(&data),
            source: Source::System(file),
        })
    }

    /// Its state when it was opened.
    pub const fn state(&self) -> &FileState {
        &self.state
    }
}

impl Read for InputFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.source {
            Source::System(file) => file.read(buffer),
            Source::Memory(bytes) => bytes.read(buffer),
            Source::Slices(file, at) => {
                let count = file.read(*at, buffer)?;
                *at += count as u64;
                Ok(count)
            }
        }
    }
}

impl Seek for InputFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.source {
            Source::System(file) => file.seek(to),
            Source::Memory(bytes) => bytes.seek(to),
            Source::Slices(file, at) => {
                let place = match to {
                    SeekFrom::Start(place) => Some(place),
                    SeekFrom::End(by) => file.file_len().checked_add_signed(by),
                    SeekFrom::Current(by) => at.checked_add_signed(by),
                };
                *at = place.ok_or(io::ErrorKind::InvalidInput)?;
                Ok(*at)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::{AtomicFile, Map, Overwrite, ReadLimit, TextFile};

    #[test]
    fn files_in_memory_are_read_mapped_and_replaced() {
        let path = Path::new("in memory/book.db");
        assert!(!FileState::is_file(path) && Map::open(path).is_err());
        MemoryFiles::put(path, b"old".to_vec());
        let map = Map::open(path).unwrap();
        let before = FileState::of(path).unwrap();
        assert_eq!(before.file_len(), Some(3));
        assert_eq!(real_path(path).unwrap(), path);

        let no_inputs: [&Path; 0] = [];
        let claim = Overwrite::Allow.claim(path, &no_inputs).unwrap();
        let mut file = AtomicFile::create(path).unwrap();
        file.put(b"?ew text").unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        file.write_all(b"n").unwrap();
        assert_eq!(file.target(), path);
        assert_eq!(ReadLimit::List.read(path).unwrap(), b"old");
        drop(AtomicFile::create(path).unwrap());
        file.commit().unwrap();
        drop(claim);

        assert_eq!(ReadLimit::List.read(path).unwrap(), b"new text");
        assert_eq!(&*map, b"old");
        assert_ne!(FileState::of(path).unwrap(), before);
        let mut text = String::new();
        TextFile::open_any(path)
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "new text");
        let mut file = InputFile::open(path).unwrap();
        file.seek(SeekFrom::End(-4)).unwrap();
        text.clear();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");

        assert!(MemoryFiles::remove(path) && !MemoryFiles::remove(path));
        assert!(InputFile::open(path).is_err() && MemoryFiles::bytes(path).is_none());
    }
}
