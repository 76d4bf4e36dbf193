//! Records of one size into each other.
//!
//! Nothing is moved but what has to be: the position goes from the placement straight into the
//! output, the other fields through registers.

use shogi_core::{AperyMove16, Hcp, Move16, MoveText, PackedSfen, Placement, UnpackError};

use super::drive::Part;
use crate::record::{FaultyRecord, Record, RecordFault};
use crate::{Damage, GameResult, Hcpe, Outcome, Psv, Score};

/// Converts the records of `bytes`. Faulty ones are left out when `skip`, else the first one ends it.
pub(super) fn to_records<T: Packed, U: FromRecord<T>>(
    bytes: &[u8],
    skip: bool,
    part: &mut Part,
) -> Option<Damage> {
    let mut output = std::mem::take(&mut part.output);
    output.resize(bytes.len() / T::LEN * U::LEN, 0);
    let (mut written, mut stopped) = (0, None);
    each::<T>(bytes, |index, bytes, fields| {
        if stopped.is_some() {
            return;
        }
        match fields {
            Ok((fields, placement)) => {
                U::write(&fields, placement, &mut output[written..written + U::LEN]);
                written += U::LEN;
                part.good += T::LEN;
            }
            Err(fault) => {
                let damage = damage(index, T::LEN, fault);
                if skip {
                    part.skipped.push((damage, bytes.len() as u64));
                } else {
                    stopped = Some(damage);
                }
            }
        }
    });
    part.positions += (written / U::LEN) as u64;
    output.truncate(written);
    part.output = output;
    stopped
}

/// Checks the records of `bytes`.
pub(crate) fn check_records<T: FromRecord<T>>(bytes: &[u8], part: &mut Part) {
    let mut canonical = vec![0; T::LEN];
    each::<T>(bytes, |index, bytes, fields| match fields {
        Ok((fields, placement)) => {
            T::write(&fields, placement, &mut canonical);
            part.positions += 1;
            part.uncanonical += u64::from(canonical != bytes);
            part.good += T::LEN;
        }
        Err(fault) => {
            let damage = damage(index, T::LEN, fault);
            part.skipped.push((damage, bytes.len() as u64));
        }
    });
}

#[cold]
fn damage(index: usize, len: usize, fault: RecordFault) -> Damage {
    Damage::Record(FaultyRecord {
        record: index as u64 + 1,
        offset: (index * len) as u64,
        fault,
    })
}

/// Calls `visit` with the number and bytes of each record, its fields and position. Positions are
/// read many at a time, which is faster than one by one.
#[inline(always)]
fn each<T: Packed>(
    bytes: &[u8],
    mut visit: impl FnMut(usize, &[u8], Result<(T::Fields, &Placement), RecordFault>),
) {
    let records = bytes.chunks_exact(T::LEN);
    let rest = records.remainder();
    let mut numbered = records.clone().enumerate();
    let positions = records.map(|record| *record.first_chunk().expect("32 bytes and more"));
    T::each_placement(positions, |placement| {
        let (index, bytes) = numbered.next().expect("one placement a record");
        visit(index, bytes, fields::<T>(bytes, placement));
    });
    if !rest.is_empty() {
        let (needed, left) = (T::LEN, rest.len());
        let fault = RecordFault::Truncated { needed, left };
        visit(bytes.len() / T::LEN, rest, Err(fault));
    }
}

/// The fields of a record behind its position, whose move is legal.
#[inline(always)]
fn fields<'a, T: Packed>(
    bytes: &[u8],
    placement: Result<&'a Placement, UnpackError>,
) -> Result<(T::Fields, &'a Placement), RecordFault> {
    let Some((fields, text)) = T::fields(bytes) else {
        return Err(fault::<T>(bytes, placement));
    };
    match placement {
        Ok(placement) if placement.is_legal(text) => Ok((fields, placement)),
        _ => Err(fault::<T>(bytes, placement)),
    }
}

/// What is wrong with a record.
#[cold]
fn fault<T: Packed>(bytes: &[u8], placement: Result<&Placement, UnpackError>) -> RecordFault {
    match (T::from_bytes(bytes), placement) {
        (Err(fault), _) => fault,
        (_, Err(error)) => error.into(),
        (Ok(record), Ok(_)) => record.illegal(),
    }
}

/// A record that holds a packed position.
pub(crate) trait Packed: Record {
    /// What it holds beside the position.
    type Fields;

    /// Those fields and the move; `None` when one has a value it cannot have.
    fn fields(bytes: &[u8]) -> Option<(Self::Fields, MoveText)>;

    /// Reads many positions of this kind of record.
    fn each_placement(
        positions: impl Iterator<Item = [u8; 32]>,
        visit: impl FnMut(Result<&Placement, UnpackError>),
    );

    /// The fault of a move that is not legal.
    fn illegal(&self) -> RecordFault;
}

/// Fields of an hcpe.
pub(crate) struct HcpeFields {
    score: Score,
    text: MoveText,
    result: GameResult,
}

