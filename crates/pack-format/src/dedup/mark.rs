//! Marking the duplicates in all buckets.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use yane_io::{Job, OrderedParallelMap};

use super::Keep;
use super::table::{Added, NUMBER, Table, hash};
use crate::buckets::{Bucket, Buckets};
use crate::{Result, TeacherError};

/// The numbers of the records to drop.
#[derive(Debug)]
pub(super) struct DroppedNumbers {
    bits: Vec<AtomicU64>,
    len: u64,
}

impl DroppedNumbers {
    /// Returns an empty set for `len` records.
    pub(super) fn new(len: u64) -> Self {
        let words = len.div_ceil(64) as usize;
        Self {
            bits: (0..words).map(|_| AtomicU64::new(0)).collect(),
            len,
        }
    }

    /// Number of records, dropped and kept.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    fn insert(&self, number: u64) {
        self.bits[(number / 64) as usize].fetch_or(1 << (number % 64), Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn contains(&self, number: u64) -> bool {
        self.bits[(number / 64) as usize].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
    }
}

/// Marks duplicates.
#[derive(Clone)]
pub(super) struct Marker {
    job: Job,
    folder: PathBuf,
    /// Bytes for one thread.
    memory: u64,
    key_len: usize,
    keep: Keep,
    dropped: Arc<DroppedNumbers>,
}

impl Marker {
    pub(super) fn new(
        job: &Job,
        folder: &Path,
        memory: u64,
        key_len: usize,
        keep: Keep,
        dropped: &Arc<DroppedNumbers>,
    ) -> Self {
        Self {
            job: job.clone(),
            folder: folder.to_owned(),
            memory: memory / job.threads.max(1) as u64,
            key_len,
            keep,
            dropped: Arc::clone(dropped),
        }
    }

    /// Marks the duplicates in the buckets of the whole on all threads, and says how many bytes went
    /// to temporary files on the way.
    pub(super) fn mark_all(&self, buckets: Vec<Bucket>) -> Result<u64> {
        let mut buckets = buckets.into_iter();
        let marker = self.clone();
        let job = self.job.clone();
        OrderedParallelMap::new(
            self.job.threads,
            move || {
                job.check()?;
                Ok::<_, TeacherError>(buckets.next())
            },
            move |bucket: Bucket| {
                let units = bucket.units;
                let spilled = marker.mark(bucket, 0)?;
                marker.job.progress.advance(units);
                Ok(spilled)
            },
        )
        .sum()
    }

    /// Marks the duplicates in a bucket whose keys' hashes have their first `depth + 1` bytes in
    /// common.
    fn mark(&self, bucket: Bucket, depth: u32) -> Result<u64> {
        let mut table = Table::new(self.key_len, bucket.units, self.memory);
        if depth == 7 {
            // All 64 bits of all hashes are the same, which many different keys never share.
            table.lift_limit();
        }
        let all = bucket.visit(|entries| {
            self.job.check()?;
            Ok(self.mark_entries(entries, &mut table))
        })?;
        drop(table);
        if all.is_continue() {
            return Ok(0);
        }
        // Too many different keys for the memory. The marks made so far are right all the same.
        let depth = depth + 1;
        let mut buckets = Buckets::new(self.memory, &self.folder);
        let _ = bucket.visit(|entries| {
            self.job.check()?;
            for entry in entries.chunks_exact(self.key_len + NUMBER) {
                let hash = hash(&entry[..self.key_len]);
                buckets.push((hash >> (56 - 8 * depth)) as u8, entry)?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        drop(bucket);
        let filled = buckets.finish()?;
        let mut spilled = filled.spilled;
        for bucket in filled.buckets {
            spilled += self.mark(bucket, depth)?;
        }
        Ok(spilled)
    }

    fn mark_entries(&self, entries: &[u8], table: &mut Table) -> ControlFlow<()> {
        for entry in entries.chunks_exact(self.key_len + NUMBER) {
            match table.add(entry, self.keep == Keep::Last) {
                Added::New => {}
                Added::Duplicate(earlier) => self.dropped.insert(match self.keep {
                    Keep::First => table.number(entry),
                    Keep::Last => earlier,
                }),
                Added::Full => return ControlFlow::Break(()),
            }
        }
        ControlFlow::Continue(())
    }
}
