//! Shuffling files larger than memory.
//!
//! Records, games or lines are put into an order that depends only on the seed, the inputs and their
//! order: not on memory, threads or machine. Every order is equally likely, as far as the generator
//! (`ChaCha8`) can be told from chance.
//!
//! The method is that of Rao (1961) and Sandelius (1962): each unit goes to one of 256 buckets, each
//! bucket is shuffled in the same way, and the buckets follow one another. What is small is shuffled
//! by exchanging (Fisher and Yates). Every bucket has a random generator of its own, seeded with its
//! path in the tree. What fits in memory goes the same way in memory, so nothing depends on whether
//! it does.
//!
//! Beyond memory every byte is read twice and written twice, once to a temporary file. With 256
//! buckets that is enough for inputs about a hundred times larger than memory; larger ones take one
//! more turn.

mod external;
mod node;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use yane_io::{Job, Overwrite, Pool};

use crate::buckets::COUNT;
use crate::stream::{Input, StreamOutput};
use crate::units::{Source, UnitReader, begin_reading, each};
use crate::{Result, TeacherFormat, kind};

use external::External;
use node::Node;

/// Options of shuffling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShuffleOptions {
    /// Format of all files. Games of a pack or hcpe3 file stay whole; CSV files keep their header.
    pub format: TeacherFormat,
    /// Seed of the order.
    pub seed: u64,
    /// Permission to write the output over one of the inputs.
    pub overwrite: Overwrite,
}

impl ShuffleOptions {
    /// Returns options with seed 0 and an output that is not an input.
    pub fn new(format: TeacherFormat) -> Self {
        Self {
            format,
            seed: 0,
            overwrite: Overwrite::default(),
        }
    }
}

/// Report of shuffling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShuffleReport {
    /// Records, games or lines.
    pub units: u64,
    /// Records without a move among them.
    pub without_move: u64,
    /// Number of their bytes.
    pub bytes: u64,
    /// Bytes that went through temporary files: 0 when all fitted in memory.
    pub spilled: u64,
}

/// Writes everything in `inputs` to `output` in random order.
///
/// The inputs are not checked beyond where their records and games begin and end. Memory is about
/// `job.memory`, at least 2 MiB; temporary space is the size of the inputs.
///
/// # Errors
/// When a file cannot be read or written, one does not end where a record or game ends, there is no
/// input, or the output is an input.
pub fn shuffle(
    inputs: &[Input],
    output: &Path,
    options: &ShuffleOptions,
    job: &Job,
) -> Result<ShuffleReport> {
    shuffle_with(inputs, output, options, job, node::LEAF)
}

/// As [`shuffle`], with another size for what is shuffled by exchanging.
fn shuffle_with(
    inputs: &[Input],
    output: &Path,
    options: &ShuffleOptions,
    job: &Job,
    leaf: usize,
) -> Result<ShuffleReport> {
    let _claim = crate::units::claim_output(inputs, output, options.overwrite)?;
    let sources = Source::once(inputs);
    begin_reading(&sources, job);
    let mut out = StreamOutput::create(output)?;
    let mut shuffling = External::new(options.format, job, output, leaf);
    let root = node::Node::root(options.seed);
    let mut head = Vec::new();
    let mut head_units = 0;
    let mut tree = None;
    let mut without_move = 0;
    for batch in UnitReader::new(sources, options.format, job).batches() {
        let batch = batch?;
        without_move += batch.without_move;
        if let Some(header) = &batch.header {
            out.put(header)?;
        }
        if let Some(tree) = &mut tree {
            shuffling.distribute(&batch.bytes, tree)?;
        } else {
            head.extend_from_slice(&batch.bytes);
            head_units += batch.units;
            if head_units > leaf as u64 {
                let mut first = shuffling.begin(root);
                shuffling.distribute(&head, &mut first)?;
                tree = Some(first);
                head = Vec::new();
            }
        }
        batch.recycle();
    }
    match tree {
        Some(tree) => shuffling.collect(tree, &mut out)?,
        None => shuffling.put_small(head, root, &mut out)?,
    }
    let report = ShuffleReport {
        without_move,
        ..shuffling.report()
    };
    if report.units == 0 {
        return Err(kind::nothing(inputs, options.format));
    }
    out.commit()?;
    Ok(report)
}

// Shuffling what is in memory.

/// Shuffles buckets one after the other in the same buffers: fresh memory costs time, and freed
/// memory may stay with the program.
#[derive(Debug, Default)]
struct Workshop {
    /// Buffers for units, shuffled and not.
    pool: Pool,
    /// Scratch buffers, as long as they ever were; their contents are meaningless.
    scratch: Mutex<Vec<Vec<u8>>>,
}

