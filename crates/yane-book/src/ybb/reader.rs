//! Reading `.ybb` books in place.

use std::ops::Range;
use std::path::Path;

use shogi_core::{Move16, Position};
use shogi_packed::{PackedSfen, UnpackError};
use yane_io::Map;
use yane_io::sniff::Head;

use super::{HEADER_LEN, Header, INDEX_RECORD, IndexRecord, MoveDepths, record_offset};
use crate::sniff::expect_ybb;
use crate::{BookMove, Result};

/// A `.ybb` book, looked up in its file through a memory map ([`Map`] tells what other programs must
/// not do meanwhile).
#[derive(Debug)]
pub struct Ybb {
    map: Map,
    depths: MoveDepths,
    count: usize,
    /// Offset where the moves area begins, in bytes.
    moves_start: usize,
}

impl Ybb {
    /// Opens a book. Checks the header and the size of the file only, so it takes no time however
    /// large the book is; [`Self::verify`] checks the rest.
    ///
    /// # Errors
    /// When the file cannot be opened, its header is wrong or it ends inside the index or a move.
    pub fn open(path: &Path) -> Result<Self> {
        let map = Map::open(path)?;
        expect_ybb(path, &Head::of(&map))?;
        Self::from_map(map)
    }

    /// As [`Self::open`], for a file that is mapped already.
    ///
    /// # Errors
    /// When the header is wrong or the file ends inside the index or a move.
    pub fn from_map(map: Map) -> Result<Self> {
        let error = |(offset, reason): (u64, String)| map.error(offset, reason);
        let header = Header::parse(&map).map_err(error)?;
        let index_len = header.index_len((map.len() - HEADER_LEN) as u64);
        let index_len = index_len.map_err(error)? as usize;
        Ok(Self {
            map,
            depths: header.depths,
            count: header.count as usize,
            moves_start: HEADER_LEN + index_len,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.map.path()
    }

    /// The bytes of the file.
    pub(crate) const fn map(&self) -> &Map {
        &self.map
    }

    /// Number of positions.
    pub const fn len(&self) -> u64 {
        self.count as u64
    }

    /// Returns whether it has no position.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns whether moves have depths.
    pub const fn depths(&self) -> MoveDepths {
        self.depths
    }

    /// The position with this number, from 0; `None` when the book has fewer.
    ///
    /// # Errors
    /// When its moves are not within the moves area.
    pub fn get(&self, index: u64) -> Result<Option<YbbEntry<'_>>> {
        match usize::try_from(index) {
            Ok(at) if at < self.count => self.entry(at).map(Some),
            _ => Ok(None),
        }
    }

    /// The position `key`; `None` when the book does not have it.
    ///
    /// # Errors
    /// When its moves are not within the moves area.
    pub fn find(&self, key: &PackedSfen) -> Result<Option<YbbEntry<'_>>> {
        let mut range = 0..self.count;
        while !range.is_empty() {
            let middle = range.start + range.len() / 2;
            match self.key(middle).cmp(&key.0) {
                std::cmp::Ordering::Equal => return self.entry(middle).map(Some),
                std::cmp::Ordering::Less => range.start = middle + 1,
                std::cmp::Ordering::Greater => range.end = middle,
            }
        }
        Ok(None)
    }

    /// The number of the position whose index record has this byte of the file.
    pub(crate) fn index_at(&self, offset: u64) -> Option<u64> {
        let record = offset.checked_sub(HEADER_LEN as u64)? / INDEX_RECORD as u64;
        (record < self.len()).then_some(record)
    }

