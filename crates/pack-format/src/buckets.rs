//! Distributing units to buckets, in memory or, when they are too many, in a temporary file.
//!
//! A bucket keeps its units in the order in which they came, in blocks of whole units. All blocks of
//! all buckets go into one file, one after the other, so that writing is sequential however many
//! buckets there are, and past the system's cache. The file has no name and vanishes with the program.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use yane_io::{BulkWriter, Error};

use crate::Result;

/// Number of buckets.
pub(crate) const COUNT: usize = 256;
/// Blocks are at least this large, in bytes, however small the memory is set.
const MIN_BLOCK: u64 = 4 << 10;
/// Larger blocks gain nothing.
const MAX_BLOCK: u64 = 1 << 20;

/// Buckets being filled.
pub(crate) struct Buckets {
    filling: Box<[Filling; COUNT]>,
    block_size: usize,
    memory: u64,
    /// Bytes of full blocks in memory.
    in_memory: u64,
    folder: PathBuf,
    file: Option<BulkWriter>,
}

#[derive(Default)]
struct Filling {
    block: Vec<u8>,
    bucket: Bucket,
}

impl Buckets {
    /// Empty buckets that use about `memory` bytes, and a file in `folder` if that is too little.
    pub(crate) fn new(memory: u64, folder: &Path) -> Self {
        let block_size = (memory / 4 / COUNT as u64).clamp(MIN_BLOCK, MAX_BLOCK);
        Self {
            filling: Box::new(std::array::from_fn(|_| Filling::default())),
            block_size: block_size as usize,
            memory,
            in_memory: 0,
            folder: folder.to_owned(),
            file: None,
        }
    }

    /// Adds a unit to a bucket.
    #[inline(always)]
    pub(crate) fn push(&mut self, bucket: u8, unit: &[u8]) -> Result<()> {
        let filling = &mut self.filling[usize::from(bucket)];
        if filling.block.len() + unit.len() > filling.block.capacity() {
            self.make_room(bucket)?;
        }
        let filling = &mut self.filling[usize::from(bucket)];
        filling.block.extend_from_slice(unit);
        filling.bucket.units += 1;
        Ok(())
    }

    /// Stores the block of a bucket and begins the next one.
    #[cold]
    fn make_room(&mut self, bucket: u8) -> Result<()> {
        let filling = &mut self.filling[usize::from(bucket)];
        if filling.block.is_empty() {
            filling.block.reserve_exact(self.block_size);
            return Ok(());
        }
        filling.bucket.bytes += filling.block.len() as u64;
        if let Some(file) = &mut self.file {
            let block = write(file, &filling.block, &self.folder)?;
            filling.bucket.blocks.push(block);
            filling.block.clear();
            return Ok(());
        }
        self.in_memory += filling.block.capacity() as u64;
        let block = std::mem::replace(&mut filling.block, Vec::with_capacity(self.block_size));
        filling.bucket.blocks.push(Block::Memory(block));
        if self.in_memory > self.memory / 2 {
            self.spill()?;
        }
        Ok(())
    }

    /// Moves all full blocks to the file, where all others will go too.
    fn spill(&mut self) -> Result<()> {
        let mut file = tempfile::tempfile_in(&self.folder)
            .and_then(BulkWriter::new)
            .map_err(Error::io(&self.folder))?;
        for filling in &mut *self.filling {
            for block in &mut filling.bucket.blocks {
                if let Block::Memory(bytes) = block {
                    *block = write(&mut file, bytes, &self.folder)?;
                }
            }
        }
        self.in_memory = 0;
        self.file = Some(file);
        Ok(())
    }

    /// The filled buckets.
    pub(crate) fn finish(mut self) -> Result<Filled> {
        let last: usize = self.filling.iter().map(|filling| filling.block.len()).sum();
        if self.file.is_none() && self.in_memory + last as u64 > self.memory / 4 * 3 {
            self.spill()?;
        }
        let mut filled = Filled {
            buckets: Vec::with_capacity(COUNT),
            in_memory: self.in_memory,
            spilled: 0,
        };
        for Filling { block, mut bucket } in *self.filling {
            bucket.bytes += block.len() as u64;
            match &mut self.file {
                _ if block.is_empty() => {}
                Some(file) => bucket.blocks.push(write(file, &block, &self.folder)?),
                None => {
                    filled.in_memory += block.len() as u64;
                    bucket.blocks.push(Block::Memory(block));
                }
            }
            filled.buckets.push(bucket);
        }
        if let Some(file) = self.file {
            filled.spilled = file.offset();
            let file = file.finish().map_err(Error::io(&self.folder))?;
            let file = Arc::new(TempFile::new(file, self.folder));
            for bucket in &mut filled.buckets {
                bucket.file = Some(Arc::clone(&file));
            }
        }
        Ok(filled)
    }
}

/// Appends a block to the temporary file.
fn write(file: &mut BulkWriter, bytes: &[u8], folder: &Path) -> Result<Block> {
    let offset = file.offset();
    file.put(bytes).map_err(Error::io(folder))?;
    Ok(Block::Disk {
        offset,
        len: bytes.len() as u64,
    })
}

/// Buckets that are complete.
pub(crate) struct Filled {
    /// All [`COUNT`] buckets.
    pub(crate) buckets: Vec<Bucket>,
    /// Bytes of them in memory.
    pub(crate) in_memory: u64,
    /// Bytes of them in the temporary file.
    pub(crate) spilled: u64,
}

// One bucket, and the file that all share.

/// Some units of a bucket.
#[derive(Debug)]
enum Block {
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
    blocks: Vec<Block>,
    file: Option<Arc<TempFile>>,
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
struct TempFile {
    file: Mutex<File>,
    folder: PathBuf,
}

impl TempFile {
    /// `folder` is its name in errors.
    const fn new(file: File, folder: PathBuf) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_back_in_order_from_memory_and_from_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let units: Vec<Vec<u8>> = (0..20_000u32)
            .map(|n| n.to_le_bytes().repeat(n as usize % 7 + 1))
            .chain([vec![7; 3 * MIN_BLOCK as usize], vec![]])
            .collect();
        let bucket_of = |index: usize| (index * 7 % 251) as u8;
        for memory in [1, 100_000, 1 << 30] {
            let mut buckets = Buckets::new(memory, folder.path());
            for (index, unit) in units.iter().enumerate() {
                buckets.push(bucket_of(index), unit).unwrap();
            }
            let filled = buckets.finish().unwrap();
            assert_eq!(filled.spilled > 0, memory < 1 << 30);
            for (number, bucket) in filled.buckets.into_iter().enumerate() {
                let expected: Vec<&Vec<u8>> = (0..units.len())
                    .filter(|&index| usize::from(bucket_of(index)) == number)
                    .map(|index| &units[index])
                    .collect();
                assert_eq!(bucket.units, expected.len() as u64);
                let mut bytes = Vec::new();
                bucket.load(&mut bytes).unwrap();
                assert_eq!(bytes.len() as u64, bucket.bytes);
                assert!(bytes == expected.into_iter().flatten().copied().collect::<Vec<_>>());
            }
        }
    }
}
