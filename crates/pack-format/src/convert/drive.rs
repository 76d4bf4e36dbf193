//! Going through a file on several threads, over damaged places too.

use yane_io::{Job, Map, Pool};

use super::{Lost, Recover, TeacherConvertReport};
use crate::move_codes::MoveCodes;
use crate::pack::{Contradictions, PackReplayer, resync};
use crate::stream::{Batch, Done, Input, StreamResults, StreamStart, process_from};
use crate::{InvalidData, Result, TeacherError, TeacherFormat};

/// Result of processing one part of a file.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// Bytes of the target format.
    pub(crate) output: Vec<u8>,
    /// Games in it.
    pub(crate) games: u64,
    /// Positions in it.
    pub(crate) positions: u64,
    /// Records without a move, in it or left out.
    pub(crate) without_move: u64,
    /// Games whose end reason cannot go with their result.
    pub(crate) contradictions: u64,
    /// What the format of game records cannot hold.
    pub(crate) losses: shogi_kifu::Losses,
    /// Positions whose bytes are not in canonical order.
    pub(crate) uncanonical: u64,
    /// Bytes of the batch before the damage that ended it.
    pub(crate) good: usize,
    /// Records that were left out, with their lengths.
    pub(crate) skipped: Vec<(InvalidData, u64)>,
}

/// Work function of a batch.
pub(crate) type Worker = Box<dyn Fn(&Batch, &mut Part) -> Option<InvalidData> + Send + Sync>;

/// Work on one input.
pub(crate) struct Drive<'a> {
    pub(crate) input: &'a Input,
    pub(crate) format: TeacherFormat,
    pub(crate) contradictions: Contradictions,
    pub(crate) recover: Recover,
    pub(crate) job: &'a Job,
    /// True if the worker overwrites the contents of [`Part::output`] instead of appending.
    pub(crate) overwrites: bool,
    /// True if records damaged only by a transfer in text mode are restored.
    pub(crate) restores: bool,
    /// Codes of the moves of PSV records.
    pub(crate) codes: MoveCodes,
    /// Makes what is done with each batch, which leaves out damaged records and lines when it is told to.
    pub(crate) worker: &'a dyn Fn(bool) -> Result<Worker>,
    /// Takes the output.
    pub(crate) output: &'a mut dyn FnMut(&[u8]) -> Result<()>,
    pub(crate) report: &'a mut TeacherConvertReport,
    /// Buffers for the output of parts.
    pub(crate) buffers: Pool,
}

impl Drive<'_> {
    /// Goes through the input, in as many passes as there are damaged places to get over.
    pub(crate) fn run(mut self) -> Result<()> {
        if let Some(map) = self.map_of_records() {
            return self.run_over_records(&map);
        }
        let mut start = StreamStart::default();
        while let Some(invalid) = self.pass(start)? {
            if self.recover == Recover::No {
                return Err(TeacherError::invalid(self.input.path(), invalid));
            }
            let from = invalid.begins_at().unwrap_or(start.offset);
            let (next, end) = self.good_again(from);
            self.report.lose(Lost {
                input: self.input.to_string(),
                invalid,
                from,
                to: next.or(end),
            });
            let Some(next) = next else { break };
            start = StreamStart {
                offset: next,
                before: self.report.games,
            };
        }
        Ok(())
    }

    /// The file, if it has records of one size that are to be found again wherever they are.
    fn map_of_records(&self) -> Option<Map> {
        let Input::File(path) = self.input else {
            return None;
        };
        // Records with other codes of moves stand where they should, or are lost.
        let is_wanted = self.recover == Recover::Resync
            && self.codes == MoveCodes::default()
            && self.format.record_len().is_some();
        let is_regular = is_wanted && std::fs::metadata(path).is_ok_and(|data| data.is_file());
        is_regular.then(|| Map::open(path).ok()).flatten()
    }

    /// Returns the offset at which good games resume after the damaged one at `from`, and the
    /// offset at which the input ends, as far as they are wanted and known.
    fn good_again(&self, from: u64) -> (Option<u64>, Option<u64>) {
        let Input::File(path) = self.input else {
            return (None, None);
        };
        let Ok(map) = Map::open(path) else {
            return (None, None);
        };
        let end = Some(map.len() as u64);
        if self.recover != Recover::Resync || self.format != TeacherFormat::Pack {
            return (None, end);
        }
        let mut replayer = PackReplayer::new(self.contradictions);
        let next = resync(&map, from as usize, &mut replayer);
        (next.map(|next| next.at as u64), end)
    }

    /// From `start` to the end or to the damage that is returned.
    fn pass(&mut self, start: StreamStart) -> Result<Option<InvalidData>> {
        for done in self.parts(start, self.recover != Recover::No, self.job)? {
            let done = done?;
            let invalid = self.take(done)?;
            if invalid.is_some() {
                return Ok(invalid);
            }
        }
        Ok(None)
    }

    /// Returns the results of the parts of the input from `start` on.
    pub(super) fn parts(
        &self,
        start: StreamStart,
        skip: bool,
        job: &Job,
    ) -> Result<StreamResults<Part>> {
        let work = (self.worker)(skip)?;
        let overwrites = self.overwrites;
        let buffers = self.buffers.clone();
        process_from(
            self.input,
            self.format,
            start,
            self.codes,
            job,
            move |batch| {
                let mut part = Part {
                    output: if overwrites {
                        buffers.take_used()
                    } else {
                        buffers.take(0)
                    },
                    ..Part::default()
                };
                let invalid = work(batch, &mut part);
                (part, invalid)
            },
        )
    }

    /// Writes and counts a part; gives the damage that ended it.
    pub(super) fn take(&mut self, done: Done<Part>) -> Result<Option<InvalidData>> {
        let part = done.value;
        (self.output)(&part.output)?;
        self.report.add(&part);
        self.buffers.give(part.output);
        for (invalid, len) in part.skipped {
            let invalid = invalid.moved(done.offset, done.before);
            let from = invalid.begins_at().unwrap_or(done.offset);
            self.lose(invalid, from, from + len);
        }
        Ok(done.invalid)
    }

    /// Counts a damaged place.
    pub(super) fn lose(&mut self, invalid: InvalidData, from: u64, to: u64) {
        self.report.lose(Lost {
            input: self.input.to_string(),
            invalid,
            from,
            to: Some(to),
        });
    }
}

impl TeacherConvertReport {
    /// Counts what a part of a file became.
    pub(crate) fn add(&mut self, part: &Part) {
        self.games += part.games;
        self.positions += part.positions;
        self.without_move += part.without_move;
        self.contradictions += part.contradictions;
        self.losses.absorb(&part.losses);
        self.uncanonical += part.uncanonical;
        self.bytes_read += part.good as u64;
        self.bytes_written += part.output.len() as u64;
    }
}
