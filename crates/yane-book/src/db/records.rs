//! Positions and lines of a text book, borrowed from its bytes.

use memchr::{memchr2, memmem};
use shogi_core::Position;

use super::{LineProblem, MoveLine};
use crate::BookMove;
#[cfg(test)]
use crate::db::chunks::open_chunks;
use crate::db::move_line::is_comment;

/// Iterator over the positions in the bytes of a `.db` file (or of a piece that begins and ends at
/// positions). Nothing is copied, nothing is checked yet.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    rest: &'a [u8],
    offset: u64,
}

/// A position of a `.db` file as it stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The text after `sfen `, without the blanks at its end.
    pub sfen: &'a [u8],
    /// All that follows the `sfen` line up to the next one.
    pub body: &'a [u8],
    /// Offset where the `sfen` line begins in the file, in bytes.
    pub offset: u64,
    /// Offset where `body` begins in the file, in bytes.
    pub body_offset: u64,
}

impl<'a> Records<'a> {
    /// The positions in `text`, which begins at byte `offset` of its file.
    pub fn new(text: &'a [u8], offset: u64) -> Self {
        let start = next_record_start(text, 0).unwrap_or(text.len());
        Self {
            rest: &text[start..],
            offset: offset + start as u64,
        }
    }
}

impl Records<'_> {
    /// Returns whether there are no more.
    pub const fn is_done(&self) -> bool {
        self.rest.is_empty()
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let end = next_record_start(self.rest, TAG.len()).unwrap_or(self.rest.len());
        let (record, rest) = self.rest.split_at(end);
        let offset = self.offset;
        self.rest = rest;
        self.offset += end as u64;
        let line = memchr2(b'\n', b'\r', record).unwrap_or(record.len());
        Some(Record {
            sfen: trim_end(&record[TAG.len()..line]),
            body: &record[line..],
            offset,
            body_offset: offset + line as u64,
        })
    }
}

impl<'a> Record<'a> {
    /// Reads the position.
    ///
    /// # Errors
    /// When the SFEN is none.
    pub fn position(&self) -> std::result::Result<Position, LineProblem> {
        Ok(Position::from_sfen(&String::from_utf8_lossy(self.sfen))?)
    }

    /// Reads the move lines. Yields the offset of each line in the file, and the move or the problem.
    #[inline]
    pub fn moves(
        &self,
    ) -> impl Iterator<Item = (u64, std::result::Result<BookMove, LineProblem>)> + use<'a> {
        self.lines()
            .map(|(offset, line)| (offset, MoveLine::parse(line).map(|line| line.book_move)))
    }

    /// The move lines, with the offset of each in the file.
    pub const fn lines(&self) -> Lines<'a> {
        Lines(self.text_lines())
    }

    /// The move lines and comments, with the offset of each in the file.
    pub(crate) const fn text_lines(&self) -> TextLines<'a> {
        TextLines {
            rest: self.body,
            offset: self.body_offset,
        }
    }
}

/// Iterator over the lines with content: trimmed at their ends, empty ones and comments left out.
/// Yields the offset of the line in the file, in bytes, and the line.
#[derive(Clone, Debug)]
pub struct Lines<'a>(TextLines<'a>);

/// The same with comments.
#[derive(Clone, Debug)]
pub(crate) struct TextLines<'a> {
    rest: &'a [u8],
    offset: u64,
}

impl<'a> Lines<'a> {
    /// The lines of `text`, which begins at byte `offset` of its file. A UTF-8 byte order mark at
    /// offset 0 is passed over.
    pub fn new(text: &'a [u8], offset: u64) -> Self {
        Self(TextLines::new(text, offset))
    }
}

