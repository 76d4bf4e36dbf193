//! Large output files, written in whole blocks past the system's cache.
//!
//! A program that writes tens of gigabytes gains nothing from their pages being in memory: finding
//! pages and copying into them costs more than the rest of writing, and it drives out what other
//! programs need. Linux can write from a program's memory to the disk (`O_DIRECT`) if the memory,
//! the offset and the length are whole blocks of the disk.
//!
//! Such a write lasts until the disk has the bytes, so a thread does it, while the next block is
//! being filled. This is not for files of which parts are rewritten, nor for those that are read
//! while they are written: see [`crate::AtomicFile`].

use std::fs::File;
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::mpsc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::thread::JoinHandle;
use std::{io, thread};

use memmap2::MmapMut;
use tempfile::NamedTempFile;

use crate::atomic::{SealedFile, Target};
use crate::{Error, Result};

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
    /// Sends full blocks.
    full: SyncSender<MmapMut>,
    /// Returns written blocks.
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

// Whole blocks, one after the other, past the cache or through it.

/// A file that grows by whole blocks.
///
/// First come cached writes, then direct ones, then, if those are refused, cached ones again; at no
/// time are both under way to the same bytes.
#[derive(Debug)]
struct Blocks {
    file: File,
    direct: Direct,
    offset: u64,
}

/// The state of direct I/O, which bypasses the page cache.
#[derive(Debug)]
enum Direct {
    /// From this offset on.
    From(u64),
    /// Through this handle of the same file.
    Through(File),
    /// Never: it was refused.
    Refused,
}

impl Blocks {
    /// Writes to an empty `file`; blocks that begin before `cached` go through the cache.
    const fn new(file: File, cached: u64) -> Self {
        Self {
            file,
            direct: Direct::From(cached),
            offset: 0,
        }
    }

    /// Writes a block.
    fn append(&mut self, block: &[u8]) -> io::Result<()> {
        if !self.append_direct(block)? {
            write_at(&self.file, self.offset, block)?;
        }
        self.offset += block.len() as u64;
        Ok(())
    }

    /// Writes a block past the cache, unless it is too early or refused.
    fn append_direct(&mut self, block: &[u8]) -> io::Result<bool> {
        if let Direct::From(offset) = self.direct {
            if self.offset < offset {
                return Ok(false);
            }
            self.direct = open_direct(&self.file).map_or(Direct::Refused, Direct::Through);
        }
        let Direct::Through(file) = &self.direct else {
            return Ok(false);
        };
        let refusal = match write_at(file, self.offset, block) {
            Ok(()) => return Ok(true),
            Err(error) => error,
        };
        // Some file systems tell only now that they cannot. It is also what comes of the rest of a
        // block whose first bytes were written; all of it is written again then.
        match refusal.kind() {
            ErrorKind::InvalidInput | ErrorKind::Unsupported => {
                self.direct = Direct::Refused;
                Ok(false)
            }
            _ => Err(refusal),
        }
    }

    #[cfg(test)]
    const fn direct(&self) -> &Direct {
        &self.direct
    }

    /// The file, as it was given.
    fn into_file(self) -> File {
        self.file
    }
}

/// Writes all bytes at an offset.
fn write_at(mut file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

/// Opens a file once more, for direct writing. The way through `/proc` leads to a file without a
/// name as well, and to this one whatever has its name by now.
#[cfg(target_os = "linux")]
fn open_direct(file: &File) -> Option<File> {
    use std::fs::OpenOptions;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;

    OpenOptions::new()
        .write(true)
        .custom_flags(libc::O_DIRECT)
        .open(format!("/proc/self/fd/{}", file.as_raw_fd()))
        .ok()
}

/// Other systems have no such flag, or one with other rules.
#[cfg(not(target_os = "linux"))]
const fn open_direct(_: &File) -> Option<File> {
    None
}

// Large output files that appear whole or not at all.

/// A large file being written from its start to its end, past the system's cache; in all else an
/// [`crate::AtomicFile`]. Dropped without [`Self::commit`] it leaves nothing behind.
#[derive(Debug)]
pub struct BulkFile {
    // Dropped first, so that nobody writes to the file when it is removed.
    writer: BulkWriter,
    temporary: NamedTempFile,
    target: Target,
}

impl BulkFile {
    /// Begins a new version of `target`. A symbolic link is followed: the file it names is replaced.
    ///
    /// # Errors
    /// When the folder cannot be written to, or `target` is a folder.
    pub fn create(target: &Path) -> Result<Self> {
        let (temporary, target) = Target::begin(target)?;
        let writer = temporary.as_file().try_clone().and_then(BulkWriter::new);
        Ok(Self {
            writer: writer.map_err(Error::write(target.path(), 0))?,
            temporary,
            target,
        })
    }

    /// Replaces the target with the new version: flushed to the disk, then renamed.
    ///
    /// # Errors
    /// When the disk is full or the rename is refused, or an earlier [`Self::put`] failed; the old
    /// file is untouched then. [`Error::Appeared`] when there was none and another program made one meanwhile.
    pub fn commit(self) -> Result<()> {
        let written = self.writer.offset();
        let finished = self.writer.finish();
        finished.map_err(Error::write(self.target.path(), written))?;
        self.target.publish(self.temporary, written).map(drop)
    }

    /// Ends writing: everything is flushed to the disk, and the file is closed.
    ///
    /// # Errors
    /// When the disk is full or an earlier [`Self::put`] failed; the old file is untouched then.
    pub fn seal(self) -> Result<SealedFile> {
        let written = self.writer.offset();
        let finished = self.writer.finish();
        finished.map_err(Error::write(self.target.path(), written))?;
        SealedFile::new(self.temporary, self.target, written)
    }

    /// The path the file will have.
    pub fn target(&self) -> &Path {
        self.target.path()
    }

    /// Appends bytes, naming the target when that fails.
    ///
    /// # Errors
    /// When the disk is full, for example; possibly a few calls late.
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let failed = Error::write(self.target.path(), self.writer.offset());
        self.writer.put(bytes).map_err(failed)
    }
}

#[cfg(test)]
mod tests;
