//! The table of what is known of positions.
//!
//! A position is its board with the side to move, by key, and the attacker's hand; the rest is in the
//! defender's hand. All entries of a board lie in one run of slots, so that a look-up sees what is known
//! of larger and smaller hands as well: a proof holds for every larger hand, a disproof for every smaller
//! one.
//!
//! The slots are divided into pages. A run never leaves its page, and a page that fills up drops the half
//! of its entries that took the least work. So no collection of garbage ever stops the search as a whole,
//! and a page is all that has to be locked when several threads search.
//!
//! Only as many pages are in use as the problem needs: when they fill, one after the other is split in two
//! (linear hashing). Small problems then live in a small part of the memory, which stays in the processor's
//! caches.
//!
//! An entry carries the number of the problem it belongs to. Entries of other problems are as good as empty
//! slots, which makes starting a new problem cheap.

use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, AtomicUsize, Ordering};

use bytemuck::zeroed_slice_box;
use shogi_core::{Hand, prefetch};

mod entry;
mod pages;

pub(crate) use entry::{Decided, Entry, Found};
use pages::page_among;

const WORDS: usize = 8;
const SLOTS: usize = 256;
const SLOT_BYTES: usize = WORDS * 8;
/// Entries in a page at which it drops some: the more, the longer the runs.
const FULL: u64 = 176;
/// Entries it keeps.
const KEEP: usize = 96;

/// Pages in use at the beginning.
const FEW: usize = 64;

const LOCK: u64 = 1 << 16;
const COUNT: u64 = LOCK - 1;

/// Where to write, and what was there.
struct Place {
    slot: usize,
    new: bool,
}

/// The table. All methods may be called by several threads at once if it was made for that.
#[derive(Debug)]
pub(crate) struct Table {
    words: Box<[AtomicU64]>,
    /// Words to skip so that slots lie in single cache lines.
    skip: usize,
    /// For each page: bits 0–15 the number of entries, 16 the lock, 32–47 the problem.
    heads: Box<[AtomicU64]>,
    /// Pages in use.
    active: AtomicUsize,
    /// Entries added since the problem began, roughly.
    added: AtomicU64,
    generation: AtomicU16,
    concurrent: AtomicBool,
}

impl Table {
    /// A table of about `bytes` bytes, four pages at least.
    pub(crate) fn new(bytes: usize) -> Self {
        let pages = (bytes / (SLOTS * SLOT_BYTES)).max(4);
        let words: Box<[AtomicU64]> = zeroed_slice_box(pages * SLOTS * WORDS + WORDS);
        let misplaced = words.as_ptr() as usize % SLOT_BYTES / 8;
        Self {
            words,
            skip: (WORDS - misplaced) % WORDS,
            heads: zeroed_slice_box(pages),
            active: AtomicUsize::new(pages.min(FEW)),
            added: AtomicU64::new(0),
            generation: AtomicU16::new(1),
            concurrent: AtomicBool::new(false),
        }
    }

    /// Forgets everything, at no cost. Nobody else may be using the table.
    pub(crate) fn clear(&self) {
        let mut generation = self.generation();
        if generation == u16::MAX {
            for word in self.words.iter().chain(&self.heads) {
                word.store(0, Ordering::Relaxed);
            }
            generation = 0;
        }
        self.generation.store(generation + 1, Ordering::Relaxed);
        let pages = if self.is_concurrent() {
            usize::MAX
        } else {
            FEW
        };
        self.active
            .store(pages.min(self.heads.len()), Ordering::Relaxed);
        self.added.store(0, Ordering::Relaxed);
    }

    /// Whether several threads will use it. Nobody may be using it now; it has to be cleared before it is used again.
    pub(crate) fn set_concurrent(&self, concurrent: bool) {
        self.concurrent.store(concurrent, Ordering::Relaxed);
    }