impl Workshop {
    /// Shuffles the units of `bytes`.
    fn shuffle(&self, format: TeacherFormat, bytes: Vec<u8>, node: Node, leaf: usize) -> Vec<u8> {
        match format.record_len() {
            Some(38) => self.shuffle_records::<38>(bytes, node, leaf),
            Some(40) => self.shuffle_records::<40>(bytes, node, leaf),
            _ => self.shuffle_units(format, bytes, node, leaf),
        }
    }

    fn shuffle_records<const N: usize>(
        &self,
        mut bytes: Vec<u8>,
        node: Node,
        leaf: usize,
    ) -> Vec<u8> {
        let len = bytes.len();
        let records = bytes.as_chunks_mut::<N>().0;
        if records.len() <= leaf {
            node.exchange(records);
        } else {
            let mut scratch = self.take_scratch(len);
            let scratch_records = scratch[..len].as_chunks_mut::<N>().0;
            shuffle_slice(records, scratch_records, Target::Units, node, leaf);
            self.lock().push(scratch);
        }
        bytes
    }

    fn shuffle_units(
        &self,
        format: TeacherFormat,
        bytes: Vec<u8>,
        node: Node,
        leaf: usize,
    ) -> Vec<u8> {
        let mut units: Vec<&[u8]> = each(format, &bytes).collect();
        let mut scratch = units.clone();
        shuffle_slice(&mut units, &mut scratch, Target::Units, node, leaf);
        drop(scratch);
        let mut shuffled = self.pool.take(bytes.len());
        for unit in units {
            shuffled.extend_from_slice(unit);
        }
        self.pool.give(bytes);
        shuffled
    }

    fn take_scratch(&self, len: usize) -> Vec<u8> {
        let mut scratch = self.lock().pop().unwrap_or_default();
        if scratch.len() < len {
            scratch.clear();
            scratch.resize(len, 0);
        }
        scratch
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The most memory, in bytes, that shuffling takes, the result included.
const fn memory_needed(format: TeacherFormat, bytes: u64, units: u64) -> u64 {
    match format.record_len() {
        Some(_) => 2 * bytes,
        None => 2 * bytes + 2 * units * size_of::<&[u8]>() as u64,
    }
}

/// Destination of the shuffled units.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Units,
    Scratch,
}

impl Target {
    const fn other(self) -> Self {
        match self {
            Self::Units => Self::Scratch,
            Self::Scratch => Self::Units,
        }
    }
}

/// Shuffles `units` with the help of `scratch`, which is as long.
fn shuffle_slice<T: Copy>(
    units: &mut [T],
    scratch: &mut [T],
    target: Target,
    node: Node,
    leaf: usize,
) {
    if units.len() <= leaf {
        if target == Target::Scratch {
            scratch.copy_from_slice(units);
            node.exchange(scratch);
        } else {
            node.exchange(units);
        }
        return;
    }
    let lens = distribute(units, scratch, node);
    let (mut units, mut scratch) = (units, scratch);
    for (bucket, len) in lens.into_iter().enumerate() {
        let (bucket_scratch, other_units) = units.split_at_mut(len);
        let (bucket_units, other_scratch) = scratch.split_at_mut(len);
        let node = node.child(bucket as u8);
        shuffle_slice(bucket_units, bucket_scratch, target.other(), node, leaf);
        (units, scratch) = (other_units, other_scratch);
    }
}

/// Puts `units` into `to` by bucket, and says how many there are in each.
fn distribute<T: Copy>(units: &[T], to: &mut [T], node: Node) -> [usize; COUNT] {
    let mut draws = node.draws();
    let mut lens = [0; COUNT];
    for _ in units {
        lens[usize::from(draws.next())] += 1;
    }
    let mut places = [0; COUNT];
    let mut sum = 0;
    for (place, len) in places.iter_mut().zip(lens) {
        *place = sum;
        sum += len;
    }
    let mut draws = node.draws();
    for unit in units {
        let place = &mut places[usize::from(draws.next())];
        to[*place] = *unit;
        *place += 1;
    }
    lens
}

#[cfg(test)]
fn shuffled<T: Copy>(units: &[T], node: Node, leaf: usize) -> Vec<T> {
    let (mut units, mut scratch) = (units.to_vec(), units.to_vec());
    shuffle_slice(&mut units, &mut scratch, Target::Units, node, leaf);
    units
}

#[cfg(test)]
mod tests;
