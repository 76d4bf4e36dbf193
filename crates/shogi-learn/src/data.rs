//! Teacher data as training reads them: positions of all formats as records of one size, streamed, filtered and mixed.

mod fit;
mod scan;
mod stream;

pub(crate) use scan::{Scan, chosen, scan};
pub(crate) use stream::{Mixed, Reading, mirrored};

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
    /// The position as a [`shogi_core::PackedSfen`].
    pub(crate) position: [u8; 32],
    /// The score for the side to move, in the unit of the data.
    pub(crate) score: i16,
    /// The ply, 0 where it is not known.
    pub(crate) ply: u16,
    /// The file, by its number among the sources.
    pub(crate) source: u16,
    /// 1, 0 or -1: how the game ended for the side to move.
    pub(crate) outcome: i8,
    /// Nothing.
    pub(crate) padding: u8,
    /// The number of the record, or of the game and the ply: tells records of a file apart.
    pub(crate) number: u64,
}

impl Record {
    /// Bytes of a record in a checkpoint.
    pub(crate) const LEN: usize = 48;

    pub(crate) fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..32].copy_from_slice(&self.position);
        bytes[32..34].copy_from_slice(&self.score.to_le_bytes());
        bytes[34..36].copy_from_slice(&self.ply.to_le_bytes());
        bytes[36..38].copy_from_slice(&self.source.to_le_bytes());
        bytes[38] = self.outcome as u8;
        bytes[40..].copy_from_slice(&self.number.to_le_bytes());
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
            padding: 0,
            number: u64::from_le_bytes(*bytes.last_chunk().expect("8 bytes")),
        }
    }
}
