//! Entries of the table, the slots that hold them, and how several threads share a slot.
//!
//! Word 1 of a slot also counts its changes, odd while one is under way. Readers take no lock (a sequence lock): a
//! reader that sees another count after reading than before treats the entry as unknown instead of waiting, as entries
//! may be dropped at any time anyway. A writer makes the count odd first, which only one thread can. Entries come and
//! go only under the lock of their page.
//!
//! The marks of threads in the last word are changed apart from the rest.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use shogi_core::Hand;

use crate::dfpn::ANY_LENGTH;

/// No proof.
const UNPROVEN: u16 = u16::MAX;

/// A slot's content.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    pub(super) key: u64,
    pub(super) generation: u16,
    /// Hand of the attacker.
    pub(super) hand: u32,
    /// Proof and disproof number; both 0 when there are none.
    pub(crate) pn: u32,
    pub(crate) dn: u32,
    /// There is a mate within this many plies; [`UNPROVEN`] for "not known".
    pub(super) proven: u16,
    /// There is no mate within one ply less than this; 0 for "not known".
    pub(super) disproven: u16,
    /// The least depth at which it was searched.
    pub(crate) depth: u16,
    /// True if a disproof by repetition was found on some path: see [`crate::dfpn::repetition`].
    pub(crate) repetition: bool,
    /// Positions searched below it.
    pub(crate) amount: u32,
    /// The position it was last searched from.
    pub(crate) parent_key: u64,
    pub(crate) parent_hand: u32,
    /// A bit for each child that is counted in the sum.
    pub(crate) sum_mask: u64,
    /// A bit for each thread that is searching it, the first 64.
    pub(crate) busy: u64,
}

impl Entry {
    pub(super) fn pack(&self) -> [u64; WORDS] {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        [
            self.key,
            u64::from(self.hand)
                | u64::from(self.generation) << 32
                | u64::from(self.repetition) << 48,
            pair(self.pn, self.dn),
            u64::from(self.proven) | u64::from(self.disproven) << 16 | u64::from(self.depth) << 32,
            pair(self.amount, self.parent_hand),
            self.parent_key,
            self.sum_mask,
            self.busy,
        ]
    }

    pub(super) fn new(key: u64, hand: Hand, generation: u16) -> Self {
        Self {
            key,
            generation,
            hand: hand.bits(),
            proven: UNPROVEN,
            depth: u16::MAX,
            sum_mask: u64::MAX,
            ..Self::default()
        }
    }
}

impl Entry {
    /// Returns the attacker's hand.
    #[inline(always)]
    pub(crate) fn hand(&self) -> Hand {
        Hand::try_from_bits(self.hand).unwrap_or(Hand::EMPTY)
    }

    /// The cost of losing it.
    pub(super) const fn worth(&self) -> u32 {
        let decided = self.proven != UNPROVEN || self.disproven != 0;
        self.amount
            .saturating_add(if decided { DECIDED_WORTH } else { 0 })
    }
}

/// Additional worth of a decided entry, in work.
const DECIDED_WORTH: u32 = 8;

/// The result of a lookup.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Decided within the budget that was asked for.
    pub(crate) decided: Option<Decided>,
    /// The entry of the very position.
    pub(crate) exact: Option<Entry>,
    /// Lower bounds of the numbers, by dominance from smaller and larger hands.
    pub(crate) pn: u32,
    pub(crate) dn: u32,
    /// One of these numbers comes from a search at a lesser depth.
    pub(crate) old: bool,
}

/// A proof or a disproof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decided {
    /// True if it is a proof.
    pub(crate) mate: bool,
    /// The hand for which it is known.
    pub(crate) hand: Hand,
    /// Mate, or none, within this many plies.
    pub(crate) length: u16,
    /// The work it took.
    pub(crate) amount: u32,
}

impl Found {
    #[inline(always)]
    pub(super) fn add(&mut self, entry: &Entry, hand: Hand, budget: u16, depth: u32) {
        let same = entry.hand == hand.bits();
        let entry_hand = entry.hand();
        if hand.contains(entry_hand) {
            if entry.proven <= budget {
                self.decide(true, entry, entry.proven);
                return;
            }
            if !same && entry.dn > self.dn && u32::from(entry.depth) <= depth {
                self.dn = entry.dn;
                self.old |= u32::from(entry.depth) < depth;
            }
        }
        if entry_hand.contains(hand) {
            if entry.disproven > budget || entry.disproven > ANY_LENGTH {
                self.decide(false, entry, entry.disproven - 1);
                return;
            }
            if !same && entry.pn > self.pn && u32::from(entry.depth) <= depth {
                self.pn = entry.pn;
                self.old |= u32::from(entry.depth) < depth;
            }
        }
        if same {
            self.exact = Some(*entry);
        }
    }

