//! Reading files into statistics.

use yane_io::Job;

use crate::stats::{FileStats, Stats, StatsOptions, collect};
use crate::stream::{Input, process};
use crate::{Result, TeacherError, TeacherFormat, kind};

/// Returns the statistics of `inputs`, all of the same format.
///
/// # Errors
/// [`TeacherError::File`] when a file cannot be read, [`TeacherError::Invalid`] at the first damage
/// unless it is a record and [`StatsOptions::skip_bad`] is set, [`TeacherError::Option`] for a format
/// that cannot be counted.
pub fn stats(
    inputs: &[Input],
    format: TeacherFormat,
    options: &StatsOptions,
    job: &Job,
) -> Result<Stats> {
    collect::accept(format, *options)?;
    let mut all = Stats::new(format);
    for input in inputs {
        read(input, &mut all, *options, job)?;
    }
    if all.positions.count() + all.games.count() + all.skipped.count == 0 {
        return Err(kind::nothing(inputs, format));
    }
    Ok(all)
}

/// Adds a file.
pub(super) fn read(input: &Input, all: &mut Stats, options: StatsOptions, job: &Job) -> Result<()> {
    let format = all.format;
    let path = input.path().to_owned();
    let results = process(input, format, job, move |batch| {
        collect::batch(batch, format, options, &path)
    })?;
    let mut file = FileStats {
        path: input.path().to_owned(),
        bytes: 0,
        games: 0,
        positions: 0,
    };
    for done in results {
        let done = done?;
        if let Some(invalid) = done.invalid {
            return Err(TeacherError::invalid(input.path(), invalid));
        }
        file.bytes += done.len;
        file.games += done.value.games.count();
        file.positions += done.value.positions.count();
        all.merge(&done.value);
    }
    all.files.push(file);
    Ok(())
}
