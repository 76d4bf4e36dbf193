//! The first 32 bytes.

use super::INDEX_RECORD;

/// Bytes of the header.
pub(super) const HEADER_LEN: usize = 32;

/// Where an index record begins in the file.
pub(super) const fn record_offset(at: usize) -> usize {
    HEADER_LEN + at * INDEX_RECORD
}

const MAGIC: &[u8; 16] = b"YANE-BINBOOK-V1\0";

/// Whether the moves of a file have depths.
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
pub(super) struct Header {
    pub(super) count: u64,
    pub(super) depths: MoveDepths,
}

impl Header {
    /// Reads the header at the start of `file`; offset and reason of the fault when it is none.
    pub(super) fn parse(file: &[u8]) -> Result<Self, (u64, String)> {
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
    pub(super) fn bytes(self) -> [u8; HEADER_LEN] {
        let mut bytes = [0; HEADER_LEN];
        bytes[..16].copy_from_slice(MAGIC);
        bytes[16..24].copy_from_slice(&self.count.to_le_bytes());
        let flags = u64::from(self.depths == MoveDepths::Stored);
        bytes[24..].copy_from_slice(&flags.to_le_bytes());
        bytes
    }
}
