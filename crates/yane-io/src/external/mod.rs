//! External sort: sorted runs, merged by a k-way merge with a loser tree.
//!
//! Records, each a key and a body of bytes, are collected in *runs* that fit in memory, sorted, and
//! written to a temporary file; a k-way merge with a loser tree then reads the sorted runs. Records with equal keys keep
//! the order in which they came.
//!
//! The temporary file has no name (it vanishes with the program, however that ends), and as long as
//! the machine has memory to spare its pages never reach the disk.

mod order;
mod sorted_runs;

use std::cmp::Ordering;

use crate::{Job, Pool, Result, TempFolder};

pub use order::SortedSource;
use order::sorted_order;
pub use sorted_runs::{RecordBytes, RunBuilder, RunReader, SortedRuns};

// Sorting a stream of records.

/// Runs are at least this large, in bytes, however small the memory is set.
const MIN_RUN: u64 = 64 << 10;
/// Larger runs would save a level of the merge and cost memory.
const MAX_RUN: u64 = 64 << 20;
/// Runs up to this many bytes in all stay in memory: beyond it the system's own cache of the
/// temporary file does as well, and gives way when others need memory.
const KEEP: u64 = 64 << 20;
/// A reader's buffer is at least this large.
const MIN_BUFFER: u64 = 4 << 10;
/// A larger buffer for a reader gains nothing.
const MAX_BUFFER: u64 = 256 << 10;

/// Takes records in any order and gives them back in the order of their keys.
#[derive(Debug)]
pub struct Sorter {
    job: Job,
    folder: TempFolder,
    run: RunBuilder,
    run_size: u64,
    runs: SortedRuns,
}

/// The records of a [`Sorter`] in order.
pub type Sorted = KWayMerge<RunReader>;

impl Sorter {
    /// A sorter that uses about `job.memory` bytes and keeps its temporary file in `folder`.
    pub fn new(job: &Job, folder: impl Into<TempFolder>) -> Self {
        let folder = folder.into();
        let run_size = (job.memory / 4).clamp(MIN_RUN, MAX_RUN);
        Self {
            job: job.clone(),
            run: RunBuilder::default(),
            run_size,
            runs: SortedRuns::new(&folder, run_size.min(KEEP)),
            folder,
        }
    }

    /// Returns whether no record was added.
    pub const fn is_empty(&self) -> bool {
        self.run.is_empty() && self.runs.len() == 0
    }

    /// Adds a record.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub fn push(&mut self, key: &[u8], body: &[u8]) -> Result<()> {
        self.run.push(key, body);
        if self.run.size() as u64 >= self.run_size {
            self.job.check()?;
            let run = std::mem::take(&mut self.run);
            self.runs.add(run.into_run())?;
        }
        Ok(())
    }

    /// Adds records that are sorted already, as [`RunBuilder::into_run`] gives them. Their buffer
    /// goes to `pool` when they go to the disk.
    ///
    /// # Errors
    /// When the temporary file cannot be written.
    pub fn add_run(&mut self, run: Vec<u8>, pool: &Pool) -> Result<()> {
        self.job.check()?;
        if run.is_empty() {
            return Ok(());
        }
        self.runs.add_from(run, pool)
    }

    /// All records in the order of their keys; equal keys in the order they were added.
    ///
    /// # Errors
    /// When the temporary file cannot be written or read.
    pub fn finish(self) -> Result<Sorted> {
        Ok(KWayMerge::new(self.into_readers(1)?))
    }

    /// Readers of the sorted runs, few enough that `of` such sets can be read at once within the
    /// memory.
    ///
    /// # Errors
    /// When the temporary file cannot be written or read.
    pub fn into_readers(mut self, of: usize) -> Result<Vec<RunReader>> {
        if !self.run.is_empty() {
            let run = std::mem::take(&mut self.run);
            self.runs.add(run.into_run())?;
        }
        let memory = self.job.memory / 4 / of.max(1) as u64;
        let fan_in = (memory / MIN_BUFFER).max(8) as usize;
        while self.runs.len() > fan_in {
            self.merge_pass(fan_in, memory)?;
        }
        let buffer = buffer_size(memory, self.runs.len());
        self.runs.into_readers(buffer)
    }

    /// Merges groups of `fan_in` neighbouring runs into one each.
    fn merge_pass(&mut self, fan_in: usize, memory: u64) -> Result<()> {
        let merged = SortedRuns::new(&self.folder, 0);
        let runs = std::mem::replace(&mut self.runs, merged);
        let mut readers = runs.into_readers(buffer_size(memory, fan_in))?.into_iter();
        loop {
            let group: Vec<_> = readers.by_ref().take(fan_in).collect();
            if group.is_empty() {
                return Ok(());
            }
            self.merge_group(group, memory)?;
        }
    }

    fn merge_group(&mut self, group: Vec<RunReader>, memory: u64) -> Result<()> {
        let mut records = KWayMerge::new(group);
        let run = self.runs.begin_run()?;
        let mut block = RunBuilder::default();
        while let Some((_, key, body)) = records.current() {
            block.push(key, body);
            if block.size() as u64 >= memory.clamp(MIN_BUFFER, MAX_BUFFER) {
                self.job.check()?;
                let block = std::mem::take(&mut block);
                self.runs.extend_run(&block.into_unsorted_run())?;
            }
            records.advance()?;
        }
        self.runs.extend_run(&block.into_unsorted_run())?;
        self.runs.end_run(&run);
        Ok(())
    }
}

