//! What is done with a batch, for each pair of formats.

use super::drive::Worker;
use super::generic::{self, SINGLE_POSITIONS, Scribe};
use super::records::{FromRecord, Packed};
use super::{ConvertOptions, WithoutMove, pack, records};
use crate::pack::Replayer;
use crate::{Format, Hcpe, Psv, Result, Sample, TeacherError};

/// The work for these formats. Damaged records and lines are left out when `skip`, else the first one ends
/// the work on a batch.
///
/// # Errors
/// When the target cannot hold what the source has.
pub(super) fn worker(options: &ConvertOptions, skip: bool) -> Result<Worker> {
    check_representable(options)?;
    let ConvertOptions { from, to, .. } = *options;
    let smoothing = options.smoothing.clone();
    let scribe = Scribe::new(options);
    let contradictions = options.contradictions;
    let without_move = options.without_move;
    let replayer = move || Replayer::new(contradictions);
    Ok(match (from, to) {
        (Format::Pack, Format::Hcpe) => Box::new(move |batch, part| {
            pack::to_records::<Hcpe>(&batch.bytes, &mut replayer(), smoothing.as_ref(), part)
        }),
        (Format::Pack, Format::Psv) => Box::new(move |batch, part| {
            pack::to_records::<Psv>(&batch.bytes, &mut replayer(), smoothing.as_ref(), part)
        }),
        (Format::Hcpe, Format::Hcpe) => records_worker::<Hcpe, Hcpe>(skip, without_move),
        (Format::Hcpe, Format::Psv) => records_worker::<Hcpe, Psv>(skip, without_move),
        (Format::Psv, Format::Hcpe) => records_worker::<Psv, Hcpe>(skip, without_move),
        (Format::Psv, Format::Psv) => records_worker::<Psv, Psv>(skip, without_move),
        (Format::Pack, _) => {
            Box::new(move |batch, part| generic::from_pack(batch, &mut replayer(), &scribe, part))
        }
        (Format::Hcpe3, _) => {
            Box::new(move |batch, part| generic::from_hcpe3(batch, &scribe, part))
        }
        (Format::Hcpe, _) => Box::new(move |batch, part| {
            generic::from_records(batch, Sample::from_hcpe, skip, &scribe, part)
        }),
        (Format::Psv, _) => Box::new(move |batch, part| {
            generic::from_records(batch, Sample::from_psv, skip, &scribe, part)
        }),
        (Format::Jsonl, _) => {
            Box::new(move |batch, part| generic::from_jsonl(batch, skip, &scribe, part))
        }
        // Its header and games are parts of a whole: see `csv`.
        (Format::Csv, _) => Box::new(|_, _| None),
    })
}

/// Whether this work writes over what is in the output, see [`records::to_records`].
pub(super) const fn overwrites(options: &ConvertOptions) -> bool {
    matches!(
        (options.from, options.to),
        (Format::Hcpe | Format::Psv, Format::Hcpe | Format::Psv)
    )
}

/// Says what cannot be done whatever the files hold.
fn check_representable(options: &ConvertOptions) -> Result<()> {
    let ConvertOptions { from, to, .. } = *options;
    if matches!(from, Format::Hcpe | Format::Psv) && to == Format::Pack {
        return Err(TeacherError::Unrepresentable {
            from,
            to,
            reason: SINGLE_POSITIONS,
        });
    }
    if options.without_move == WithoutMove::Keep && to == Format::Hcpe3 && from != to {
        let text = "an hcpe3 game consists of moves: records without a move cannot be kept in it";
        return Err(TeacherError::Option(text.to_owned()));
    }
    let records = matches!(to, Format::Hcpe | Format::Psv);
    let games = matches!(from, Format::Pack | Format::Hcpe3 | Format::Jsonl);
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
