//! Part of the data: the positions or games that meet all conditions, their bytes unchanged.
//!
//! Positions of hcpe and PSV files and games of pack and hcpe3 files are kept or dropped whole: a game
//! without some of its positions would be no game. Whatever is read is checked, whether it is kept
//! or not.

mod batch;
mod condition;

pub use condition::Condition;

use std::path::Path;

use serde::Serialize;
use yane_io::{Job, Overwrite};

use crate::invalid::Skipped;
use crate::stream::{Input, StreamOutput, process};
use crate::{Result, TeacherError, TeacherFormat, kind};

/// What to keep.
#[derive(Clone, Debug)]
pub struct FilterOptions {
    /// The format of the inputs and of the output.
    pub format: TeacherFormat,
    /// What must be true of everything that is kept.
    pub conditions: Vec<Condition>,
    /// Leave out damaged records, and say how many there were. Games cannot be left out: where the
    /// next one begins is not known.
    pub skip_bad: bool,
    /// Whether the output may be one of the inputs.
    pub overwrite: Overwrite,
}

/// What was kept.
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
    /// What was dropped, by condition, in the order of [`FilterOptions::conditions`].
    pub dropped: Vec<Dropped>,
    /// Damaged records that were left out; they are not among the positions read.
    pub skipped: Skipped,
}

/// What was dropped for a condition.
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
    options
        .overwrite
        .check(output, &paths)
        .map_err(TeacherError::from)?;
    let name = output;
    let mut output = StreamOutput::create(name)?;
    let mut report = TeacherFilterReport::new(&options.conditions);
    for input in inputs {
        let options = options.clone();
        let path = input.path().to_owned();
        let format = options.format;
        let results = process(input, format, job, move |batch| {
            batch::filter(batch, &options, &path)
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

    /// Adds what came of a batch, but for the bytes read.
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
