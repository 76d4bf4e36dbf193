//! A book that is not in memory: what it says of a position is found by binary search over slices of its file, and read as a small book of its own.

use std::path::{Path, PathBuf};

use memchr::memchr2;
use shogi_core::Position;
use shogi_packed::PackedSfen;
use yane_io::sniff::Head;
use yane_io::{Map, SlicedFile, TextEncoding};

use super::db::DbBase;
use crate::apery::{self, Apery, RECORD};
use crate::db::Records;
use crate::probe::without_ply;
use crate::sniff::{expect_apery, expect_text_book, expect_ybb};
use crate::ybb::{HEADER_LEN, Header, INDEX_RECORD, IndexRecord, MoveDepths, Ybb};
use crate::{BookError, Format, Result};

/// Bytes of text that are looked at for the next position, at first.
const WINDOW: u64 = 4 << 10;

/// Bytes of all records of a position of a text book at most, and of what stands between two positions.
const LARGEST: u64 = 16 << 20;

/// A book in slices.
#[derive(Debug)]
pub(super) struct SlicedBook {
    path: PathBuf,
    file: SlicedFile,
    kind: SlicedKind,
}

#[derive(Clone, Copy, Debug)]
enum SlicedKind {
    /// With the place where the first line begins: after a byte order mark.
    Db {
        begin: u64,
    },
    /// With the place where the moves begin.
    Ybb {
        header: Header,
        moves_start: u64,
    },
    Apery,
}

/// What a book has of one position, as a book of it alone.
#[derive(Debug)]
pub(super) enum BookPart {
    Db(DbBase),
    Ybb(Ybb),
    Apery(Apery),
}

