//! The table of what is known of positions.
//!
//! A position is its board with the side to move, by key, and the attacker's hand; the rest is in the
//! defender's hand. All entries of a board lie in one run of slots, so that a look-up sees what is known
//! of larger and smaller hands as well: a proof holds for every larger hand, a disproof for every smaller
//! one.
//!
//! The slots are divided into pages. A run never leaves its page, and a page that fills up drops the half
//! of its entries that took the least work. So no collection of garbage ever stops the search as a whole.
//!
//! Only as many pages are in use as the problem needs: when they fill, one after the other is split in two
//! (linear hashing). Small problems then live in a small part of the memory, which stays in the processor's
//! caches.
//!
//! An entry carries the number of the problem it belongs to. Entries of other problems are as good as empty
//! slots, which makes starting a new problem cheap.
//!
//! When several threads search, a page is locked while entries come and go. Who reads or changes an entry locks
//! nothing: see [`entry`].

use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, AtomicUsize, Ordering};

use bytemuck::zeroed_slice_box;
use shogi_core::Hand;
use yane_mem::AtomicWords;
use yane_mem::prefetch;

mod entry;
mod gc;

pub(crate) use entry::{Decided, Entry, Found};
use entry::{Slot, State};
use gc::page_among;

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

/// The slot to write to.
struct Place {
    slot: usize,
    new: bool,
}

/// The table. All methods may be called by several threads at once if it was made for that.
#[derive(Debug)]
pub(crate) struct Table {
    /// The slots. They begin on a page of the system, so that each lies in one cache line.
    words: AtomicWords,
    /// For each page: bits 0–15 the number of entries, 16 the lock, 32–47 the problem.
    heads: Box<[AtomicU64]>,
    /// Pages in use.
    active: AtomicUsize,
    /// Entries added since the problem began, roughly.
    added: AtomicU64,
    /// Somebody is taking a page into use.
    growing: AtomicBool,
    generation: AtomicU16,
    concurrent: bool,
}

impl Table {
    /// A table of about `bytes` bytes, four pages at least, and less where the system has no such space;
    /// `concurrent` when several threads will use it.
    pub(crate) fn new(bytes: usize, concurrent: bool) -> Self {
        let (words, pages) = reserve((bytes / (SLOTS * SLOT_BYTES)).max(4));
        Self {
            words,
            heads: zeroed_slice_box(pages),
            active: AtomicUsize::new(pages.min(FEW)),
            added: AtomicU64::new(0),
            growing: AtomicBool::new(false),
            generation: AtomicU16::new(1),
            concurrent,
        }
    }

    /// Forgets everything, at no cost. Nobody else may be using the table.
    pub(crate) fn clear(&self) {
        let mut generation = self.generation();
        if generation == u16::MAX {
            for word in self.words.iter().chain(&*self.heads) {
                word.store(0, Ordering::Relaxed);
            }
            generation = 0;
        }
        self.generation.store(generation + 1, Ordering::Relaxed);
        let pages = FEW.min(self.heads.len());
        self.active.store(pages, Ordering::Relaxed);
        self.added.store(0, Ordering::Relaxed);
    }

