//! One bucket, and the file that all share.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use yane_io::Error;

use crate::Result;

/// Some units of a bucket.
#[derive(Debug)]
pub(super) enum Block {
    Memory(Vec<u8>),
    Disk { offset: u64, len: u64 },
}

/// Units that belong together, in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct Bucket {
    /// Bytes of all units.
    pub(crate) bytes: u64,
    /// Number of units.
    pub(crate) units: u64,
    pub(super) blocks: Vec<Block>,
    pub(super) file: Option<Arc<TempFile>>,
}

impl Bucket {
    /// Appends all units to `bytes`.
    pub(crate) fn load(&self, bytes: &mut Vec<u8>) -> Result<()> {
        bytes.reserve_exact(self.bytes as usize);
        for block in &self.blocks {
            match (block, &self.file) {
                (Block::Memory(block), _) => bytes.extend_from_slice(block),
                (&Block::Disk { offset, len }, Some(file)) => file.read(offset, len, bytes)?,
                (Block::Disk { .. }, None) => {}
            }
        }
        Ok(())
    }

    /// Calls `visit` with the units, a block of whole ones at a time, until it says that it has seen
    /// enough.
    pub(crate) fn visit(
        &self,
        mut visit: impl FnMut(&[u8]) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        let mut buffer = Vec::new();
        for block in &self.blocks {
            let bytes = match (block, &self.file) {
                (Block::Memory(block), _) => block,
                (&Block::Disk { offset, len }, Some(file)) => {
                    buffer.clear();
                    file.read(offset, len, &mut buffer)?;
                    &buffer
                }
                (Block::Disk { .. }, None) => continue,
            };
            if visit(bytes)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// A file without a name, all written.
#[derive(Debug)]
pub(super) struct TempFile {
    file: Mutex<File>,
    folder: PathBuf,
}

impl TempFile {
    /// `folder` is its name in errors.
    pub(super) const fn new(file: File, folder: PathBuf) -> Self {
        Self {
            file: Mutex::new(file),
            folder,
        }
    }

    /// Appends a block to `bytes`.
    fn read(&self, offset: u64, len: u64, bytes: &mut Vec<u8>) -> Result<()> {
        bytes.reserve(len as usize);
        let file = &mut *self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let read = file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| file.take(len).read_to_end(bytes))
            .map_err(Error::io(&self.folder))?;
        if (read as u64) < len {
            Err(Error::file(&self.folder, "a temporary file became shorter"))?;
        }
        Ok(())
    }
}
