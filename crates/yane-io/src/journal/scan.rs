//! Reading a journal, once from its start to its end, and finding units behind damage.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use memchr::memmem;

use super::format::{Beginning, HEAD, MARK, UnitHead};
use super::{DamagedPlace, Place};
use crate::{Error, Result};

/// Bytes read at a time.
const BUFFER: usize = 1 << 20;

/// What a file has.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) units: BTreeMap<u64, Place>,
    /// The end of what is kept; 0 when the journal begins anew.
    pub(super) end: u64,
    /// Bytes at the end that are no whole unit.
    pub(super) torn: u64,
    pub(super) damaged: Vec<DamagedPlace>,
    /// It is of an older version.
    pub(super) is_to_be_rewritten: bool,
}

/// What lies at an offset.
pub(super) enum Found {
    /// A whole unit and its end.
    Unit(u64, Place, u64),
    /// A unit whose bytes are damaged.
    Damaged(u64),
    /// A unit that is longer than the rest of the file.
    Cut,
    /// No unit.
    Nothing,
}

/// Looks for a unit at an offset.
pub(super) fn unit(window: &mut Window<'_>, beginning: &Beginning, offset: u64) -> Result<Found> {
    let left = window.size - offset;
    if left < HEAD as u64 {
        let rest = window.bytes(offset, left as usize)?;
        let is_cut = MARK.starts_with(rest) || rest.starts_with(&MARK);
        return Ok(if is_cut { Found::Cut } else { Found::Nothing });
    }
    let head = window.bytes(offset, HEAD)?.first_chunk();
    let Some(UnitHead {
        number,
        len,
        checksum,
    }) = head.and_then(|head| beginning.head(head))
    else {
        return Ok(Found::Nothing);
    };
    if left - (HEAD as u64) < u64::from(len) {
        return Ok(Found::Cut);
    }
    let bytes = offset + HEAD as u64;
    let end = bytes + u64::from(len);
    let is_whole = beginning.checksum(window.bytes(bytes, len as usize)?) == checksum;
    let place = Place { offset: bytes, len };
    Ok(if is_whole {
        Found::Unit(number, place, end)
    } else {
        Found::Damaged(number)
    })
}

/// The offset of the next bytes from `offset` on that a unit may begin with.
pub(super) fn next_mark(window: &mut Window<'_>, mut offset: u64) -> Result<u64> {
    while offset < window.size {
        let len = (window.size - offset).min(BUFFER as u64) as usize;
        let bytes = window.bytes(offset, len)?;
        if let Some(at) = memmem::find(bytes, &MARK) {
            return Ok(offset + at as u64);
        }
        // The first bytes of a mark may be the last of these.
        let is_last = offset + len as u64 == window.size;
        offset += if is_last { len } else { len - (MARK.len() - 1) } as u64;
    }
    Ok(window.size)
}

/// Bytes that cannot be read, from the end of what was read on.
#[derive(Clone, Copy, Debug, Default)]
struct Gap {
    unit: Option<u64>,
    /// It begins with a unit that is longer than the rest of the file.
    is_cut: bool,
}

/// Reads all units from `start` on; `at` says what lies at an offset, and `next` where to look again behind damage.
pub(super) fn scan(
    window: &mut Window<'_>,
    start: u64,
    at: impl Fn(&mut Window<'_>, u64) -> Result<Found>,
    next: impl Fn(&mut Window<'_>, u64) -> Result<u64>,
) -> Result<Contents> {
    let mut contents = Contents {
        end: start,
        ..Contents::default()
    };
    let mut gap = None;
    let mut offset = start;
    while offset < window.size {
        match at(window, offset)? {
            Found::Unit(number, place, end) => {
                contents.skip(offset, gap.take());
                contents.units.insert(number, place);
                contents.end = end;
                offset = end;
                continue;
            }
            // Its length may be that of before a part of it was lost, so the next one is looked for in it.
            Found::Damaged(number) => {
                contents.skip(offset, gap.take());
                let (unit, is_cut) = (Some(number), false);
                gap = Some(Gap { unit, is_cut });
                // A result of it that was dropped does not come back.
                contents.units.remove(&number);
            }
            Found::Cut => {
                let (unit, is_cut) = (None, true);
                gap.get_or_insert(Gap { unit, is_cut });
            }
            Found::Nothing => {
                gap.get_or_insert_default();
            }
        }
        offset = next(window, offset + 1)?;
    }
    let rest = window.size - contents.end;
    let is_cut = gap.is_some_and(|gap| gap.is_cut);
    // A file system may have made the file longer before its bytes came.
    if rest > 0 && (is_cut || window.is_empty_from(contents.end)?) {
        contents.torn = rest;
    } else {
        contents.skip(window.size, gap);
    }
    Ok(contents)
}

impl Contents {
    /// Notes that nothing could be read up to `offset`.
    fn skip(&mut self, offset: u64, gap: Option<Gap>) {
        if self.end < offset {
            let unit = gap.and_then(|gap| gap.unit);
            self.damaged.push(DamagedPlace::new(self.end, offset, unit));
            self.end = offset;
        }
    }
}

/// A part of a file that moves on.
pub(super) struct Window<'a> {
    pub(super) path: &'a Path,
    pub(super) file: &'a File,
    pub(super) size: u64,
    pub(super) start: u64,
    pub(super) buffer: Vec<u8>,
}

impl<'a> Window<'a> {
    pub(super) fn new(path: &'a Path, file: &'a File) -> Result<Self> {
        let size = file.metadata().map_err(Error::io(path))?.len();
        let mut file_at_start = file;
        file_at_start
            .seek(SeekFrom::Start(0))
            .map_err(Error::io(path))?;
        Ok(Self {
            path,
            file,
            size,
            start: 0,
            buffer: Vec::new(),
        })
    }

    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    pub(super) const fn path(&self) -> &'a Path {
        self.path
    }

    /// The `len` bytes at `offset`, which the file has. Offsets do not go back, except to bytes that were given since the last one
    /// that moved on.
    pub(super) fn bytes(&mut self, offset: u64, len: usize) -> Result<&[u8]> {
        let end = offset + len as u64;
        let filled = self.start + self.buffer.len() as u64;
        if end > filled {
            let gone = (offset.min(filled) - self.start) as usize;
            self.buffer.drain(..gone);
            self.start += gone as u64;
            let more = (end - filled).max(BUFFER as u64);
            let read = self.file.take(more).read_to_end(&mut self.buffer);
            read.map_err(Error::io(self.path))?;
        }
        let from = (offset - self.start) as usize;
        self.buffer
            .get(from..from + len)
            .ok_or_else(|| Error::byte(self.path, end, "the file became shorter"))
    }

    /// Returns whether there are only zeros from `offset` on.
    fn is_empty_from(&mut self, mut offset: u64) -> Result<bool> {
        let mut file = self.file;
        file.seek(SeekFrom::Start(offset))
            .map_err(Error::io(self.path))?;
        (self.start, self.buffer) = (offset, Vec::new());
        while offset < self.size {
            let len = (self.size - offset).min(BUFFER as u64) as usize;
            if self.bytes(offset, len)?.iter().any(|&byte| byte != 0) {
                return Ok(false);
            }
            offset += len as u64;
        }
        Ok(true)
    }
}