impl SlicedBook {
    /// Opens the file. Only its beginning is read.
    ///
    /// # Errors
    /// When it cannot be read, is not what its name says, or is of a format that is read as a whole.
    pub(super) fn open(path: &Path, format: Format, file: SlicedFile) -> Result<Self> {
        let head = Head::read(path)?;
        let wrong = |(offset, reason): (u64, String)| BookError::byte(path, offset, reason);
        let kind = match format {
            Format::Db => {
                expect_text_book(path, &head)?;
                let (encoding, mark) = TextEncoding::of(head.bytes());
                if encoding.is_utf16() {
                    return Err(too_large(path, "text in UTF-16"));
                }
                SlicedKind::Db { begin: mark as u64 }
            }
            Format::Ybb => {
                expect_ybb(path, &head)?;
                let header = Header::parse(head.bytes()).map_err(wrong)?;
                let index_len = header.index_len(file.file_len() - HEADER_LEN as u64);
                let moves_start = HEADER_LEN as u64 + index_len.map_err(wrong)?;
                SlicedKind::Ybb {
                    header,
                    moves_start,
                }
            }
            Format::Apery => {
                expect_apery(path, &head)?;
                if !file.file_len().is_multiple_of(RECORD as u64) {
                    let reason =
                        format!("expected records of {RECORD} bytes, the file ends inside one");
                    return Err(wrong((file.file_len(), reason)));
                }
                SlicedKind::Apery
            }
            Format::Sbk => return Err(too_large(path, "an .sbk book")),
        };
        Ok(Self {
            path: path.to_owned(),
            file,
            kind,
        })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The format.
    pub(super) const fn format(&self) -> Format {
        match self.kind {
            SlicedKind::Db { .. } => Format::Db,
            SlicedKind::Ybb { .. } => Format::Ybb,
            SlicedKind::Apery => Format::Apery,
        }
    }

    /// Returns whether moves have depths.
    pub(super) const fn depths(&self) -> MoveDepths {
        match self.kind {
            SlicedKind::Ybb { header, .. } => header.depths,
            SlicedKind::Db { .. } | SlicedKind::Apery => MoveDepths::Stored,
        }
    }

    /// The number of positions, where it is known without reading the file.
    pub(super) const fn positions(&self) -> Option<u64> {
        match self.kind {
            SlicedKind::Ybb { header, .. } => Some(header.count),
            SlicedKind::Db { .. } | SlicedKind::Apery => None,
        }
    }

    /// All that the file has of a position; `None` if it has nothing.
    ///
    /// # Errors
    /// Bytes that cannot be read.
    pub(super) fn part_of(&self, position: &Position) -> Result<Option<BookPart>> {
        match self.kind {
            SlicedKind::Db { begin } => {
                let text = self.records_of(position.to_sfen_without_ply().as_bytes(), begin)?;
                let part = |text| BookPart::Db(DbBase::of_bytes(&self.path, text));
                Ok(text.map(part))
            }
            SlicedKind::Ybb {
                header,
                moves_start,
            } => {
                // A position that cannot be packed, for want of a king, is in no such book.
                let Ok(key) = PackedSfen::encode(position) else {
                    return Ok(None);
                };
                let part = self.entry_of(&key, header, moves_start)?;
                let part = part.map(|bytes| Ybb::from_map(self.map(bytes)));
                Ok(part.transpose()?.map(BookPart::Ybb))
            }
            SlicedKind::Apery => {
                let bytes = self.moves_of(apery::key(position))?;
                if bytes.is_empty() {
                    return Ok(None);
                }
                Apery::from_map(self.map(bytes)).map(|part| Some(BookPart::Apery(part)))
            }
        }
    }

    fn map(&self, bytes: Vec<u8>) -> Map {
        Map::from_bytes(&self.path, bytes)
    }

    fn bytes(&self, start: u64, len: u64) -> Result<Vec<u8>> {
        let bytes = self.file.bytes(start..start.saturating_add(len));
        bytes.map_err(BookError::io(&self.path))
    }

    /// The number of the first of `count` records for which `is_less` is false, which is true for those before it.
    fn partition_point(count: u64, mut is_less: impl FnMut(u64) -> Result<bool>) -> Result<u64> {
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_less(middle)? {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// The records of a key of Apery's, one behind the other.
    fn moves_of(&self, key: u64) -> Result<Vec<u8>> {
        let count = self.file.file_len() / RECORD as u64;
        let place = |number: u64| number * RECORD as u64;
        let key_at = |number: u64| {
            let bytes = self.file.array(place(number));
            bytes
                .map(u64::from_le_bytes)
                .map_err(BookError::io(&self.path))
        };
        let first = Self::partition_point(count, |number| Ok(key_at(number)? < key))?;
        let mut end = first;
        while end < count && key_at(end)? == key {
            end += 1;
        }
        self.bytes(place(first), place(end - first))
    }

    /// A `.ybb` book of the position alone.
    fn entry_of(
        &self,
        key: &PackedSfen,
        header: Header,
        moves_start: u64,
    ) -> Result<Option<Vec<u8>>> {
        let place = |number: u64| HEADER_LEN as u64 + number * INDEX_RECORD as u64;
        let key_at = |number: u64| {
            let bytes = self.file.array::<32>(place(number));
            bytes.map_err(BookError::io(&self.path))
        };
        let number = Self::partition_point(header.count, |number| Ok(key_at(number)? < key.0))?;
        if number == header.count || key_at(number)? != key.0 {
            return Ok(None);
        }
        let mut record: [u8; INDEX_RECORD] = self
            .file
            .array(place(number))
            .map_err(BookError::io(&self.path))?;
        let area = self.file.file_len() - moves_start;
        let moves = IndexRecord::read(&record).moves(number, header.depths, area);
        let moves =
            moves.map_err(|(offset, reason)| BookError::byte(&self.path, offset, reason))?;
        let moves = self.bytes(moves_start + moves.start, moves.end - moves.start)?;
        // In the book alone its moves are the first.
        record[32..40].fill(0);
        let alone = Header { count: 1, ..header };
        Ok(Some([&alone.bytes()[..], &record, &moves].concat()))
    }

    /// The records of a text book whose position is `target`, as they stand.
    fn records_of(&self, target: &[u8], begin: u64) -> Result<Option<Vec<u8>>> {
        // A line begins there from which on no entry is smaller, and before which all are.
        let (mut low, mut high) = (begin, self.file.file_len());
        while low < high {
            let middle = low + (high - low) / 2;
            let is_less = self.window(middle, begin, |text, start, is_whole| {
                let mut records = Records::new(text, start);
                match records.next() {
                    Some(record) if is_whole || !record.body.is_empty() => Some(
                        Some(record.offset)
                            .filter(|&at| at < high && without_ply(record.sfen) < target),
                    ),
                    None if is_whole => Some(None),
                    _ => None,
                }
            })?;
            match is_less {
                Some(offset) => low = offset + 1,
                None => high = middle,
            }
        }
        self.window(low, begin, |text, start, is_whole| {
            let records = Records::new(text, start);
            let mut end = None;
            let mut from = None;
            for record in records {
                let is_known = is_whole || !record.body.is_empty();
                if is_known && without_ply(record.sfen) != target {
                    end = Some(record.offset);
                    break;
                }
                from = from.or(Some(record.offset));
            }
            if end.is_none() && !is_whole {
                return None;
            }
            let end = end.unwrap_or(start + text.len() as u64);
            let part = |from: u64| text[(from - start) as usize..(end - start) as usize].to_vec();
            Some(from.map(part))
        })
    }

    /// Shows `look` the text from the first line on that begins at or after byte `at`, with the place of it, and whether it goes to the end of the file. More of it
    /// is read as long as that returns `None`.
    fn window<T>(
        &self,
        at: u64,
        begin: u64,
        mut look: impl FnMut(&[u8], u64, bool) -> Option<T>,
    ) -> Result<T> {
        let from = if at <= begin { begin } else { at - 1 };
        let left = self.file.file_len() - from;
        let mut len = WINDOW;
        loop {
            let text = self.bytes(from, len.min(left))?;
            let is_whole = len >= left;
            let line = match memchr2(b'\n', b'\r', &text) {
                _ if at <= begin => Some(0),
                Some(end) => Some(end + 1),
                None => is_whole.then_some(text.len()),
            };
            let line = line.map(|line| (&text[line..], from + line as u64));
            if let Some(found) = line.and_then(|(text, start)| look(text, start, is_whole)) {
                return Ok(found);
            }
            if is_whole || len >= LARGEST {
                let reason = format!("no end of a position within {LARGEST} bytes");
                return Err(BookError::byte(&self.path, from, reason));
            }
            len *= 4;
        }
    }
}

fn too_large(path: &Path, what: &str) -> BookError {
    let reason = format!("{what} is read as a whole, and this one is too large for that here");
    BookError::file(path, reason)
}
