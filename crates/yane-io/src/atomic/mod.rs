//! Output files that appear whole or not at all.
//!
//! The bytes go to a temporary file in the target's folder, which is flushed to the disk and then
//! renamed to the target: whenever the program or the machine dies, the target is either the old
//! file or the complete new one. A file that was not there when writing began is not replaced: whoever
//! made it meanwhile keeps it. Temporary files that a killed run left behind are removed by the
//! next one; those of a living run stay.
//!
//! The new version of a [file in memory](MemoryFiles) is there too.

mod sealed;
mod temporary;

use std::fs::File;
use std::io::{self, BufWriter, Cursor, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

pub use sealed::SealedFile;
pub(crate) use temporary::Target;

use crate::{Error, MemoryFiles, Result};

/// Bytes collected before the system is asked to write.
const BUFFER: usize = 1 << 20;

/// A file being written. Dropped without [`Self::commit`] it leaves nothing behind.
#[derive(Debug)]
pub struct AtomicFile {
    output: Output,
    written: u64,
}

/// Where the bytes go until they are all there.
#[derive(Debug)]
enum Output {
    File(BufWriter<NamedTempFile>, Target),
    Memory(Cursor<Vec<u8>>, PathBuf),
}

impl AtomicFile {
    /// Begins a new version of `target`. A symbolic link is followed: the file it names is replaced.
    ///
    /// # Errors
    /// When the folder cannot be written to, or `target` is a folder, a device or a pipe.
    pub fn create(target: &Path) -> Result<Self> {
        let output = if MemoryFiles::has(target) {
            Output::Memory(Cursor::default(), target.to_owned())
        } else {
            let (file, target) = Target::begin(target)?;
            Output::File(BufWriter::with_capacity(BUFFER, file), target)
        };
        Ok(Self { output, written: 0 })
    }

    /// Replaces the target with the new version: flushed to the disk, then renamed.
    ///
    /// # Errors
    /// When the disk is full or the rename is refused; the old file is untouched then. [`Error::Appeared`] when
    /// there was none and another program made one meanwhile.
    pub fn commit(self) -> Result<()> {
        match self.output {
            Output::File(file, target) => publish(file, &target, self.written).map(drop),
            Output::Memory(bytes, path) => {
                MemoryFiles::put(&path, bytes.into_inner());
                Ok(())
            }
        }
    }

    /// As [`Self::commit`]; the file stays open for reading and writing, and locked. One in memory cannot.
    pub(crate) fn commit_open(self) -> Result<File> {
        match self.output {
            Output::File(file, target) => publish(file, &target, self.written),
            Output::Memory(_, path) => Err(Error::file(&path, "is in memory")),
        }
    }

    /// Returns whether the file is one in [memory](MemoryFiles).
    pub const fn is_in_memory(&self) -> bool {
        matches!(self.output, Output::Memory(..))
    }

    /// A maker of the error that this file could not be written, for those who use it as a [`Write`].
    pub fn error(&self) -> impl FnOnce(io::Error) -> Error + use<> {
        let (path, written) = (self.target().to_owned(), self.written);
        move |source| Error::write(path, written)(source)
    }

    /// The path the file will have.
    pub fn target(&self) -> &Path {
        match &self.output {
            Output::File(_, target) => target.path(),
            Output::Memory(_, path) => path,
        }
    }

    /// Writes bytes, naming the target when that fails.
    ///
    /// # Errors
    /// When the disk is full, for example.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let failed = self.error();
        let written = match &mut self.output {
            Output::File(file, _) => file.write_all(bytes),
            Output::Memory(all, _) => all.write_all(bytes),
        };
        written.map_err(failed)?;
        self.written += bytes.len() as u64;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.output {
            Output::File(file, _) => file.write(bytes),
            Output::Memory(all, _) => all.write(bytes),
        }?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.output {
            Output::File(file, _) => file.flush(),
            Output::Memory(..) => Ok(()),
        }
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.output {
            Output::File(file, _) => file.seek(to),
            Output::Memory(all, _) => all.seek(to),
        }
    }
}

/// Gives a temporary file with all its bytes its name.
fn publish(file: BufWriter<NamedTempFile>, target: &Target, written: u64) -> Result<File> {
    let file = file.into_inner();
    let failed = Error::write(target.path(), written);
    let file = file.map_err(|error| failed(error.into_error()))?;
    target.publish(file, written)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn appears_only_when_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.db");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.put(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        let mut file = AtomicFile::create(&path).unwrap();
        file.put(b"new").unwrap();
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_not_replaced() {
        for device in ["/dev/null", "/dev/full"] {
            let error = AtomicFile::create(Path::new(device)).unwrap_err();
            assert!(error.to_string().contains("device"), "{error}");
        }
    }

    #[test]
    fn orphaned_files_are_removed_and_open_ones_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.db");
        let orphan = folder.path().join(".book.db.dead.tmp");
        fs::write(&orphan, "half").unwrap();
        let living = AtomicFile::create(&path).unwrap();
        assert!(!orphan.exists());
        let second = AtomicFile::create(&path).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        drop((living, second));
    }

    #[test]
    fn a_file_that_appeared_meanwhile_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.db");
        let [mut first, mut second] = [(); 2].map(|()| AtomicFile::create(&path).unwrap());
        first.put(b"first").unwrap();
        second.put(b"second").unwrap();
        first.commit().unwrap();
        let error = second.commit().unwrap_err();
        assert!(matches!(error, Error::Appeared(_)), "{error:?}");
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
