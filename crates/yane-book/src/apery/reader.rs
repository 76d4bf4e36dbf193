//! Reading Apery books in place.

use std::ops::Range;
use std::path::Path;

use shogi_core::AperyMove16;
use yane_io::Map;
use yane_io::sniff::Head;

use super::RECORD;
use crate::Result;
use crate::sniff::expect_apery;

/// An Apery book, looked up in its file through a memory map ([`Map`] tells what other programs must
/// not do meanwhile).
#[derive(Debug)]
pub struct Apery {
    map: Map,
}

/// A record: a move of the position with this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The position's key.
    pub key: u64,
    /// The move, which may be any 16 bits: neither form nor legality is checked. 0 is "none".
    pub mv: AperyMove16,
    /// How often it was played.
    pub count: u16,
    /// Its value for the side to move.
    pub score: i32,
    /// Where the record begins in the file, in bytes.
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

    /// Whether there is no record.
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
    pub fn entries(&self) -> Entries<'_> {
        Entries {
            book: self,
            range: 0..self.records(),
        }
    }

    /// The moves of the position with this key, in the order of the file; none when the book does
    /// not have it.
    pub fn find(&self, key: u64) -> Entries<'_> {
        let start = self.lower_bound(key);
        let mut end = start;
        while end < self.records() && self.key(end) == key {
            end += 1;
        }
        Entries {
            book: self,
            range: start..end,
        }
    }

    /// Whether the book has a position with this key.
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

    fn entry(&self, at: usize) -> Entry {
        let start = at * RECORD;
        let [m0, m1, c0, c1, ref score @ ..] = self.map[start + 8..start + RECORD] else {
            unreachable!("a record has 16 bytes");
        };
        Entry {
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
pub struct Entries<'a> {
    book: &'a Apery,
    range: Range<usize>,
}

impl Iterator for Entries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        self.range.next().map(|at| self.book.entry(at))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl ExactSizeIterator for Entries<'_> {}
