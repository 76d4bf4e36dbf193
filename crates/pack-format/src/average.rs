//! One record for each position, with the mean of the scores of all its records.
//!
//! Of equal records (positions are compared in canonical form) the first or last stays, in its place. Its score becomes the
//! mean of the scores of all of them, rounded to the nearest number (halves away from 0); its result the one that most of them
//! have, its own where several are as frequent. Move and ply stay its own.
//!
//! The records are sorted by their keys outside of memory, and the remaining ones again by their numbers.

use std::path::Path;

use yane_io::external::Sorter;
use yane_io::{Job, Unit};

use crate::dedup::{DedupBy, DedupOptions, DedupReport, Keep, Keys};
use crate::record::SCORE;
use crate::stream::{Input, StreamOutput};
use crate::units::{Source, UnitBatch, UnitReader, begin_reading, claim_output, each};
use crate::{Result, TeacherError, TeacherFormat, kind};

/// Writes every position in `inputs` once to `output`, see the module.
///
/// # Errors
/// As [`crate::dedup::dedup`]; also when the records are no positions, or shall be compared as a whole.
pub fn average(
    inputs: &[Input],
    output: &Path,
    options: &DedupOptions,
    job: &Job,
) -> Result<DedupReport> {
    let _claim = claim_output(inputs, output, options.overwrite)?;
    let keys = Keys::new(options.format, options.by)?;
    if options.format.record_len().is_none() || options.by == DedupBy::WholeRecord {
        let text = "scores are averaged over records of the same position (hcpe and psv)";
        return Err(TeacherError::Option(text.to_owned()));
    }
    let mut out = StreamOutput::create(output)?;
    let mut report = DedupReport::default();
    let records = read(inputs, keys, output, job, &mut report)?;
    if report.records == 0 {
        return Err(kind::nothing(inputs, options.format));
    }
    let stage = "averaging";
    job.progress
        .stage(stage, Some(report.records), Unit::Records);
    let kept = join(records, *options, output, job, &mut report)?;
    job.progress
        .stage("writing", Some(report.kept), Unit::Records);
    let mut sorted = kept.finish()?;
    let mut steps = Steps::new(job);
    while let Some((_, _, record)) = sorted.current() {
        out.put(record)?;
        sorted.advance()?;
        steps.step()?;
    }
    out.commit()?;
    Ok(report)
}

/// Calls for progress and cancellation now and then.
struct Steps<'a> {
    job: &'a Job,
    done: u64,
}

impl<'a> Steps<'a> {
    const STEP: u64 = 1 << 12;

    const fn new(job: &'a Job) -> Self {
        Self { job, done: 0 }
    }

    fn step(&mut self) -> Result<()> {
        self.done += 1;
        if self.done.is_multiple_of(Self::STEP) {
            self.job.check()?;
            self.job.progress.advance(Self::STEP);
        }
        Ok(())
    }
}

/// Sorts all records by their keys; equal ones stay in the order of the inputs.
fn read(
    inputs: &[Input],
    keys: Keys,
    output: &Path,
    job: &Job,
    report: &mut DedupReport,
) -> Result<Sorter> {
    let sources = Source::once(inputs);
    begin_reading(&sources, job);
    let format = keys.format();
    let reader = UnitReader::new(sources, format, job);
    let mut sorter = Sorter::new(&share(job), job.temp_for(output));
    let batches = reader.process(job.threads, move |batch: UnitBatch| {
        let found = keys.of(&batch)?;
        Ok((batch, found))
    });
    let mut body = Vec::new();
    for batch in batches {
        let (batch, found) = batch?;
        let records = each(format, &batch.bytes);
        for (key, record) in found.chunks_exact(keys.len()).zip(records) {
            body.clear();
            body.extend_from_slice(&report.records.to_be_bytes());
            body.extend_from_slice(record);
            sorter.push(key, &body)?;
            report.records += 1;
        }
        report.without_move += batch.without_move;
        batch.recycle();
    }
    Ok(sorter)
}

