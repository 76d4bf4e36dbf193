//! The first page of a mapped file, and the properties that the first section lists as lines of text:
//!
//! ```text
//! architecture SFNN_halfkahm2_1536_15_32_k3k3
//! progress -12
//! dense 2
//! hash 4 7AF32F16 3C203B32 the file
//! header halfkp_256x2-32-32
//! assumed A B C
//! ```
//!
//! `progress` is the bias of the progress, 0 when there is none; `dense` is the number of input vectors of each perspective
//! that `fc_0` reads without a non-zero mask; the lines after it are the notes on the evaluation file.

use std::fmt::Write as _;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::{MappedError, MappedKey, PAGE, VERSION};
use crate::nnue::arch::Architecture;
use crate::nnue::file::{HASHED, Note};

const MAGIC: &[u8; 8] = b"YaneEval";
const BYTE_ORDER: u32 = 0x0102_0304;
/// The offset of the table of sections.
const TABLE: usize = 48;
/// The offset of the header's own checksum.
const CHECK: usize = PAGE - 8;

/// Biases and weights of the feature transformer, the progress, biases and weights of the affine layers; where notes on the
/// feature transformer's outliers begin, and these.
pub(super) const ARRAYS: usize = 11;

/// The facts, the text, the arrays.
pub(super) const SECTIONS: usize = 2 + ARRAYS;

/// The first page of a mapped file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MappedHeader {
    pub(super) key: MappedKey,
    /// Bytes of the sections.
    pub(super) lens: [u64; SECTIONS],
    /// Of everything behind the header.
    pub(super) check: u64,
}

/// The offsets of sections of these sizes, and the file's end. `None` beyond 64 bits.
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

impl MappedHeader {
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

    /// The byte ranges of the sections in a file that has this header.
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

/// The properties of a mapped network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) architecture: Architecture,
    pub(super) progress_bias: i32,
    pub(super) dense: usize,
    pub(super) notes: Vec<Note>,
}

impl Facts {
    pub(super) fn to_text(&self) -> String {
        let mut text = format!(
            "architecture {}\nprogress {}\ndense {}\n",
            self.architecture, self.progress_bias, self.dense
        );
        for note in &self.notes {
            text += &note_line(note);
            text.push('\n');
        }
        text
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, MappedError> {
        let wrong = |line| MappedError::Facts { line };
        let text = std::str::from_utf8(bytes).map_err(|_| wrong(1))?;
        let mut lines = text.lines();
        let architecture = lines
            .next()
            .and_then(|line| line.strip_prefix("architecture "));
        let architecture = architecture.and_then(|name| name.parse().ok());
        let bias = lines.next().and_then(|line| line.strip_prefix("progress "));
        let dense = lines.next().and_then(|line| line.strip_prefix("dense "));
        let facts = Self {
            architecture: architecture.ok_or(wrong(1))?,
            progress_bias: bias.and_then(|bias| bias.parse().ok()).ok_or(wrong(2))?,
            dense: dense.and_then(|dense| dense.parse().ok()).ok_or(wrong(3))?,
            notes: lines
                .enumerate()
                .map(|(at, line)| note(line).ok_or(wrong(4 + at)))
                .collect::<Result<_, _>>()?,
        };
        Ok(facts)
    }
}

fn note_line(note: &Note) -> String {
    match note {
        Note::Hash {
            what,
            offset,
            found,
            expected,
        } => format!("hash {offset} {found:08X} {expected:08X} {what}"),
        Note::Header { named } => format!("header {named}"),
        Note::Assumed { taken, others } => {
            let mut line = format!("assumed {taken}");
            for other in others {
                let _ = write!(line, " {other}");
            }
            line
        }
    }
}

fn note(line: &str) -> Option<Note> {
    let (kind, rest) = line.split_once(' ')?;
    match kind {
        "hash" => {
            let mut parts = rest.splitn(4, ' ');
            let offset = parts.next()?.parse().ok()?;
            let found = u32::from_str_radix(parts.next()?, 16).ok()?;
            let expected = u32::from_str_radix(parts.next()?, 16).ok()?;
            let name = parts.next()?;
            Some(Note::Hash {
                what: HASHED.into_iter().find(|&what| what == name)?,
                offset,
                found,
                expected,
            })
        }
        "header" => Some(Note::Header {
            named: rest.parse().ok()?,
        }),
        "assumed" => {
            let mut names = rest.split(' ').map(|name| name.parse().ok());
            Some(Note::Assumed {
                taken: names.next()??,
                others: names.collect::<Option<_>>()?,
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_come_back() {
        let names = [
            "halfkp_64x2-8-8",
            "halfkpe9_64x2-8-8",
            "SFNN_ka2_32_8_8_k3k3",
        ];
        let [taken, other, third] = names.map(|name| name.parse().unwrap());
        let mut notes: Vec<_> = HASHED
            .into_iter()
            .map(|what| Note::Hash {
                what,
                offset: 4,
                found: 0x12,
                expected: u32::MAX,
            })
            .collect();
        notes.push(Note::Header { named: third });
        for others in [vec![other, third], vec![]] {
            notes.push(Note::Assumed { taken, others });
        }
        let facts = Facts {
            architecture: taken,
            progress_bias: -7,
            dense: 3,
            notes,
        };
        let text = facts.to_text();
        assert_eq!(Facts::from_bytes(text.as_bytes()), Ok(facts));
        for (text, line) in [
            ("", 1),
            ("architecture x\nprogress 1\n", 1),
            ("architecture k_2x2-8-8\n", 2),
            ("architecture k_2x2-8-8\nprogress 1.5\n", 2),
            (
                "architecture k_2x2-8-8\nprogress 1\ndense 0\nheader k_2x2-8-8\nhash 1 1 1 the moon",
                5,
            ),
            (
                "architecture k_2x2-8-8\nprogress 1\ndense 0\nassumed k_2x2-8-8  k_2x2-8-8\n",
                4,
            ),
            ("architecture k_2x2-8-8\nprogress 1\ndense -1\n", 3),
            ("architecture k_2x2-8-8\nprogress 1\ndense 0\nnews\n", 4),
        ] {
            let found = Facts::from_bytes(text.as_bytes());
            assert_eq!(found, Err(MappedError::Facts { line }), "{text}");
        }
        assert!(Facts::from_bytes(&[0xff]).is_err());
    }
}
