//! The binary format `.ybb` of the `YaneuraOu` family.
//!
//! All numbers are little endian.
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 16 | `YANE-BINBOOK-V1` and a zero |
//! | 16 | 8 | number of positions, *n* |
//! | 24 | 8 | flags: bit 0 = moves have depths; the others are 0 |
//! | 32 | 44 *n* | index: position ([`shogi_core::PackedSfen`], 32 bytes), start of its moves in the moves area (u64, bytes), ply (u16), number of its moves (u16) |
//! | 32 + 44 *n* | | moves area: move ([`shogi_core::Move16`], 0 for none), value (i16), with the flag depth (u16) |
//!
//! The index is in strictly ascending order of the 32 bytes, so a position is found by binary search
//! in the file. Expected replies and counts are not stored. The move number is stored but does not
//! distinguish positions.

mod reader;
mod writer;

pub use reader::{Ybb, YbbEntries};
pub use reader::{YbbEntry, YbbMoves};
pub use writer::YbbWriter;

/// Bytes of an index record.
const INDEX_RECORD: usize = 44;

/// Bytes of the header.
const HEADER_LEN: usize = 32;

/// Returns where an index record begins in the file.
const fn record_offset(at: usize) -> usize {
    HEADER_LEN + at * INDEX_RECORD
}

const MAGIC: &[u8; 16] = b"YANE-BINBOOK-V1\0";

/// Presence of depths in the moves of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoveDepths {
    /// They have: 6 bytes a move.
    #[default]
    Stored,
    /// They have not: 4 bytes a move.
    Omitted,
}

impl MoveDepths {
    /// Bytes of a move.
    pub const fn move_len(self) -> usize {
        match self {
            Self::Stored => 6,
            Self::Omitted => 4,
        }
    }
}

/// What the header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    count: u64,
    depths: MoveDepths,
}

impl Header {
    /// Reads the header at the start of `file`; offset and reason of the problem when it is none.
    fn parse(file: &[u8]) -> Result<Self, (u64, String)> {
        let Some(header) = file.first_chunk::<HEADER_LEN>() else {
            let reason = format!("expected a header of {HEADER_LEN} bytes, the file ends");
            return Err((file.len() as u64, reason));
        };
        if !header.starts_with(MAGIC) {
            return Err((0, "expected YANE-BINBOOK-V1".to_owned()));
        }
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        let depths = match number(24) {
            0 => MoveDepths::Omitted,
            1 => MoveDepths::Stored,
            flags => return Err((24, format!("expected flags 0 or 1, found {flags:#x}"))),
        };
        Ok(Self {
            count: number(16),
            depths,
        })
    }

    /// The bytes of the header.
    fn bytes(self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..16].copy_from_slice(MAGIC);
        bytes[16..24].copy_from_slice(&self.count.to_le_bytes());
        let flags = u64::from(self.depths == MoveDepths::Stored);
        bytes[24..].copy_from_slice(&flags.to_le_bytes());
        bytes
    }
}
