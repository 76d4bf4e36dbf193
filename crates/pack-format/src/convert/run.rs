//! Whole conversions.

use std::path::Path;

use yane_io::{Job, Pool};

use super::drive::Drive;
use super::from_csv::from_csv;
use super::generic::Scribe;
use super::worker::{overwrites, worker};
use super::{TeacherConvertOptions, TeacherConvertReport};
use crate::stream::{Input, StreamOutput};
use crate::text::csv;
use crate::{Result, TeacherError, TeacherFormat, kind};

/// Converts `inputs`, one after the other, into one output. Inputs may be `-` for the standard
/// input, the output `-` for the standard output.
///
/// # Errors
/// [`TeacherError::Unrepresentable`], and any damage unless [`TeacherConvertOptions::recover`] says
/// otherwise; so is an input with nothing in it to convert. No output is made then.
pub fn convert(
    inputs: &[Input],
    output: &Path,
    options: &TeacherConvertOptions,
    job: &Job,
) -> Result<TeacherConvertReport> {
    // What cannot be done is said before anything is opened.
    drop(worker(options, false)?);
    let paths: Vec<_> = inputs.iter().map(Input::path).collect();
    if output.as_os_str() != "-" {
        options
            .overwrite
            .check(output, &paths)
            .map_err(TeacherError::from)?;
    }
    let name = output;
    let mut output = StreamOutput::create(name)?;
    let mut report = TeacherConvertReport::default();
    if options.to == TeacherFormat::Csv {
        output.put(csv::HEADER.as_bytes())?;
        report.bytes_written += csv::HEADER.len() as u64;
    }
    let header = report.bytes_written;
    for input in inputs {
        if options.from == TeacherFormat::Csv {
            let scribe = Scribe::new(options);
            let put = &mut |bytes: &[u8]| output.put(bytes);
            from_csv(input, options.recover, &scribe, job, put, &mut report)?;
            continue;
        }
        Drive {
            input,
            format: options.from,
            contradictions: options.contradictions,
            recover: options.recover,
            job,
            overwrites: overwrites(options),
            worker: &|skip| worker(options, skip),
            restores: true,
            output: &mut |bytes| output.put(bytes),
            report: &mut report,
            buffers: Pool::default(),
        }
        .run()?;
    }
    if report.bytes_written == header {
        let has_only_moveless_games = report.games > 0 && report.damaged == 0;
        if !has_only_moveless_games || has_bytes(name) {
            return Err(nothing(inputs, options.from, &report));
        }
        job.progress.note("there is no position in these games");
    }
    output.commit()?;
    Ok(report)
}

/// Whether there is a file that would be lost.
fn has_bytes(output: &Path) -> bool {
    std::fs::metadata(output).is_ok_and(|data| data.is_file() && data.len() > 0)
}

/// The error of a conversion that has nothing to write.
fn nothing(inputs: &[Input], from: TeacherFormat, report: &TeacherConvertReport) -> TeacherError {
    match report.lost.first() {
        Some(lost) => TeacherError::NothingLeft {
            input: lost.input.clone(),
            invalid: Box::new(lost.invalid.clone()),
            report: Box::new(report.clone()),
        },
        None if report.without_move > 0 => TeacherError::Option(format!(
            "all of the {} records are without a move: nothing is left",
            report.without_move
        )),
        None => kind::nothing(inputs, from),
    }
}
