//! Splitting and concatenation of files, without looking into records and games.

mod plan;
mod split;

use std::path::{Path, PathBuf};

use yane_io::{Job, Overwrite};

use crate::stream::{Input, StreamOutput};
use crate::units::{Source, UnitReader, begin_reading, claim_output};
use crate::{Result, TeacherFormat, kind};

pub use plan::SplitParts;
pub use split::{SplitOptions, SplitPart, SplitReport, split};

// Concatenation of files.

/// Options of concatenation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConcatOptions {
    /// Format of all files.
    pub format: TeacherFormat,
    /// Permission to write the output over one of the inputs.
    pub overwrite: Overwrite,
}

impl ConcatOptions {
    /// Returns options with an output that is not an input.
    pub fn new(format: TeacherFormat) -> Self {
        Self {
            format,
            overwrite: Overwrite::default(),
        }
    }
}

/// Report of concatenation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConcatReport {
    /// Records, games or lines.
    pub units: u64,
    /// Records without a move among them.
    pub without_move: u64,
    /// Number of their bytes.
    pub bytes: u64,
}

/// Writes `inputs` to `output`, one after the other.
///
/// A file that ends inside a record or game is an error, since what follows it could not be read. A
/// last line without an end gets one; CSV files, which must have the same header, give one file with
/// that header.
///
/// # Errors
/// When a file cannot be read or written or does not end where a record or game ends, there is no
/// input, or the output is an input.
pub fn concat(
    inputs: &[Input],
    output: &Path,
    options: &ConcatOptions,
    job: &Job,
) -> Result<ConcatReport> {
    let _claim = claim_output(inputs, output, options.overwrite)?;
    let sources = Source::once(inputs);
    begin_reading(&sources, job);
    let mut out = StreamOutput::create(output)?;
    let mut report = ConcatReport::default();
    for batch in UnitReader::new(sources, options.format, job).batches() {
        let batch = batch?;
        if let Some(header) = &batch.header {
            out.put(header)?;
        }
        out.put(&batch.bytes)?;
        report.units += batch.units;
        report.without_move += batch.without_move;
        report.bytes += batch.bytes.len() as u64;
        batch.recycle();
    }
    if report.units == 0 {
        return Err(kind::nothing(inputs, options.format));
    }
    out.commit()?;
    Ok(report)
}

// Names of parts.

/// The path of part `number` (from 1) of `output`: `train.psv` gives `train.0001.psv`.
pub fn part_path(output: &Path, number: u64) -> PathBuf {
    let mut name = output.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{number:04}"));
    if let Some(extension) = output.extension() {
        name.push(".");
        name.push(extension);
    }
    output.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_stands_before_the_extension() {
        for (output, number, expected) in [
            ("a/train.psv", 1, "a/train.0001.psv"),
            ("train", 12, "train.0012"),
            ("kifu.2026.pack", 12345, "kifu.2026.12345.pack"),
            (".hidden", 2, ".hidden.0002"),
        ] {
            assert_eq!(part_path(output.as_ref(), number), Path::new(expected));
        }
    }
}
