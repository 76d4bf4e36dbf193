//! The first page of a file.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::arrays::ARRAYS;
use super::{MappedError, MappedKey, PAGE, VERSION};

const MAGIC: &[u8; 8] = b"YaneEval";
const BYTE_ORDER: u32 = 0x0102_0304;
/// Where the table of sections begins.
const TABLE: usize = 48;
/// Where the header's own check value is.
const CHECK: usize = PAGE - 8;

/// The facts, the text, the arrays.
pub(super) const SECTIONS: usize = 2 + ARRAYS;

/// What the first page says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) key: MappedKey,
    /// Bytes of the sections.
    pub(super) lens: [u64; SECTIONS],
    /// Of everything behind the header.
    pub(super) check: u64,
}

/// Where sections of these sizes begin, and where the file ends. `None` beyond 64 bits.
fn layout(lens: &[u64; SECTIONS]) -> Option<([u64; SECTIONS], u64)> {
    let mut starts = [0; SECTIONS];
    let mut end = PAGE as u64;
    for (start, &len) in starts.iter_mut().zip(lens) {
        *start = end;
        end = end
            .checked_add(len)?
            .checked_next_multiple_of(PAGE as u64)?;
    }
    Some((starts, end))
}

impl Header {
    pub(super) fn to_bytes(&self) -> Option<[u8; PAGE]> {
        let (starts, end) = layout(&self.lens)?;
        let mut page = [0; PAGE];
        let mut put = |at: usize, bytes: &[u8]| page[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, MAGIC);
        put(8, &VERSION.to_ne_bytes());
        put(12, &BYTE_ORDER.to_ne_bytes());
        put(16, &self.key.0.to_ne_bytes());
        put(32, &end.to_ne_bytes());
        put(40, &self.check.to_ne_bytes());
        for (section, (start, len)) in starts.iter().zip(&self.lens).enumerate() {
            put(TABLE + 16 * section, &start.to_ne_bytes());
            put(TABLE + 16 * section + 8, &len.to_ne_bytes());
        }
        let check = xxh3_64(&page[..CHECK]);
        page[CHECK..].copy_from_slice(&check.to_ne_bytes());
        Some(page)
    }

    /// Reads the header of a file with these `bytes` and checks all that it says about itself; not the
    /// bytes behind it.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, MappedError> {
        let page = bytes.first_chunk::<PAGE>().ok_or(MappedError::Magic)?;
        if !page.starts_with(MAGIC) {
            return Err(MappedError::Magic);
        }
        if u32_at(page, 12) != BYTE_ORDER {
            return Err(MappedError::ByteOrder);
        }
        let found = u32_at(page, 8);
        if found != VERSION {
            return Err(MappedError::Version { found });
        }
        if u64_at(page, CHECK) != xxh3_64(&page[..CHECK]) {
            return Err(MappedError::Check { part: "the header" });
        }
        let (found, expected) = (bytes.len() as u64, u64_at(page, 32));
        if found != expected {
            return Err(MappedError::Size { found, expected });
        }
        let mut key = [0; 16];
        key.copy_from_slice(&page[16..32]);
        let header = Self {
            key: MappedKey::from_bytes(key),
            lens: std::array::from_fn(|section| u64_at(page, TABLE + 16 * section + 8)),
            check: u64_at(page, 40),
        };
        let wrong = |section| MappedError::Section { section };
        let (starts, end) = layout(&header.lens).ok_or(wrong(SECTIONS))?;
        for (section, &start) in starts.iter().enumerate() {
            if u64_at(page, TABLE + 16 * section) != start {
                return Err(wrong(section));
            }
        }
        if end != found {
            return Err(wrong(SECTIONS));
        }
        Ok(header)
    }

    /// Where the sections are in a file that has this header.
    pub(super) fn places(&self) -> Option<[Range<usize>; SECTIONS]> {
        let (starts, _) = layout(&self.lens)?;
        let place = |section| {
            let start: u64 = starts[section];
            let end = start.checked_add(self.lens[section])?;
            Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
        };
        let places: Vec<_> = (0..SECTIONS).map(place).collect::<Option<_>>()?;
        places.try_into().ok()
    }
}

fn u32_at(page: &[u8; PAGE], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&page[at..at + 4]);
    u32::from_ne_bytes(bytes)
}

fn u64_at(page: &[u8; PAGE], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&page[at..at + 8]);
    u64::from_ne_bytes(bytes)
}

/// Gives a file that was changed the check values that it should have, for tests of what is behind them.
/// Anything else than a file with a header stays as it is.
pub(super) fn seal(bytes: &mut [u8]) {
    let Some((page, rest)) = bytes.split_first_chunk_mut::<PAGE>() else {
        return;
    };
    page[40..48].copy_from_slice(&xxh3_64(rest).to_ne_bytes());
    let check = xxh3_64(&page[..CHECK]);
    page[CHECK..].copy_from_slice(&check.to_ne_bytes());
}
