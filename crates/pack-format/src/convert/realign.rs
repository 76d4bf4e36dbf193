//! Files of records in which bytes were inserted or lost: every record is looked for where it is.
//!
//! As long as records stand where they should, several threads work on batches of them. From a batch
//! with something else in it on, one thread goes from record to record, until all is well again for long.

mod gap;

use std::sync::Arc;

use yane_io::{Job, Map, Progress, Unit};

use super::drive::{Drive, Part};
use crate::record::{InvalidRecord, TeacherRecordProblem};
use crate::stream::{Batch, Done, StreamStart};
use crate::{InvalidData, Result};
use gap::{Finder, Gap, Restored};

/// Bytes without damage after which several threads go on.
const STABLE: usize = 1 << 20;
/// Bytes of records that are worked on at once.
const RUN: usize = 64 << 10;

/// Progress of later passes over the same file, whose stage goes on.
struct SameStage(Arc<dyn Progress>);

impl Progress for SameStage {
    fn stage(&self, _: &str, _: Option<u64>, _: Unit) {}

    fn advance(&self, amount: u64) {
        self.0.advance(amount);
    }

    fn note(&self, text: &str) {
        self.0.note(text);
    }
}

impl Drive<'_> {
    /// Goes through the records of `map`, the input.
    pub(super) fn run_over_records(mut self, map: &Map) -> Result<()> {
        let mut start = Some(StreamStart::default());
        let mut job = self.job.clone();
        while let Some(from) = start {
            start = self.pass_over_records(from, &job)?;
            job.progress = Arc::new(SameStage(Arc::clone(&self.job.progress)));
            if let Some(place) = start {
                start = Walk::new(&mut self, map, place)?.run()?;
            }
        }
        Ok(())
    }

    /// From `start` to the end, or to the place that is returned: a batch with damage begins there, or the
    /// one before it, whose last record is doubtful when the first one of the next is damaged.
    fn pass_over_records(&mut self, start: StreamStart, job: &Job) -> Result<Option<StreamStart>> {
        let mut last: Option<Done<Part>> = None;
        for done in self.parts(start, false, job)? {
            let done = done?;
            if done.invalid.is_none() {
                if let Some(last) = last.replace(done) {
                    self.take(last)?;
                }
                continue;
            }
            let here = StreamStart {
                offset: done.offset,
                before: done.before,
            };
            let is_first = done.value.good == 0;
            return match last {
                Some(last) if is_first => Ok(Some(StreamStart {
                    offset: last.offset,
                    before: last.before,
                })),
                Some(last) => self.take(last).map(|_| Some(here)),
                None => Ok(Some(here)),
            };
        }
        if let Some(last) = last {
            self.take(last)?;
        }
        Ok(None)
    }
}

/// The way from record to record.
struct Walk<'d, 'a, 'm> {
    drive: &'d mut Drive<'a>,
    work: super::drive::Worker,
    finder: Finder<'m>,
    /// Offset of the first good record not yet processed, and the number of records before it.
    run: usize,
    before: u64,
    /// Offset of the next record.
    at: usize,
    /// Offset of the end of the last damage.
    invalid: usize,
    /// Number of bytes reported as progress so far.
    told: usize,
}

impl<'d, 'a, 'm> Walk<'d, 'a, 'm> {
    fn new(drive: &'d mut Drive<'a>, map: &'m Map, start: StreamStart) -> Result<Self> {
        let at = start.offset as usize;
        Ok(Self {
            work: (drive.worker)(true)?,
            finder: Finder::new(map, drive.format, drive.job),
            drive,
            run: at,
            before: start.before,
            at,
            invalid: at,
            told: at,
        })
    }

    /// Goes on until all was well for long, and says where; to the end otherwise.
    fn run(mut self) -> Result<Option<StreamStart>> {
        let len = self.finder.record_len();
        loop {
            match self.finder.problem(self.at) {
                None if self.at >= self.finder.len() => {
                    self.work_up_to(self.at)?;
                    return Ok(None);
                }
                None => self.at += len,
                Some(problem) => {
                    let gap = self.finder.gap(self.run, self.at);
                    self.get_over(&gap, problem)?;
                }
            }
            if self.at - self.invalid >= STABLE {
                self.work_up_to(self.at)?;
                return Ok(Some(StreamStart {
                    offset: self.at as u64,
                    before: self.before,
                }));
            }
            if self.at - self.run >= RUN {
                // The last record is doubtful as long as the next one is not known.
                self.work_up_to(self.at - len)?;
            }
        }
    }

    /// Works on the good records up to `end`.
    fn work_up_to(&mut self, end: usize) -> Result<()> {
        self.drive.job.check()?;
        let bytes = self.finder.bytes(self.run, end).to_vec();
        let records = (bytes.len() / self.finder.record_len()) as u64;
        self.work(bytes, self.run)?;
        self.before += records;
        self.run = end;
        let progress = &self.drive.job.progress;
        progress.advance((end - self.told) as u64);
        self.told = end;
        Ok(())
    }

    fn work(&mut self, bytes: Vec<u8>, offset: usize) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let batch = Batch {
            bytes,
            offset: offset as u64,
            before: self.before,
        };
        let mut part = Part::default();
        let invalid = (self.work)(&batch, &mut part);
        let done = Done {
            value: part,
            invalid,
            offset: batch.offset,
            before: batch.before,
            len: batch.bytes.len() as u64,
        };
        self.drive.take(done).map(|_| ())
    }

    /// Reports the damage and continues after it.
    fn get_over(&mut self, gap: &Gap, problem: TeacherRecordProblem) -> Result<()> {
        self.work_up_to(gap.from)?;
        let len = self.finder.record_len();
        let bytes = gap.to - gap.from;
        if let Some(Restored { bytes, removed }) = &gap.restored
            && self.drive.restores
        {
            for &at in removed {
                let record = self.before + ((at - gap.from) / len) as u64;
                self.lose(record, at, 1, TeacherRecordProblem::CarriageReturn);
            }
            self.work(bytes.clone(), gap.from)?;
            self.before += (bytes.len() / len) as u64;
        } else if bytes.is_multiple_of(len) || gap.to == self.finder.len() {
            // Records that stand where they should, or the end.
            let mut at = gap.from;
            while at < gap.to {
                let problem = self.finder.problem(at).unwrap_or(problem);
                self.lose(self.before, at, len.min(gap.to - at), problem);
                self.before += 1;
                at += len;
            }
        } else {
            let records = (bytes + len / 2) / len;
            let problem = match (gap.restored.is_some(), records) {
                (true, _) => TeacherRecordProblem::CarriageReturn,
                (_, 2..) => TeacherRecordProblem::NoRecord { bytes },
                _ if bytes > records * len => TeacherRecordProblem::Inserted {
                    bytes: bytes - records * len,
                },
                _ => TeacherRecordProblem::Lost {
                    bytes: records * len - bytes,
                },
            };
            self.lose(self.before, gap.from, bytes, problem);
            self.before += records as u64;
        }
        (self.at, self.run, self.invalid) = (gap.to, gap.to, gap.to);
        Ok(())
    }

    /// Counts a damaged place; `record` is the number of records before it.
    fn lose(&mut self, record: u64, from: usize, bytes: usize, problem: TeacherRecordProblem) {
        let from = from as u64;
        let invalid = InvalidData::from(InvalidRecord {
            record: record + 1,
            offset: from,
            problem,
        });
        self.drive.lose(invalid, from, from + bytes as u64);
    }
}
