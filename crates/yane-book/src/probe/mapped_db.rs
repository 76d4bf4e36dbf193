//! A `.db` file looked up in place: binary search over the bytes of a memory map.
//!
//! Nothing is read when the file is opened, whatever its size. It must be sorted by the bytes of its
//! `sfen` lines, as every tool of the field writes it; what stands elsewhere is not found.

use std::cmp::Ordering;
use std::path::Path;

use memchr::{memchr2, memchr2_iter};
use shogi_core::Position;
use yane_io::Map;

use crate::db::{MoveLine, Record, Records, line_error};
use crate::memory::ReadOptions;
use crate::{BookMove, Job, Result, add_move};

/// An open file.
#[derive(Debug)]
pub struct MappedDb {
    map: Map,
    /// Place where the first line begins: after a byte order mark.
    begin: usize,
    ignore_ply: bool,
}

impl MappedDb {
    /// Opens the file. With [`ReadOptions::ignore_ply`] a position is found whatever its ply is, and entries that
    /// differ in nothing else are one.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: &Path, options: ReadOptions) -> Result<Self> {
        Ok(Self::from_map(Map::open(path)?, options))
    }

    /// As [`Self::open`], for a file that is mapped already.
    pub(crate) fn from_map(map: Map, options: ReadOptions) -> Self {
        let begin = if map.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        Self {
            map,
            begin,
            ignore_ply: options.ignore_ply,
        }
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        self.map.path()
    }

    /// The map of the file.
    pub(crate) const fn map(&self) -> &Map {
        &self.map
    }

    /// The bytes of the file.
    pub(crate) fn text(&self) -> &[u8] {
        &self.map
    }

    /// The records whose key (the SFEN, without ply where it is ignored) is `target`, in the order of the file.
    pub(crate) fn records_of<'a, 'b>(
        &'a self,
        target: &'b [u8],
    ) -> impl Iterator<Item = Record<'a>> + use<'a, 'b> {
        let start = self.lower_bound(target, |sfen| self.key(sfen));
        Records::new(&self.map[start..], start as u64)
            .take_while(move |record| self.key(record.sfen) == target)
    }

    /// Returns the byte where an entry with the SFEN `sfen`, ply included, is to be put in.
    pub(crate) fn place_for(&self, sfen: &[u8]) -> u64 {
        let start = self.lower_bound(sfen, |sfen| sfen);
        let next = Records::new(&self.map[start..], start as u64).next();
        next.map_or(self.map.len() as u64, |record| record.offset)
    }

    /// The moves of `position`; none when it is not there.
    ///
    /// # Errors
    /// When a move line of the position is wrong.
    pub fn find(&self, position: &Position) -> Result<Vec<BookMove>> {
        let target = if self.ignore_ply {
            position.to_sfen_without_ply()
        } else {
            position.to_sfen()
        };
        let mut moves = Vec::new();
        for record in self.records_of(target.as_bytes()) {
            for (offset, line) in record.lines() {
                let line = MoveLine::parse(line).map_err(|problem| {
                    line_error(self.map.path(), offset - self.begin as u64, problem)
                })?;
                add_move(&mut moves, line.book_move);
            }
        }
        Ok(moves)
    }

    /// Returns where the first entry stands that must stand before the one in front of it, in bytes; `None` when all entries
    /// can be found. Reads the whole file.
    ///
    /// # Errors
    /// When the job is cancelled.
    fn first_unsorted(&self, job: &Job) -> Result<Option<u64>> {
        const ENTRIES: usize = 10_000;
        let mut records = Records::new(&self.map[self.begin..], self.begin as u64);
        let mut last: &[u8] = b"";
        loop {
            job.check()?;
            for record in records.by_ref().take(ENTRIES) {
                let key = self.key(record.sfen);
                if key < last {
                    return Ok(Some(record.offset));
                }
                last = key;
            }
            if records.is_done() {
                return Ok(None);
            }
        }
    }

    /// The number, from 1, of the first line whose position must stand before the one in front of it; `None` when all
    /// positions can be found. Reads the whole file.
    ///
    /// # Errors
    /// When the job is cancelled.
    pub fn first_unsorted_line(&self, job: &Job) -> Result<Option<u64>> {
        let offset = self.first_unsorted(job)?;
        Ok(offset.map(|offset| 1 + line_ends(&self.map[..offset as usize])))
    }

    /// Returns where a line begins from which on no entry is smaller than `target`, and before which all are.
    fn lower_bound<'a>(&'a self, target: &[u8], key: impl Fn(&'a [u8]) -> &'a [u8]) -> usize {
        let (mut low, mut high) = (self.begin, self.map.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.record_from(middle) {
                Some(record)
                    if (record.offset as usize) < high
                        && key(record.sfen).cmp(target) == Ordering::Less =>
                {
                    low = record.offset as usize + 1;
                }
                _ => high = middle,
            }
        }
        self.line_from(low)
    }

    /// The first entry that begins at or after byte `at`.
    fn record_from(&self, at: usize) -> Option<Record<'_>> {
        let start = self.line_from(at);
        Records::new(&self.map[start..], start as u64).next()
    }

    /// The first line that begins at or after byte `at`.
    fn line_from(&self, at: usize) -> usize {
        if at <= self.begin {
            return self.begin;
        }
        match memchr2(b'\n', b'\r', &self.map[at - 1..]) {
            Some(end) => at + end,
            None => self.map.len(),
        }
    }

    /// Returns what entries are compared by.
    fn key<'a>(&self, sfen: &'a [u8]) -> &'a [u8] {
        if !self.ignore_ply {
            return sfen;
        }
        without_ply(sfen)
    }
}

