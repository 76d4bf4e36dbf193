//! Part of the data: the positions or games that meet all conditions, their bytes unchanged.
//!
//! Positions of hcpe and PSV files and games of pack and hcpe3 files are kept or dropped whole: a game
//! without some of its positions would be no game. Whatever is read is checked, whether it is kept
//! or not.

mod condition;

use std::path::Path;

use serde::Serialize;
use yane_io::{Job, Overwrite};

use crate::games::walk;
use crate::invalid::Skipped;
use crate::pack::PackStart;
use crate::record::{InvalidRecord, TeacherRecord, TeacherRecordProblem, records};
use crate::stream::{Batch, Input, StreamOutput, process};
use crate::{
    Hcpe, Hcpe3Game, InvalidData, Psv, Result, Sample, TeacherError, TeacherFormat, hcpe3, kind,
    pack,
};

use condition::GameFacts;

pub use condition::Condition;

/// Options of a filter.
#[derive(Clone, Debug)]
pub struct FilterOptions {
    /// The format of the inputs and of the output.
    pub format: TeacherFormat,
    /// Conditions that everything kept must meet.
    pub conditions: Vec<Condition>,
    /// Leave out damaged records, and say how many there were. Games cannot be left out: where the
    /// next one begins is not known.
    pub skip_bad: bool,
    /// Permission to write the output over one of the inputs.
    pub overwrite: Overwrite,
}

/// Report of a filter.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TeacherFilterReport {
    /// Games read; 0 in formats without.
    pub games_read: u64,
    /// Games kept.
    pub games_kept: u64,
    /// Positions read.
    pub positions_read: u64,
    /// Positions kept.
    pub positions_kept: u64,
    /// Positions read whose record has no move.
    pub without_move: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Numbers of dropped items by condition, in the order of [`FilterOptions::conditions`].
    pub dropped: Vec<Dropped>,
    /// Damaged records that were left out; they are not among the positions read.
    pub skipped: Skipped,
}

/// Number of items dropped by one condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// The condition.
    pub condition: Condition,
    /// Positions, or whole games, that meet all conditions before this one but not this one.
    pub count: u64,
}

/// Writes what meets all conditions from `inputs`, in their order, to `output` (`-`: the standard
/// output).
///
/// # Errors
/// [`TeacherError::Option`] for a condition that means nothing for the format
/// ([`Condition::applies_to`]); [`TeacherError::File`]; [`TeacherError::Invalid`] at the first damage
/// unless it is a record and [`FilterOptions::skip_bad`] is set. No output is made then.
pub fn filter(
    inputs: &[Input],
    output: &Path,
    options: &FilterOptions,
    job: &Job,
) -> Result<TeacherFilterReport> {
    accept(options)?;
    let paths: Vec<_> = inputs.iter().map(Input::path).collect();
    let _claim = options
        .overwrite
        .claim(output, &paths)
        .map_err(TeacherError::from)?;
    let name = output;
    let mut output = StreamOutput::create(name)?;
    let mut report = TeacherFilterReport::new(&options.conditions);
    for input in inputs {
        let options = options.clone();
        let path = input.path().to_owned();
        let format = options.format;
        let results = process(input, format, job, move |batch| {
            filter_batch(batch, &options, &path)
        })?;
        for done in results {
            let done = done?;
            if let Some(invalid) = done.invalid {
                return Err(TeacherError::invalid(input.path(), invalid));
            }
            report.bytes_read += done.len;
            report.merge(&done.value.report);
            output.put(&done.value.kept)?;
        }
    }
    if report.positions_read + report.games_read == 0 {
        return Err(kind::nothing(inputs, options.format));
    }
    if report.bytes_written == 0 {
        let reason = format!(
            "not written: none of {} positions meets the conditions",
            report.positions_read
        );
        return Err(yane_io::Error::file(name, reason).into());
    }
    output.commit()?;
    Ok(report)
}

/// Refuses what makes no sense.
fn accept(options: &FilterOptions) -> Result<()> {
    let format = options.format;
    if matches!(format, TeacherFormat::Jsonl | TeacherFormat::Csv) {
        return Err(TeacherError::Option(format!(
            "{format} cannot be filtered; convert it first"
        )));
    }
    if options.skip_bad && format.record_len().is_none() {
        return Err(TeacherError::Option(format!(
            "only records can be skipped, not games of {format} files; repair them first"
        )));
    }
    let conditions = &options.conditions;
    conditions.iter().try_for_each(|one| one.check(format))
}

impl TeacherFilterReport {
    fn new(conditions: &[Condition]) -> Self {
        let dropped = conditions.iter().map(|condition| Dropped {
            condition: condition.clone(),
            count: 0,
        });
        Self {
            dropped: dropped.collect(),
            ..Self::default()
        }
    }

    /// Adds the results of a batch, except the bytes read.
    fn merge(&mut self, part: &Self) {
        self.games_read += part.games_read;
        self.games_kept += part.games_kept;
        self.positions_read += part.positions_read;
        self.positions_kept += part.positions_kept;
        self.without_move += part.without_move;
        self.bytes_written += part.bytes_written;
        for (mine, theirs) in self.dropped.iter_mut().zip(&part.dropped) {
            mine.count += theirs.count;
        }
        self.skipped.merge(&part.skipped);
    }
}

// Filtering a batch.

/// The outcome of a batch.
struct Filtered {
    /// The bytes that are kept.
    kept: Vec<u8>,
    report: TeacherFilterReport,
}

/// Filters a batch; gives the first damage that may not be left out too.
fn filter_batch(
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
    /// Returns true if all conditions are met; counts the first one that is not.
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
