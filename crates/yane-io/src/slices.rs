//! Files that are read slice by slice, for programs of systems that map none and hold no large file in memory.

use std::collections::HashMap;
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are read from a source at a time.
const BLOCK: u64 = 64 << 10;

/// Blocks that are kept, 16 MiB of them.
const MOST_BLOCKS: usize = 256;

/// The bytes of a file that somebody else reads: the host of a module, for one.
pub trait SliceSource: Debug + Send + Sync {
    /// The length of the file in bytes.
    fn file_len(&self) -> u64;

    /// Fills a buffer with the bytes from `offset` on, all of which are within the file.
    ///
    /// # Errors
    /// When they cannot be read: the file was changed or removed, say.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

/// A file whose bytes are all there.
impl SliceSource for Vec<u8> {
    fn file_len(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = offset as usize + buffer.len();
        let part = self.get(offset as usize..end);
        buffer.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// A file that is read slice by slice. Clones are the same file; the blocks that were read last are kept.
#[derive(Clone, Debug)]
pub struct SlicedFile(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    source: Box<dyn SliceSource>,
    /// Blocks by their numbers. Emptied when it is full.
    blocks: Mutex<HashMap<u64, Arc<[u8]>>>,
}

impl SlicedFile {
    /// The file of a source.
    pub fn new(source: impl SliceSource + 'static) -> Self {
        Self(Arc::new(Shared {
            source: Box::new(source),
            blocks: Mutex::default(),
        }))
    }

    /// The length in bytes.
    pub fn file_len(&self) -> u64 {
        self.0.source.file_len()
    }

    /// The bytes of a range.
    ///
    /// # Errors
    /// A range that is not within the file; bytes that cannot be read.
    pub fn bytes(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let len = range.end.saturating_sub(range.start);
        if range.start > range.end || range.end > self.file_len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut bytes = vec![0; usize::try_from(len).map_err(io::Error::other)?];
        let mut done = 0;
        while done < bytes.len() {
            done += self.read(range.start + done as u64, &mut bytes[done..])?;
        }
        Ok(bytes)
    }

    /// The first `N` bytes from `offset` on.
    ///
    /// # Errors
    /// As [`Self::bytes`].
    pub fn array<const N: usize>(&self, offset: u64) -> io::Result<[u8; N]> {
        let bytes = self.bytes(offset..offset.saturating_add(N as u64))?;
        Ok(std::array::from_fn(|at| bytes[at]))
    }

    /// Reads some bytes from `offset` on, none only at the end of the file or into an empty buffer; returns how many. Large buffers are filled without the blocks.
    ///
    /// # Errors
    /// Bytes that cannot be read.
    pub(crate) fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.file_len().saturating_sub(offset);
        let wanted = (buffer.len() as u64).min(left) as usize;
        if wanted as u64 >= BLOCK {
            self.0.source.read_at(offset, &mut buffer[..wanted])?;
            return Ok(wanted);
        }
        if wanted == 0 {
            return Ok(0);
        }
        let block = self.block(offset / BLOCK)?;
        let part = &block[(offset % BLOCK) as usize..];
        let count = wanted.min(part.len());
        buffer[..count].copy_from_slice(&part[..count]);
        Ok(count)
    }

    fn block(&self, number: u64) -> io::Result<Arc<[u8]>> {
        let blocks = || {
            let blocks = self.0.blocks.lock();
            blocks.unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(block) = blocks().get(&number) {
            return Ok(Arc::clone(block));
        }
        let start = number * BLOCK;
        let len = (self.file_len() - start).min(BLOCK);
        let mut bytes = vec![0; len as usize];
        self.0.source.read_at(start, &mut bytes)?;
        let block: Arc<[u8]> = bytes.into();
        let mut blocks = blocks();
        if blocks.len() >= MOST_BLOCKS {
            blocks.clear();
        }
        blocks.insert(number, Arc::clone(&block));
        Ok(block)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Seek as _, SeekFrom};
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;
    use crate::{FileState, InputFile, Map, MemoryFiles, ReadLimit};

    /// Bytes in memory, with a count of the reads; it fails when told.
    #[derive(Debug)]
    struct Counted {
        bytes: Vec<u8>,
        reads: Arc<AtomicUsize>,
        is_gone: Arc<AtomicBool>,
    }

    impl SliceSource for Counted {
        fn file_len(&self) -> u64 {
            self.bytes.len() as u64
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
            self.reads.fetch_add(1, Ordering::Relaxed);
            if self.is_gone.load(Ordering::Relaxed) {
                return Err(io::ErrorKind::NotFound.into());
            }
            self.bytes.read_at(offset, buffer)
        }
    }

    #[test]
    fn slices_are_those_of_the_file_and_blocks_are_read_once() {
        let bytes: Vec<u8> = (0..300_000u32).map(|at| (at / 7) as u8).collect();
        let (reads, is_gone) = <(Arc<AtomicUsize>, Arc<AtomicBool>)>::default();
        let file = SlicedFile::new(Counted {
            bytes: bytes.clone(),
            reads: Arc::clone(&reads),
            is_gone: Arc::clone(&is_gone),
        });
        for range in [0..10, 65_530..65_550, 299_990..300_000, 5..5, 10..200_000] {
            let part = file.bytes(range.start as u64..range.end as u64).unwrap();
            assert_eq!(part, bytes[range]);
        }
        // Three blocks, the long range at once.
        assert_eq!(reads.load(Ordering::Relaxed), 4);
        assert_eq!(file.array::<4>(7).unwrap(), bytes[7..11]);
        for (start, end) in [(299_999, 300_001), (300_001, 300_002), (9, 8)] {
            assert!(file.bytes(start..end).is_err());
        }

        let path = Path::new("in slices/book.db");
        MemoryFiles::put_sliced(path, file.clone());
        assert_eq!(FileState::of(path).unwrap().file_len(), Some(300_000));
        assert!(MemoryFiles::has(path) && MemoryFiles::bytes(path).is_none());
        assert!(MemoryFiles::sliced(path).is_some());
        assert_eq!(ReadLimit::List.read(path).unwrap(), bytes);
        let error = Map::open(path).unwrap_err().to_string();
        assert!(error.contains("in slices"), "{error}");
        let mut input = InputFile::open(path).unwrap();
        let mut part = [0; 9];
        for (seek, at) in [
            (SeekFrom::Start(77), 77),
            (SeekFrom::Current(-9), 77),
            (SeekFrom::End(-9), 299_991),
        ] {
            input.seek(seek).unwrap();
            input.read_exact(&mut part).unwrap();
            assert_eq!(part, bytes[at..at + 9]);
        }
        assert!(input.seek(SeekFrom::Current(-300_001)).is_err());

        is_gone.store(true, Ordering::Relaxed);
        assert!(file.bytes(0..70_000).is_err());
        assert!(MemoryFiles::remove(path));
    }
}
