//! Large output files that appear whole or not at all.

use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::BulkWriter;
use crate::atomic::{SealedFile, begin, publish};
use crate::{Error, Result};

/// A large file being written from its start to its end, past the system's cache; in all else an
/// [`crate::AtomicFile`]. Dropped without [`Self::commit`] it leaves nothing behind.
#[derive(Debug)]
pub struct BulkFile {
    // Dropped first, so that nobody writes to the file when it is removed.
    writer: BulkWriter,
    temporary: NamedTempFile,
    target: PathBuf,
}

impl BulkFile {
    /// Begins a new version of `target`. A symbolic link is followed: the file it names is replaced.
    ///
    /// # Errors
    /// When the folder cannot be written to, or `target` is a folder.
    pub fn create(target: &Path) -> Result<Self> {
        let (temporary, target) = begin(target)?;
        let writer = temporary.as_file().try_clone().and_then(BulkWriter::new);
        Ok(Self {
            writer: writer.map_err(Error::write(&target, 0))?,
            temporary,
            target,
        })
    }

    /// Makes the new version the file: flushed to the disk, then renamed.
    ///
    /// # Errors
    /// When the disk is full or the rename is refused, or an earlier [`Self::put`] failed; the old
    /// file is untouched then.
    pub fn commit(self) -> Result<()> {
        let written = self.writer.offset();
        let finished = self.writer.finish();
        finished.map_err(Error::write(&self.target, written))?;
        publish(self.temporary, &self.target, written)
    }

    /// Ends writing: everything is flushed to the disk, and the file is closed.
    ///
    /// # Errors
    /// When the disk is full or an earlier [`Self::put`] failed; the old file is untouched then.
    pub fn seal(self) -> Result<SealedFile> {
        let written = self.writer.offset();
        let finished = self.writer.finish();
        finished.map_err(Error::write(&self.target, written))?;
        SealedFile::new(self.temporary, self.target, written)
    }

    /// The path the file will have.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Appends bytes, naming the target when that fails.
    ///
    /// # Errors
    /// When the disk is full, for example; possibly a few calls late.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let failed = Error::write(&self.target, self.writer.offset());
        self.writer.put(bytes).map_err(failed)
    }
}
