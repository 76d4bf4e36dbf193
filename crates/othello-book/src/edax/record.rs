//! A position of `book.dat`.

use othello_core::Board;
use serde::{Deserialize, Serialize};

use crate::bytes::{i16_at, u32_at, u64_at};
use crate::{Edge, Fault, hex};

/// The bytes before the links; the leaf comes behind them.
const HEAD: usize = 40;

/// A position of an Edax book, in the bytes of the file.
#[derive(Clone, Copy, Debug)]
pub struct RecordRef<'a> {
    /// The bytes of this record and no others.
    bytes: &'a [u8],
    offset: usize,
}

/// A position of an Edax book.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The board, in canonical form in a sound book.
    #[serde(flatten, with = "hex")]
    pub board: Board,
    /// How many games the player to move has won, among those counted for this position.
    pub wins: u32,
    /// How many were drawn.
    pub draws: u32,
    /// How many were lost.
    pub losses: u32,
    /// How many lines lead on from here.
    pub lines: u32,
    /// The value in discs for the player to move.
    pub value: i16,
    /// A value that it surely reaches.
    pub lower: i16,
    /// A value that it surely does not exceed.
    pub upper: i16,
    /// The level at which it was searched.
    pub level: u8,
    /// Moves to positions of the book.
    pub links: Vec<Edge>,
    /// The best move that leads out of the book; [`Edge::NO_LEAF`] if there is none.
    pub leaf: Edge,
}

impl<'a> RecordRef<'a> {
    /// The bytes of a record without links.
    pub const MIN_LEN: usize = 42;

    /// The record at the front of `bytes`, which lie at a place of the file.
    #[inline]
    pub(crate) fn framed(bytes: &'a [u8], offset: usize) -> Result<Self, Fault> {
        let links = bytes.get(38).copied().map(usize::from);
        let len = links.map_or(Self::MIN_LEN, |links| Self::MIN_LEN + 2 * links);
        match bytes.get(..len) {
            Some(bytes) => Ok(Self { bytes, offset }),
            None => Err(Fault::new(
                offset as u64,
                format!(
                    "the file ends inside a record: {len} bytes were expected, {} are left",
                    bytes.len()
                ),
            )),
        }
    }

    /// Whether what must hold for any record does.
    #[inline]
    pub(crate) fn checked(&self) -> Result<(), Fault> {
        let (mover, opponent) = self.discs();
        if mover & opponent == 0 && (-127..=127).contains(&self.value()) {
            Ok(())
        } else {
            Err(self.fault())
        }
    }

    #[cold]
    fn fault(&self) -> Fault {
        let (mover, opponent) = self.discs();
        match Board::new(mover, opponent) {
            Err(error) => Fault::new(self.offset as u64, error.to_string()),
            Ok(_) => Fault::new(
                self.offset as u64 + 32,
                format!("a value of {}, -127 to 127 was expected", self.value()),
            ),
        }
    }

    /// Its bytes.
    #[inline]
    pub(crate) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Where it begins in the file.
    #[inline]
    pub const fn offset(&self) -> u64 {
        self.offset as u64
    }

    /// How many bytes it takes.
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
        // Records that reach the outside were checked; others are none of a board's concern.
        Board::new(mover, opponent & !mover).unwrap_or_default()
    }

    /// The value in discs for the player to move, −127 to 127.
    #[inline]
    pub fn value(&self) -> i16 {
        i16_at(self.bytes, 32)
    }

    /// The level at which it was searched.
    #[inline]
    pub fn level(&self) -> u8 {
        self.bytes[39]
    }

    /// How many links it has.
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

    /// Links, then the leaf, by number; `None` behind them.
    #[inline]
    pub fn edge(&self, n: usize) -> Option<Edge> {
        let pair = self.bytes.get(HEAD + 2 * n..HEAD + 2 * n + 2)?;
        Some(edge(pair))
    }

    /// The record on its own.
    pub fn to_record(&self) -> Record {
        Record {
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

impl Record {
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
