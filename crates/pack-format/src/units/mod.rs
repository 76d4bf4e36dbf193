//! Games, records or lines ("units") as bytes, of several files one after the other.
//!
//! For tools that move units about without looking into them. Each file must end where a unit ends,
//! so that nothing is glued together that does not belong together.

mod each;
mod source;

pub(crate) use each::each;
pub(crate) use source::{Source, total};

use std::path::Path;

use yane_io::{Job, OrderedParallelMap, Overwrite, Pool, Unit};

use crate::kind;
use crate::record::{InvalidRecord, TeacherRecordProblem, count_without_move};
use crate::stream::{Batches, Input, split};
use crate::{InvalidData, Result, TeacherError, TeacherFormat, hcpe3, pack};

/// Some units of a file.
#[derive(Debug)]
pub(crate) struct UnitBatch {
    /// Whole units. Every line ends with a line feed, that of the file's end too.
    pub(crate) bytes: Vec<u8>,
    /// Their number.
    pub(crate) units: u64,
    /// How many of them are records without a move.
    pub(crate) without_move: u64,
    /// The file.
    pub(crate) input: Input,
    /// Offset of the first of them in the file.
    pub(crate) offset: u64,
    /// Units of the file before the first of them.
    pub(crate) before: u64,
    /// Units of all files before the first of them.
    pub(crate) before_all: u64,
    /// In the very first batch of CSV files: their header, which all must share.
    pub(crate) header: Option<Vec<u8>>,
    pool: Pool,
}

impl UnitBatch {
    /// Gives the buffer back to the reader.
    pub(crate) fn recycle(self) {
        self.pool.give(self.bytes);
    }

    /// The error for damage found in this batch, whose place is counted from its start.
    pub(crate) fn damaged(&self, invalid: InvalidData) -> TeacherError {
        TeacherError::invalid(self.input.path(), invalid.moved(self.offset, self.before))
    }
}

/// Reads the units of files.
pub(crate) struct UnitReader {
    sources: std::vec::IntoIter<Source>,
    current: Option<(Input, Batches)>,
    format: TeacherFormat,
    job: Job,
    header: Option<Vec<u8>>,
    units: u64,
}

impl UnitReader {
    /// A reader of all files, in their order.
    pub(crate) fn new(sources: Vec<Source>, format: TeacherFormat, job: &Job) -> Self {
        Self {
            sources: sources.into_iter(),
            current: None,
            format,
            job: job.clone(),
            header: None,
            units: 0,
        }
    }

    /// What `work` makes of each batch, in their order, worked on by `threads` threads ahead of
    /// whoever takes them.
    pub(crate) fn process<T: Send + 'static>(
        mut self,
        threads: usize,
        work: impl Fn(UnitBatch) -> Result<T> + Send + Sync + 'static,
    ) -> OrderedParallelMap<T, TeacherError> {
        OrderedParallelMap::new(threads, move || self.next_batch(), work)
    }

    /// The batches, read ahead.
    pub(crate) fn batches(self) -> OrderedParallelMap<UnitBatch, TeacherError> {
        self.process(1, Ok)
    }

    /// The next batch; `None` after the last file.
    fn next_batch(&mut self) -> Result<Option<UnitBatch>> {
        loop {
            self.job.check()?;
            let Some((input, batches)) = &mut self.current else {
                let Some(source) = self.sources.next() else {
                    return Ok(None);
                };
                self.current = Some((source.input().clone(), source.open(self.format)?));
                continue;
            };
            let Some(batch) = batches.next_batch()? else {
                self.current = None;
                continue;
            };
            if batches.is_doubtful() {
                return Err(kind::unknown(input, self.format).into());
            }
            self.job.progress.advance(batch.bytes.len() as u64);
            let mut batch = UnitBatch {
                units: 0,
                without_move: self
                    .format
                    .record_len()
                    .map_or(0, |len| count_without_move(&batch.bytes, len)),
                bytes: batch.bytes,
                input: input.clone(),
                offset: batch.offset,
                before: batch.before,
                before_all: self.units,
                header: None,
                pool: batches.pool(),
            };
            end_whole(self.format, &mut batch)?;
            if self.format == TeacherFormat::Csv {
                self.take_header(&mut batch)?;
            }
            self.units += batch.units;
            if batch.units > 0 || batch.header.is_some() {
                return Ok(Some(batch));
            }
            batch.recycle();
        }
    }

    /// Takes the header line off the first batch of a CSV file.
    fn take_header(&mut self, batch: &mut UnitBatch) -> Result<()> {
        if batch.offset > 0 {
            batch.before -= 1;
            return Ok(());
        }
        let len = each(self.format, &batch.bytes)
            .next()
            .map_or(0, <[u8]>::len);
        let header: Vec<u8> = batch.bytes.drain(..len).collect();
        batch.units -= 1;
        batch.offset = len as u64;
        match &self.header {
            None => {
                self.header = Some(header.clone());
                batch.header = Some(header);
            }
            Some(first) if first.trim_ascii_end() != header.trim_ascii_end() => {
                let reason =
                    "the first line is not that of the first file, expected the same header";
                Err(yane_io::Error::byte(batch.input.path(), 0, reason))?;
            }
            Some(_) => {}
        }
        Ok(())
    }
}

/// Counts the units of a batch, which may have more than them at its end only if it is the last of
/// its file. A line is given its end; anything else is an error.
fn end_whole(format: TeacherFormat, batch: &mut UnitBatch) -> Result<()> {
    let cut = split(format, &batch.bytes);
    batch.units = cut.units;
    let rest = &batch.bytes[cut.len..];
    if rest.is_empty() {
        return Ok(());
    }
    let invalid = match format {
        TeacherFormat::Jsonl | TeacherFormat::Csv => {
            batch.bytes.push(b'\n');
            batch.units += 1;
            return Ok(());
        }
        TeacherFormat::Hcpe | TeacherFormat::Psv => Some(InvalidData::from(InvalidRecord {
            record: 1,
            offset: 0,
            problem: TeacherRecordProblem::Truncated {
                needed: format.record_len().unwrap_or_default(),
                left: rest.len(),
            },
        })),
        TeacherFormat::Pack => pack::games(rest)
            .find_map(std::result::Result::err)
            .map(InvalidData::from),
        TeacherFormat::Hcpe3 => hcpe3::games(rest)
            .find_map(std::result::Result::err)
            .map(InvalidData::from),
    };
    match invalid {
        Some(invalid) => Err(batch.damaged(invalid.moved(cut.len as u64, cut.units))),
        None => Ok(()),
    }
}

/// Checks that there are inputs and that the output may be written.
pub(crate) fn check_output(inputs: &[Input], output: &Path, overwrite: Overwrite) -> Result<()> {
    if inputs.is_empty() {
        return Err(TeacherError::Option("no input file".to_owned()));
    }
    if output.as_os_str() != "-" {
        let files: Vec<&Path> = inputs
            .iter()
            .filter(|input| **input != Input::Stdin)
            .map(Input::path)
            .collect();
        overwrite.check(output, &files)?;
    }
    Ok(())
}

/// Begins a stage of reading all of `sources`.
pub(crate) fn begin_reading(sources: &[Source], job: &Job) {
    let name = match sources {
        [one] => format!("reading {}", one.input()),
        several => format!("reading {} files", several.len()),
    };
    job.progress.stage(&name, total(sources), Unit::Bytes);
}
