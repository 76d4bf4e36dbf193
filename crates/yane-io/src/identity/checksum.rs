//! Checksums of contents.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use crate::{Error, Result};

/// Bytes read at a time.
const BUFFER: usize = 1 << 20;

/// The length and the checksum (XXH3, 128 bits) of contents: of bytes, a file, or all files of a folder.
///
/// It finds what is not the same, by accident; it is no proof against somebody who wants two files to look the same. A
/// gigabyte takes a fraction of a second, so a program takes it once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Checksum {
    bytes: u64,
    hash: u128,
}

impl Checksum {
    /// That of bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::default();
        hasher.update(bytes);
        hasher.finish()
    }

    /// That of a file's contents, whatever its name.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of_file(path: &Path) -> Result<Self> {
        let mut file = File::open(path).map_err(Error::io(path))?;
        let mut hasher = Hasher::default();
        let mut buffer = vec![0; BUFFER];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(hasher.finish()),
                Ok(len) => hasher.update(&buffer[..len]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io(path)(error)),
            }
        }
    }

    /// That of several files' contents in this order, whatever their names.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn of_files<P: AsRef<Path>>(paths: &[P]) -> Result<Self> {
        let mut all = Hasher::default();
        for path in paths {
            all.add(Self::of_file(path.as_ref())?);
        }
        Ok(all.finish())
    }

    /// That of a file, or of all files below a folder with their names in it; hidden ones do not count.
    ///
    /// # Errors
    /// When something cannot be read.
    pub fn of_path(path: &Path) -> Result<Self> {
        if !path.is_dir() {
            return Self::of_file(path);
        }
        let mut files = FolderFiles::default();
        files.add(path, usize::MAX)?;
        files.checksum(path)
    }

    /// The number of bytes.
    pub const fn bytes(self) -> u64 {
        self.bytes
    }
}

/// The files below a folder that count: hidden ones do not.
#[derive(Default)]
pub(super) struct FolderFiles {
    files: Vec<PathBuf>,
    entries: usize,
    bytes: u64,
}

impl FolderFiles {
    /// Adds those below `folder`. Returns false, with some of them, when there are more than `most` files and folders.
    pub(super) fn add(&mut self, folder: &Path, most: usize) -> Result<bool> {
        for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
            let entry = entry.map_err(Error::io(folder))?;
            self.entries += 1;
            if self.entries > most {
                return Ok(false);
            }
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = entry.path();
            let data = std::fs::metadata(&path).map_err(Error::io(&path))?;
            // A link to a folder may lead back to where it is.
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if data.is_dir() && !is_link {
                if !self.add(&path, most)? {
                    return Ok(false);
                }
            } else if data.is_file() {
                self.bytes += data.len();
                self.files.push(path);
            }
        }
        Ok(true)
    }

    /// The bytes of all of them.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The checksum of their names below `folder` and of their contents.
    pub(super) fn checksum(mut self, folder: &Path) -> Result<Checksum> {
        self.files.sort_unstable();
        let mut all = Hasher::default();
        for file in self.files {
            let name = file.strip_prefix(folder).unwrap_or(&file);
            all.add(Checksum::of_bytes(name.as_os_str().as_encoded_bytes()));
            all.add(Checksum::of_file(&file)?);
        }
        Ok(all.finish())
    }
}

/// `12 bytes 0123…`: the length, and the first bytes of the checksum behind it.
impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.bytes == 1 { "" } else { "s" };
        write!(f, "{} byte{plural} {:032x}", self.bytes, self.hash)
    }
}

/// Makes the [`Checksum`] of contents that come in pieces.
#[derive(Clone, Default)]
pub struct Hasher {
    hash: Xxh3,
    bytes: u64,
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Hasher");
        text.field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl Hasher {
    /// Appends bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// Appends contents that have a checksum of their own: two of them are not the same as one of both.
    pub fn add(&mut self, part: Checksum) {
        self.hash.update(&part.bytes.to_le_bytes());
        self.hash.update(&part.hash.to_le_bytes());
        self.bytes += part.bytes;
    }

    /// The checksum of all bytes so far.
    pub fn finish(&self) -> Checksum {
        Checksum {
            bytes: self.bytes,
            hash: self.hash.digest128(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_count_and_names_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let (one, same, other) = (file("1", "ab"), file("2", "ab"), file("3", "ac"));
        let of = |path: &Path| Checksum::of_file(path).unwrap();
        assert_eq!(of(&one), of(&same));
        assert_ne!(of(&one), of(&other));
        assert_eq!(of(&one), Checksum::of_bytes(b"ab"));
        assert_eq!(Checksum::of_path(&one).unwrap(), of(&one));
        let all = |paths: &[&Path]| Checksum::of_files(paths).unwrap();
        assert_ne!(all(&[&one, &other]), all(&[&other, &one]));
        assert_eq!(all(&[&one, &other]).bytes(), 4);
        assert!(Checksum::of_file(&folder.path().join("absent")).is_err());
        // As the reference implementation prints it: XXH3_128bits of nothing.
        let empty = Checksum::of_bytes(b"").to_string();
        assert_eq!(empty, "0 bytes 99aa06d3014798d86001c324468d497f");
    }

    #[test]
    fn folders_count_with_the_names_in_them() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        for name in ["a/in", "b/in"] {
            std::fs::create_dir_all(place(name)).unwrap();
            std::fs::write(place(name).join("x"), "x").unwrap();
        }
        std::fs::write(place("b/.lock"), "").unwrap();
        let of = |name: &str| Checksum::of_path(&place(name)).unwrap();
        assert_eq!(of("a"), of("b"));
        std::fs::rename(place("b/in/x"), place("b/in/y")).unwrap();
        assert_ne!(of("a"), of("b"));
    }
}
