//! What both ways of shuffling share: memory, output, and the report.

use std::sync::{Mutex, MutexGuard, PoisonError};

use yane_io::Pool;

use crate::TeacherFormat;
use crate::buckets::COUNT;
use crate::shuffle::node::Node;

use crate::units::each;

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

// Shuffling what is in memory.

/// Shuffles buckets one after the other in the same buffers: fresh memory costs time, and freed
/// memory may stay with the program.
#[derive(Debug, Default)]
pub(super) struct Workshop {
    /// Buffers for units, shuffled and not.
    pub(super) pool: Pool,
    /// Scratch buffers, as long as they ever were; their contents are meaningless.
    pub(super) scratch: Mutex<Vec<Vec<u8>>>,
}

impl Workshop {
    /// Shuffles the units of `bytes`.
    pub(super) fn shuffle(
        &self,
        format: TeacherFormat,
        bytes: Vec<u8>,
        node: Node,
        leaf: usize,
    ) -> Vec<u8> {
        match format.record_len() {
            Some(38) => self.shuffle_records::<38>(bytes, node, leaf),
            Some(40) => self.shuffle_records::<40>(bytes, node, leaf),
            _ => self.shuffle_units(format, bytes, node, leaf),
        }
    }

    pub(super) fn shuffle_records<const N: usize>(
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

    pub(super) fn shuffle_units(
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

    pub(super) fn take_scratch(&self, len: usize) -> Vec<u8> {
        let mut scratch = self.lock().pop().unwrap_or_default();
        if scratch.len() < len {
            scratch.clear();
            scratch.resize(len, 0);
        }
        scratch
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The most memory, in bytes, that shuffling takes, the result included.
pub(super) const fn memory_needed(format: TeacherFormat, bytes: u64, units: u64) -> u64 {
    match format.record_len() {
        Some(_) => 2 * bytes,
        None => 2 * bytes + 2 * units * size_of::<&[u8]>() as u64,
    }
}

/// Destination of the shuffled units.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Units,
    Scratch,
}

impl Target {
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Units => Self::Scratch,
            Self::Scratch => Self::Units,
        }
    }
}

/// Shuffles `units` with the help of `scratch`, which is as long.
pub(super) fn shuffle_slice<T: Copy>(
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
pub(super) fn distribute<T: Copy>(units: &[T], to: &mut [T], node: Node) -> [usize; COUNT] {
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
pub(super) fn shuffled<T: Copy>(units: &[T], node: Node, leaf: usize) -> Vec<T> {
    let (mut units, mut scratch) = (units.to_vec(), units.to_vec());
    shuffle_slice(&mut units, &mut scratch, Target::Units, node, leaf);
    units
}