    #[inline(always)]
    fn generation(&self) -> u16 {
        self.generation.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn is_concurrent(&self) -> bool {
        self.concurrent.load(Ordering::Relaxed)
    }

    /// How many entries are in use, per mille of what the table may hold; from a sample of pages.
    pub(crate) fn hashfull(&self) -> u32 {
        let step = (self.heads.len() / 256).max(1);
        let (mut pages, mut used) = (0u64, 0u64);
        for head in self.heads.iter().step_by(step) {
            pages += 1;
            used += self.count(head.load(Ordering::Relaxed));
        }
        (used * 1000 / (pages * KEEP as u64)).min(1000) as u32
    }

    /// The entries of a page by its head.
    fn count(&self, head: u64) -> u64 {
        if (head >> 32) as u16 == self.generation() {
            head & COUNT
        } else {
            0
        }
    }

    #[inline(always)]
    fn page_of(&self, key: u64) -> usize {
        page_among(key, self.active.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn slot(&self, page: usize, index: usize) -> &[AtomicU64] {
        let start = self.skip + (page * SLOTS + index % SLOTS) * WORDS;
        &self.words[start..start + WORDS]
    }

    /// Tells the processor that this key will be looked up soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: u64) {
        prefetch(&self.slot(self.page_of(key), key as usize % SLOTS)[0]);
    }

    /// Locks a page; the number of its entries.
    #[inline(always)]
    fn lock(&self, page: usize) -> u64 {
        let head = &self.heads[page];
        if !self.is_concurrent() {
            return self.count(head.load(Ordering::Relaxed));
        }
        loop {
            let value = head.fetch_or(LOCK, Ordering::Acquire);
            if value & LOCK == 0 {
                return self.count(value);
            }
            while head.load(Ordering::Relaxed) & LOCK != 0 {
                std::hint::spin_loop();
            }
        }
    }

    #[inline(always)]
    fn unlock(&self, page: usize, count: u64) {
        let head = u64::from(self.generation()) << 32 | count;
        self.heads[page].store(head, Ordering::Release);
    }

    /// A read needs no new head but to release the lock.
    #[inline(always)]
    fn unlock_read(&self, page: usize, count: u64) {
        if self.is_concurrent() {
            self.unlock(page, count);
        }
    }

    #[inline(always)]
    fn read(slot: &[AtomicU64]) -> Entry {
        let word = |i: usize| slot[i].load(Ordering::Relaxed);
        let (w1, w2, w3, w4) = (word(1), word(2), word(3), word(4));
        Entry {
            key: word(0),
            hand: w1 as u32,
            generation: (w1 >> 32) as u16,
            repetition: w1 >> 48 & 1 != 0,
            pn: w2 as u32,
            dn: (w2 >> 32) as u32,
            proven: w3 as u16,
            disproven: (w3 >> 16) as u16,
            depth: (w3 >> 32) as u16,
            amount: w4 as u32,
            parent_hand: (w4 >> 32) as u32,
            parent_key: word(5),
            sum_mask: word(6),
            busy: word(7),
        }
    }

    #[inline(always)]
    fn write(slot: &[AtomicU64], entry: &Entry) {
        for (word, value) in slot.iter().zip(entry.pack()) {
            word.store(value, Ordering::Relaxed);
        }
    }

    #[inline(always)]
    fn is_used(&self, slot: &[AtomicU64]) -> bool {
        (slot[1].load(Ordering::Relaxed) >> 32) as u16 == self.generation()
    }

    /// What is known of the board `key` with the attacker's `hand`, for mates within `budget` plies, at
    /// `depth` plies from the root.
    pub(crate) fn look_up(&self, key: u64, hand: Hand, budget: u16, depth: u32) -> Found {
        let page = self.page_of(key);
        let count = self.lock(page);
        let mut found = Found {
            decided: None,
            exact: None,
            pn: 0,
            dn: 0,
            old: false,
        };
        for index in 0..SLOTS {
            let slot = self.slot(page, key as usize % SLOTS + index);
            if !self.is_used(slot) {
                break;
            }
            if slot[0].load(Ordering::Relaxed) != key {
                continue;
            }
            let entry = Self::read(slot);
            found.add(&entry, hand, budget, depth);
            if found.decided.is_some() {
                break;
            }
        }
        self.unlock_read(page, count);
        found
    }

    /// Finds the slot of `key` and `hand`, or one to put them in.
    fn place(&self, page: usize, count: &mut u64, key: u64, hand: Hand) -> Place {
        loop {
            for index in 0..SLOTS {
                let slot_index = key as usize % SLOTS + index;
                let slot = self.slot(page, slot_index);
                if !self.is_used(slot) {
                    if *count >= FULL {
                        break;
                    }
                    *count += 1;
                    return Place {
                        slot: slot_index,
                        new: true,
                    };
                }
                if slot[0].load(Ordering::Relaxed) == key
                    && slot[1].load(Ordering::Relaxed) as u32 == hand.bits()
                {
                    return Place {
                        slot: slot_index,
                        new: false,
                    };
                }
            }
            *count = self.drop_some(page);
        }
    }

    /// Changes the entry of `key` and `hand`, a new one if there is none.
    fn update(&self, key: u64, hand: Hand, change: impl FnOnce(&mut Entry)) {
        if !self.is_concurrent() {
            self.grow();
        }
        let page = self.page_of(key);
        let mut count = self.lock(page);
        let place = self.place(page, &mut count, key, hand);
        let slot = self.slot(page, place.slot);
        let mut entry = if place.new {
            Entry::new(key, hand, self.generation())
        } else {
            Self::read(slot)
        };
        change(&mut entry);
        Self::write(slot, &entry);
        self.unlock(page, count);
    }

    /// Remembers a mate within `length` plies with `hand` or more.
    pub(crate) fn save_proof(&self, key: u64, hand: Hand, length: u16, amount: u32) {
        self.update(key, hand, |entry| {
            entry.proven = entry.proven.min(length);
            (entry.pn, entry.dn) = (0, 0);
            entry.amount = entry.amount.max(amount);
        });
    }

    /// Remembers that there is no mate within `length` plies with `hand` or less.
    pub(crate) fn save_disproof(&self, key: u64, hand: Hand, length: u16, amount: u32) {
        self.update(key, hand, |entry| {
            entry.disproven = entry.disproven.max(length + 1);
            (entry.pn, entry.dn) = (0, 0);
            entry.amount = entry.amount.max(amount);
        });
    }

    /// Marks that the thread of this bit is searching a position, or does not any more. Without several threads
    /// nothing is marked.
    pub(crate) fn mark(&self, key: u64, hand: Hand, thread: u64, busy: bool) {
        if self.is_concurrent() {
            self.update(key, hand, |entry| {
                entry.busy = if busy {
                    entry.busy | thread
                } else {
                    entry.busy & !thread
                };
            });
        }
    }

    /// Remembers what an undecided search found; `fill` writes it.
    pub(crate) fn save_undecided(&self, key: u64, hand: Hand, fill: impl FnOnce(&mut Entry)) {
        self.update(key, hand, fill);
    }
}

#[cfg(test)]
mod tests;
