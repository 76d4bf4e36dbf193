//! The transposition table: what earlier searches found out about a position.
//!
//! An entry is 16 bytes: a word of data, and the position's key combined with the data by XOR.
//! Four entries share a cluster of one cache line, on large pages where the system has them. All
//! accesses are relaxed atomic loads and stores
//! of whole words, so any number of threads may use the table at once without locks: an entry torn
//! between two writers no longer matches its key and is as good as absent. A move read from the
//! table may still belong to another position with the same key; the search checks it before use.
//!
//! A part of a large table is used until that fills ([`growth`]).

mod growth;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use shogi_core::Move16;
use yane_base::memory::{AtomicWords, free_memory};

use crate::Bound;
use crate::score::Score;
use growth::{Growth, Split};

/// Static evaluation of an entry that has none.
pub(crate) const NO_EVAL: i32 = i16::MIN as i32;

const CLUSTER_SIZE: usize = 4;
const GENERATIONS: u8 = 32;

/// One in this many entries for new positions may grow the table.
const GROWS: usize = 256;
/// Clusters that are split each time it grows.
const SPLITS: usize = 512;

/// Words of a cluster: for each entry the check (key XOR data), then the data.
const CLUSTER_WORDS: usize = 2 * CLUSTER_SIZE;

const _: () = assert!(CLUSTER_WORDS * size_of::<AtomicU64>() == 64);

/// An entry in the table.
type Slot = [AtomicU64; 2];

/// An entry of the transposition table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TtEntry {
    /// Best move; 0 for none.
    pub(crate) code: Move16,
    /// Score, with mates counted from the position.
    pub(crate) score: Score,
    /// Static evaluation, or [`NO_EVAL`].
    pub(crate) eval: i32,
    /// Depth of the search, 0 for quiescence.
    pub(crate) depth: i32,
    /// `None`: there is no score, only a static one.
    pub(crate) bound: Option<Bound>,
    /// True if the position was on a principal variation.
    pub(crate) pv: bool,
}

impl TtEntry {
    /// Bits 0–15 move, 16–31 score, 32–47 static evaluation, 48–55 depth, 56–57 bound, 58 pv, 59–63
    /// generation.
    fn pack(self, generation: u8) -> u64 {
        let bound = match self.bound {
            None => 0,
            Some(Bound::Upper) => 1,
            Some(Bound::Lower) => 2,
            Some(Bound::Exact) => 3,
        };
        u64::from(self.code.0)
            | u64::from(self.score.get() as i16 as u16) << 16
            | u64::from(self.eval as i16 as u16) << 32
            | u64::from(self.depth as u8) << 48
            | bound << 56
            | u64::from(self.pv) << 58
            | u64::from(generation) << 59
    }

    fn unpack(data: u64) -> Self {
        Self {
            code: Move16(data as u16),
            score: Score::new(i32::from((data >> 16) as i16)),
            eval: i32::from((data >> 32) as i16),
            depth: i32::from((data >> 48) as u8),
            bound: match data >> 56 & 3 {
                1 => Some(Bound::Upper),
                2 => Some(Bound::Lower),
                3 => Some(Bound::Exact),
                _ => None,
            },
            pv: data >> 58 & 1 != 0,
        }
    }
}

const fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

/// The table.
#[derive(Debug)]
pub(crate) struct TranspositionTable {
    words: AtomicWords,
    growth: Growth,
    generation: u8,
    /// Something may have been stored.
    used: bool,
    /// Its memory is taken or being taken, or there is too little to take it before it is needed.
    is_populated: bool,
}

impl TranspositionTable {
    /// An empty table of `mib` mebibytes, at least 1; of half the size, and so on, where the system
    /// has no more.
    pub(crate) fn new(mut mib: usize) -> Self {
        loop {
            let bytes = mib.max(1).saturating_mul(1 << 20);
            match AtomicWords::zeros(bytes / size_of::<AtomicU64>()) {
                Ok(words) => {
                    return Self {
                        growth: Growth::new(words.len() / CLUSTER_WORDS),
                        words,
                        generation: 0,
                        used: false,
                        is_populated: false,
                    };
                }
                Err(error) => {
                    assert!(mib > 1, "not even one mebibyte: {error}");
                    mib /= 2;
                }
            }
        }
    }

    /// Size in mebibytes.
    pub(crate) fn mib(&self) -> usize {
        (self.growth.whole() * size_of::<[Slot; CLUSTER_SIZE]>()) >> 20
    }

    /// Takes its memory before it is needed: at once for the part that the next search begins with, in the
    /// background for the rest, from its end on, where a table that grows is used first. Unless that would be more than half of what is free: then the system hands it out
    /// where something is stored. The first search in a large table would otherwise spend its first second in
    /// waiting for pages.
    pub(crate) fn populate(&mut self) {
        if !self.is_populated {
            self.is_populated = true;
            let bytes = size_of_val::<[AtomicU64]>(&self.words) as u64;
            if free_memory().is_some_and(|free| bytes <= free / 2) {
                self.words.populate(self.growth.first() * CLUSTER_WORDS);
            }
        }
    }