    /// All positions in the order of the file.
    pub const fn entries(&self) -> YbbEntries<'_> {
        YbbEntries {
            book: self,
            range: 0..self.count,
        }
    }

    /// Checks what [`Self::open`] does not: that the index is in strictly ascending order and all
    /// moves lie within the moves area.
    ///
    /// # Errors
    /// The first problem.
    pub fn verify(&self) -> Result<()> {
        self.verify_range(0..self.len())
    }

    /// As [`Self::verify`] for these positions and the border before the first of them.
    pub(crate) fn verify_range(&self, range: Range<u64>) -> Result<()> {
        for at in range.start as usize..range.end as usize {
            if at > 0 && self.key(at - 1) >= self.key(at) {
                let reason = format!(
                    "index record {at}: expected a position greater than the one before it (the index must ascend strictly)"
                );
                return Err(self.map.error(record_offset(at) as u64, reason).into());
            }
            self.entry(at)?;
        }
        Ok(())
    }

    fn key(&self, at: usize) -> &[u8] {
        let start = record_offset(at);
        &self.map[start..start + 32]
    }

    fn entry(&self, at: usize) -> Result<YbbEntry<'_>> {
        let start = record_offset(at);
        let record = std::array::from_fn(|byte| self.map[start + byte]);
        let record = IndexRecord::read(&record);
        let area = &self.map[self.moves_start..];
        let moves = record.moves(at as u64, self.depths, area.len() as u64);
        let moves = moves.map_err(|(offset, reason)| self.map.error(offset, reason))?;
        Ok(YbbEntry {
            index: at as u64,
            packed: record.packed,
            ply: record.ply,
            moves_offset: self.moves_start as u64 + moves.start,
            moves: &area[moves.start as usize..moves.end as usize],
            depths: self.depths,
        })
    }
}

/// Iterator over the positions of a [`Ybb`].
#[derive(Clone, Debug)]
pub struct YbbEntries<'a> {
    book: &'a Ybb,
    range: Range<usize>,
}

impl<'a> Iterator for YbbEntries<'a> {
    type Item = Result<YbbEntry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.range.next().map(|at| self.book.entry(at))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl ExactSizeIterator for YbbEntries<'_> {}

/// A position of a book, borrowed from its file.
#[derive(Clone, Copy, Debug)]
pub struct YbbEntry<'a> {
    /// Number of the position in the book, from 0.
    pub index: u64,
    /// The position.
    pub packed: PackedSfen,
    /// Its move number.
    pub ply: u16,
    /// Offset where its moves begin in the file, in bytes.
    pub(super) moves_offset: u64,
    pub(super) moves: &'a [u8],
    pub(super) depths: MoveDepths,
}

impl<'a> YbbEntry<'a> {
    /// The position with its move number.
    ///
    /// # Errors
    /// When the 32 bytes are no position.
    pub fn position(&self) -> std::result::Result<Position, UnpackError> {
        Ok(self.packed.decode()?.with_ply(self.ply.into()))
    }

    /// Returns where its index record begins in the file, in bytes.
    pub const fn offset(&self) -> u64 {
        record_offset(self.index as usize) as u64
    }

    /// Returns where the move with this place, from 0, begins in the file, in bytes.
    pub(crate) const fn move_offset(&self, place: usize) -> u64 {
        self.moves_offset + (place * self.depths.move_len()) as u64
    }

    /// The moves in the order of the file.
    pub fn moves(&self) -> YbbMoves<'a> {
        YbbMoves {
            rest: self.moves,
            depths: self.depths,
        }
    }
}

/// Iterator over the moves of an [`YbbEntry`], which may be any 16 bits: their legality is not checked.
/// Reply and count are not stored and come as `None` and 0, as does a depth that is not stored.
#[derive(Clone, Debug)]
pub struct YbbMoves<'a> {
    rest: &'a [u8],
    depths: MoveDepths,
}

impl Iterator for YbbMoves<'_> {
    type Item = BookMove;

    #[inline]
    fn next(&mut self) -> Option<BookMove> {
        let (bytes, rest) = self.rest.split_at_checked(self.depths.move_len())?;
        self.rest = rest;
        let &[m0, m1, e0, e1, ref depth @ ..] = bytes else {
            return None;
        };
        let code = u16::from_le_bytes([m0, m1]);
        Some(BookMove {
            mv: (code != 0).then_some(Move16(code)),
            ponder: None,
            eval: i16::from_le_bytes([e0, e1]).into(),
            depth: match *depth {
                [low, high] => u16::from_le_bytes([low, high]).into(),
                _ => 0,
            },
            count: 0,
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.rest.len() / self.depths.move_len();
        (len, Some(len))
    }
}

impl ExactSizeIterator for YbbMoves<'_> {}
