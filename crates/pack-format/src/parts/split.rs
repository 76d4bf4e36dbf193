//! Splitting of a file into several.

use std::path::{Path, PathBuf};

use yane_io::{BulkFile, Job, Overwrite, RunLock, SealedFile};

use super::part_path;
use super::plan::Plan;
use crate::parts::plan::SplitParts;
use crate::stream::Input;
use crate::units::{Source, UnitBatch, UnitReader, begin_reading, each, files_of, total};
use crate::{Result, TeacherError, TeacherFormat, kind};

/// Options of splitting.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitOptions {
    /// Format of all files.
    pub format: TeacherFormat,
    /// Division into parts.
    pub parts: SplitParts,
    /// Seed of the random choices of [`SplitParts::Ratio`].
    pub seed: u64,
    /// Permission to write a part over one of the inputs.
    pub overwrite: Overwrite,
}

impl SplitOptions {
    /// Returns options with seed 0 and parts that are not inputs.
    pub fn new(format: TeacherFormat, parts: SplitParts) -> Self {
        Self {
            format,
            parts,
            seed: 0,
            overwrite: Overwrite::default(),
        }
    }
}

/// A part that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitPart {
    /// The file.
    pub path: PathBuf,
    /// Records, games or lines in it.
    pub units: u64,
    /// Number of their bytes.
    pub bytes: u64,
}

/// Report of splitting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitReport {
    /// The parts in their order.
    pub parts: Vec<SplitPart>,
    /// Records without a move in all of them.
    pub without_move: u64,
}

/// Splits `inputs`, taken one after the other, into files named after `output`
/// ([`part_path`](super::part_path)).
///
/// No part appears before all are complete. Each CSV file has the header. Parts that an earlier run
/// left beyond the last new one are not touched; the progress is told of the first.
///
/// # Errors
/// When a file cannot be read or written or does not end where a record or game ends, the numbers of
/// the parts make no sense, there is no input, or a part is an input.
pub fn split(
    inputs: &[Input],
    output: &Path,
    options: &SplitOptions,
    job: &Job,
) -> Result<SplitReport> {
    if output.file_name().is_none() || output.as_os_str() == "-" {
        let reason = format!("{}: expected the name of a file", output.display());
        return Err(TeacherError::Option(reason));
    }
    if inputs.is_empty() {
        return Err(TeacherError::Option("no input file".to_owned()));
    }
    // It stands for all parts, whose number is not known yet.
    let _lock = RunLock::file(output)?;
    // The number of bytes must be known before the first part can end.
    let sources = match options.parts {
        SplitParts::Count(_) => Source::again(inputs, &job.temp_dir_for(output), job)?,
        _ => Source::once(inputs),
    };
    let plan = Plan::new(&options.parts, options.seed, total(&sources).unwrap_or(0))?;
    let mut writer = PartWriter {
        inputs,
        output,
        options,
        header: Vec::new(),
        parts: Vec::new(),
        without_move: 0,
        in_order: !matches!(plan, Plan::Random { .. }),
    };
    begin_reading(&sources, job);
    let fixed_parts = plan.fixed_parts();
    let mut plan = plan;
    for batch in UnitReader::new(sources, options.format, job).batches() {
        let batch = batch?;
        writer.put_batch(&batch, &mut plan)?;
        batch.recycle();
    }
    writer.create_up_to(fixed_parts)?;
    writer.commit(job)
}

struct PartWriter<'a> {
    inputs: &'a [Input],
    output: &'a Path,
    options: &'a SplitOptions,
    header: Vec<u8>,
    parts: Vec<(SplitPart, State)>,
    without_move: u64,
    /// Only the last part is being written.
    in_order: bool,
}

enum State {
    Open(BulkFile),
    Sealed(SealedFile),
}

impl PartWriter<'_> {
    fn put_batch(&mut self, batch: &UnitBatch, plan: &mut Plan) -> Result<()> {
        if let Some(header) = &batch.header {
            self.header.clone_from(header);
        }
        self.without_move += batch.without_move;
        // Neighbours of the same part are written at once.
        let (mut part, mut begin, mut units, mut at) = (0, 0, 0, 0);
        for unit in each(self.options.format, &batch.bytes) {
            let next = plan.next(unit.len());
            if next != part {
                self.put(part, &batch.bytes[begin..at], units)?;
                (part, begin, units) = (next, at, 0);
            }
            units += 1;
            at += unit.len();
        }
        self.put(part, &batch.bytes[begin..], units)
    }

    fn put(&mut self, part: u64, bytes: &[u8], units: u64) -> Result<()> {
        if units == 0 {
            return Ok(());
        }
        self.create_up_to(part + 1)?;
        let (part, State::Open(file)) = &mut self.parts[part as usize] else {
            unreachable!("parts in order are not written to after the next one")
        };
        file.put(bytes)?;
        part.units += units;
        part.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Creates parts until there are at least `count`.
    fn create_up_to(&mut self, count: u64) -> Result<()> {
        while (self.parts.len() as u64) < count {
            if self.in_order {
                self.seal_last()?;
            }
            let path = part_path(self.output, self.parts.len() as u64 + 1);
            let overwrite = self.options.overwrite;
            overwrite.check(&path, &files_of(self.inputs))?;
            let mut file = BulkFile::create(&path)?;
            file.put(&self.header)?;
            let part = SplitPart {
                path,
                units: 0,
                bytes: 0,
            };
            self.parts.push((part, State::Open(file)));
        }
        Ok(())
    }

    /// Closes the last part, so that the number of open files stays small.
    fn seal_last(&mut self) -> Result<()> {
        if let Some((part, State::Open(file))) = self.parts.pop() {
            self.parts.push((part, State::Sealed(file.seal()?)));
        }
        Ok(())
    }

    /// Renames all parts to their final names.
    fn commit(self, job: &Job) -> Result<SplitReport> {
        let mut sealed = Vec::new();
        if self.parts.iter().all(|(part, _)| part.units == 0) {
            return Err(kind::nothing(self.inputs, self.options.format));
        }
        let mut report = SplitReport {
            without_move: self.without_move,
            ..SplitReport::default()
        };
        for (part, state) in self.parts {
            job.check()?;
            report.parts.push(part);
            sealed.push(match state {
                State::Open(file) => file.seal()?,
                State::Sealed(file) => file,
            });
        }
        SealedFile::commit_all(sealed)?;
        let next = part_path(self.output, report.parts.len() as u64 + 1);
        if next.exists() {
            let text = format!("{} is there from an earlier run", next.display());
            job.progress.note(&text);
        }
        Ok(report)
    }
}
