//! What is done with a batch, for each pair of formats.

use super::drive::Worker;
use super::generic::{self, SINGLE_POSITIONS, Scribe};
use super::records::{FromRecord, Packed};
use super::{TeacherConvertOptions, WithoutMove, pack, records};
use crate::pack::PackReplayer;
use crate::{Hcpe, Psv, Result, Sample, TeacherError, TeacherFormat};

/// The work for these formats. Damaged records and lines are left out when `skip`, else the first one ends
/// the work on a batch.
///
/// # Errors
/// When the target cannot hold what the source has.
pub(super) fn worker(options: &TeacherConvertOptions, skip: bool) -> Result<Worker> {
    check_representable(options)?;
    let TeacherConvertOptions { from, to, .. } = *options;
    let smoothing = options.smoothing.clone();
    let scribe = Scribe::new(options);
    let contradictions = options.contradictions;
    let without_move = options.without_move;
    let replayer = move || PackReplayer::new(contradictions);
    Ok(match (from, to) {
        (TeacherFormat::Pack, TeacherFormat::Hcpe) => Box::new(move |batch, part| {
            pack::to_records::<Hcpe>(&batch.bytes, &mut replayer(), smoothing.as_ref(), part)
        }),
        (TeacherFormat::Pack, TeacherFormat::Psv) => Box::new(move |batch, part| {
            pack::to_records::<Psv>(&batch.bytes, &mut replayer(), smoothing.as_ref(), part)
        }),
        (TeacherFormat::Hcpe, TeacherFormat::Hcpe) => {
            records_worker::<Hcpe, Hcpe>(skip, without_move)
        }
        (TeacherFormat::Hcpe, TeacherFormat::Psv) => {
            records_worker::<Hcpe, Psv>(skip, without_move)
        }
        (TeacherFormat::Psv, TeacherFormat::Hcpe) => {
            records_worker::<Psv, Hcpe>(skip, without_move)
        }
        (TeacherFormat::Psv, TeacherFormat::Psv) => records_worker::<Psv, Psv>(skip, without_move),
        (TeacherFormat::Pack, _) => {
            Box::new(move |batch, part| generic::from_pack(batch, &mut replayer(), &scribe, part))
        }
        (TeacherFormat::Hcpe3, _) => {
            Box::new(move |batch, part| generic::from_hcpe3(batch, &scribe, part))
        }
        (TeacherFormat::Hcpe, _) => Box::new(move |batch, part| {
            generic::from_records(batch, Sample::from_hcpe, skip, &scribe, part)
        }),
        (TeacherFormat::Psv, _) => Box::new(move |batch, part| {
            generic::from_records(batch, Sample::from_psv, skip, &scribe, part)
        }),
        (TeacherFormat::Jsonl, _) => {
            Box::new(move |batch, part| generic::from_jsonl(batch, skip, &scribe, part))
        }
        // Its header and games are parts of a whole: see `csv`.
        (TeacherFormat::Csv, _) => Box::new(|_, _| None),
    })
}

/// Whether this work writes over what is in the output, see [`records::to_records`].
pub(super) const fn overwrites(options: &TeacherConvertOptions) -> bool {
    matches!(
        (options.from, options.to),
        (
            TeacherFormat::Hcpe | TeacherFormat::Psv,
            TeacherFormat::Hcpe | TeacherFormat::Psv
        )
    )
}

/// Says what cannot be done whatever the files hold.
fn check_representable(options: &TeacherConvertOptions) -> Result<()> {
    let TeacherConvertOptions { from, to, .. } = *options;
    if matches!(from, TeacherFormat::Hcpe | TeacherFormat::Psv) && to == TeacherFormat::Pack {
        return Err(TeacherError::Unrepresentable {
            from,
            to,
            reason: SINGLE_POSITIONS,
        });
    }
    if options.without_move == WithoutMove::Keep && to == TeacherFormat::Hcpe3 && from != to {
        let text = "an hcpe3 game consists of moves: records without a move cannot be kept in it";
        return Err(TeacherError::Option(text.to_owned()));
    }
    let records = matches!(to, TeacherFormat::Hcpe | TeacherFormat::Psv);
    let games = matches!(
        from,
        TeacherFormat::Pack | TeacherFormat::Hcpe3 | TeacherFormat::Jsonl
    );
    if options.smoothing.is_some() && !(records && games) {
        let text = "smoothing is for games that become hcpe or psv";
        return Err(TeacherError::Option(text.to_owned()));
    }
    Ok(())
}

fn records_worker<T: Packed + 'static, U: FromRecord<T> + 'static>(
    skip: bool,
    without_move: WithoutMove,
) -> Worker {
    Box::new(move |batch, part| records::to_records::<T, U>(&batch.bytes, skip, without_move, part))
}