    fn decide(&mut self, mate: bool, entry: &Entry, length: u16) {
        self.decided = Some(Decided {
            mate,
            hand: entry.hand(),
            length,
            amount: entry.amount,
        });
    }
}

/// One change of the counter in word 1.
const CHANGE: u64 = 1 << 49;
/// The count of changes.
const CHANGES: u64 = !(CHANGE - 1);
/// The word of marks.
const MARKS: usize = WORDS - 1;

/// A slot.
#[derive(Clone, Copy)]
pub(super) struct Slot<'a> {
    words: &'a [AtomicU64],
    concurrent: bool,
}

/// Word 1 of a slot: the attacker's hand, the problem, and in which state it is.
#[derive(Clone, Copy)]
pub(super) struct State(u64);

impl State {
    /// Returns whether there is an entry of this problem.
    #[inline(always)]
    pub(super) const fn is_used(self, generation: u16) -> bool {
        (self.0 >> 32) as u16 == generation
    }

    /// The attacker's hand of the entry.
    #[inline(always)]
    pub(super) const fn hand(self) -> u32 {
        self.0 as u32
    }
}

impl<'a> Slot<'a> {
    #[inline(always)]
    pub(super) const fn new(words: &'a [AtomicU64], concurrent: bool) -> Self {
        Self { words, concurrent }
    }

    #[inline(always)]
    fn word(self, index: usize) -> u64 {
        self.words[index].load(Ordering::Relaxed)
    }

    #[inline(always)]
    pub(super) fn state(self) -> State {
        State(self.words[1].load(Ordering::Acquire))
    }

    #[inline(always)]
    pub(super) fn key(self) -> u64 {
        self.word(0)
    }

    /// The entry, unless another thread is changing it.
    #[inline(always)]
    pub(super) fn read(self, state: State) -> Option<Entry> {
        let entry = self.unpack(state);
        if self.concurrent {
            fence(Ordering::Acquire);
            if state.0 & CHANGE != 0 || self.word(1) != state.0 {
                return None;
            }
        }
        Some(entry)
    }

    /// Begins a change of the entry if it is still in this state, and returns whether it is. Then [`Self::end`] has to
    /// follow.
    #[inline(always)]
    pub(super) fn begin(self, State(old): State) -> bool {
        if !self.concurrent {
            return true;
        }
        let new = old.wrapping_add(CHANGE);
        let changes = old & CHANGE == 0
            && self.words[1]
                .compare_exchange(old, new, Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        fence(Ordering::Release);
        changes
    }

    /// Begins a change of the entry in any state, which is returned. The page is locked.
    pub(super) fn begin_locked(self) -> State {
        loop {
            let state = self.state();
            if self.begin(state) {
                return state;
            }
            std::hint::spin_loop();
        }
    }

    /// The entry in the slot, apart from its state.
    #[inline(always)]
    pub(super) fn unpack(self, State(w1): State) -> Entry {
        let (w2, w3, w4) = (self.word(2), self.word(3), self.word(4));
        Entry {
            key: self.word(0),
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
            parent_key: self.word(5),
            sum_mask: self.word(6),
            busy: self.word(MARKS),
        }
    }

    /// Puts an entry into the empty slot, with its marks. The page is locked.
    #[inline(always)]
    pub(super) fn fill(self, entry: &Entry) {
        let state = self.begin_locked();
        self.words[MARKS].store(entry.busy, Ordering::Relaxed);
        self.end(state, entry);
    }

    /// Ends a change of an entry from this state on: all but the marks.
    #[inline(always)]
    pub(super) fn end(self, State(old): State, entry: &Entry) {
        let new = entry.pack();
        for index in (0..MARKS).filter(|&index| index != 1) {
            self.words[index].store(new[index], Ordering::Relaxed);
        }
        let count = if self.concurrent {
            old.wrapping_add(2 * CHANGE) & CHANGES
        } else {
            0
        };
        self.words[1].store(new[1] | count, Ordering::Release);
    }

    /// Removes and returns the entry. The page is locked.
    pub(super) fn take(self) -> Entry {
        let state = self.begin_locked();
        let entry = self.unpack(state);
        let count = state.0.wrapping_add(2 * CHANGE) & CHANGES;
        self.words[1].store(count, Ordering::Release);
        entry
    }

    /// Sets or removes the mark of a thread if the entry is still in this state, and returns whether it is.
    #[inline(always)]
    pub(super) fn mark(self, state: State, thread: u64, busy: bool) -> bool {
        if !self.begin(state) {
            return false;
        }
        let marks = self.word(MARKS);
        let marks = if busy {
            marks | thread
        } else {
            marks & !thread
        };
        self.words[MARKS].store(marks, Ordering::Relaxed);
        self.words[1].store(state.0.wrapping_add(2 * CHANGE), Ordering::Release);
        true
    }
}

pub(super) const WORDS: usize = 8;
