//! The batches of an epoch.

use crate::Result;
use crate::batch::{Batch, BatchMaker, Samples};
use crate::data::{Mixed, Record};
use crate::samples::Sampler;

/// The records of an epoch, made into batches.
pub(crate) struct Feeder {
    pub(crate) mixed: Mixed,
    pub(crate) sampler: Sampler,
    pub(crate) maker: BatchMaker,
    pub(crate) records: Vec<Record>,
    pub(crate) samples: Samples,
    pub(crate) batch: usize,
    pub(crate) epoch: u32,
    pub(crate) course: Course,
    /// Batches that were made.
    pub(crate) made: u64,
}

/// The length of a training.
#[derive(Clone, Copy)]
pub(crate) struct Course {
    pub(crate) epochs: u32,
    /// Batches of an epoch.
    pub(crate) batches: u64,
}

impl Course {
    /// The part of the training that is done, 0 to 1, when `epoch` epochs and `batches` of the next one are.
    pub(crate) fn done(self, epoch: u32, batches: u64) -> f64 {
        let part = (batches as f64 / self.batches as f64).min(1.0);
        (f64::from(epoch) + part) / f64::from(self.epochs)
    }
}

impl Feeder {
    /// Draws the records of the next batch: false when there are not enough left. An epoch has one batch at least, however few records
    /// there are.
    pub(crate) fn draw(&mut self) -> Result<bool> {
        self.records.clear();
        while self.records.len() < self.batch
            && let Some(record) = self.mixed.next()?
        {
            self.records.push(record);
        }
        let is_whole = self.records.len() == self.batch;
        let is_there = is_whole || (self.made == 0 && !self.records.is_empty());
        self.made += u64::from(is_there);
        Ok(is_there)
    }

    /// Makes the next batch: false at the end of the epoch.
    pub(crate) fn next(&mut self, batch: &mut Batch) -> Result<bool> {
        if !self.draw()? {
            return Ok(false);
        }
        let done = self.course.done(self.epoch, self.made - 1);
        self.sampler.set_done(done);
        self.sampler
            .fill(&self.records, Some(self.epoch), &mut self.samples)?;
        self.maker.make(&mut self.samples, batch);
        Ok(true)
    }
}
