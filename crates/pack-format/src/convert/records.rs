//! Records of one size into each other.
//!
//! Nothing is moved but what has to be: the position goes from the placement straight into the
//! output, the other fields through registers.

use shogi_core::Color;
use shogi_packed::{PackedForm, Repacked, UnpackError};

use super::WithoutMove;
use super::drive::Part;
use super::unrepresentable::Unrepresentable;
use crate::record::{InvalidRecord, TeacherRecord, TeacherRecordProblem, has_no_move};
use crate::{
    DataPlace, Hcpe, InvalidData, MoverOutcome, Psv, TeacherFormat, TeacherResult, TeacherScore,
};

/// Bytes of a packed position.
const POSITION: usize = 32;

/// Converts the records of `bytes`, over whatever is in the output. Invalid ones are left out when `skip`, else the
/// first one ends it.
pub(super) fn to_records<T: Packed, U: FromRecord<T>>(
    bytes: &[u8],
    skip: bool,
    without_move: WithoutMove,
    part: &mut Part,
) -> Option<InvalidData> {
    let mut output = std::mem::take(&mut part.output);
    output.resize(bytes.len() / T::LEN * U::LEN, 0);
    let mut places = output.chunks_exact_mut(U::LEN);
    // Records that were written, and those that were left out because they have no move.
    let (mut written, mut moveless, mut left_out, mut stopped) = (0, 0, 0, None);
    let mut add_problem = |invalid: InvalidData, record: &[u8]| {
        if skip {
            part.skipped.push((invalid, record.len() as u64));
        } else {
            stopped = Some(invalid);
        }
        !skip
    };
    let mut is_over = false;
    let truncated = each::<T>(bytes, U::FORM, |index, record, read| {
        if is_over {
            return;
        }
        match read {
            Ok((fields, repacked)) => {
                if has_no_move(record) {
                    match without_move {
                        WithoutMove::Keep => {}
                        WithoutMove::Skip => {
                            moveless += 1;
                            left_out += 1;
                            return;
                        }
                        WithoutMove::Refuse => {
                            is_over = add_problem(refused::<T>(index, U::FORM), record);
                            return;
                        }
                    }
                    moveless += 1;
                }
                let place = places.next().expect("one for each record");
                U::write(fields, &repacked, place);
                written += 1;
            }
            Err(problem) => is_over = add_problem(invalid(index, T::LEN, problem), record),
        }
    });
    if let Some((index, rest, problem)) = truncated
        && !is_over
    {
        add_problem(invalid(index, T::LEN, problem), rest);
    }
    part.good += (written + left_out) * T::LEN;
    part.positions += written as u64;
    part.without_move += moveless;
    output.truncate(written * U::LEN);
    part.output = output;
    stopped
}

/// The damage of a record without a move where it needs one.
#[cold]
#[inline(never)]
fn refused<T: Packed>(index: usize, to: PackedForm) -> InvalidData {
    let to = match to {
        PackedForm::Hcp => TeacherFormat::Hcpe,
        PackedForm::PackedSfen => TeacherFormat::Psv,
    };
    let place = DataPlace::Offset((index * T::LEN) as u64);
    InvalidData::unrepresentable(place, Unrepresentable::NoMove(to))
}

/// Checks the records of `bytes`. When `is_strict`, the unused last byte must be zero. Invalid ones are all
/// counted when `skip`, else the first one ends it.
pub(crate) fn check_records<T: FromRecord<T>>(
    bytes: &[u8],
    skip: bool,
    is_strict: bool,
    part: &mut Part,
) -> Option<InvalidData> {
    let mut canonical = vec![0; T::LEN];
    let mut problems = Vec::new();
    let mut is_over = false;
    let truncated = each::<T>(bytes, T::FORM, |index, record, read| {
        let problem = match read {
            _ if is_over => return,
            Ok(_) if is_strict && record[T::LEN - 1] != 0 => TeacherRecordProblem::Padding {
                at: T::LEN - 1,
                found: record[T::LEN - 1],
            },
            Ok((fields, repacked)) => {
                T::write(fields, &repacked, &mut canonical);
                part.positions += 1;
                part.without_move += u64::from(has_no_move(record));
                part.uncanonical += u64::from(canonical[..POSITION] != record[..POSITION]);
                part.good += T::LEN;
                return;
            }
            Err(problem) => problem,
        };
        problems.push((invalid(index, T::LEN, problem), record.len() as u64));
        is_over = !skip;
    });
    if let Some((index, rest, problem)) = truncated
        && !is_over
    {
        problems.push((invalid(index, T::LEN, problem), rest.len() as u64));
    }
    if !skip {
        return problems.pop().map(|(invalid, _)| invalid);
    }
    part.skipped.append(&mut problems);
    None
}

#[cold]
#[inline(never)]
fn invalid(index: usize, len: usize, problem: TeacherRecordProblem) -> InvalidData {
    InvalidData::from(InvalidRecord {
        record: index as u64 + 1,
        offset: (index * len) as u64,
        problem,
    })
}

