//! Going through a file on several threads, over damaged places too.

use yane_io::{Job, Map, Pool};

use super::{ConvertReport, Lost, Recover};
use crate::pack::{Contradictions, Replayer, resync};
use crate::stream::{Batch, Input, Start, process_from};
use crate::{Damage, Format, Result, TeacherError};

/// What a part of a file became.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// Bytes of the target format.
    pub(crate) output: Vec<u8>,
    /// Games in it.
    pub(crate) games: u64,
    /// Positions in it.
    pub(crate) positions: u64,
    /// Games whose end reason cannot go with their result.
    pub(crate) contradictions: u64,
    /// Positions whose bytes are not in canonical order.
    pub(crate) uncanonical: u64,
    /// Bytes of the batch before the damage that ended it.
    pub(crate) good: usize,
    /// Records that were left out, with their lengths.
    pub(crate) skipped: Vec<(Damage, u64)>,
}

/// What is done with each batch.
pub(crate) type Worker = Box<dyn Fn(&Batch, &mut Part) -> Option<Damage> + Send + Sync>;

/// Work on one input.
pub(crate) struct Drive<'a> {
    pub(crate) input: &'a Input,
    pub(crate) format: Format,
    pub(crate) contradictions: Contradictions,
    pub(crate) recover: Recover,
    pub(crate) job: &'a Job,
    /// Whether the work writes over what is in [`Part::output`], instead of adding to it.
    pub(crate) overwrites: bool,
    /// Makes what is done with each batch.
    pub(crate) worker: &'a dyn Fn() -> Result<Worker>,
    /// Takes the output.
    pub(crate) output: &'a mut dyn FnMut(&[u8]) -> Result<()>,
    pub(crate) report: &'a mut ConvertReport,
}

impl Drive<'_> {
    /// Goes through the input, in as many passes as there are damaged places to get over.
    pub(crate) fn run(mut self) -> Result<()> {
        let mut start = Start::default();
        while let Some(damage) = self.pass(start)? {
            if self.recover == Recover::No {
                return Err(TeacherError::damaged(self.input.path(), damage));
            }
            let from = damage.begins_at().unwrap_or(start.offset);
            let (next, end) = self.good_again(from);
            self.report.lose(Lost {
                input: self.input.to_string(),
                damage,
                from,
                to: next.or(end),
            });
            let Some(next) = next else { break };
            start = Start {
                offset: next,
                before: self.report.games,
            };
        }
        Ok(())
    }

    /// Where good games begin again behind the damaged one at `from`, and where the input ends, as
    /// far as that is wanted and known.
    fn good_again(&self, from: u64) -> (Option<u64>, Option<u64>) {
        let Input::File(path) = self.input else {
            return (None, None);
        };
        let Ok(map) = Map::open(path) else {
            return (None, None);
        };
        let end = Some(map.len() as u64);
        if self.recover != Recover::Resync || self.format != Format::Pack {
            return (None, end);
        }
        let mut replayer = Replayer::new(self.contradictions);
        let next = resync(&map, from as usize, &mut replayer);
        (next.map(|next| next.at as u64), end)
    }

    /// From `start` to the end or to the damage that is returned.
    fn pass(&mut self, start: Start) -> Result<Option<Damage>> {
        let work = (self.worker)()?;
        let pool = Pool::default();
        let buffers = pool.clone();
        let overwrites = self.overwrites;
        let results = process_from(self.input, self.format, start, self.job, move |batch| {
            let mut part = Part {
                output: if overwrites {
                    buffers.take_used()
                } else {
                    buffers.take(0)
                },
                ..Part::default()
            };
            let damage = work(batch, &mut part);
            (part, damage)
        })?;
        for done in results {
            let done = done?;
            let part = done.value;
            (self.output)(&part.output)?;
            self.report.add(&part);
            pool.give(part.output);
            for (damage, len) in part.skipped {
                let damage = damage.moved(done.offset, done.before);
                let from = damage.begins_at().unwrap_or(done.offset);
                self.report.lose(Lost {
                    input: self.input.to_string(),
                    damage,
                    from,
                    to: Some(from + len),
                });
            }
            if done.damage.is_some() {
                return Ok(done.damage);
            }
        }
        Ok(None)
    }
}
