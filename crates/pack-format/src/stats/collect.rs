//! Counting a batch.

use std::path::Path;

use shogi_core::{Move, Position};

use super::{Stats, StatsOptions, games};
use crate::record::{InvalidRecord, TeacherRecord, TeacherRecordProblem, records};
use crate::stream::Batch;
use crate::{
    InvalidData, Result, Sample, TeacherError, TeacherFormat, TeacherResult, TeacherScore,
};

/// Refuses what cannot be counted.
pub(super) fn accept(format: TeacherFormat, options: StatsOptions) -> Result<()> {
    match format {
        TeacherFormat::Pack | TeacherFormat::Hcpe3 if options.skip_bad => {
            Err(TeacherError::Option(format!(
                "only records can be skipped, not games of {format} files; repair them first"
            )))
        }
        TeacherFormat::Hcpe | TeacherFormat::Psv | TeacherFormat::Pack | TeacherFormat::Hcpe3 => {
            Ok(())
        }
        other => Err(TeacherError::Option(format!(
            "{other} cannot be counted; convert it first"
        ))),
    }
}

/// What is in a batch, and the first damage that may not be left out.
pub(super) fn batch(
    batch: &Batch,
    format: TeacherFormat,
    options: StatsOptions,
    path: &Path,
) -> (Box<Stats>, Option<InvalidData>) {
    let mut stats = Box::new(Stats::new(format));
    let invalid = match format {
        TeacherFormat::Psv => read_records(batch, Sample::from_psv, options, path, &mut stats),
        TeacherFormat::Hcpe => read_records(batch, Sample::from_hcpe, options, path, &mut stats),
        TeacherFormat::Hcpe3 => games::read_hcpe3(&batch.bytes, &mut stats),
        _ => games::read_pack(&batch.bytes, &mut stats),
    };
    (stats, invalid)
}

impl Stats {
    /// Counts a position, the move played there, its score and the result of its game.
    #[inline]
    pub(super) fn add(
        &mut self,
        position: &Position,
        mv: Option<Move>,
        score: TeacherScore,
        result: TeacherResult,
        ply: Option<u32>,
    ) {
        let outcome = self.positions.add(position, mv, result, ply);
        self.scores.add(score, outcome);
        self.distinct.add(position.key128());
    }
}

fn read_records<T: TeacherRecord>(
    batch: &Batch,
    sample: impl Fn(&T) -> std::result::Result<Sample, TeacherRecordProblem>,
    options: StatsOptions,
    path: &Path,
    stats: &mut Stats,
) -> Option<InvalidData> {
    for (index, record) in records::<T>(&batch.bytes).enumerate() {
        let sample = record.and_then(|record| {
            sample(&record).map_err(|problem| InvalidRecord::of::<T>(index, problem))
        });
        match sample {
            Ok(Sample {
                position,
                mv,
                score,
                result,
                ply,
            }) => stats.add(&position, mv, score, result, ply),
            Err(problem) if options.skip_bad => {
                let invalid = InvalidData::from(problem).moved(batch.offset, batch.before);
                stats.skipped.add(path, invalid);
            }
            Err(problem) => return Some(InvalidData::from(problem)),
        }
    }
    None
}
