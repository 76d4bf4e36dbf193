//! Filtering a batch.

use std::path::Path;

use super::condition::GameFacts;
use super::{Condition, FilterOptions, TeacherFilterReport};
use crate::games::walk;
use crate::pack::{self, PackStart};
use crate::record::{InvalidRecord, TeacherRecord, TeacherRecordProblem, records};
use crate::stream::Batch;
use crate::{Hcpe, Hcpe3Game, InvalidData, Psv, Sample, TeacherFormat, hcpe3};

/// What came of a batch.
pub(super) struct Filtered {
    /// The bytes that are kept.
    pub(super) kept: Vec<u8>,
    pub(super) report: TeacherFilterReport,
}

/// Filters a batch; gives the first damage that may not be left out too.
pub(super) fn filter(
    batch: &Batch,
    options: &FilterOptions,
    path: &Path,
) -> (Filtered, Option<InvalidData>) {
    let mut filtered = Filtered {
        kept: Vec::with_capacity(batch.bytes.len()),
        report: TeacherFilterReport::new(&options.conditions),
    };
    let invalid = match options.format {
        TeacherFormat::Psv => {
            filtered.filter_records::<Psv>(batch, Sample::from_psv, options, path)
        }
        TeacherFormat::Hcpe => {
            filtered.filter_records::<Hcpe>(batch, Sample::from_hcpe, options, path)
        }
        TeacherFormat::Hcpe3 => filtered.filter_hcpe3(&batch.bytes, &options.conditions),
        _ => filtered.filter_pack(&batch.bytes, &options.conditions),
    };
    filtered.report.bytes_written = filtered.kept.len() as u64;
    (filtered, invalid)
}

impl Filtered {
    /// Whether all conditions are met; counts the first one that is not.
    fn passes(&mut self, conditions: &[Condition], keeps: impl Fn(&Condition) -> bool) -> bool {
        match conditions.iter().position(|condition| !keeps(condition)) {
            Some(failed) => {
                self.report.dropped[failed].count += 1;
                false
            }
            None => true,
        }
    }

    fn filter_records<T: TeacherRecord>(
        &mut self,
        batch: &Batch,
        sample: impl Fn(&T) -> Result<Sample, TeacherRecordProblem>,
        options: &FilterOptions,
        path: &Path,
    ) -> Option<InvalidData> {
        let bytes = batch.bytes.chunks(T::LEN);
        for (index, (record, bytes)) in records::<T>(&batch.bytes).zip(bytes).enumerate() {
            let sample = record.and_then(|record| {
                sample(&record).map_err(|problem| InvalidRecord::of::<T>(index, problem))
            });
            match sample {
                Ok(sample) => {
                    self.report.positions_read += 1;
                    self.report.without_move += u64::from(sample.mv.is_none());
                    if self.passes(&options.conditions, |one| one.keeps_position(&sample)) {
                        self.report.positions_kept += 1;
                        self.kept.extend_from_slice(bytes);
                    }
                }
                Err(problem) if options.skip_bad => {
                    let invalid = InvalidData::from(problem).moved(batch.offset, batch.before);
                    self.report.skipped.add(path, invalid);
                }
                Err(problem) => return Some(InvalidData::from(problem)),
            }
        }
        None
    }

    fn filter_pack(&mut self, bytes: &[u8], conditions: &[Condition]) -> Option<InvalidData> {
        let replayer = &mut pack::PackReplayer::default();
        walk::<pack::Game>(bytes, replayer, |replayer, frame, at| {
            let result = replayer.replay(frame, |_, _, _| ())?;
            let ply = match frame.start {
                PackStart::Initial => 1,
                PackStart::Hcp { ply, .. } => ply,
            };
            let facts = GameFacts {
                result,
                length: frame.plies.len() as u32,
                pack: Some((frame.reason, ply)),
            };
            self.game(facts, &bytes[at..at + frame.len], conditions);
            Ok(())
        })
    }

    fn filter_hcpe3(&mut self, bytes: &[u8], conditions: &[Condition]) -> Option<InvalidData> {
        let replayer = &mut hcpe3::Hcpe3Replayer::default();
        walk::<Hcpe3Game>(bytes, replayer, |replayer, frame, at| {
            let ending = replayer.replay(frame, |_, _, _, _| ())?;
            let facts = GameFacts {
                result: ending.result,
                length: frame.ply_count.into(),
                pack: None,
            };
            self.game(facts, &bytes[at..at + frame.len], conditions);
            Ok(())
        })
    }

    /// Keeps or drops a game.
    fn game(&mut self, facts: GameFacts, bytes: &[u8], conditions: &[Condition]) {
        let positions = u64::from(facts.length);
        self.report.games_read += 1;
        self.report.positions_read += positions;
        if self.passes(conditions, |one| one.keeps_game(&facts)) {
            self.report.games_kept += 1;
            self.report.positions_kept += positions;
            self.kept.extend_from_slice(bytes);
        }
    }
}
