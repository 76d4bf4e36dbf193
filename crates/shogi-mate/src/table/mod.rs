//! The table of proofs, disproofs, and proof and disproof numbers.
//!
//! A position is its board with the side to move, by key, and the attacker's hand; the rest is in the
//! defender's hand. All entries of a board lie in one run of slots, so that a lookup also sees the entries
//! of larger and smaller hands: a proof holds for every larger hand, a disproof for every smaller
//! one.
//!
//! The slots are divided into pages. A run never leaves its page, and a page that fills up drops the half
//! of its entries that took the least work. So garbage collection never stops the whole search.
//!
//! Only as many pages are in use as the problem needs: when they fill, they are split one after the other (linear
//! hashing). Small problems then live in a small part of the memory, which stays in the processor's
//! caches.
//!
//! An entry has the number of its problem (its generation). Entries of other problems count as empty slots, which makes
//! a new problem cheap to start.
//!
//! When several threads search, a page is locked while entries come and go. Reads and
//! changes of an entry take no lock: see [`entry`].

mod entry;

use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, AtomicUsize, Ordering};

use arrayvec::ArrayVec;
use bytemuck::zeroed_slice_box;
use shogi_core::Hand;
use yane_base::memory::{AtomicWords, prefetch};

use entry::{Slot, State};

use entry::WORDS;
pub(crate) use entry::{Decided, Entry, Found};

const SLOTS: usize = 256;
const SLOT_BYTES: usize = WORDS * 8;
/// Entries in a page at which it drops some: the more, the longer the runs.
const FULL: u64 = 176;
/// Entries that a page keeps then.
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
    /// True while a thread is taking a page into use.
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

    /// Clears the table at no cost. No other thread may be using it.
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

    /// Prefetches the slot of a key.
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

    /// Looks up the board `key` with the attacker's `hand`, for mates within `budget` plies, at
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

    /// Changes the entry of `key` and `hand`, or a new one if there is none.
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

    /// Stores a mate within `length` plies with `hand` or more.
    pub(crate) fn save_proof(&self, key: u64, hand: Hand, length: u16, amount: u32) {
        self.update(key, hand, |entry| {
            entry.proven = entry.proven.min(length);
            (entry.pn, entry.dn) = (0, 0);
            entry.amount = entry.amount.max(amount);
        });
    }

    /// Stores that there is no mate within `length` plies with `hand` or less.
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
        // Retried when another thread changed or moved the entry; returns whether it is in the table.
        let try_mark = || {
            while let Some((slot, state)) = self.find(key, hand) {
                if slot.mark(state, thread, busy) {
                    return true;
                }
                std::hint::spin_loop();
            }
            false
        };
        if !try_mark() && !busy {
            // Another thread may be moving it, and a mark that is not removed stays for good.
            let (page, count) = self.lock_page_of(key);
            try_mark();
            self.unlock(page, count);
        }
    }

    /// Returns the slot of `key` and `hand`.
    fn find(&self, key: u64, hand: Hand) -> Option<(Slot<'_>, State)> {
        let (page, generation) = (self.page_of(key), self.generation());
        let slots = (0..SLOTS).map(|index| self.slot(page, key as usize % SLOTS + index));
        let mut used = slots
            .map(|slot| (slot, slot.state()))
            .take_while(|(_, state)| state.is_used(generation));
        used.find(|(slot, state)| slot.key() == key && state.hand() == hand.bits())
    }

    /// Stores the result of an undecided search; `fill` writes it.
    pub(crate) fn save_undecided(&self, key: u64, hand: Hand, fill: impl FnOnce(&mut Entry)) {
        self.update(key, hand, fill);
    }
}

/// Memory for `pages` pages, or for fewer, and their number.
fn reserve(mut pages: usize) -> (AtomicWords, usize) {
    loop {
        match AtomicWords::zeros(pages * SLOTS * WORDS) {
            Ok(words) => return (words, pages),
            Err(error) => assert!(pages > 4, "no memory for the smallest table: {error}"),
        }
        pages = (pages / 2).max(4);
    }
}

// Growth of the table by linear hashing, and garbage collection in full pages.

/// Entries in a page, on average, at which another page is taken into use.
const SPLIT: u64 = 48;

/// Entries in a page, on average, at which threads wait until another page is in use. Pages not yet
/// split have up to a third more; few of them are full then.
const CROWDED: u64 = 72;

/// One of so many new entries is counted, for all of them.
const SAMPLE: u64 = 16;

/// The entries of one page, on the stack: a search allocates nothing.
type Entries = ArrayVec<Entry, SLOTS>;

impl Table {
    /// Takes another page into use when those in use fill up, after a new entry of `key`.
    #[inline(always)]
    fn grow(&self, key: u64) {
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
                // The splitting thread was interrupted: pages would overflow, and work would be lost.
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
        // Visible to the next thread that takes the lock.
        self.active.store(new + 1, Ordering::Relaxed);
        self.unlock(old, stay.len() as u64);
    }

