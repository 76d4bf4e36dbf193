//! The levels of the tree that are on the disk.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use yane_io::{Job, OrderedParallelMap, Unit};

use super::node::{Draws, Node};
use super::{ShuffleReport, Workshop, memory_needed};
use crate::buckets::{Bucket, Buckets};
use crate::stream::StreamOutput;
use crate::units::each;
use crate::{Result, TeacherError, TeacherFormat};

/// A shuffling in progress.
pub(super) struct External {
    format: TeacherFormat,
    job: Job,
    folder: PathBuf,
    output: PathBuf,
    leaf: usize,
    workshop: Arc<Workshop>,
    report: ShuffleReport,
}

/// A bucket whose units are being distributed to its own buckets.
pub(super) struct Tree {
    node: Node,
    draws: Draws,
    buckets: Buckets,
}

impl External {
    pub(super) fn new(format: TeacherFormat, job: &Job, output: &Path, leaf: usize) -> Self {
        Self {
            format,
            job: job.clone(),
            folder: job.temp_dir_for(output),
            output: output.to_owned(),
            leaf,
            workshop: Arc::default(),
            report: ShuffleReport::default(),
        }
    }

    /// Returns the report of the shuffling.
    pub(super) const fn report(&self) -> ShuffleReport {
        self.report
    }

    /// Begins to distribute the units of `node`.
    pub(super) fn begin(&self, node: Node) -> Tree {
        Tree {
            node,
            draws: node.draws(),
            buckets: Buckets::new(self.job.memory, &self.folder),
        }
    }

    /// Distributes the next units.
    pub(super) fn distribute(&self, bytes: &[u8], tree: &mut Tree) -> Result<()> {
        fn records<const N: usize>(bytes: &[u8], tree: &mut Tree) -> Result<()> {
            for record in bytes.as_chunks::<N>().0 {
                tree.buckets.push(tree.draws.next(), record)?;
            }
            Ok(())
        }
        match self.format.record_len() {
            Some(38) => records::<38>(bytes, tree),
            Some(40) => records::<40>(bytes, tree),
            _ => each(self.format, bytes)
                .try_for_each(|unit| tree.buckets.push(tree.draws.next(), unit)),
        }
    }

    /// Writes what has been distributed, all of it.
    pub(super) fn collect(&mut self, tree: Tree, out: &mut StreamOutput) -> Result<()> {
        let filled = tree.buckets.finish()?;
        let bytes = filled.buckets.iter().map(|bucket| bucket.bytes).sum();
        self.begin_writing(bytes);
        self.report.spilled += filled.spilled;
        let memory = self.job.memory.saturating_sub(filled.in_memory);
        self.put_buckets(filled.buckets, memory, tree.node, out)
    }

    /// Writes units that are few enough for memory.
    pub(super) fn put_small(
        &mut self,
        bytes: Vec<u8>,
        node: Node,
        out: &mut StreamOutput,
    ) -> Result<()> {
        self.begin_writing(bytes.len() as u64);
        let units = each(self.format, &bytes).count() as u64;
        let shuffled = self.workshop.shuffle(self.format, bytes, node, self.leaf);
        self.put(shuffled, units, out)
    }

    fn begin_writing(&self, bytes: u64) {
        let name = format!("writing {}", self.output.display());
        self.job.progress.stage(&name, Some(bytes), Unit::Bytes);
    }

    fn put(&mut self, bytes: Vec<u8>, units: u64, out: &mut StreamOutput) -> Result<()> {
        out.put(&bytes)?;
        self.report.units += units;
        self.report.bytes += bytes.len() as u64;
        self.job.progress.advance(bytes.len() as u64);
        self.workshop.pool.give(bytes);
        Ok(())
    }

    /// Writes the buckets of `node`, each shuffled.
    fn put_buckets(
        &mut self,
        buckets: Vec<Bucket>,
        memory: u64,
        node: Node,
        out: &mut StreamOutput,
    ) -> Result<()> {
        let needed = |bucket: &Bucket| memory_needed(self.format, bucket.bytes, bucket.units);
        let largest = buckets.iter().map(needed).max().unwrap_or_default();
        let small = |bucket: &Bucket| {
            bucket.units <= self.leaf as u64
                || memory_needed(self.format, bucket.bytes, bucket.units) <= memory
        };
        // A thread has a bucket in work and one that waits; the last one is being written.
        let threads = (memory / largest.max(1)).saturating_sub(1) / 2;
        if threads > 0 {
            let threads = self.job.threads.min(threads as usize);
            return self.put_in_parallel(buckets, threads, node, out);
        }
        let small: Vec<bool> = buckets.iter().map(small).collect();
        for (number, (bucket, small)) in buckets.into_iter().zip(small).enumerate() {
            self.job.check()?;
            let node = node.child(number as u8);
            if small {
                let units = bucket.units;
                let shuffled =
                    load_and_shuffle(bucket, self.format, node, self.leaf, &self.workshop)?;
                self.put(shuffled, units, out)?;
            } else {
                let mut tree = self.begin(node);
                let _ = bucket.visit(|bytes| {
                    self.job.check()?;
                    self.distribute(bytes, &mut tree)?;
                    Ok(ControlFlow::Continue(()))
                })?;
                drop(bucket);
                let filled = tree.buckets.finish()?;
                self.report.spilled += filled.spilled;
                let memory = memory.saturating_sub(filled.in_memory);
                self.put_buckets(filled.buckets, memory, node, out)?;
            }
        }
        Ok(())
    }

    /// Shuffles buckets that all fit in memory on several threads, ahead of writing.
    fn put_in_parallel(
        &mut self,
        buckets: Vec<Bucket>,
        threads: usize,
        node: Node,
        out: &mut StreamOutput,
    ) -> Result<()> {
        let (format, leaf) = (self.format, self.leaf);
        let workshop = Arc::clone(&self.workshop);
        let job = self.job.clone();
        let mut numbered = buckets.into_iter().enumerate();
        let source = move || {
            job.check()?;
            Ok::<_, TeacherError>(numbered.next())
        };
        let shuffled =
            OrderedParallelMap::new(threads, source, move |(number, bucket): (usize, Bucket)| {
                let units = bucket.units;
                let bytes =
                    load_and_shuffle(bucket, format, node.child(number as u8), leaf, &workshop)?;
                Ok((bytes, units))
            });
        for bucket in shuffled {
            let (bytes, units) = bucket?;
            self.put(bytes, units, out)?;
        }
        Ok(())
    }
}

fn load_and_shuffle(
    bucket: Bucket,
    format: TeacherFormat,
    node: Node,
    leaf: usize,
    workshop: &Workshop,
) -> Result<Vec<u8>> {
    let mut bytes = workshop.pool.take(bucket.bytes as usize);
    bucket.load(&mut bytes)?;
    drop(bucket);
    Ok(workshop.shuffle(format, bytes, node, leaf))
}