/// The job with half of its memory, as two sorters are at work.
fn share(job: &Job) -> Job {
    Job {
        memory: job.memory / 2,
        ..job.clone()
    }
}

/// Joins the records of each position; the ones that stay, sorted by their numbers.
fn join(
    records: Sorter,
    options: DedupOptions,
    output: &Path,
    job: &Job,
    report: &mut DedupReport,
) -> Result<Sorter> {
    let mut kept = Sorter::new(&share(job), job.temp_for(output));
    let mut sorted = records.finish()?;
    let mut group = Group::new(options.format, options.keep);
    let mut steps = Steps::new(job);
    while let Some((_, key, body)) = sorted.current() {
        if group.count > 0 && group.key != key {
            group.finish(&mut kept, report)?;
        }
        group.add(key, body);
        sorted.advance()?;
        steps.step()?;
    }
    group.finish(&mut kept, report)?;
    report.dropped = report.records - report.kept;
    Ok(kept)
}

/// The records of one position.
struct Group {
    format: TeacherFormat,
    keep: Keep,
    key: Vec<u8>,
    /// Number and bytes of the record that stays.
    kept: Vec<u8>,
    count: u64,
    scores: i64,
    /// How often each result is there, by [`Self::result`].
    results: Vec<(u8, u64)>,
}

/// Bytes of the number of a record.
const NUMBER: usize = 8;

impl Group {
    const fn new(format: TeacherFormat, keep: Keep) -> Self {
        Self {
            format,
            keep,
            key: Vec::new(),
            kept: Vec::new(),
            count: 0,
            scores: 0,
            results: Vec::new(),
        }
    }

    /// The place of the result in a record.
    const fn result(&self) -> usize {
        match self.format {
            TeacherFormat::Psv => 38,
            _ => 36,
        }
    }

    fn add(&mut self, key: &[u8], body: &[u8]) {
        let record = &body[NUMBER..];
        let score = i16::from_le_bytes([record[SCORE.start], record[SCORE.start + 1]]);
        let result = record[self.result()];
        self.scores += i64::from(score);
        match self.results.iter_mut().find(|(known, _)| *known == result) {
            Some((_, count)) => *count += 1,
            None => self.results.push((result, 1)),
        }
        if self.count == 0 || self.keep == Keep::Last {
            self.kept.clear();
            self.kept.extend_from_slice(body);
        }
        if self.count == 0 {
            self.key.clear();
            self.key.extend_from_slice(key);
        }
        self.count += 1;
    }

    /// Hands on the record that stays, and empties the group.
    fn finish(&mut self, kept: &mut Sorter, report: &mut DedupReport) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let result = self.result();
        let (number, record) = self.kept.split_at_mut(NUMBER);
        if self.count > 1 {
            report.averaged += 1;
            let score = mean(self.scores, self.count) as i16;
            record[SCORE].copy_from_slice(&score.to_le_bytes());
            let most = self.results.iter().map(|known| known.1).max();
            let is_most = |known: &&(u8, u64)| Some(known.1) == most;
            let own = self
                .results
                .iter()
                .filter(is_most)
                .find(|known| known.0 == record[result]);
            if let Some((usual, _)) = own.or_else(|| self.results.iter().find(is_most)) {
                record[result] = *usual;
            }
        }
        kept.push(number, record)?;
        report.kept += 1;
        (self.count, self.scores) = (0, 0);
        self.results.clear();
        Ok(())
    }
}

/// The mean, rounded to the nearest number, halves away from 0.
fn mean(sum: i64, count: u64) -> i64 {
    let count = count as i64;
    (sum.abs() * 2 + count) / (count * 2) * sum.signum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_rounded() {
        for (sum, count, expected) in [
            (0, 3, 0),
            (10, 4, 3),
            (9, 4, 2),
            (-10, 4, -3),
            (-9, 4, -2),
            (-65_536, 2, -32_768),
            (65_534, 2, 32_767),
        ] {
            assert_eq!(mean(sum, count), expected, "{sum}/{count}");
        }
    }
}