    /// Garbage collection: drops the entries of a page that took the least work. Returns the number of those left.
    #[cold]
    fn collect_garbage(&self, page: usize) -> u64 {
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

/// The page of `key` when `active` pages are in use: given by the low bits of the key, with one bit less
/// where that page is not in use yet.
#[inline(always)]
fn page_among(key: u64, active: usize) -> usize {
    let half = 1 << active.ilog2();
    let hash = (key >> 32) as usize;
    let page = hash & (2 * half - 1);
    if page < active {
        page
    } else {
        page & (half - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dfpn::ANY_LENGTH;
    use shogi_core::HandKind;

    fn key(i: u64) -> u64 {
        i.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Pages in use at first in the tests: fewer under Miri, which takes minutes for the usual number.
    const FIRST: usize = if cfg!(miri) { 4 } else { FEW };

    /// A table with room to grow.
    fn large(concurrent: bool) -> Table {
        let table = Table::new(8 * FIRST * SLOTS * SLOT_BYTES, concurrent);
        table.active.store(FIRST, Ordering::Relaxed);
        table
    }

    #[test]
    fn hands_dominate() {
        let table = Table::new(0, false);
        let pawn = Hand::EMPTY.with(HandKind::Pawn);
        let two = pawn.with(HandKind::Pawn);
        table.save_proof(1, pawn, 5, 1);
        table.save_disproof(2, pawn, 5, 1);
        let mate = |key, hand, budget| table.look_up(key, hand, budget, 0).decided.map(|d| d.mate);
        assert_eq!(mate(1, two, 5), Some(true));
        assert_eq!(mate(1, pawn, ANY_LENGTH), Some(true));
        assert_eq!(mate(1, pawn, 3), None);
        assert_eq!(mate(1, Hand::EMPTY, ANY_LENGTH), None);
        assert_eq!(mate(2, Hand::EMPTY, 5), Some(false));
        assert_eq!(mate(2, pawn, 7), None);
        assert_eq!(mate(2, two, 5), None);
        table.clear();
        assert_eq!(mate(1, two, 5), None);
    }

    /// Pages are taken into use one by one and entries are found all the time.
    #[test]
    fn a_growing_table_loses_nothing() {
        let table = large(false);
        let pages = table.heads.len();
        for i in 0..(pages as u64 * 40) {
            table.save_proof(key(i), Hand::EMPTY, 1, 1);
        }
        let lost = |i: &u64| table.look_up(key(*i), Hand::EMPTY, 1, 0).decided.is_none();
        assert_eq!((0..pages as u64 * 40).filter(lost).count(), 0);
        assert!(table.active.load(Ordering::Relaxed) > FIRST);
    }

    /// A full table keeps the entries that took the most work.
    #[test]
    fn entries_with_much_work_are_kept() {
        let table = Table::new(0, false);
        let (count, step) = if cfg!(miri) {
            (3_000, 15)
        } else {
            (20_000, 100)
        };
        for i in 0..count {
            table.save_proof(key(i), Hand::EMPTY, 1, if i % step == 0 { 1000 } else { 1 });
        }
        let kept = |i: &u64| table.look_up(key(*i), Hand::EMPTY, 1, 0).decided.is_some();
        assert_eq!((0..count).step_by(step as usize).filter(kept).count(), 200);
        assert!((0..count).filter(kept).count() < 1_000);
        assert!(table.hashfull() > 500);
    }

    /// Threads that write, read, mark and grow at once: entries are read whole, and none is lost that stays in
    /// the table.
    #[test]
    fn threads_share_the_table() {
        let table = large(true);
        let pages = table.heads.len() as u64;
        let (threads, each) = (4, pages * 8);
        // The length of a proof follows from the key; a key has two hands.
        let length = |i: u64| (i % 1000) as u16 + 1;
        let hands = [Hand::EMPTY, Hand::EMPTY.with(HandKind::Gold)];
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let table = &table;
                scope.spawn(move || {
                    for i in 0..each {
                        let own = i * threads + thread;
                        table.save_undecided(key(own), hands[1], |entry| {
                            (entry.pn, entry.dn) = (3, 5);
                        });
                        table.mark(key(own), hands[1], 1 << thread, true);
                        table.save_proof(key(own), hands[0], length(own), 1);
                        // Entries that the others wrote recently.
                        let other = own.saturating_sub(3);
                        let found = table.look_up(key(other), hands[1], ANY_LENGTH, 0);
                        match found.decided {
                            Some(decided) => {
                                assert_eq!((decided.mate, decided.length), (true, length(other)));
                            }
                            None => assert!(
                                found
                                    .exact
                                    .is_none_or(|e| (e.pn, e.dn) == (3, 5) || e.pn == 0)
                            ),
                        }
                        table.mark(key(own), hands[1], 1 << thread, false);
                    }
                });
            }
        });
        let lost = |&i: &u64| {
            table
                .look_up(key(i), hands[0], ANY_LENGTH, 0)
                .decided
                .is_none()
        };
        assert_eq!((0..each * threads).filter(lost).count(), 0);
        let marked = |&i: &u64| {
            table
                .look_up(key(i), hands[1], 0, 0)
                .exact
                .is_some_and(|e| e.busy != 0)
        };
        assert_eq!((0..each * threads).filter(marked).count(), 0);
        assert!(table.active.load(Ordering::Relaxed) > FIRST);
    }
}
