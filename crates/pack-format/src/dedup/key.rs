//! What is compared.

use sha2::{Digest, Sha256};
use shogi_core::{Hcp, PackedSfen, UnpackError};
use shogi_packed::Placement;

use super::DedupBy;
use crate::record::InvalidRecord;
use crate::units::{UnitBatch, each};
use crate::{InvalidData, Result, TeacherError, TeacherFormat};

/// Bytes of a packed position.
const POSITION: usize = 32;
/// Where the move of a record is: behind position and score.
const MOVE: std::ops::Range<usize> = 34..36;

/// Makes keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys {
    format: TeacherFormat,
    by: DedupBy,
}

impl Keys {
    /// # Errors
    /// When positions shall be compared in a format whose records are not positions.
    pub(super) fn new(format: TeacherFormat, by: DedupBy) -> Result<Self> {
        if by != DedupBy::WholeRecord && format.record_len().is_none() {
            return Err(TeacherError::Option(format!(
                "{format} files can be searched for equal games or lines only, not for equal positions"
            )));
        }
        Ok(Self { format, by })
    }

    /// Format of the records.
    pub(super) const fn format(self) -> TeacherFormat {
        self.format
    }

    /// Bytes of a key.
    pub(super) fn len(self) -> usize {
        match self.by {
            DedupBy::Position => POSITION,
            DedupBy::PositionAndMove => POSITION + MOVE.len(),
            DedupBy::WholeRecord => self.format.record_len().unwrap_or(POSITION),
        }
    }

    /// The keys of a batch, one after the other.
    ///
    /// # Errors
    /// When a position is none.
    pub(super) fn of(self, batch: &UnitBatch) -> Result<Vec<u8>> {
        let canonical = match self.format {
            TeacherFormat::Hcpe => canonical_hcp,
            TeacherFormat::Psv => canonical_psfen,
            TeacherFormat::Jsonl | TeacherFormat::Csv => {
                return Ok(digests(self.format, batch, trimmed));
            }
            TeacherFormat::Pack | TeacherFormat::Hcpe3 => {
                return Ok(digests(self.format, batch, |game| game));
            }
        };
        let mut keys = Vec::with_capacity(batch.units as usize * self.len());
        for (index, record) in each(self.format, &batch.bytes).enumerate() {
            let (position, rest) = record.split_first_chunk().expect("a whole record");
            let position = canonical(position).map_err(|problem| {
                batch.damaged(InvalidData::from(InvalidRecord {
                    record: index as u64 + 1,
                    offset: (index * record.len()) as u64,
                    problem: problem.into(),
                }))
            })?;
            keys.extend_from_slice(&position);
            match self.by {
                DedupBy::Position => {}
                DedupBy::PositionAndMove => keys.extend_from_slice(&record[MOVE]),
                DedupBy::WholeRecord => {
                    // All but the last byte, which means nothing.
                    keys.extend_from_slice(&rest[..rest.len() - 1]);
                    keys.push(0);
                }
            }
        }
        Ok(keys)
    }
}

fn digests(format: TeacherFormat, batch: &UnitBatch, part: fn(&[u8]) -> &[u8]) -> Vec<u8> {
    let digest = |unit| Sha256::digest(part(unit));
    each(format, &batch.bytes).flat_map(digest).collect()
}

/// A line without its end, which is written in two ways.
fn trimmed(line: &[u8]) -> &[u8] {
    line.trim_ascii_end()
}

/// The canonical form of a position. One without a king may have none; then its bytes must do.
fn canonical_hcp(bytes: &[u8; POSITION]) -> std::result::Result<[u8; POSITION], UnpackError> {
    let placement = Placement::from_hcp(&Hcp(*bytes))?;
    Ok(placement.to_hcp().map_or(*bytes, |hcp| hcp.0))
}

/// See [`canonical_hcp`].
fn canonical_psfen(bytes: &[u8; POSITION]) -> std::result::Result<[u8; POSITION], UnpackError> {
    let placement = Placement::from_packed_sfen(&PackedSfen(*bytes))?;
    Ok(placement.to_packed_sfen().map_or(*bytes, |packed| packed.0))
}
