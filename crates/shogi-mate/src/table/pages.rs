//! How the table uses its pages: one more when those in use fill up, and what a full page drops.

use std::sync::atomic::Ordering;

use arrayvec::ArrayVec;

use super::{Entry, KEEP, SLOTS, Table};

/// Entries in a page, on average, at which another page is taken into use.
const SPLIT: u64 = 72;

/// The entries of one page, on the stack: a search allocates nothing.
type Entries = ArrayVec<Entry, SLOTS>;

impl Table {
    /// Takes another page into use when those in use fill up.
    #[inline(always)]
    pub(super) fn grow(&self) {
        let active = self.active.load(Ordering::Relaxed);
        if active == self.heads.len() {
            return;
        }
        let added = self.added.load(Ordering::Relaxed) + 1;
        self.added.store(added, Ordering::Relaxed);
        if added > active as u64 * SPLIT {
            self.split(active);
        }
    }

    /// Takes page `new`, the first that is not in use, into use, with the entries that now belong there.
    #[cold]
    fn split(&self, new: usize) {
        let old = new - (1 << new.ilog2());
        let entries = self.take_all(old);
        self.active.store(new + 1, Ordering::Relaxed);
        let (stay, go): (Entries, Entries) = entries
            .into_iter()
            .partition(|entry| self.page_of(entry.key) == old);
        self.put_all(old, &stay);
        self.put_all(new, &go);
        self.unlock(old, stay.len() as u64);
        self.unlock(new, go.len() as u64);
    }

    /// Drops the entries of a page that took the least work. The number of those left.
    #[cold]
    pub(super) fn drop_some(&self, page: usize) -> u64 {
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
            if self.is_used(slot) {
                entries.push(Self::read(slot));
                slot[1].store(0, Ordering::Relaxed);
            }
        }
        entries
    }

    /// Fills an empty page.
    fn put_all(&self, page: usize, entries: &[Entry]) {
        for entry in entries {
            let mut index = entry.key as usize % SLOTS;
            while self.is_used(self.slot(page, index)) {
                index += 1;
            }
            Self::write(self.slot(page, index), entry);
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