fn buffer_size(memory: u64, readers: usize) -> usize {
    (memory / readers.max(1) as u64).clamp(MIN_BUFFER, MAX_BUFFER) as usize
}

/// K-way merge: several sorted sources as one. Of records with equal keys those of the earlier source come first.
#[derive(Debug)]
pub struct KWayMerge<S> {
    sources: Vec<S>,
    /// Inner node `i` has the loser of the match of its children `2i` and `2i + 1`; source `s` is
    /// the child `s + sources.len()`. Node 0 has the winner of all.
    losers: Vec<usize>,
}

impl<S: SortedSource> KWayMerge<S> {
    /// Begins with the first record of each source.
    pub fn new(sources: Vec<S>) -> Self {
        let count = sources.len();
        let mut merge = Self {
            sources,
            losers: vec![0; count],
        };
        if count > 0 {
            let mut winners = vec![0; 2 * count];
            for node in (1..2 * count).rev() {
                if node >= count {
                    winners[node] = node - count;
                    continue;
                }
                let (a, b) = (winners[2 * node], winners[2 * node + 1]);
                let (winner, loser) = if merge.beats(a, b) { (a, b) } else { (b, a) };
                winners[node] = winner;
                merge.losers[node] = loser;
            }
            merge.losers[0] = winners[1];
        }
        merge
    }

    /// Number of the source and its current record, the smallest of all; `None` at the end.
    #[inline(always)]
    pub fn current(&self) -> Option<(usize, &[u8], &[u8])> {
        let &winner = self.losers.first()?;
        let (key, body) = self.sources[winner].current()?;
        Some((winner, key, body))
    }

    /// Advances to the next record. Must not be called at the end.
    ///
    /// # Errors
    /// When reading fails.
    #[inline]
    pub fn advance(&mut self) -> std::result::Result<(), S::Error> {
        let mut winner = self.losers[0];
        self.sources[winner].advance()?;
        let mut node = (winner + self.sources.len()) >> 1;
        while node > 0 {
            let other = self.losers[node];
            if self.beats(other, winner) {
                self.losers[node] = winner;
                winner = other;
            }
            node >>= 1;
        }
        self.losers[0] = winner;
        Ok(())
    }

    /// The sources, wherever they stand.
    pub fn into_sources(self) -> Vec<S> {
        self.sources
    }

    /// Returns whether the current record of source `a` comes before that of `b`.
    #[inline(always)]
    fn beats(&self, a: usize, b: usize) -> bool {
        match (self.sources[a].current(), self.sources[b].current()) {
            (Some((key_a, _)), Some((key_b, _))) => match key_a.cmp(key_b) {
                Ordering::Less => true,
                Ordering::Greater => false,
                Ordering::Equal => a < b,
            },
            (a, _) => a.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn memory_changes_nothing(
            records in prop::collection::vec(("[ab]{0,6}", "[x-z]{0,2000}"), 0..300),
            memory in 1u64..1_000_000,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let job = Job { memory, ..Job::default() };
            let mut sorter = Sorter::new(&job, folder.path());
            for (key, body) in &records {
                sorter.push(key.as_bytes(), body.as_bytes()).unwrap();
            }
            let mut sorted = sorter.finish().unwrap();
            let mut expected = records;
            expected.sort_by(|a, b| a.0.cmp(&b.0));
            for (key, body) in expected {
                let (_, k, b) = sorted.current().unwrap();
                prop_assert_eq!((k, b), (key.as_bytes(), body.as_bytes()));
                sorted.advance().unwrap();
            }
            prop_assert!(sorted.current().is_none());
        }
    }

    #[test]
    fn many_small_runs_are_merged_in_passes() {
        let folder = tempfile::tempdir().unwrap();
        let job = Job {
            memory: 1,
            ..Job::default()
        };
        let mut sorter = Sorter::new(&job, folder.path());
        for number in 0..100u32 {
            let mut run = RunBuilder::default();
            run.push(&(number % 10).to_be_bytes(), &number.to_be_bytes());
            sorter.add_run(run.into_run(), &Pool::default()).unwrap();
        }
        let mut sorted = sorter.finish().unwrap();
        let mut bodies = Vec::new();
        while let Some((_, _, body)) = sorted.current() {
            bodies.push(u32::from_be_bytes(body.try_into().unwrap()));
            sorted.advance().unwrap();
        }
        let mut expected: Vec<u32> = (0..100).collect();
        expected.sort_by_key(|number| number % 10);
        assert_eq!(bodies, expected);
    }

    proptest! {
        #[test]
        fn agrees_with_a_stable_sort(
            keys in prop::collection::vec(
                prop_oneof![
                    prop::collection::vec(0u8..3, 0..20),
                    "(lnsgkgsnl/){0,3}[a-c ]{0,4}".prop_map(String::into_bytes),
                ],
                0..200,
            )
        ) {
            let mut expected: Vec<u32> = (0..keys.len() as u32).collect();
            expected.sort_by_key(|&index| &keys[index as usize]);
            let order = sorted_order(keys.len(), |index| &keys[index as usize]);
            prop_assert_eq!(order, expected);
        }
    }
}