impl Packed for Hcpe {
    type Fields = HcpeFields;

    #[inline(always)]
    fn fields(bytes: &[u8]) -> Option<(HcpeFields, MoveText)> {
        let &[a, b, c, d, result, 0] = bytes.last_chunk::<6>()? else {
            return None;
        };
        let text = AperyMove16(u16::from_le_bytes([c, d])).decode()?;
        let fields = HcpeFields {
            score: Score(i16::from_le_bytes([a, b])),
            text,
            result: GameResult::from_number(result)?,
        };
        Some((fields, text))
    }

    #[inline(always)]
    fn each_placement(
        positions: impl Iterator<Item = [u8; 32]>,
        visit: impl FnMut(Result<&Placement, UnpackError>),
    ) {
        Placement::each_hcp(positions.map(Hcp), visit);
    }

    fn illegal(&self) -> RecordFault {
        RecordFault::IllegalApery { code: self.mv }
    }
}

/// Fields of a PSV.
pub(crate) struct PsvFields {
    score: Score,
    text: MoveText,
    ply: u16,
    outcome: Outcome,
}

impl Packed for Psv {
    type Fields = PsvFields;

    #[inline(always)]
    fn fields(bytes: &[u8]) -> Option<(PsvFields, MoveText)> {
        let &[a, b, c, d, e, f, outcome, 0] = bytes.last_chunk::<8>()? else {
            return None;
        };
        let text = Move16(u16::from_le_bytes([c, d])).decode()?;
        let fields = PsvFields {
            score: Score(i16::from_le_bytes([a, b])),
            text,
            ply: u16::from_le_bytes([e, f]),
            outcome: Outcome::from_number(outcome as i8)?,
        };
        Some((fields, text))
    }

    #[inline(always)]
    fn each_placement(
        positions: impl Iterator<Item = [u8; 32]>,
        visit: impl FnMut(Result<&Placement, UnpackError>),
    ) {
        Placement::each_packed_sfen(positions.map(PackedSfen), visit);
    }

    fn illegal(&self) -> RecordFault {
        RecordFault::Illegal { code: self.mv }
    }
}

/// A record that can be made of another kind of record. Positions become canonical on the way.
pub(crate) trait FromRecord<T: Packed>: Packed {
    /// Writes the record over `bytes`; `placement` is the position of the other one.
    fn write(fields: &T::Fields, placement: &Placement, bytes: &mut [u8]);
}

/// A position that was read from 32 bytes can be written to 32 bytes.
const WAS_PACKED: &str = "it was packed before";

impl FromRecord<Self> for Hcpe {
    #[inline(always)]
    fn write(fields: &HcpeFields, placement: &Placement, bytes: &mut [u8]) {
        put_hcpe(fields, placement, bytes);
    }
}

impl FromRecord<Psv> for Hcpe {
    #[inline(always)]
    fn write(fields: &PsvFields, placement: &Placement, bytes: &mut [u8]) {
        let fields = HcpeFields {
            score: fields.score,
            text: fields.text,
            result: fields.outcome.of(placement.side_to_move()),
        };
        put_hcpe(&fields, placement, bytes);
    }
}

impl FromRecord<Hcpe> for Psv {
    #[inline(always)]
    fn write(fields: &HcpeFields, placement: &Placement, bytes: &mut [u8]) {
        let fields = PsvFields {
            score: fields.score,
            text: fields.text,
            ply: 0,
            outcome: fields.result.seen_by(placement.side_to_move()),
        };
        put_psv(&fields, placement, bytes);
    }
}

impl FromRecord<Self> for Psv {
    #[inline(always)]
    fn write(fields: &PsvFields, placement: &Placement, bytes: &mut [u8]) {
        put_psv(fields, placement, bytes);
    }
}

#[inline(always)]
fn put_hcpe(fields: &HcpeFields, placement: &Placement, bytes: &mut [u8]) {
    let (position, rest) = bytes
        .split_first_chunk_mut::<32>()
        .expect("room for a record");
    *position = placement.to_hcp().expect(WAS_PACKED).0;
    let [a, b] = fields.score.0.to_le_bytes();
    let [c, d] = AperyMove16::encode(fields.text).0.to_le_bytes();
    rest.copy_from_slice(&[a, b, c, d, fields.result as u8, 0]);
}

#[inline(always)]
fn put_psv(fields: &PsvFields, placement: &Placement, bytes: &mut [u8]) {
    let (position, rest) = bytes
        .split_first_chunk_mut::<32>()
        .expect("room for a record");
    *position = placement.to_packed_sfen().expect(WAS_PACKED).0;
    let [a, b] = fields.score.0.to_le_bytes();
    let [c, d] = Move16::encode(fields.text).0.to_le_bytes();
    let [e, f] = fields.ply.to_le_bytes();
    rest.copy_from_slice(&[a, b, c, d, e, f, fields.outcome as u8, 0]);
}
