//! Whole conversions.

use std::path::Path;

use yane_io::Job;

use super::drive::Drive;
use super::from_csv::from_csv;
use super::generic::Scribe;
use super::worker::{overwrites, worker};
use super::{ConvertOptions, ConvertReport};
use crate::stream::{Input, Output};
use crate::text::csv;
use crate::{Format, Result, TeacherError};

/// Converts `inputs`, one after the other, into one output. Inputs may be `-` for the standard
/// input, the output `-` for the standard output.
///
/// # Errors
/// [`TeacherError::Unrepresentable`], and any damage unless [`ConvertOptions::recover`] says
/// otherwise; no output is made then.
pub fn convert(
    inputs: &[Input],
    output: &Path,
    options: &ConvertOptions,
    job: &Job,
) -> Result<ConvertReport> {
    // What cannot be done is said before anything is opened.
    drop(worker(options)?);
    let paths: Vec<_> = inputs.iter().map(Input::path).collect();
    if output.as_os_str() != "-" {
        options
            .overwrite
            .check(output, &paths)
            .map_err(TeacherError::from)?;
    }
    let mut output = Output::create(output)?;
    let mut report = ConvertReport::default();
    if options.to == Format::Csv {
        output.put(csv::HEADER.as_bytes())?;
        report.bytes_written += csv::HEADER.len() as u64;
    }
    for input in inputs {
        if options.from == Format::Csv {
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
            worker: &|| worker(options),
            output: &mut |bytes| output.put(bytes),
            report: &mut report,
        }
        .run()?;
    }
    output.commit()?;
    Ok(report)
}
