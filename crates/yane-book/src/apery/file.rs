//! Reading Apery books in place, and writing them.

use std::ops::Range;
use std::path::Path;

use shogi_core::{AperyMove16, Move16};
use yane_io::sniff::Head;
use yane_io::{AtomicFile, Map};

use super::RECORD;
use crate::sniff::expect_apery;
use crate::{BookError, BookMove, Result};

/// An Apery book, looked up in its file through a memory map ([`Map`] tells what other programs must
/// not do meanwhile).
#[derive(Debug)]
pub struct Apery {
    map: Map,
}

/// A record: a move of the position with this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AperyRecord {
    /// The position's key.
    pub key: u64,
    /// The move, which may be any 16 bits: neither form nor legality is checked. 0 is "none".
    pub mv: AperyMove16,
    /// Number of times it was played.
    pub count: u16,
    /// Its value for the side to move.
    pub score: i32,
    /// Offset where the record begins in the file, in bytes.
    pub offset: u64,
}

impl Apery {
    /// Opens a book. Checks the size of the file only; [`Self::verify`] checks the order.
    ///
    /// # Errors
    /// When the file cannot be opened, is something else, or does not consist of records of 16 bytes.
    pub fn open(path: &Path) -> Result<Self> {
        let map = Map::open(path)?;
        expect_apery(path, &Head::of(&map))?;
        Self::from_map(map)
    }

    /// As [`Self::open`] for a file that is mapped already.
    ///
    /// # Errors
    /// When the file does not consist of records of 16 bytes.
    pub fn from_map(map: Map) -> Result<Self> {
        if !map.len().is_multiple_of(RECORD) {
            let reason = format!("expected records of {RECORD} bytes, the file ends inside one");
            return Err(map.error(map.len() as u64, reason).into());
        }
        Ok(Self { map })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.map.path()
    }

    /// Number of records: moves of all positions.
    pub fn len(&self) -> u64 {
        self.records() as u64
    }

    /// Returns whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Checks that keys ascend.
    ///
    /// # Errors
    /// At the first record whose key is smaller than the one before.
    pub fn verify(&self) -> Result<()> {
        let mut last = 0;
        for entry in self.entries() {
            if entry.key < last {
                let reason = format!(
                    "expected a key of at least {last:#018x} (keys ascend), found {:#018x}",
                    entry.key
                );
                return Err(self.error(entry.offset, reason));
            }
            last = entry.key;
        }
        Ok(())
    }

    /// All records in the order of the file.
    pub fn entries(&self) -> AperyRecords<'_> {
        AperyRecords {
            book: self,
            range: 0..self.records(),
        }
    }

    /// The moves of the position with this key, in the order of the file; none when the book does
    /// not have it.
    pub fn find(&self, key: u64) -> AperyRecords<'_> {
        let start = self.lower_bound(key);
        let mut end = start;
        while end < self.records() && self.key(end) == key {
            end += 1;
        }
        AperyRecords {
            book: self,
            range: start..end,
        }
    }

    /// Returns whether the book has a position with this key.
    pub fn contains(&self, key: u64) -> bool {
        let at = self.lower_bound(key);
        at < self.records() && self.key(at) == key
    }

    /// The first record whose key is not less than `key`.
    fn lower_bound(&self, key: u64) -> usize {
        let (mut start, mut end) = (0, self.records());
        while start < end {
            let middle = start + (end - start) / 2;
            if self.key(middle) < key {
                start = middle + 1;
            } else {
                end = middle;
            }
        }
        start
    }

    fn records(&self) -> usize {
        self.map.len() / RECORD
    }

    fn key(&self, at: usize) -> u64 {
        let start = at * RECORD;
        u64::from_le_bytes(std::array::from_fn(|i| self.map[start + i]))
    }

    fn entry(&self, at: usize) -> AperyRecord {
        let start = at * RECORD;
        let [m0, m1, c0, c1, ref score @ ..] = self.map[start + 8..start + RECORD] else {
            unreachable!("a record has 16 bytes");
        };
        AperyRecord {
            key: self.key(at),
            mv: AperyMove16(u16::from_le_bytes([m0, m1])),
            count: u16::from_le_bytes([c0, c1]),
            score: i32::from_le_bytes(std::array::from_fn(|i| score[i])),
            offset: start as u64,
        }
    }

    fn error(&self, offset: u64, reason: String) -> crate::BookError {
        self.map.error(offset, reason).into()
    }
}

/// Iterator over records of an [`Apery`].
#[derive(Clone, Debug)]
pub struct AperyRecords<'a> {
    book: &'a Apery,
    range: Range<usize>,
}

impl Iterator for AperyRecords<'_> {
    type Item = AperyRecord;

    fn next(&mut self) -> Option<AperyRecord> {
        self.range.next().map(|at| self.book.entry(at))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl ExactSizeIterator for AperyRecords<'_> {}

/// Writes a book position by position.
#[derive(Debug)]
pub struct AperyWriter {
    file: AtomicFile,
    last: u64,
    count: u64,
}

impl AperyWriter {
    /// Begins a new version of `path`.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path) -> Result<Self> {
        Ok(Self {
            file: AtomicFile::create(path)?,
            last: 0,
            count: 0,
        })
    }

    /// Adds the moves of the position with this key, in the order given. Of a move its code, count
    /// and value are written; counts over 65,535 become that.
    ///
    /// # Errors
    /// When the key is smaller than the one before, a code is no move, or the file cannot be
    /// written.
    pub fn push(&mut self, key: u64, moves: &[BookMove]) -> Result<()> {
        if key < self.last {
            return Err(self.bad(key, "expected keys in ascending order"));
        }
        self.last = key;
        for book_move in moves {
            let code = match book_move.mv.map(Move16::decode) {
                None => 0,
                Some(Some(text)) => AperyMove16::encode(text).0,
                Some(None) => return Err(self.bad(key, "expected a move")),
            };
            let count = u16::try_from(book_move.count).unwrap_or(u16::MAX);
            let mut record = [0; RECORD];
            record[..8].copy_from_slice(&key.to_le_bytes());
            record[8..10].copy_from_slice(&code.to_le_bytes());
            record[10..12].copy_from_slice(&count.to_le_bytes());
            record[12..].copy_from_slice(&book_move.eval.to_le_bytes());
            self.file.put(&record)?;
            self.count += 1;
        }
        Ok(())
    }

    /// Number of records so far.
    pub const fn len(&self) -> u64 {
        self.count
    }

    /// Returns whether there is no record yet.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Makes the book the file.
    ///
    /// # Errors
    /// When the file cannot be written; the old file is untouched then.
    pub fn commit(self) -> Result<()> {
        Ok(self.file.commit()?)
    }

    fn bad(&self, key: u64, reason: &str) -> BookError {
        let reason = format!("record {}, key {key:#018x}: {reason}", self.count);
        BookError::file(self.file.target(), reason)
    }
}
