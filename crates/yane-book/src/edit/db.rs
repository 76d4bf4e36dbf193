//! A text book, looked up in its file.

use std::borrow::Cow;
use std::path::Path;

use memchr::memchr2;
use yane_io::{Map, TextEncoding, TextFile};

use super::entry::EditableEntry;
use super::index::RecordIndex;
use super::text::read_entry;
use crate::db::{Record, Records, canonical_sfen};
use crate::memory::ReadOptions;
use crate::probe::MappedDb;
use crate::sniff::expect_text_book;
use crate::{BookError, Result};

/// A text book.
#[derive(Debug)]
pub(super) struct DbBase {
    file: MappedDb,
    index: Option<RecordIndex>,
    encoding: TextEncoding,
    line_end: &'static [u8],
}

impl DbBase {
    /// Opens a file. Text that is not UTF-8 is read as a whole.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut text = TextFile::open_any(path)?;
        expect_text_book(path, text.head())?;
        let encoding = text.encoding();
        let map = if encoding.is_utf16() {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut text, &mut bytes).map_err(BookError::io(path))?;
            Map::from_bytes(path, bytes)
        } else {
            let map = Map::open(path)?;
            map.want_random_access();
            map
        };
        let line_end = line_end(&map[..map.len().min(HEAD)]);
        Ok(Self {
            file: MappedDb::from_map(map, ReadOptions { ignore_ply: true }),
            index: None,
            encoding,
            line_end,
        })
    }

    /// The text in `bytes`, which is UTF-8; `path` is its name in errors.
    pub(super) fn of_bytes(path: &Path, bytes: Vec<u8>) -> Self {
        let line_end = line_end(&bytes[..bytes.len().min(HEAD)]);
        let map = Map::from_bytes(path, bytes);
        Self {
            file: MappedDb::from_map(map, ReadOptions { ignore_ply: true }),
            index: None,
            encoding: TextEncoding::default(),
            line_end,
        }
    }

    pub(super) const fn map(&self) -> &Map {
        self.file.map()
    }

    /// Looks at the whole file, so that positions are found wherever they stand.
    pub(super) fn index(&mut self) {
        self.index = Some(RecordIndex::of(self.file.text()));
    }

    pub(super) const fn is_indexed(&self) -> bool {
        self.index.is_some()
    }

    /// The number of positions, if the whole file was looked at.
    pub(super) fn positions(&self) -> Option<u64> {
        self.index.as_ref().map(|index| index.len() as u64)
    }

    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// True if edits cannot be written in the encoding of the file.
    pub(super) const fn encoding(&self) -> TextEncoding {
        self.encoding
    }

    pub(super) const fn line_end(&self) -> &'static [u8] {
        self.line_end
    }

    /// The records of a position, whatever their plies are; places rise.
    fn records(&self, position: &str) -> Vec<Record<'_>> {
        let position = position.as_bytes();
        let Some(index) = &self.index else {
            return self.file.records_of(position).collect();
        };
        let text = self.file.text();
        let mut buffer = Vec::new();
        let at = |place: u64| Records::new(&text[place as usize..], place).next();
        let is_same = |record: &Record<'_>| {
            canonical_sfen(record.sfen, &mut buffer).is_ok_and(|line| line.position == position)
        };
        index
            .candidates(position)
            .filter_map(at)
            .filter(is_same)
            .collect()
    }

    /// The entries of a position by their plies.
    pub(super) fn entries(&self, position: &str) -> Vec<EditableEntry> {
        let records = self.records(position);
        let mut plies: Vec<_> = records.iter().map(|record| ply_of(record.sfen)).collect();
        plies.sort_unstable();
        plies.dedup();
        let entry = |ply: u32| {
            let same = records.iter().filter(|record| ply_of(record.sfen) == ply);
            let same: Vec<_> = same.map(|record| self.text_of(record)).collect();
            read_entry(&same, position, ply)
        };
        plies.into_iter().map(entry).collect()
    }

    /// The plies of the entries of a position, each as often as it is there.
    pub(super) fn plies(&self, position: &str) -> Vec<u32> {
        let records = self.records(position).into_iter();
        records.map(|record| ply_of(record.sfen)).collect()
    }

    /// Where the records of an entry stand.
    pub(super) fn places(&self, position: &str, ply: u32) -> Vec<std::ops::Range<u64>> {
        let records = self.records(position).into_iter();
        let same = records.filter(|record| ply_of(record.sfen) == ply);
        same.map(|record| record.offset..record.body_offset + record.body.len() as u64)
            .collect()
    }

    /// Where a new entry is to stand.
    pub(super) fn place_for(&self, sfen: &str) -> u64 {
        if self.index.is_some() {
            return self.file.text().len() as u64;
        }
        self.file.place_for(sfen.as_bytes())
    }

    fn text_of(&self, record: &Record<'_>) -> &[u8] {
        let end = record.body_offset as usize + record.body.len();
        &self.file.text()[record.offset as usize..end]
    }
}

/// Bytes in which a line end is looked for.
const HEAD: usize = 1 << 16;

/// The line end of a text, CR LF if it has none.
fn line_end(text: &[u8]) -> &'static [u8] {
    match memchr2(b'\n', b'\r', text) {
        Some(at) if text[at] == b'\n' => b"\n",
        Some(at) if text.get(at + 1) != Some(&b'\n') => b"\r",
        _ => b"\r\n",
    }
}

/// The ply at the end of an SFEN, 1 if there is none.
pub(super) fn ply_of(sfen: &[u8]) -> u32 {
    let digits = sfen.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let start = sfen.len() - digits.count();
    let is_field = start > 0 && sfen[start - 1] == b' ';
    let digits: Cow<'_, str> = String::from_utf8_lossy(&sfen[start..]);
    digits.parse().ok().filter(|_| is_field).unwrap_or(1)
}
