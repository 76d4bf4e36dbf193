//! The part of the table that is in use: the beginning of it until that is half full.
//!
//! A search of a second stores some ten mebibytes. Spread over the whole of a large table nearly each of its entries would
//! lie on a page of its own, whose address is in no cache of the processor, and many searches (self-play, fast games) never
//! store more. So a table begins with a part of its memory. When that fills, one cluster after the other is split into as
//! many as the whole table has for it (linear hashing, Litwin 1980), a few at a time, so that no search waits for all
//! of them. Then the whole table is in use, as if it had been from the beginning.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// At least so many clusters are in use at first: 32 MiB.
const FIRST: usize = 1 << 19;

/// The whole is in use from the beginning if it is less than so many times the first part.
const WORTH_WHILE: u32 = 2;

/// The clusters in use. Keys are spread over the first clusters in their order. The last of these are split, each into
/// `1 << shift` that lie where the key's order puts them in the whole table. So parts lie behind all clusters that are
/// not split.
#[derive(Debug)]
pub(super) struct Growth {
    /// Clusters in use at first.
    first: usize,
    /// Binary logarithm of the size of the whole table, in units of the clusters in use at first.
    shift: u32,
    /// Number of the first clusters, from the beginning, that are not split; 0 when the whole table is in
    /// use.
    unsplit: AtomicUsize,
    /// Number of calls of [`Self::grow`].
    calls: AtomicU32,
    /// True while a thread splits clusters.
    is_growing: AtomicBool,
}

impl Growth {
    /// Of a table of so many clusters, with nothing in it.
    pub(super) fn new(whole: usize) -> Self {
        let mut shift = 0;
        while whole.is_multiple_of(2 << shift) && whole >> (shift + 1) >= FIRST {
            shift += 1;
        }
        if shift < WORTH_WHILE {
            shift = 0;
        }
        let growth = Self {
            first: whole >> shift,
            shift,
            unsplit: AtomicUsize::new(0),
            calls: AtomicU32::new(0),
            is_growing: AtomicBool::new(false),
        };
        growth.reset();
        growth
    }

    /// Shrinks the table to its first size.
    pub(super) fn reset(&self) {
        let unsplit = if self.shift > 0 { self.first } else { 0 };
        self.unsplit.store(unsplit, Ordering::Relaxed);
        self.calls.store(0, Ordering::Relaxed);
    }

    /// Clusters in use at first.
    pub(super) const fn first(&self) -> usize {
        self.first
    }

    /// Returns whether more than [`Self::first`] clusters may be in use.
    pub(super) fn has_grown(&self) -> bool {
        self.shift > 0 && self.unsplit.load(Ordering::Relaxed) < self.first
    }

    /// Clusters of the whole table.
    pub(super) const fn whole(&self) -> usize {
        self.first << self.shift
    }

    /// The cluster of `key`.
    #[inline(always)]
    pub(super) fn index(&self, key: u64) -> usize {
        let (cluster, index) = self.places(key);
        if cluster < self.unsplit.load(Ordering::Relaxed) {
            cluster
        } else {
            index
        }
    }

    /// The cluster of `key` among the first ones, and in the whole table.
    #[inline(always)]
    fn places(&self, key: u64) -> (usize, usize) {
        let product = u128::from(key) * self.first as u128;
        (
            (product >> 64) as usize,
            (product >> (64 - self.shift)) as usize,
        )
    }

    /// Returns how many clusters there would be if all were as small as that of `key`.
    pub(super) fn clusters_like(&self, key: u64) -> usize {
        let (cluster, _) = self.places(key);
        if cluster < self.unsplit.load(Ordering::Relaxed) {
            self.first
        } else {
            self.whole()
        }
    }

    /// To be called for one in `rate` of new entries: when two of four that have room in the first clusters are there, each
    /// call splits `count` clusters by calling `split`, unless another thread does. Until all of them are split other
    /// threads find nothing in them, and what they store there may be lost.
    pub(super) fn grow(&self, rate: usize, count: usize, mut split: impl FnMut(Split<'_>)) {
        if self.unsplit.load(Ordering::Relaxed) == 0 {
            return;
        }
        let calls = self.calls.fetch_add(1, Ordering::Relaxed) as usize;
        if calls < 2 * self.first / rate || self.is_growing.swap(true, Ordering::Acquire) {
            return;
        }
        // Read again: another thread may just have ended.
        let unsplit = self.unsplit.load(Ordering::Relaxed);
        let left = unsplit.saturating_sub(count);
        for cluster in (left..unsplit).rev() {
            split(Split {
                cluster,
                growth: self,
            });
        }
        self.unsplit.store(left, Ordering::Relaxed);
        self.is_growing.store(false, Ordering::Release);
    }
}

/// A cluster that is split.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split<'a> {
    pub(super) cluster: usize,
    growth: &'a Growth,
}

impl Split<'_> {
    /// Returns the part that `key` belongs to; `None` if it does not belong to the cluster.
    pub(super) fn part(self, key: u64) -> Option<usize> {
        let (cluster, index) = self.growth.places(key);
        (cluster == self.cluster).then_some(index)
    }

    /// The clusters that it becomes, if anything may have been stored where they lie.
    pub(super) fn used_parts(self) -> Range<usize> {
        let Growth { first, shift, .. } = *self.growth;
        let start = self.cluster << shift;
        start..((self.cluster + 1) << shift).min(first.max(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys all over.
    fn keys() -> impl Iterator<Item = u64> {
        (1..3000u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    #[test]
    fn every_split_moves_the_keys_of_its_cluster_and_no_others() {
        let whole = 3 * 4 * FIRST;
        let growth = Growth::new(whole);
        let first = growth.first;
        assert_eq!((first, growth.whole()), (3 * FIRST / 2, whole));
        let mut places: Vec<_> = keys().map(|key| growth.index(key)).collect();
        assert!(places.iter().all(|&place| place < first));
        // Nothing happens before half of the entries are there.
        for _ in 0..2 * first / 1000 {
            growth.grow(1000, 1, |_| panic!("too early"));
        }
        let mut last = first;
        while last > 0 {
            growth.grow(1000, 20_011, |split| {
                assert_eq!(split.cluster, last - 1);
                last = split.cluster;
                for (key, place) in keys().zip(&mut places) {
                    if let Some(part) = split.part(key).filter(|_| *place == split.cluster) {
                        *place = part;
                    }
                }
            });
            // Parts lie behind all clusters that are not split.
            assert_eq!(growth.unsplit.load(Ordering::Relaxed), last);
            assert!(
                keys()
                    .zip(&places)
                    .all(|(key, &place)| growth.index(key) == place)
            );
        }
        assert!(places.iter().any(|&place| place > whole * 9 / 10));
        growth.grow(1, 1, |_| panic!("the whole table is in use"));
        growth.reset();
        assert!(keys().all(|key| growth.index(key) < first));
    }

    #[test]
    fn small_tables_are_whole_from_the_beginning() {
        for whole in [1 << 14, 3 << 14, FIRST, 2 * FIRST, 3 * FIRST] {
            let growth = Growth::new(whole);
            assert_eq!((growth.whole(), growth.clusters_like(5)), (whole, whole));
            assert!(growth.index(u64::MAX) == whole - 1 && growth.index(0) == 0);
        }
        assert_eq!(Growth::new(4 * FIRST).clusters_like(5), FIRST);
    }
}