/// An SFEN without the ply at its end.
pub(crate) fn without_ply(sfen: &[u8]) -> &[u8] {
    let digits = sfen.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let sfen = &sfen[..sfen.len() - digits.count()];
    let blanks = sfen.iter().rev().take_while(|&&byte| byte == b' ');
    &sfen[..sfen.len() - blanks.count()]
}

/// The number of lines that end in `text`: with LF, CR LF or CR.
fn line_ends(text: &[u8]) -> u64 {
    let ends = memchr2_iter(b'\n', b'\r', text);
    let is_end = |&at: &usize| text[at] == b'\n' || text.get(at + 1) != Some(&b'\n');
    ends.filter(is_end).count() as u64
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use test_support::TestFolder;

    use shogi_core::movegen::LegalAll;

    use super::*;

    /// Positions after one or two moves, in the order of the file, each with a move of its own.
    fn positions() -> Vec<Position> {
        let mut all = vec![Position::startpos()];
        for first in Position::startpos().moves::<LegalAll>() {
            let mut position = Position::startpos();
            let _ = position.do_move_unchecked(first);
            for second in position.moves::<LegalAll>() {
                let mut next = position.clone();
                let _ = next.do_move_unchecked(second);
                all.push(next);
            }
            all.push(position);
        }
        all.sort_by_key(Position::to_sfen);
        all
    }

    fn write(text: &[u8]) -> (TestFolder, std::path::PathBuf) {
        let folder = TestFolder::new();
        let path = folder.path("book.db");
        std::fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn check(text: &str, positions: &[Position]) {
        let (_folder, path) = write(text.as_bytes());
        for ignore_ply in [false, true] {
            let file = MappedDb::open(&path, ReadOptions { ignore_ply }).unwrap();
            for (at, position) in positions.iter().enumerate() {
                let moves = file.find(position).unwrap();
                assert_eq!(moves.len(), 1, "{}", position.to_sfen());
                assert_eq!(moves[0].eval, at as i32);
                let later = position.clone().with_ply(99);
                assert_eq!(file.find(&later).unwrap().is_empty(), !ignore_ply);
            }
            let absent = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b 2R 1").unwrap();
            assert!(file.find(&absent).unwrap().is_empty());
        }
    }

    #[test]
    fn every_entry_is_found_however_the_file_is_written() {
        let positions = positions();
        for (head, end, note) in [
            ("#YANEURAOU-DB2016 1.00\n", "\n", ""),
            ("", "\n", ""),
            (
                "\u{feff}#YANEURAOU-DB2016 1.00\r\n",
                "\r\n",
                "# sfen 9/9 b - 1\r\n\r\n",
            ),
            ("\u{feff}", "\r", "//sfen x\r"),
        ] {
            let mut text = head.to_owned();
            for (at, position) in positions.iter().enumerate() {
                let sfen = position.to_sfen();
                let move_line = format!("7g7f none {at} 1 1");
                write!(text, "sfen {sfen} {end}{note}{move_line}{end}{note}").unwrap();
            }
            check(&text, &positions);
            check(text.trim_end_matches(end), &positions);
        }
    }

    #[test]
    fn the_first_entry_out_of_order_is_told() {
        let positions = positions();
        let text = |order: &[usize]| {
            let record =
                |&at: &usize| format!("sfen {}\r\n7g7f none 1\r\n", positions[at].to_sfen());
            format!(
                "\u{feff}#X\r\n{}",
                order.iter().map(record).collect::<String>()
            )
        };
        let unsorted = |text: &str| {
            let (_folder, path) = write(text.as_bytes());
            [false, true].map(|ignore_ply| {
                let file = MappedDb::open(&path, ReadOptions { ignore_ply }).unwrap();
                file.first_unsorted(&Job::default()).unwrap()
            })
        };
        let mut order: Vec<_> = (0..positions.len()).collect();
        assert_eq!(unsorted(&text(&order)), [None; 2]);
        // The same position again is no disorder.
        order.insert(4, 3);
        assert_eq!(unsorted(&text(&order)), [None; 2]);
        order.swap(700, 701);
        let before = text(&order[..701]).len() as u64;
        assert_eq!(unsorted(&text(&order)), [Some(before); 2]);
        assert_eq!(unsorted(""), [None; 2]);
        let (_folder, path) = write(text(&order).as_bytes());
        let job = Job::default();
        job.cancel();
        assert!(
            MappedDb::open(&path, ReadOptions { ignore_ply: true })
                .unwrap()
                .first_unsorted(&job)
                .is_err()
        );
    }

    #[test]
    fn the_line_out_of_order_is_told_whatever_ends_lines() {
        let (low, high) = ("sfen 9/9 b - 1", "sfen 9/9 w - 1");
        for (end, head) in [("\n", ""), ("\r\n", "\u{feff}"), ("\r", "\u{feff}")] {
            let lines = [head, "#x", high, "7g7f", "", low, "2g2f"].join(end);
            let (_folder, path) = write(lines.as_bytes());
            let file = MappedDb::open(&path, ReadOptions::default()).unwrap();
            let line = file.first_unsorted_line(&Job::default()).unwrap();
            assert_eq!(line, Some(6), "{end:?}");
        }
    }

    #[test]
    fn entries_that_are_the_same_are_one() {
        let sfen = Position::startpos().to_sfen_without_ply();
        let text =
            format!("sfen {sfen} 1\n7g7f none 1\nsfen {sfen} 1\n2g2f\nsfen {sfen} 3\n5g5f\n7g7f");
        let (_folder, path) = write(text.as_bytes());
        let count = |ignore_ply, ply| {
            let file = MappedDb::open(&path, ReadOptions { ignore_ply }).unwrap();
            let moves = file.find(&Position::startpos().with_ply(ply)).unwrap();
            moves.len()
        };
        assert_eq!(
            (count(false, 1), count(false, 2), count(false, 3)),
            (2, 0, 2)
        );
        assert_eq!(count(true, 7), 3);
    }

    #[test]
    fn a_bad_line_is_named_when_it_is_met() {
        let sfen = Position::startpos().to_sfen();
        let (_folder, path) = write(format!("#x\nsfen {sfen}\n7g7f\nhello\n").as_bytes());
        let file = MappedDb::open(&path, ReadOptions::default()).unwrap();
        let error = file.find(&Position::startpos()).unwrap_err().to_string();
        assert!(error.contains("line 4"), "{error}");
        let (_folder, path) = write(b"");
        let file = MappedDb::open(&path, ReadOptions::default()).unwrap();
        assert!(file.find(&Position::startpos()).unwrap().is_empty());
    }
}
