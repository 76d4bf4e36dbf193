//! Games, records or lines ("units") as bytes, of several files one after the other.
//!
//! For tools that move units about without looking into them. Each file must end where a unit ends,
//! so that nothing is glued together that does not belong together.

use std::fs::File;
use std::io;
use std::io::{Read, Seek, Write};
use std::path::Path;

use yane_io::{Claim, Error, Job, OrderedParallelMap, Overwrite, Pool, Unit};

use crate::record::{InvalidRecord, TeacherRecordProblem, count_without_move};
use crate::stream::{Batches, Input, split};
use crate::{InvalidData, Result, TeacherError, TeacherFormat, hcpe3, kind, pack};

/// Some units of a file.
#[derive(Debug)]
pub(crate) struct UnitBatch {
    /// Whole units. Every line ends with a line feed, that of the file's end too.
    pub(crate) bytes: Vec<u8>,
    /// Number of the units.
    pub(crate) units: u64,
    /// Number of records without a move among them.
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
    /// True if whoever works on batches finds what is behind the last whole unit.
    leaves_rest: bool,
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
            leaves_rest: false,
        }
    }

    /// The same, but what is behind the last whole unit of a file stays in its last batch and is no error: for those who check
    /// batches, and find damage before it first.
    pub(crate) fn with_rest(self) -> Self {
        Self {
            leaves_rest: true,
            ..self
        }
    }

    /// Results of `work` on each batch, in order, computed by `threads` threads ahead of the
    /// consumer.
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
            if self.leaves_rest {
                batch.units = split(self.format, &batch.bytes).units;
            } else {
                end_whole(self.format, &mut batch)?;
            }
            if self.format == TeacherFormat::Csv {
                self.take_header(&mut batch)?;
            }
            self.units += batch.units;
            if batch.units > 0 || batch.header.is_some() || self.leaves_rest {
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

/// Checks that there are inputs and that the output may be written, and reserves it.
pub(crate) fn claim_output(inputs: &[Input], output: &Path, overwrite: Overwrite) -> Result<Claim> {
    if inputs.is_empty() {
        return Err(TeacherError::Option("no input file".to_owned()));
    }
    if output.as_os_str() == "-" {
        return Ok(Claim::default());
    }
    Ok(overwrite.claim(output, &files_of(inputs))?)
}

/// The inputs that are files.
pub(crate) fn files_of(inputs: &[Input]) -> Vec<&Path> {
    let files = inputs.iter().filter(|input| **input != Input::Stdin);
    files.map(Input::path).collect()
}

/// Begins a stage of reading all of `sources`.
pub(crate) fn begin_reading(sources: &[Source], job: &Job) {
    let name = match sources {
        [one] => format!("reading {}", one.input()),
        several => format!("reading {} files", several.len()),
    };
    job.progress.stage(&name, total(sources), Unit::Bytes);
}

// Whole units one by one.

/// The units of `bytes`, which must be whole.
pub(crate) fn each(format: TeacherFormat, bytes: &[u8]) -> Each<'_> {
    Each { format, bytes }
}

/// See [`each`].
pub(crate) struct Each<'a> {
    format: TeacherFormat,
    bytes: &'a [u8],
}

impl<'a> Iterator for Each<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.bytes.is_empty() {
            return None;
        }
        let len = match self.format {
            TeacherFormat::Pack => pack::frame(self.bytes).ok().map(|frame| frame.len),
            TeacherFormat::Hcpe3 => hcpe3::frame(self.bytes).ok().map(|frame| frame.len),
            TeacherFormat::Hcpe | TeacherFormat::Psv => self.format.record_len(),
            TeacherFormat::Jsonl | TeacherFormat::Csv => {
                memchr::memchr(b'\n', self.bytes).map(|at| at + 1)
            }
        };
        let len = len.unwrap_or(usize::MAX).min(self.bytes.len());
        let (unit, rest) = self.bytes.split_at(len);
        self.bytes = rest;
        Some(unit)
    }
}

// Inputs that are read more than once.

/// Bytes copied at once.
const COPY: usize = 256 << 10;

/// An input.
#[derive(Debug)]
pub(crate) struct Source {
    input: Input,
    size: Option<u64>,
    /// Copy of the input's data, if the input can be read only once.
    copy: Option<File>,
}

impl Source {
    /// Inputs that are read once.
    pub(crate) fn once(inputs: &[Input]) -> Vec<Self> {
        let source = |input: &Input| Self {
            input: input.clone(),
            size: size_of(input),
            copy: None,
        };
        inputs.iter().map(source).collect()
    }

    /// Inputs that are read several times: what comes from a pipe is copied to a temporary file in
    /// `folder` first. It has no name and vanishes with the program.
    pub(crate) fn again(inputs: &[Input], folder: &Path, job: &Job) -> Result<Vec<Self>> {
        let mut sources = Self::once(inputs);
        for source in &mut sources {
            if source.size.is_none() {
                source.keep(folder, job)?;
            }
        }
        Ok(sources)
    }

    fn keep(&mut self, folder: &Path, job: &Job) -> Result<()> {
        let (mut stream, _) = self.input.open()?;
        let name = format!("keeping {}", self.input);
        job.progress.stage(&name, None, Unit::Bytes);
        let mut copy = tempfile::tempfile_in(folder).map_err(Error::io(folder))?;
        let mut buffer = Vec::with_capacity(COPY);
        let mut size = 0;
        loop {
            job.check()?;
            buffer.clear();
            let read = stream.by_ref().take(COPY as u64).read_to_end(&mut buffer);
            let read = read.map_err(Error::io(self.input.path()))?;
            if read == 0 {
                break;
            }
            copy.write_all(&buffer).map_err(Error::io(folder))?;
            size += read as u64;
            job.progress.advance(read as u64);
        }
        self.size = Some(size);
        self.copy = Some(copy);
        Ok(())
    }

    /// The same sources for another reading, which must not go on at the same time.
    pub(crate) fn reopened(sources: &[Self]) -> Result<Vec<Self>> {
        let reopened = |source: &Self| {
            let copy = source.copy.as_ref().map(File::try_clone).transpose();
            Ok(Self {
                input: source.input.clone(),
                size: source.size,
                copy: copy.map_err(Error::io(source.input.path()))?,
            })
        };
        sources.iter().map(reopened).collect()
    }

    /// Returns the input.
    pub(crate) const fn input(&self) -> &Input {
        &self.input
    }

    /// Opens it at its start.
    fn open(self, format: TeacherFormat) -> Result<Batches> {
        let Some(mut copy) = self.copy else {
            return Batches::open(&self.input, format);
        };
        let rewound: io::Result<()> = copy.rewind();
        rewound.map_err(Error::io(self.input.path()))?;
        Ok(Batches::of_stream(
            Box::new(copy),
            self.size,
            &self.input,
            format,
        ))
    }
}

/// Bytes of a regular file.
fn size_of(input: &Input) -> Option<u64> {
    match input {
        Input::Stdin => None,
        Input::File(path) => {
            let data = std::fs::metadata(path).ok()?;
            data.is_file().then_some(data.len())
        }
    }
}

/// Bytes of all sources, if they are known.
pub(crate) fn total(sources: &[Source]) -> Option<u64> {
    sources.iter().map(|source| source.size).sum()
}
