//! Records of `book.dat`.

use othello_core::Board;
use serde::{Deserialize, Serialize};

use crate::bytes::{hex, i16_at, u32_at, u64_at};
use crate::{Edge, FormatError};

/// The length of the fields before the links; the leaf comes behind them.
const HEAD: usize = 40;

/// A record in the bytes of the file.
#[derive(Clone, Copy, Debug)]
pub struct EdaxRecordRef<'a> {
    /// The bytes of this record only.
    bytes: &'a [u8],
    offset: usize,
}

/// A position of an Edax book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdaxRecord {
    /// The board, in canonical form in a sound book.
    #[serde(flatten, with = "hex")]
    pub board: Board,
    /// The counted games that the player to move won.
    pub wins: u32,
    /// The counted games that were drawn.
    pub draws: u32,
    /// The counted games that the player to move lost.
    pub losses: u32,
    /// The number of lines from here.
    pub lines: u32,
    /// The value in discs for the player to move.
    pub value: i16,
    /// A lower bound of the value.
    pub lower: i16,
    /// An upper bound of the value.
    pub upper: i16,
    /// The level of the search.
    pub level: u8,
    /// Moves to positions of the book.
    pub links: Vec<Edge>,
    /// The best move that leads out of the book; [`Edge::NO_LEAF`] if there is none.
    pub leaf: Edge,
}

impl<'a> EdaxRecordRef<'a> {
    /// The bytes of a record without links.
    pub const MIN_LEN: usize = 42;

    /// Frames the record at the front of `bytes`, which are at an offset of the file.
    #[inline]
    pub(crate) fn framed(bytes: &'a [u8], offset: usize) -> Result<Self, FormatError> {
        let links = bytes.get(38).copied().map(usize::from);
        let len = links.map_or(Self::MIN_LEN, |links| Self::MIN_LEN + 2 * links);
        match bytes.get(..len) {
            Some(bytes) => Ok(Self { bytes, offset }),
            None => Err(FormatError::new(
                offset as u64,
                format!(
                    "the file ends inside a record: {len} bytes were expected, {} are left",
                    bytes.len()
                ),
            )),
        }
    }

    /// Checks the invariants of a record: disjoint discs, a value in range.
    #[inline]
    pub(crate) fn checked(&self) -> Result<(), FormatError> {
        let (mover, opponent) = self.discs();
        if mover & opponent == 0 && (-127..=127).contains(&self.value()) {
            Ok(())
        } else {
            Err(self.error())
        }
    }

    #[cold]
    fn error(&self) -> FormatError {
        let (mover, opponent) = self.discs();
        match Board::new(mover, opponent) {
            Err(error) => FormatError::new(self.offset as u64, error.to_string()),
            Ok(_) => FormatError::new(
                self.offset as u64 + 32,
                format!("a value of {}, -127 to 127 was expected", self.value()),
            ),
        }
    }

    /// The bytes of the record.
    #[inline]
    pub(crate) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The offset in the file.
    #[inline]
    pub const fn offset(&self) -> u64 {
        self.offset as u64
    }

    /// The length in bytes.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "no record is empty")]
    pub const fn len(&self) -> usize {
        self.bytes.len()
    }

    #[inline(always)]
    fn discs(&self) -> (u64, u64) {
        (u64_at(self.bytes, 0), u64_at(self.bytes, 8))
    }

    /// The board.
    #[inline]
    pub fn board(&self) -> Board {
        let (mover, opponent) = self.discs();
        // Records that leave the crate were checked.
        Board::new(mover, opponent & !mover).unwrap_or_default()
    }

    /// The value in discs for the player to move, −127 to 127.
    #[inline]
    pub fn value(&self) -> i16 {
        i16_at(self.bytes, 32)
    }

    /// The level of the search.
    #[inline]
    pub fn level(&self) -> u8 {
        self.bytes[39]
    }

    /// The number of links.
    #[inline]
    pub fn link_count(&self) -> usize {
        self.bytes[38] as usize
    }

    /// Moves to positions of the book, in the order of the file.
    #[inline]
    pub fn links(&self) -> impl ExactSizeIterator<Item = Edge> + use<'a> {
        let links = &self.bytes[HEAD..self.bytes.len() - 2];
        links.chunks_exact(2).map(edge)
    }

    /// The best move that leads out of the book; number [`Edge::NONE`] if there is none.
    #[inline]
    pub fn leaf(&self) -> Edge {
        edge(&self.bytes[self.bytes.len() - 2..])
    }

    /// The edge at an index: links, then the leaf; `None` beyond.
    #[inline]
    pub fn edge(&self, n: usize) -> Option<Edge> {
        let pair = self.bytes.get(HEAD + 2 * n..HEAD + 2 * n + 2)?;
        Some(edge(pair))
    }

    /// The record as an owned value.
    pub fn to_record(&self) -> EdaxRecord {
        EdaxRecord {
            board: self.board(),
            wins: u32_at(self.bytes, 16),
            draws: u32_at(self.bytes, 20),
            losses: u32_at(self.bytes, 24),
            lines: u32_at(self.bytes, 28),
            value: self.value(),
            lower: i16_at(self.bytes, 34),
            upper: i16_at(self.bytes, 36),
            level: self.level(),
            links: self.links().collect(),
            leaf: self.leaf(),
        }
    }
}

#[inline(always)]
fn edge(pair: &[u8]) -> Edge {
    Edge {
        score: pair[0] as i8,
        number: pair[1],
    }
}

impl EdaxRecord {
    /// Appends the bytes of the record.
    ///
    /// # Panics
    ///
    /// With more than 255 links, for which the format has no room.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        let links = u8::try_from(self.links.len()).expect("no board has more than 255 moves");
        out.extend(self.board.mover().to_le_bytes());
        out.extend(self.board.opponent().to_le_bytes());
        for count in [self.wins, self.draws, self.losses, self.lines] {
            out.extend(count.to_le_bytes());
        }
        for value in [self.value, self.lower, self.upper] {
            out.extend(value.to_le_bytes());
        }
        out.extend([links, self.level]);
        for edge in self.links.iter().chain([&self.leaf]) {
            out.extend([edge.score as u8, edge.number]);
        }
    }
}
