//! CSV into other formats, on one thread: rows only mean something together.

use std::io::BufReader;

use yane_io::{Job, Unit};

use super::drive::Part;
use super::generic::{Place, Scribe};
use super::{Lost, Recover, TeacherConvertReport};
use crate::stream::Input;
use crate::text::{TextReadError, csv};
use crate::{DataPlace, InvalidData, Result, TeacherError, TeacherFormat, kind};

/// Bytes of output that are collected.
const BLOCK: usize = 1 << 20;

/// Reads `input` and gives what `scribe` makes of it to `output`.
pub(crate) fn from_csv(
    input: &Input,
    recover: Recover,
    scribe: &Scribe,
    job: &Job,
    output: &mut dyn FnMut(&[u8]) -> Result<()>,
    report: &mut TeacherConvertReport,
) -> Result<()> {
    kind::check_file(input, TeacherFormat::Csv)?;
    let (stream, size) = input.open()?;
    job.progress
        .stage(&format!("reading {input}"), None, Unit::Positions);
    let mut rows = csv::CsvReader::new(BufReader::with_capacity(BLOCK, stream));
    let mut part = Part::default();
    let mut place = Place::default();
    while let Some(line) = rows.next() {
        let before = part.positions;
        let reason = match line {
            Ok(line) => scribe.write(&line, place, &mut part).err(),
            Err(TextReadError::Io(error)) => Err(yane_io::Error::io(input.path())(error))?,
            Err(TextReadError::Invalid(problem)) => {
                lose(input, recover, InvalidData::from(problem), report)?;
                None
            }
        };
        if let Some(reason) = reason {
            let line = rows.line();
            lose(
                input,
                recover,
                InvalidData::unrepresentable(DataPlace::Line(line), reason),
                report,
            )?;
        }
        place.number += 1;
        job.progress.advance(part.positions - before);
        if part.output.len() >= BLOCK {
            job.check()?;
            output(&part.output)?;
            report.add(&part);
            part = Part::default();
        }
    }
    output(&part.output)?;
    report.add(&part);
    report.bytes_read += size.unwrap_or(0);
    Ok(())
}

fn lose(
    input: &Input,
    recover: Recover,
    invalid: InvalidData,
    report: &mut TeacherConvertReport,
) -> Result<()> {
    if recover == Recover::No {
        return Err(TeacherError::invalid(input.path(), invalid));
    }
    report.lose(Lost {
        input: input.to_string(),
        invalid,
        from: 0,
        to: None,
    });
    Ok(())
}