    #[inline(always)]
    fn generation(&self) -> u16 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Returns how many entries are in use, per mille of what the table may hold; from a sample of pages.
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
    fn slot(&self, page: usize, index: usize) -> Slot<'_> {
        let start = (page * SLOTS + index % SLOTS) * WORDS;
        Slot::new(&self.words[start..start + WORDS], self.concurrent)
    }

    /// Tells the processor that this key will be looked up soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: u64) {
        let start = (self.page_of(key) * SLOTS + key as usize % SLOTS) * WORDS;
        prefetch(&self.words[start]);
    }

    /// Locks a page; the number of its entries.
    #[inline(always)]
    fn lock(&self, page: usize) -> u64 {
        let head = &self.heads[page];
        if !self.concurrent {
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

    /// Locks the page of `key`; the page and the number of its entries.
    #[inline(always)]
    fn lock_page_of(&self, key: u64) -> (usize, u64) {
        loop {
            let page = self.page_of(key);
            let count = self.lock(page);
            // It may have been split in the meantime.
            if !self.concurrent || self.page_of(key) == page {
                return (page, count);
            }
            self.unlock(page, count);
        }
    }

    #[inline(always)]
    fn unlock(&self, page: usize, count: u64) {
        let head = u64::from(self.generation()) << 32 | count;
        self.heads[page].store(head, Ordering::Release);
    }

    /// Returns what is known of the board `key` with the attacker's `hand`, for mates within `budget` plies, at
    /// `depth` plies from the root.
    pub(crate) fn look_up(&self, key: u64, hand: Hand, budget: u16, depth: u32) -> Found {
        let (page, generation) = (self.page_of(key), self.generation());
        let mut found = Found {
            decided: None,
            exact: None,
            pn: 0,
            dn: 0,
            old: false,
        };
        for index in 0..SLOTS {
            let slot = self.slot(page, key as usize % SLOTS + index);
            let state = slot.state();
            if !state.is_used(generation) {
                break;
            }
            if slot.key() != key {
                continue;
            }
            let Some(entry) = slot.read(state) else {
                continue;
            };
            found.add(&entry, hand, budget, depth);
            if found.decided.is_some() {
                break;
            }
        }
        found
    }

    /// Finds the slot of `key` and `hand`, or one to put them in. The page is locked.
    fn place(&self, page: usize, count: &mut u64, key: u64, hand: Hand) -> Place {
        let generation = self.generation();
        loop {
            for index in 0..SLOTS {
                let slot_index = key as usize % SLOTS + index;
                let slot = self.slot(page, slot_index);
                let state = slot.state();
                if !state.is_used(generation) {
                    if *count >= FULL {
                        break;
                    }
                    *count += 1;
                    return Place {
                        slot: slot_index,
                        new: true,
                    };
                }
                if slot.key() == key && state.hand() == hand.bits() {
                    return Place {
                        slot: slot_index,
                        new: false,
                    };
                }
            }
            *count = self.collect_garbage(page);
        }
    }

    /// Changes the entry of `key` and `hand`, a new one if there is none.
    #[inline(always)]
    fn update(&self, key: u64, hand: Hand, change: impl FnOnce(&mut Entry)) {
        // Locks are for entries that come and go: most are there already.
        while self.concurrent
            && let Some((slot, state)) = self.find(key, hand)
        {
            if slot.begin(state) {
                let mut entry = slot.unpack(state);
                change(&mut entry);
                slot.end(state, &entry);
                return;
            }
            std::hint::spin_loop();
        }
        let (page, mut count) = self.lock_page_of(key);
        let place = self.place(page, &mut count, key, hand);
        let slot = self.slot(page, place.slot);
        if place.new {
            let mut entry = Entry::new(key, hand, self.generation());
            change(&mut entry);
            slot.fill(&entry);
        } else {
            let state = slot.begin_locked();
            let mut entry = slot.unpack(state);
            change(&mut entry);
            slot.end(state, &entry);
        }
        self.unlock(page, count);
        if place.new {
            self.grow(key);
        }
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
    /// nothing is marked, nor is a position that the table does not have.
    pub(crate) fn mark(&self, key: u64, hand: Hand, thread: u64, busy: bool) {
        if !self.concurrent {
            return;
        }
        // Again when somebody changed or moved the entry in between; whether it was there.
        let mark_it = || {
            while let Some((slot, state)) = self.find(key, hand) {
                if slot.mark(state, thread, busy) {
                    return true;
                }
                std::hint::spin_loop();
            }
            false
        };
        if !mark_it() && !busy {
            // Somebody may be moving it at this moment, and a mark that is not taken away stays for good.
            let (page, count) = self.lock_page_of(key);
            mark_it();
            self.unlock(page, count);
        }
    }

    /// The slot of `key` and `hand`.
    fn find(&self, key: u64, hand: Hand) -> Option<(Slot<'_>, State)> {
        let (page, generation) = (self.page_of(key), self.generation());
        let slots = (0..SLOTS).map(|index| self.slot(page, key as usize % SLOTS + index));
        let mut used = slots
            .map(|slot| (slot, slot.state()))
            .take_while(|(_, state)| state.is_used(generation));
        used.find(|(slot, state)| slot.key() == key && state.hand() == hand.bits())
    }

    /// Remembers what an undecided search found; `fill` writes it.
    pub(crate) fn save_undecided(&self, key: u64, hand: Hand, fill: impl FnOnce(&mut Entry)) {
        self.update(key, hand, fill);
    }
}

/// Space for `pages` pages, or for fewer; and how many.
fn reserve(mut pages: usize) -> (AtomicWords, usize) {
    loop {
        match AtomicWords::zeros(pages * SLOTS * WORDS) {
            Ok(words) => return (words, pages),
            Err(error) => assert!(pages > 4, "no memory for the smallest table: {error}"),
        }
        pages = (pages / 2).max(4);
    }
}

#[cfg(test)]
mod tests;
