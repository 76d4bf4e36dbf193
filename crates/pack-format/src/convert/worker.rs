//! What is done with a batch, for each pair of formats.

use super::drive::Worker;
use super::records::FromRecord;
use super::{ConvertOptions, Recover, pack, records};
use crate::pack::Replayer;
use crate::record::Record;
use crate::{Format, Hcpe, Psv, Result, TeacherError};

/// The work for these formats.
///
/// # Errors
/// When the target cannot hold what the source has.
pub(super) fn worker(options: &ConvertOptions) -> Result<Worker> {
    let ConvertOptions { from, to, .. } = *options;
    let smoothing = options.smoothing.clone();
    let contradictions = options.contradictions;
    let skip = options.recover != Recover::No;
    let replayer = move || Replayer::new(contradictions);
    Ok(match (from, to) {
        (Format::Pack, Format::Hcpe) => Box::new(move |batch, part| {
            pack::to_records::<Hcpe>(&batch.bytes, &mut replayer(), smoothing.as_ref(), part)
        }),
        (Format::Pack, Format::Psv) => Box::new(move |batch, part| {
            pack::to_records::<Psv>(&batch.bytes, &mut replayer(), smoothing.as_ref(), part)
        }),
        (Format::Hcpe, Format::Hcpe) => records_worker::<Hcpe, Hcpe>(skip),
        (Format::Hcpe, Format::Psv) => records_worker::<Hcpe, Psv>(skip),
        (Format::Psv, Format::Hcpe) => records_worker::<Psv, Hcpe>(skip),
        (Format::Psv, Format::Psv) => records_worker::<Psv, Psv>(skip),
        _ => {
            return Err(TeacherError::Unrepresentable {
                from,
                to,
                reason: "not yet",
            });
        }
    })
}

fn records_worker<T: Record + 'static, U: FromRecord<T> + 'static>(skip: bool) -> Worker {
    Box::new(move |batch, part| records::to_records::<T, U>(&batch.bytes, skip, part))
}