/// Calls `visit` with the number and bytes of each record, its fields and its position in the form `to`.
/// Returns what is left of the bytes, less than a record, with its number and what is wrong with it.
///
/// Positions are read many at a time, which is faster than one by one.
#[inline(always)]
fn each<T: Packed>(
    bytes: &[u8],
    to: PackedForm,
    mut visit: impl FnMut(usize, &[u8], Result<(T::Fields, Repacked<'_>), TeacherRecordProblem>),
) -> Option<(usize, &[u8], TeacherRecordProblem)> {
    let mut index = 0;
    let rest = T::each(bytes, to, |record, fields, read| {
        let read = match (fields, read) {
            (Some(fields), Ok(repacked)) => Ok((fields, repacked)),
            (_, read) => Err(problem::<T>(record, read.err())),
        };
        visit(index, record, read);
        index += 1;
    });
    let (needed, left) = (T::LEN, rest.len());
    (left > 0).then_some((
        index,
        rest,
        TeacherRecordProblem::Truncated { needed, left },
    ))
}

/// Returns the problem of a record.
#[cold]
#[inline(never)]
fn problem<T: Packed>(bytes: &[u8], position: Option<UnpackError>) -> TeacherRecordProblem {
    match (T::from_bytes(bytes), position) {
        (Err(problem), _) => problem,
        (_, Some(error)) => error.into(),
        (Ok(record), None) => record.illegal(),
    }
}

/// A record that holds a packed position.
pub(crate) trait Packed: TeacherRecord {
    /// The form of the position.
    const FORM: PackedForm;
    /// Fields of the record other than the position.
    type Fields: Copy;

    /// Reads records: calls `visit` with the bytes of each, its fields, and its position in the form `to`.
    /// `None` for the fields when one has a value it cannot have, such as a move that is not legal. Returns
    /// what is left at the end, less than a record.
    fn each(
        bytes: &[u8],
        to: PackedForm,
        visit: impl FnMut(&[u8], Option<Self::Fields>, Result<Repacked<'_>, UnpackError>),
    ) -> &[u8];

    /// The problem of a move that is not legal.
    fn illegal(&self) -> TeacherRecordProblem;
}

/// The bits of a record's move, which both kinds have in the same place.
#[inline(always)]
fn move_code<const LEN: usize>(record: &[u8; LEN]) -> u16 {
    u16::from_le_bytes([record[34], record[35]])
}

/// The move as in the record that is to be made, 0 where the record has none; `None` for one that is not
/// legal, and without a position.
#[inline(always)]
fn move_of(record: &[u8], read: &Result<Repacked<'_>, UnpackError>) -> Option<u16> {
    let repacked = read.as_ref().ok()?;
    repacked.code.or_else(|| has_no_move(record).then_some(0))
}

/// Fields of an hcpe, the move as in the record that is to be made.
#[derive(Clone, Copy)]
pub(crate) struct HcpeFields {
    score: TeacherScore,
    code: u16,
    result: TeacherResult,
}

impl HcpeFields {
    /// Reads the fields of a record; the move is this one.
    #[inline(always)]
    fn read(bytes: &[u8; Hcpe::LEN], code: u16) -> Option<Self> {
        let &[a, b, _, _, result, _] = bytes.last_chunk::<6>()?;
        Some(Self {
            score: TeacherScore(i16::from_le_bytes([a, b])),
            code,
            result: TeacherResult::from_number(result)?,
        })
    }
}

impl Packed for Hcpe {
    const FORM: PackedForm = PackedForm::Hcp;
    type Fields = HcpeFields;

    #[inline(always)]
    fn each(
        bytes: &[u8],
        to: PackedForm,
        mut visit: impl FnMut(&[u8], Option<HcpeFields>, Result<Repacked<'_>, UnpackError>),
    ) -> &[u8] {
        let (records, rest) = bytes.as_chunks::<{ Self::LEN }>();
        Self::FORM.each(to, records, move_code, |record, read| {
            let code = move_of(record, &read);
            let fields = code.and_then(|code| HcpeFields::read(record, code));
            visit(record, fields, read);
        });
        rest
    }

    fn illegal(&self) -> TeacherRecordProblem {
        TeacherRecordProblem::IllegalApery { code: self.mv }
    }
}

/// Fields of a PSV, the move as in the record that is to be made.
#[derive(Clone, Copy)]
pub(crate) struct PsvFields {
    score: TeacherScore,
    code: u16,
    ply: u16,
    outcome: MoverOutcome,
}

impl PsvFields {
    /// Reads the fields of a record; the move is this one.
    #[inline(always)]
    fn read(bytes: &[u8; Psv::LEN], code: u16) -> Option<Self> {
        let &[a, b, _, _, e, f, outcome, _] = bytes.last_chunk::<8>()?;
        Some(Self {
            score: TeacherScore(i16::from_le_bytes([a, b])),
            code,
            ply: u16::from_le_bytes([e, f]),
            outcome: MoverOutcome::from_number(outcome as i8)?,
        })
    }
}

impl Packed for Psv {
    const FORM: PackedForm = PackedForm::PackedSfen;
    type Fields = PsvFields;

    #[inline(always)]
    fn each(
        bytes: &[u8],
        to: PackedForm,
        mut visit: impl FnMut(&[u8], Option<PsvFields>, Result<Repacked<'_>, UnpackError>),
    ) -> &[u8] {
        let (records, rest) = bytes.as_chunks::<{ Self::LEN }>();
        Self::FORM.each(to, records, move_code, |record, read| {
            let code = move_of(record, &read);
            let fields = code.and_then(|code| PsvFields::read(record, code));
            visit(record, fields, read);
        });
        rest
    }

    fn illegal(&self) -> TeacherRecordProblem {
        TeacherRecordProblem::Illegal { code: self.mv }
    }
}

/// A record that can be made of another kind of record. Positions become canonical on the way.
pub(crate) trait FromRecord<T: Packed>: Packed {
    /// Writes the record over `bytes`; `repacked` is the position of the other one.
    fn write(fields: T::Fields, repacked: &Repacked<'_>, bytes: &mut [u8]);
}

impl FromRecord<Self> for Hcpe {
    #[inline(always)]
    fn write(fields: HcpeFields, repacked: &Repacked<'_>, bytes: &mut [u8]) {
        put_hcpe(fields, repacked, bytes);
    }
}

/// [`MoverOutcome::of`] by number of the outcome, modulo 4, and of the colour: in data that was shuffled, a
/// processor would guess wrong about branches.
const RESULTS: [[TeacherResult; 2]; 4] = {
    let mut results = [[TeacherResult::Draw; 2]; 4];
    let mut i = 0;
    while i < 2 {
        results[MoverOutcome::Win as usize % 4][i] = MoverOutcome::Win.of(Color::ALL[i]);
        results[MoverOutcome::Loss as usize % 4][i] = MoverOutcome::Loss.of(Color::ALL[i]);
        i += 1;
    }
    results
};

/// [`TeacherResult::seen_by`] by number of the result and of the colour, see [`RESULTS`].
const OUTCOMES: [[MoverOutcome; 2]; 3] = {
    let mut outcomes = [[MoverOutcome::Draw; 2]; 3];
    let mut i = 0;
    while i < 2 {
        let color = Color::ALL[i];
        outcomes[TeacherResult::BlackWin as usize][i] = TeacherResult::BlackWin.seen_by(color);
        outcomes[TeacherResult::WhiteWin as usize][i] = TeacherResult::WhiteWin.seen_by(color);
        i += 1;
    }
    outcomes
};

impl FromRecord<Psv> for Hcpe {
    #[inline(always)]
    fn write(fields: PsvFields, repacked: &Repacked<'_>, bytes: &mut [u8]) {
        let side = repacked.side as usize;
        let fields = HcpeFields {
            score: fields.score,
            code: fields.code,
            result: RESULTS[fields.outcome as usize % 4][side],
        };
        put_hcpe(fields, repacked, bytes);
    }
}

impl FromRecord<Hcpe> for Psv {
    #[inline(always)]
    fn write(fields: HcpeFields, repacked: &Repacked<'_>, bytes: &mut [u8]) {
        let side = repacked.side as usize;
        let fields = PsvFields {
            score: fields.score,
            code: fields.code,
            ply: 0,
            outcome: OUTCOMES[fields.result as usize][side],
        };
        put_psv(fields, repacked, bytes);
    }
}

impl FromRecord<Self> for Psv {
    #[inline(always)]
    fn write(fields: PsvFields, repacked: &Repacked<'_>, bytes: &mut [u8]) {
        put_psv(fields, repacked, bytes);
    }
}

#[inline(always)]
fn put_hcpe(fields: HcpeFields, repacked: &Repacked<'_>, bytes: &mut [u8]) {
    let (position, rest) = bytes
        .split_first_chunk_mut::<32>()
        .expect("room for a record");
    *position = *repacked.bytes;
    // Few and large writes.
    let (score, code) = (fields.score.0 as u16, fields.code);
    let result = u64::from(fields.result as u8);
    let numbers = u64::from(score) | u64::from(code) << 16 | result << 32;
    rest.copy_from_slice(&numbers.to_le_bytes()[..6]);
}

#[inline(always)]
fn put_psv(fields: PsvFields, repacked: &Repacked<'_>, bytes: &mut [u8]) {
    let (position, rest) = bytes
        .split_first_chunk_mut::<32>()
        .expect("room for a record");
    *position = *repacked.bytes;
    let (score, code, ply) = (fields.score.0 as u16, fields.code, fields.ply);
    let outcome = u64::from(fields.outcome as u8);
    let numbers = u64::from(score) | u64::from(code) << 16 | u64::from(ply) << 32 | outcome << 48;
    rest.copy_from_slice(&numbers.to_le_bytes());
}
