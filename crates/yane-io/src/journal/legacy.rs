//! Journals of the version before, which are only read. Their end is called damaged where a crash cut it off.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `YANEJRN1` |
//! | 4 + n | length and text of the identity |
//! | 4 | CRC-32 of the length and the text |
//! | then, for each unit: 4 | length of its bytes |
//! | 8 | its number |
//! | 4 | CRC-32 of length, number and bytes |
//! | n | its bytes |

use std::cell::Cell;

use super::Place;
use super::format::LONGEST;
use super::scan::{Contents, Found, Window, scan};
use crate::{Error, Result, RunIdentity};

pub(super) const MAGIC: &[u8; 8] = b"YANEJRN1";
/// Bytes before those of a unit.
const HEAD: usize = 16;
/// Bytes that are summed up at most in the search for units behind damage, for each byte of the file.
const PATIENCE: u64 = 64;

/// Reads the journal of the run `expected`.
pub(super) fn read(window: &mut Window<'_>, expected: &RunIdentity) -> Result<Contents> {
    let (path, size) = (window.path(), window.size());
    let reason = "the beginning of this journal is damaged; remove it to begin anew";
    let damaged = || Error::byte(path, 0, reason);
    let before = MAGIC.len() + 4;
    if size < before as u64 {
        return Err(damaged());
    }
    let len = window.bytes(8, 4)?.first_chunk().copied();
    let len = u32::from_le_bytes(len.unwrap_or_default()).min(LONGEST) as usize;
    if size < (before + len + 4) as u64 {
        return Err(damaged());
    }
    let told = window.bytes(0, before + len + 4)?;
    let (text, checksum) = told[8..].split_at(4 + len);
    if crc32fast::hash(text).to_le_bytes() != checksum {
        return Err(damaged());
    }
    let text = std::str::from_utf8(&text[4..]).map_err(|_| damaged())?;
    if let Some(difference) = expected.difference(&RunIdentity::parse(text)) {
        return Err(Error::OtherRun {
            path: path.to_owned(),
            what: "journal",
            difference,
        });
    }
    let patience = Cell::new(size.saturating_mul(PATIENCE));
    let is_searching = Cell::new(false);
    let at = |window: &mut Window<'_>, offset| {
        let found = unit(window, offset, is_searching.get().then_some(&patience))?;
        is_searching.set(!matches!(found, Found::Unit(..)));
        Ok(found)
    };
    let next = |_: &mut Window<'_>, offset| Ok(offset);
    let contents = scan(window, (before + len + 4) as u64, at, next)?;
    Ok(Contents {
        is_to_be_rewritten: true,
        ..contents
    })
}

/// Looks for a unit at an offset. Where it is not known that one begins, `patience` bounds the work.
fn unit(window: &mut Window<'_>, offset: u64, patience: Option<&Cell<u64>>) -> Result<Found> {
    let left = window.size() - offset;
    if left < HEAD as u64 {
        return Ok(Found::Nothing);
    }
    let head = window.bytes(offset, HEAD)?;
    let field = |at: usize| head[at..].first_chunk().copied().unwrap_or_default();
    let (len, checksum) = (u32::from_le_bytes(field(0)), field(12));
    let number = head[4..].first_chunk().copied().unwrap_or_default();
    let number = u64::from_le_bytes(number);
    // A damaged length looks as one that a crash cut off.
    if len > LONGEST || left - (HEAD as u64) < u64::from(len) {
        return Ok(Found::Nothing);
    }
    if let Some(patience) = patience {
        let Some(rest) = patience.get().checked_sub(u64::from(len)) else {
            return Ok(Found::Nothing);
        };
        patience.set(rest);
    }
    let whole = window.bytes(offset, HEAD + len as usize)?;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&whole[..12]);
    hasher.update(&whole[HEAD..]);
    let bytes = offset + HEAD as u64;
    let place = Place { offset: bytes, len };
    let is_whole = hasher.finalize().to_le_bytes() == checksum;
    Ok(if is_whole {
        Found::Unit(number, place, bytes + u64::from(len))
    } else {
        Found::Nothing
    })
}
