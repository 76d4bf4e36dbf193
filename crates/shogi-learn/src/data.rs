//! Teacher data as training reads them: positions of all formats as records of one size, streamed, filtered and mixed.

mod fit;
mod scan;
mod single;
mod stream;

use shogi_core::{Color, Move16, Position};
use shogi_packed::PackedSfen;

use crate::filter::LeafSearch;

pub(crate) use scan::{Scan, chosen, leaves, scan};
pub(crate) use stream::{Mixed, Reading, mirrored};

/// Records whose leaves are searched for at once: a search takes microseconds, and to ask for it takes some too.
const SEARCHED_AT_ONCE: usize = 256;

/// `records` with the sides to move in their positions, and the lines to the leaves of these.
fn lines_of(
    leaf: &LeafSearch,
    records: &[Record],
) -> crate::Result<impl Iterator<Item = (Record, Color, Option<Vec<Position>>)>> {
    let (mut sides, mut positions) = (Vec::new(), Vec::new());
    for record in records {
        // Packed here before.
        if let Ok(position) = PackedSfen(record.position).decode() {
            sides.push((*record, position.side_to_move()));
            positions.push(position);
        }
    }
    let lines = leaf(positions)?;
    let lines = sides.into_iter().zip(lines);
    Ok(lines.map(|((record, side), line)| (record, side, line)))
}

/// Moves and how often each was visited; none where that is not known.
pub(crate) type Visits = Box<[(Move16, u16)]>;

/// Records that were drawn, and the visits of each if they are wanted.
#[derive(Debug, Default)]
pub(crate) struct Drawn {
    pub(crate) records: Vec<Record>,
    pub(crate) visits: Vec<Visits>,
}

impl Drawn {
    /// The next `count` records, fewer at the end of an epoch.
    pub(crate) fn draw(mixed: &mut Mixed, count: usize) -> crate::Result<Self> {
        let mut drawn = Self::default();
        while drawn.records.len() < count
            && let Some(record) = mixed.next()?
        {
            drawn.records.push(record);
            drawn.visits.push(mixed.take_visits());
        }
        Ok(drawn)
    }
}

/// The next `count` records, fewer at the end of an epoch.
pub(crate) fn draw(mixed: &mut Mixed, count: usize) -> crate::Result<Vec<Record>> {
    let mut records = Vec::with_capacity(count);
    while records.len() < count
        && let Some(record) = mixed.next()?
    {
        records.push(record);
    }
    Ok(records)
}

/// A position with what its teacher says: 48 bytes, whatever the file was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Record {
    /// The position as a [`shogi_packed::PackedSfen`].
    pub(crate) position: [u8; 32],
    /// The score for the side to move, in the unit of the data.
    pub(crate) score: i16,
    /// The ply, 0 where it is not known.
    pub(crate) ply: u16,
    /// The file, by its number among the sources.
    pub(crate) source: u16,
    /// 1, 0 or -1: how the game ended for the side to move.
    pub(crate) outcome: i8,
    /// 1 for a position on the way to a leaf, else 0.
    pub(crate) on_the_way: u8,
    /// In the low 48 bits the [number](Self::number), above them the [move](Self::mv).
    pub(crate) tag: u64,
}

/// Bits of a record's number.
const NUMBER_BITS: u32 = 48;

impl Record {
    /// Bytes of a record in a checkpoint.
    pub(crate) const LEN: usize = 48;

    /// A tag of a number and the teacher's move there.
    pub(crate) fn tag(number: u64, mv: Move16) -> u64 {
        u64::from(mv.0) << NUMBER_BITS | number & ((1 << NUMBER_BITS) - 1)
    }

    /// The number of the record, or of the game and the ply: tells records of a file apart.
    pub(crate) const fn number(&self) -> u64 {
        self.tag & ((1 << NUMBER_BITS) - 1)
    }

    /// The teacher's move, [`Move16`] 0 where it is not known.
    pub(crate) const fn mv(&self) -> Move16 {
        Move16((self.tag >> NUMBER_BITS) as u16)
    }

    /// The same labels for another position, as its side to move sees them; this record is one for `side`. `None` when the position cannot
    /// be packed.
    fn moved_to(mut self, side: Color, position: &Position) -> Option<Self> {
        if position.side_to_move() != side {
            self.score = self.score.saturating_neg();
            self.outcome = -self.outcome;
        }
        self.position = PackedSfen::encode(position).ok()?.0;
        Some(self)
    }

    pub(crate) fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..32].copy_from_slice(&self.position);
        bytes[32..34].copy_from_slice(&self.score.to_le_bytes());
        bytes[34..36].copy_from_slice(&self.ply.to_le_bytes());
        bytes[36..38].copy_from_slice(&self.source.to_le_bytes());
        bytes[38] = self.outcome as u8;
        bytes[39] = self.on_the_way;
        bytes[40..].copy_from_slice(&self.tag.to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; Self::LEN]) -> Self {
        let two = |at: usize| [bytes[at], bytes[at + 1]];
        Self {
            position: *bytes.first_chunk().expect("32 bytes"),
            score: i16::from_le_bytes(two(32)),
            ply: u16::from_le_bytes(two(34)),
            source: u16::from_le_bytes(two(36)),
            outcome: bytes[38] as i8,
            on_the_way: bytes[39],
            tag: u64::from_le_bytes(*bytes.last_chunk().expect("8 bytes")),
        }
    }
}
