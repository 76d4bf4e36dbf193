//! What a slot of the table holds, and what a look-up makes of it.

use shogi_core::Hand;

use super::WORDS;
use crate::num::ANY;

/// No proof.
const UNPROVEN: u16 = u16::MAX;

/// A slot's content.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    pub(super) key: u64,
    pub(super) generation: u16,
    /// The attacker's hand.
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
    /// Whether a disproof by repetition was found on some path: see [`crate::repetition`].
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
    /// The attacker's hand.
    #[inline(always)]
    pub(crate) fn hand(&self) -> Hand {
        Hand::try_from_bits(self.hand).unwrap_or(Hand::EMPTY)
    }

    /// What it would cost to lose it.
    pub(super) const fn worth(&self) -> u32 {
        let decided = self.proven != UNPROVEN || self.disproven != 0;
        self.amount
            .saturating_add(if decided { DECIDED_WORTH } else { 0 })
    }
}

/// Work that a decided entry counts more than an undecided one.
const DECIDED_WORTH: u32 = 8;

/// What the table knows about a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Decided within the budget that was asked for.
    pub(crate) decided: Option<Decided>,
    /// The entry of the very position.
    pub(crate) exact: Option<Entry>,
    /// What is known of smaller and larger hands: at least these numbers.
    pub(crate) pn: u32,
    pub(crate) dn: u32,
    /// One of these numbers comes from a search at a lesser depth.
    pub(crate) old: bool,
}

/// A proof or a disproof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decided {
    /// Whether it is a proof.
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
            if entry.disproven > budget || entry.disproven > ANY {
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
