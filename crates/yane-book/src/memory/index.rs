//! Finds a key in the sorted array with one or two cache misses.
//!
//! Keys are as good as random, so their first bits say nearly where they are: a table holds for each
//! value of these bits where the keys that begin with it start.

use std::ops::Range;

use super::Entry;

/// Where keys with the same first bits are.
#[derive(Debug)]
pub(super) struct Index {
    /// One more than there are values of the first bits.
    starts: Vec<u32>,
    /// How far to shift a key to get its first bits.
    shift: u32,
}

impl Index {
    /// For `entries` in the order of their keys.
    ///
    /// # Panics
    /// For 2^32 entries (128 GiB of them) and more.
    pub(super) fn new(entries: &[Entry]) -> Self {
        assert!(u32::try_from(entries.len()).is_ok(), "too many positions");
        let bits = usize::BITS - entries.len().leading_zeros();
        let shift = 128 - bits.max(1);
        let mut starts = Vec::with_capacity((1 << (128 - shift)) + 1);
        for (at, entry) in entries.iter().enumerate() {
            starts.resize((entry.key >> shift) as usize + 1, at as u32);
        }
        starts.resize((1 << (128 - shift)) + 1, entries.len() as u32);
        Self { starts, shift }
    }

    /// Where `key` is if it is anywhere: a handful of entries.
    #[inline]
    pub(super) fn candidates(&self, key: u128) -> Range<usize> {
        let bucket = (key >> self.shift) as usize;
        self.starts[bucket] as usize..self.starts[bucket + 1] as usize
    }

    /// Bytes taken.
    pub(super) fn memory(&self) -> usize {
        self.starts.capacity() * size_of::<u32>()
    }
}
