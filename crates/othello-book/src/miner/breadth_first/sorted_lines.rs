//! Lines sorted by transcript, in memory or externally.

use yane_io::external::Sorter;
use yane_io::{Job, TempFolder};

use crate::miner::{MinerSummary, MismatchLine};

/// The length of a key behind its transcript: terminator, ply, two values.
const TAIL: usize = 1 + 4 + 4 + 4;

/// Encodes a line as a key in the order of lines: transcript, ply, values.
pub(super) fn key(line: &MismatchLine<'_>, key: &mut Vec<u8>) {
    key.clear();
    key.extend(line.transcript.bytes());
    key.push(0);
    key.extend(line.ply.to_be_bytes());
    for value in [line.expected, line.found] {
        // Negative ones come first.
        key.extend((value.cast_unsigned() ^ 1 << 31).to_be_bytes());
    }
}

/// Decodes a key.
fn line(key: &[u8]) -> Option<MismatchLine<'_>> {
    let (transcript, tail) = key.split_at_checked(key.len().checked_sub(TAIL)?)?;
    let number = |at: usize| Some(u32::from_be_bytes(*tail.get(at..)?.first_chunk()?));
    let value = |at| Some((number(at)? ^ 1 << 31).cast_signed());
    Some(MismatchLine {
        transcript: std::str::from_utf8(transcript).ok()?,
        ply: number(1)?,
        expected: value(5)?,
        found: value(9)?,
    })
}

/// A sorter of lines.
pub(super) struct SortedLines {
    sorter: Sorter,
    count: u64,
    key: Vec<u8>,
}

impl SortedLines {
    /// An empty sorter. Lines beyond the job's memory go to a temporary file.
    pub(super) fn new(job: &Job, folder: impl Into<TempFolder>) -> Self {
        Self {
            sorter: Sorter::new(job, folder),
            count: 0,
            key: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, line: &MismatchLine<'_>) -> yane_io::Result<()> {
        let mut bytes = std::mem::take(&mut self.key);
        key(line, &mut bytes);
        let pushed = self.push_key(&bytes);
        self.key = bytes;
        pushed
    }

    pub(super) fn push_key(&mut self, key: &[u8]) -> yane_io::Result<()> {
        self.count += 1;
        self.sorter.push(key, &[])
    }

    /// Reports all lines in order, up to the limit.
    pub(super) fn give(
        self,
        limit: Option<u64>,
        summary: &mut MinerSummary,
        each: &mut dyn FnMut(&MismatchLine<'_>) -> yane_io::Result<()>,
    ) -> yane_io::Result<()> {
        summary.lines = limit.map_or(self.count, |limit| limit.min(self.count));
        summary.cut_short = summary.lines < self.count;
        let mut sorted = self.sorter.finish()?;
        for _ in 0..summary.lines {
            let Some(line) = sorted.current().and_then(|(_, key, _)| line(key)) else {
                break;
            };
            each(&line)?;
            sorted.advance()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_lines_in_their_order() {
        let of = |transcript, ply, expected, found| MismatchLine {
            transcript,
            ply,
            expected,
            found,
        };
        let lines = [
            of("", 0, 0, 0),
            of("e6", 1, -3, 64),
            of("e6", 1, -2, -64),
            of("e6", 1, -2, 5),
            of("e6", 2, -9, 5),
            of("e6f4", 1, 0, 0),
            of("e7", 0, 0, 0),
        ];
        let keys = lines.map(|line| {
            let mut bytes = Vec::new();
            key(&line, &mut bytes);
            bytes
        });
        assert!(keys.is_sorted());
        for (bytes, expected) in keys.iter().zip(lines) {
            assert_eq!(line(bytes), Some(expected));
        }
        assert_eq!(line(b"short"), None);
    }
}
