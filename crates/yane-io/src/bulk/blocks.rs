//! Whole blocks, one after the other, past the cache or through it.

use std::fs::File;
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};

/// A file that grows by whole blocks.
///
/// First come cached writes, then direct ones, then, if those are refused, cached ones again; at no
/// time are both under way to the same bytes.
#[derive(Debug)]
pub(super) struct Blocks {
    file: File,
    direct: Direct,
    offset: u64,
}

/// The state of direct I/O, which bypasses the page cache.
#[derive(Debug)]
pub(super) enum Direct {
    /// From this offset on.
    From(u64),
    /// Through this handle of the same file.
    Through(File),
    /// Never: it was refused.
    Refused,
}

impl Blocks {
    /// Writes to an empty `file`; blocks that begin before `cached` go through the cache.
    pub(super) const fn new(file: File, cached: u64) -> Self {
        Self {
            file,
            direct: Direct::From(cached),
            offset: 0,
        }
    }

    /// Writes a block.
    pub(super) fn append(&mut self, block: &[u8]) -> io::Result<()> {
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
    pub(super) const fn direct(&self) -> &Direct {
        &self.direct
    }

    /// The file, as it was given.
    pub(super) fn into_file(self) -> File {
        self.file
    }
}

/// Writes all bytes at an offset.
pub(super) fn write_at(mut file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

/// Opens a file once more, for direct writing. The way through `/proc` leads to a file without a
/// name as well, and to this one whatever has its name by now.
#[cfg(target_os = "linux")]
pub(super) fn open_direct(file: &File) -> Option<File> {
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
pub(super) const fn open_direct(_: &File) -> Option<File> {
    None
}