    /// Forgets everything, with the help of up to `threads` threads.
    pub(crate) fn clear(&mut self, threads: usize) {
        self.generation = 0;
        if self.used {
            if self.growth.has_grown() {
                if self.words.clear(threads) && self.is_populated {
                    self.is_populated = false;
                    self.populate();
                }
            } else {
                let used = self.growth.first() * CLUSTER_WORDS;
                for word in &self.words[..used] {
                    word.store(0, Relaxed);
                }
            }
            self.growth.reset();
            self.used = false;
        }
    }

    /// A new search begins: entries of earlier ones become easier to replace.
    pub(crate) fn new_search(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
        self.used = true;
    }

    #[inline]
    fn cluster(&self, key: u64) -> &[Slot] {
        self.cluster_at(self.growth.index(key))
    }

    #[inline]
    fn cluster_at(&self, index: usize) -> &[Slot] {
        let first = index * CLUSTER_WORDS;
        self.words[first..first + CLUSTER_WORDS].as_chunks().0
    }

    /// Asks for the memory of the position with `key`, which will be probed soon.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        yane_base::memory::prefetch(&self.cluster(key)[0]);
    }

    /// Returns how many searches ago the data were written, modulo [`GENERATIONS`].
    fn age(&self, data: u64) -> i32 {
        i32::from((GENERATIONS + self.generation - generation_of(data)) % GENERATIONS)
    }

    /// Returns what is known about the position with `key`.
    #[inline]
    pub(crate) fn probe(&self, key: u64) -> Option<TtEntry> {
        self.cluster(key).iter().find_map(|[check, data]| {
            let data = data.load(Relaxed);
            let found = check.load(Relaxed) ^ data == key && data != 0;
            found.then(|| TtEntry::unpack(data))
        })
    }

    /// Remembers `entry`. Replaces the same position unless that knows clearly more, else the entry
    /// of the cluster that is worth least: shallow and old.
    pub(crate) fn store(&self, key: u64, mut entry: TtEntry) {
        let mut victim = None;
        let mut least = i32::MAX;
        for slot in self.cluster(key) {
            let [check, data] = slot;
            let data = data.load(Relaxed);
            if data != 0 && check.load(Relaxed) ^ data == key {
                let old = TtEntry::unpack(data);
                if entry.code.0 == 0 {
                    entry.code = old.code;
                }
                let deeper = old.depth > entry.depth + 4 + 2 * i32::from(entry.pv);
                if deeper && entry.bound != Some(Bound::Exact) && self.age(data) == 0 {
                    return;
                }
                victim = Some(slot);
                break;
            }
            let worth = if data == 0 {
                i32::MIN
            } else {
                TtEntry::unpack(data).depth - 4 * self.age(data)
            };
            if worth < least {
                least = worth;
                victim = Some(slot);
            }
        }
        if let Some(slot) = victim {
            let packed = entry.pack(self.generation);
            let is_new = slot[1].load(Relaxed) == 0;
            write(slot, [key ^ packed, packed]);
            if is_new && key.is_multiple_of(GROWS as u64) {
                (self.growth).grow(GROWS, SPLITS, |split| self.split(split));
            }
        }
    }

    /// Moves the entries of a cluster to those that it becomes.
    fn split(&self, split: Split<'_>) {
        let mut entries = [[0; 2]; CLUSTER_SIZE];
        for (entry, slot) in entries.iter_mut().zip(self.cluster_at(split.cluster)) {
            *entry = slot.each_ref().map(|word| word.load(Relaxed));
        }
        for part in split.used_parts() {
            for slot in self.cluster_at(part) {
                write(slot, [0; 2]);
            }
        }
        for (n, [check, data]) in entries.into_iter().enumerate() {
            if data != 0
                && let Some(part) = split.part(check ^ data)
            {
                write(&self.cluster_at(part)[n], [check, data]);
            }
        }
    }

    /// Part of the whole table written by the current search, per mille, from a sample.
    pub(crate) fn full_per_mille(&self) -> u32 {
        const SAMPLE: u64 = 250;
        let is_used = |data: &AtomicU64| {
            let data = data.load(Relaxed);
            data != 0 && self.age(data) == 0
        };
        let used = (0..SAMPLE).map(|n| {
            let key = u64::MAX / SAMPLE * n;
            let entries = self.cluster(key).iter();
            let used = entries.filter(|[_, data]| is_used(data)).count();
            // If all clusters were like this one.
            (used * self.growth.clusters_like(key)) as u64
        });
        let whole = self.growth.whole() * CLUSTER_SIZE;
        (used.sum::<u64>() * 1000 / SAMPLE / whole as u64) as u32
    }
}

