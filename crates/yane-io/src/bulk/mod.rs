//! Writing past the system's cache.
//!
//! A program that writes tens of gigabytes gains nothing from their pages being in memory: finding
//! pages and copying into them costs more than the rest of writing, and it drives out what other
//! programs need. Linux can write from a program's memory to the disk (`O_DIRECT`) if the memory,
//! the offset and the length are whole blocks of the disk.
//!
//! Such a write lasts until the disk has the bytes, so a thread does it, while the next block is
//! being filled. This is not for files of which parts are rewritten, nor for those that are read
//! while they are written: see [`crate::AtomicFile`].

mod blocks;
mod file;
#[cfg(test)]
mod tests;

pub use file::BulkFile;

use std::fs::File;
use std::io::{self, Seek};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, JoinHandle};

use memmap2::MmapMut;

use blocks::{Blocks, write_at};

/// Bytes written at a time: a multiple of any disk's block and of any page. Two of these are in
/// use; larger ones are no faster.
const BLOCK: usize = 1 << 20;
/// Bytes at the start of a file that go through the cache, so that a small file is there when the
/// next program reads it. A multiple of [`BLOCK`].
const CACHED: u64 = 32 << 20;

/// Writes a file from its start to its end, past the system's cache where the file is large and
/// the system and the file system can do that, else as usual.
///
/// Nothing can be read before [`Self::finish`]; a writer that is dropped without it leaves part of
/// the file unwritten. It takes 2 MiB of memory and a thread.
#[derive(Debug)]
pub struct BulkWriter {
    /// Anonymous memory begins at a page, as direct writing wants it.
    block: MmapMut,
    /// Bytes of `block` in use.
    filled: usize,
    /// Bytes appended before those.
    before: u64,
    /// None after a failure: bytes are missing.
    writer: Option<Writer>,
}

/// The thread that writes.
#[derive(Debug)]
struct Writer {
    /// Takes full blocks.
    full: SyncSender<MmapMut>,
    /// Gives them back.
    written: Receiver<MmapMut>,
    thread: JoinHandle<io::Result<Blocks>>,
}

impl BulkWriter {
    /// Writes to `file`: an empty regular file, open for writing, with a name or without.
    ///
    /// # Errors
    /// When there is no memory, or no thread.
    pub fn new(file: File) -> io::Result<Self> {
        Self::with_sizes(file, BLOCK, CACHED)
    }

    /// As [`Self::new`], with blocks of `block` bytes, of which those that begin before `cached`
    /// go through the cache.
    fn with_sizes(file: File, block: usize, cached: u64) -> io::Result<Self> {
        let blocks = Blocks::new(file, cached);
        Ok(Self {
            block: MmapMut::map_anon(block)?,
            filled: 0,
            before: 0,
            writer: Some(Writer::start(blocks, MmapMut::map_anon(block)?)?),
        })
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// When the disk is full, for example; possibly a few calls after the one whose bytes found no
    /// place. The file cannot be finished then.
    pub fn put(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let room = &mut self.block[self.filled..];
            let (now, later) = bytes.split_at(room.len().min(bytes.len()));
            room[..now.len()].copy_from_slice(now);
            self.filled += now.len();
            bytes = later;
            if self.filled == self.block.len() {
                self.hand_over()?;
            }
        }
        Ok(())
    }

    /// Bytes appended so far: the offset of those that come next.
    pub const fn offset(&self) -> u64 {
        self.before + self.filled as u64
    }

    /// Writes what is left and gives the file back, its cursor at the start. It is as safe from a
    /// power cut as any file just written: [`File::sync_all`] makes it safer.
    ///
    /// # Errors
    /// When the disk is full, for example, or a write failed before.
    pub fn finish(mut self) -> io::Result<File> {
        let mut file = self.end()?;
        // Not a whole block, so through the cache, after all direct writes.
        write_at(&file, self.before, &self.block[..self.filled])?;
        file.rewind()?;
        Ok(file)
    }

    /// Gives the full block to the thread and takes the one that it has written.
    fn hand_over(&mut self) -> io::Result<()> {
        let handed = self.writer.as_ref().is_some_and(|writer| {
            let Ok(next) = writer.written.recv() else {
                return false;
            };
            let full = std::mem::replace(&mut self.block, next);
            writer.full.send(full).is_ok()
        });
        if !handed {
            self.end()?;
            return Err(failed_before());
        }
        self.before += self.filled as u64;
        self.filled = 0;
        Ok(())
    }

    /// Waits until all full blocks are written.
    fn end(&mut self) -> io::Result<File> {
        self.writer
            .take()
            .map_or_else(|| Err(failed_before()), Writer::end)
    }
}

impl Drop for BulkWriter {
    /// The file is not written to any more when this is done.
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            let _ = writer.end();
        }
    }
}

impl Writer {
    fn start(mut blocks: Blocks, spare: MmapMut) -> io::Result<Self> {
        let (full, to_write) = mpsc::sync_channel::<MmapMut>(1);
        let (give, written) = mpsc::sync_channel(2);
        let write = move || {
            // The other side hangs up when it wants no block back any more.
            let _ = give.send(spare);
            for block in to_write {
                blocks.append(&block)?;
                let _ = give.send(block);
            }
            Ok(blocks)
        };
        Ok(Self {
            full,
            written,
            thread: thread::Builder::new().spawn(write)?,
        })
    }

    fn end(self) -> io::Result<File> {
        drop(self.full);
        let result = self.thread.join();
        let blocks = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(blocks.into_file())
    }
}

fn failed_before() -> io::Error {
    io::Error::other("writing failed before")
}
