//! Growth of the table by linear hashing, and garbage collection in full pages.

use std::sync::atomic::Ordering;

use arrayvec::ArrayVec;

use super::{Entry, KEEP, SLOTS, Table};

/// Entries in a page, on average, at which another page is taken into use.
const SPLIT: u64 = 48;

/// Entries in a page, on average, at which threads wait for the one that takes another page into use. Pages not yet
/// split have up to a third more; few of them are full then.
const CROWDED: u64 = 72;

/// One of so many new entries is counted, for all.
const SAMPLE: u64 = 16;

/// The entries of one page, on the stack: a search allocates nothing.
type Entries = ArrayVec<Entry, SLOTS>;

impl Table {
    /// An entry of `key` is new: takes another page into use when those in use fill up.
    #[inline(always)]
    pub(super) fn grow(&self, key: u64) {
        let active = || self.active.load(Ordering::Relaxed);
        if key >> 24 & (SAMPLE - 1) != 0 || active() == self.heads.len() {
            return;
        }
        let added = self.added.fetch_add(SAMPLE, Ordering::Relaxed) + SAMPLE;
        let exceeds = |entries| active() < self.heads.len() && added > active() as u64 * entries;
        while exceeds(SPLIT) {
            if !self.growing.swap(true, Ordering::Acquire) {
                self.split();
                self.growing.store(false, Ordering::Release);
            } else if exceeds(CROWDED) {
                // Whoever is at it was interrupted: pages would overflow, and work would be lost.
                std::thread::yield_now();
            } else {
                return;
            }
        }
    }

    /// Takes the first page that is not in use into use, with the entries that now belong there. Only one thread
    /// at a time may.
    #[cold]
    fn split(&self) {
        let new = self.active.load(Ordering::Relaxed);
        if new == self.heads.len() {
            return;
        }
        let old = new - (1 << new.ilog2());
        self.lock(old);
        let (stay, go): (Entries, Entries) = self
            .take_all(old)
            .into_iter()
            .partition(|entry| page_among(entry.key, new + 1) == old);
        self.put_all(old, &stay);
        self.put_all(new, &go);
        self.unlock(new, go.len() as u64);
        // Who gets the lock next sees this.
        self.active.store(new + 1, Ordering::Relaxed);
        self.unlock(old, stay.len() as u64);
    }

    /// Garbage collection: drops the entries of a page that took the least work. Returns the number of those left.
    #[cold]
    pub(super) fn collect_garbage(&self, page: usize) -> u64 {
        let mut entries = self.take_all(page);
        if entries.len() > KEEP {
            entries.select_nth_unstable_by_key(KEEP, |entry| std::cmp::Reverse(entry.worth()));
            entries.truncate(KEEP);
        }
        self.put_all(page, &entries);
        entries.len() as u64
    }

    /// Empties a page.
    fn take_all(&self, page: usize) -> Entries {
        let mut entries = Entries::new();
        for index in 0..SLOTS {
            let slot = self.slot(page, index);
            if slot.state().is_used(self.generation()) {
                entries.push(slot.take());
            }
        }
        entries
    }

    /// Fills an empty page.
    fn put_all(&self, page: usize, entries: &[Entry]) {
        for entry in entries {
            let mut index = entry.key as usize % SLOTS;
            while self.slot(page, index).state().is_used(self.generation()) {
                index += 1;
            }
            self.slot(page, index).fill(entry);
        }
    }
}

/// The page of `key` when `active` pages are in use: the low bits of the key tell, one less where that
/// page is not in use yet.
#[inline(always)]
pub(super) fn page_among(key: u64, active: usize) -> usize {
    let half = 1 << active.ilog2();
    let hash = (key >> 32) as usize;
    let page = hash & (2 * half - 1);
    if page < active {
        page
    } else {
        page & (half - 1)
    }
}