fn write(slot: &Slot, words: [u64; 2]) {
    for (place, word) in slot.iter().zip(words) {
        place.store(word, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(depth: i32) -> TtEntry {
        TtEntry {
            code: Move16(0x1e3b),
            score: Score::new(-31_990),
            eval: 123,
            depth,
            bound: Some(Bound::Lower),
            pv: true,
        }
    }

    #[test]
    fn entries_come_back_whole() {
        let table = TranspositionTable::new(1);
        assert_eq!(table.probe(77), None);
        for bound in [
            None,
            Some(Bound::Exact),
            Some(Bound::Lower),
            Some(Bound::Upper),
        ] {
            let stored = TtEntry {
                bound,
                eval: NO_EVAL,
                ..entry(200)
            };
            table.store(77, stored);
            assert_eq!(table.probe(77), Some(stored));
        }
        assert_eq!(table.probe(78), None);
    }

    #[test]
    fn a_move_survives_a_search_that_found_none() {
        let table = TranspositionTable::new(1);
        table.store(5, entry(3));
        table.store(
            5,
            TtEntry {
                code: Move16(0),
                ..entry(4)
            },
        );
        assert_eq!(
            table.probe(5).map(|e| (e.code, e.depth)),
            Some((Move16(0x1e3b), 4))
        );
    }

    #[test]
    fn shallow_and_old_entries_go_first() {
        let mut table = TranspositionTable::new(1);
        for (key, depth) in [(1, 9), (2, 3), (3, 8), (4, 7)] {
            table.store(key, entry(depth));
        }
        table.store(5, entry(1));
        assert_eq!(table.probe(2), None);
        assert!(table.probe(1).is_some() && table.probe(5).is_some());
        table.new_search();
        table.store(1, entry(9));
        table.store(6, entry(1));
        assert_eq!(table.probe(5), None);
        assert!(table.probe(1).is_some() && table.probe(6).is_some());
        table.clear(1);
        assert_eq!(table.probe(1), None);
    }

    /// Whatever it has grown to, no more is lost than where more than four positions share a cluster.
    #[test]
    fn entries_stay_while_the_table_grows() {
        let key = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut table = TranspositionTable::new(128);
        let growth = |table: &TranspositionTable| table.growth.clusters_like(0);
        let (first, whole) = (growth(&table), table.growth.whole());
        assert_eq!(4 * first, whole);
        table.new_search();
        let count = 2_000_000;
        for n in 0..count {
            table.store(key(n), entry((n % 200) as i32));
        }
        assert_eq!(growth(&table), whole);
        let there = (0..count).filter(|&n| {
            let found = table.probe(key(n));
            found.is_some_and(|found| found == entry((n % 200) as i32))
        });
        let there = there.count() as u64;
        assert!(there > count * 98 / 100, "{there}");
        // A sample of 250 clusters: 2 million of 8 million entries are 238 per mille.
        assert!((180..300).contains(&table.full_per_mille()));
        table.clear(1);
        assert_eq!((growth(&table), table.full_per_mille()), (first, 0));
        assert!((0..count).all(|n| table.probe(key(n)).is_none()));
    }

    /// Threads store and probe while one of them splits clusters: what is found is what was stored.
    #[test]
    fn threads_may_use_it_while_it_grows() {
        let table = TranspositionTable::new(128);
        let key = |n: u64| (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let found: u64 = std::thread::scope(|scope| {
            let thread = |thread: u64| {
                let table = &table;
                scope.spawn(move || {
                    let mut found = 0;
                    for n in 0..500_000 {
                        let mine = 4 * n + thread;
                        table.store(key(mine), entry((mine % 200) as i32));
                        let other = 4 * (n / 2) + (thread + 1) % 4;
                        if let Some(other_entry) = table.probe(key(other)) {
                            assert_eq!(other_entry, entry((other % 200) as i32));
                            found += 1;
                        }
                    }
                    found
                })
            };
            let threads = [0, 1, 2, 3].map(thread);
            threads
                .map(|thread| thread.join().unwrap())
                .into_iter()
                .sum()
        });
        assert!(found > 100_000, "{found}");
        assert_eq!(table.growth.clusters_like(0), table.growth.whole());
    }

    #[test]
    fn use_is_reported_per_mille() {
        let table = TranspositionTable::new(1);
        assert_eq!(table.full_per_mille(), 0);
        for key in 0..100_000u64 {
            table.store(key.wrapping_mul(0x9e37_79b9_7f4a_7c15), entry(1));
        }
        assert!(table.full_per_mille() > 700);
        assert_eq!(table.mib(), 1);
    }
}
