//! Where a book is written to.

use std::io::{Seek as _, SeekFrom};
use std::path::Path;

use yane_io::{AtomicFile, Error, Result};

/// A file whose header is known only at the end; or none, in a dry run.
#[derive(Debug)]
pub(super) struct OutputSink {
    pub(super) file: Option<AtomicFile>,
    pub(super) bytes: Vec<u8>,
}

impl OutputSink {
    pub(super) fn create(path: Option<&Path>) -> Result<Self> {
        Ok(Self {
            file: path.map(AtomicFile::create).transpose()?,
            bytes: Vec::new(),
        })
    }

    /// Writes the bytes that `fill` puts into an empty buffer.
    pub(super) fn put(&mut self, fill: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        self.bytes.clear();
        fill(&mut self.bytes);
        file.put(&self.bytes)
    }

    /// Overwrites the header and commits the file.
    pub(super) fn finish(self, head: &[u8]) -> Result<()> {
        let Some(mut file) = self.file else {
            return Ok(());
        };
        let to_front = file.seek(SeekFrom::Start(0));
        to_front.map_err(Error::io(file.target()))?;
        file.put(head)?;
        file.commit()
    }
}