impl<'a> TextLines<'a> {
    /// As [`Lines::new`].
    pub(crate) fn new(text: &'a [u8], offset: u64) -> Self {
        match text.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if offset == 0 => Self { rest, offset: 3 },
            _ => Self { rest: text, offset },
        }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (u64, &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<(u64, &'a [u8])> {
        self.0.find(|(_, line)| !is_comment(line))
    }
}

impl<'a> Iterator for TextLines<'a> {
    type Item = (u64, &'a [u8]);

    #[inline]
    fn next(&mut self) -> Option<(u64, &'a [u8])> {
        while !self.rest.is_empty() {
            let end = memchr2(b'\n', b'\r', self.rest).unwrap_or(self.rest.len());
            let line = trim_end(&self.rest[..end]);
            let offset = self.offset;
            let step = (end + 1).min(self.rest.len());
            self.rest = &self.rest[step..];
            self.offset += step as u64;
            if !line.is_empty() {
                return Some((offset, line));
            }
        }
        None
    }
}

const TAG: &[u8] = b"sfen ";

/// Returns where the first position begins at or after `from`, if one does.
fn next_record_start(text: &[u8], from: usize) -> Option<usize> {
    memmem::find_iter(&text[from..], TAG)
        .map(|found| from + found)
        .find(|&at| begins_line(text, at))
}

/// Returns where the last position begins, if it is not at the very start.
pub(super) fn last_record_start(text: &[u8]) -> Option<usize> {
    memmem::rfind_iter(text, TAG).find(|&at| at > 0 && begins_line(text, at))
}

fn begins_line(text: &[u8], at: usize) -> bool {
    at == 0 || matches!(text[at - 1], b'\n' | b'\r') || text[..at] == *b"\xef\xbb\xbf"
}

fn trim_end(line: &[u8]) -> &[u8] {
    let blanks = line
        .iter()
        .rev()
        .take_while(|&&byte| byte == b' ' || byte == b'\t')
        .count();
    &line[..line.len() - blanks]
}

#[cfg(test)]
mod tests {
    use test_support::TestFolder;

    use super::*;

    const TEXT: &[u8] = b"\xef\xbb\xbf#header\r\n# sfen no\r\nsfen A b - 1 \t\r\n7g7f\r\n\r\n//x\r\nsfen B w - 2\n3c3d none\rsfen C";

    #[test]
    fn records_are_found_whatever_the_line_ends() {
        let records: Vec<_> = Records::new(TEXT, 100).collect();
        let sfens: Vec<_> = records.iter().map(|record| record.sfen).collect();
        assert_eq!(sfens, [&b"A b - 1"[..], b"B w - 2", b"C"]);
        for record in &records {
            let at = (record.offset - 100) as usize;
            assert!(TEXT[at..].starts_with(b"sfen "));
        }
        let lines: Vec<_> = records[0].lines().collect();
        assert_eq!(lines.len(), 1);
        let (offset, line) = lines[0];
        assert_eq!(line, b"7g7f");
        assert!(TEXT[(offset - 100) as usize..].starts_with(b"7g7f"));
        assert_eq!(records[2].lines().count(), 0);
    }

    #[test]
    fn a_mark_before_the_first_position_is_no_obstacle() {
        let records: Vec<_> = Records::new(b"\xef\xbb\xbfsfen X", 0).collect();
        assert_eq!(records.len(), 1);
        assert_eq!(
            Lines::new(b"\xef\xbb\xbfabc", 0).next(),
            Some((3, &b"abc"[..]))
        );
    }

    #[test]
    fn chunks_are_whole_positions_and_nothing_is_lost() {
        let record = |n| format!("sfen position {n}\r\n7g7f none {}\r\n", "9".repeat(n));
        let text = (0..50).map(record).collect::<Vec<_>>().concat();
        let folder = TestFolder::new();
        let path = folder.path("book.db");
        std::fs::write(&path, &text).unwrap();
        for size in [64, 100, 1000, 100_000] {
            let mut reader = open_chunks(&path, size).unwrap();
            let mut all = Vec::new();
            while let Some(chunk) = reader.next_chunk().unwrap() {
                assert_eq!(chunk.offset, all.len() as u64);
                assert!(chunk.bytes.starts_with(b"sfen "));
                assert!(chunk.bytes.ends_with(b"\r\n"));
                all.extend_from_slice(&chunk.bytes);
            }
            assert_eq!(all, text.as_bytes());
        }
    }
}
