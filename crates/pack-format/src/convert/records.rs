//! Records of one size into each other.

use shogi_core::{AperyMove16, Hcp, Move16, PackedSfen};

use super::drive::Part;
use crate::record::{FaultyRecord, Record, RecordFault};
use crate::{Damage, Hcpe, Psv};

/// Converts the records of `bytes`. Faulty ones are left out when `skip`, else the first one ends it.
pub(super) fn to_records<T: Record, U: FromRecord<T>>(
    bytes: &[u8],
    skip: bool,
    part: &mut Part,
) -> Option<Damage> {
    for (index, bytes) in bytes.chunks(T::LEN).enumerate() {
        match convert::<T, U>(bytes) {
            Ok((_, record)) => {
                record.write_to(&mut part.output);
                part.positions += 1;
                part.good += bytes.len();
            }
            Err(fault) => {
                let damage = damage(index, T::LEN, fault);
                if !skip {
                    return Some(damage);
                }
                part.skipped.push((damage, bytes.len() as u64));
            }
        }
    }
    None
}

/// Checks the records of `bytes`.
pub(crate) fn check_records<T: FromRecord<T> + PartialEq>(bytes: &[u8], part: &mut Part) {
    for (index, bytes) in bytes.chunks(T::LEN).enumerate() {
        match convert::<T, T>(bytes) {
            Ok((record, canonical)) => {
                part.positions += 1;
                part.uncanonical += u64::from(record != canonical);
                part.good += bytes.len();
            }
            Err(fault) => {
                let damage = damage(index, T::LEN, fault);
                part.skipped.push((damage, bytes.len() as u64));
            }
        }
    }
}

fn damage(index: usize, len: usize, fault: RecordFault) -> Damage {
    Damage::Record(FaultyRecord {
        record: index as u64 + 1,
        offset: (index * len) as u64,
        fault,
    })
}

fn convert<T: Record, U: FromRecord<T>>(bytes: &[u8]) -> Result<(T, U), RecordFault> {
    if bytes.len() < T::LEN {
        return Err(RecordFault::Truncated {
            needed: T::LEN,
            left: bytes.len(),
        });
    }
    let record = T::from_bytes(bytes)?;
    Ok((record, U::from_record(&record)?))
}

/// A record that can be made of another kind of record. Positions become canonical on the way.
pub(crate) trait FromRecord<T>: Record {
    /// The record.
    fn from_record(record: &T) -> Result<Self, RecordFault>;
}

impl FromRecord<Self> for Hcpe {
    fn from_record(record: &Self) -> Result<Self, RecordFault> {
        let (position, _) = record.open()?;
        let position = Hcp::encode(&position).expect("it was packed before");
        Ok(Self {
            position,
            ..*record
        })
    }
}

impl FromRecord<Psv> for Hcpe {
    fn from_record(record: &Psv) -> Result<Self, RecordFault> {
        let (position, mv) = record.open()?;
        Ok(Self {
            position: Hcp::encode(&position).expect("it was packed before"),
            score: record.score,
            mv: AperyMove16::from(mv),
            result: record.outcome.of(position.side_to_move()),
        })
    }
}

impl FromRecord<Hcpe> for Psv {
    fn from_record(record: &Hcpe) -> Result<Self, RecordFault> {
        let (position, mv) = record.open()?;
        Ok(Self {
            position: PackedSfen::encode(&position).expect("it was packed before"),
            score: record.score,
            mv: Move16::from(mv),
            ply: 0,
            outcome: record.result.seen_by(position.side_to_move()),
        })
    }
}

impl FromRecord<Self> for Psv {
    fn from_record(record: &Self) -> Result<Self, RecordFault> {
        let (position, _) = record.open()?;
        let position = PackedSfen::encode(&position).expect("it was packed before");
        Ok(Self {
            position,
            ..*record
        })
    }
}
