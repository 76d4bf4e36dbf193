//! A position on the search's stack, and its moves with what is known of them.

use shogi_core::{Hand, Move, Undo};

use crate::num::{INF, MAX_FINITE, NO_REPETITION};

/// No child.
pub(super) const NONE: u16 = u16::MAX;

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Proof number: 0 for a mate.
    pub(crate) pn: u32,
    /// Disproof number: 0 for no mate.
    pub(crate) dn: u32,
    /// The attacker's hand for which a decision is known; of no meaning for others.
    pub(crate) hand: Hand,
    /// Mate, or none, within this many plies; of no meaning for others.
    pub(crate) length: u16,
    /// The depth of the shallowest position on the path that the disproof needs; `NO_REPETITION` for
    /// none.
    pub(crate) repetition: i32,
}

impl Outcome {
    pub(crate) const fn mate(hand: Hand, length: u16) -> Self {
        Self {
            pn: 0,
            dn: INF,
            hand,
            length,
            repetition: NO_REPETITION,
        }
    }

    pub(crate) const fn no_mate(hand: Hand, length: u16) -> Self {
        Self::repetition(hand, length, NO_REPETITION)
    }

    pub(crate) const fn repetition(hand: Hand, length: u16, start: i32) -> Self {
        Self {
            pn: INF,
            dn: 0,
            hand,
            length,
            repetition: start,
        }
    }

    pub(crate) const fn undecided(pn: u32, dn: u32) -> Self {
        Self {
            pn,
            dn,
            hand: Hand::EMPTY,
            length: 0,
            repetition: NO_REPETITION,
        }
    }

    /// Whether it is decided.
    pub(crate) const fn is_final(&self) -> bool {
        self.pn == 0 || self.dn == 0
    }
}

/// A move and what is known of the position after it.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent facts
pub(super) struct Child {
    pub(super) m: Move,
    /// Board after the move.
    pub(super) key: u64,
    /// The attacker's hand after it.
    pub(super) hand: Hand,
    pub(super) known: Outcome,
    /// How much worse it looks because another thread is at it. Only which move is next depends on this: numbers that
    /// are handed on and remembered do not.
    pub(super) penalty: u32,
    /// Work done below it.
    pub(super) amount: u32,
    /// The smaller, the sooner, when all else is equal.
    pub(super) order: i16,
    /// The move that takes its turn when this one fails its player; [`NONE`] for none.
    pub(super) next: u16,
    /// Whether its turn has come.
    pub(super) active: bool,
    /// Never searched.
    pub(super) first: bool,
    /// Looked at already for a mate in one and for being out of checks.
    pub(super) probed: bool,
    /// Known from a lesser depth only.
    pub(super) old: bool,
    /// Its own mask: see [`Frame`].
    pub(super) sum_mask: u64,
    /// The position it was last searched from, unless decided.
    pub(super) parent: Option<(u64, Hand)>,
}

impl Child {
    /// The number that its player goes by, when it is `own`.
    #[inline(always)]
    fn looks(&self, own: u32) -> u32 {
        if self.known.is_final() {
            own
        } else {
            (own + self.penalty).min(MAX_FINITE)
        }
    }
}

/// A position on the stack.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The move that led here; `None` at the root.
    pub(super) came: Option<(Move, Undo)>,
    /// Whether the attacker is to move.
    pub(super) or: bool,
    pub(super) depth: u32,
    pub(super) key: u64,
    pub(super) hand: Hand,
    /// Key of the moves from the root.
    pub(super) path: u64,
    /// Plies in which there is to be a mate.
    pub(super) budget: u16,
    /// Never searched before.
    pub(super) first: bool,
    pub(super) probed: bool,
    /// Where its children begin in the list of all.
    pub(super) start: usize,
    /// Thresholds.
    pub(super) pn_limit: u32,
    pub(super) dn_limit: u32,
    /// The searcher's count of old positions when this one was entered.
    pub(super) extra: u32,
    /// Least depth at which it was searched.
    pub(super) least_depth: u32,
    /// A bit for each child that is counted in the sum.
    pub(super) sum_mask: u64,
    pub(super) amount: u32,
    /// Decided without looking at children.
    pub(super) decided: Option<Outcome>,
    pub(super) totals: Totals,
}

/// What the children of a position say about it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) pn: u32,
    pub(super) dn: u32,
    /// The child to search next.
    pub(super) best: u16,
    /// The owner's number of the second best child.
    pub(super) second: u32,
    /// The opponent's number without what the best child adds to it.
    pub(super) others: u32,
}

impl Frame {
    /// Adds up the children: the owner of the node needs one of them, the opponent all.
    ///
    /// The owner's number (attacker: proof) is the least of its children; the opponent's is the sum of
    /// those that `sum_mask` says, plus the largest of the rest, plus a little for moves whose turn has
    /// not come.
    pub(super) fn add_up(&mut self, children: &[Child]) {
        let mut best = NONE;
        let mut rank = (u32::MAX, u32::MAX, u32::MAX, i16::MAX);
        let (mut least, mut second) = (INF, INF);
        let (mut sum, mut largest, mut waiting) = (0u32, 0u32, 0u32);
        for (i, child) in children.iter().enumerate() {
            if !child.active {
                waiting += 1;
                continue;
            }
            let known = &child.known;
            let (own, other) = if self.or {
                (known.pn, known.dn)
            } else {
                (known.dn, known.pn)
            };
            // Of equally good ones that which got the least work, roughly.
            let work = child.amount.checked_ilog2().unwrap_or(0);
            least = least.min(own);
            let looks = child.looks(own);
            let this = (looks, other, work, child.order);
            if this < rank {
                second = second.min(rank.0);
                rank = this;
                best = i as u16;
            } else {
                second = second.min(looks);
            }
            if self.is_summed(i) {
                sum = sum.saturating_add(other);
            } else {
                largest = largest.max(other);
            }
        }
        // Children that failed wait for nobody: their successors are active.
        let waiting = if waiting == 0 {
            0
        } else {
            (waiting / 8).max(1)
        };
        let all = sum.saturating_add(largest).saturating_add(waiting);
        let other = match least {
            0 => INF,
            INF => 0,
            _ => all.clamp(1, MAX_FINITE),
        };
        let others = if best != NONE && self.is_summed(best as usize) {
            all - rank.1.min(all)
        } else {
            sum.saturating_add(waiting)
        };
        let (pn, dn) = if self.or {
            (least, other)
        } else {
            (other, least)
        };
        self.totals = Totals {
            pn,
            dn,
            best,
            second: second.min(INF),
            others: others.min(MAX_FINITE),
        };
    }

    /// Leaves a child out of the sum.
    pub(super) fn exclude(&mut self, child: u16) {
        if child < 64 {
            self.sum_mask &= !(1 << child);
        }
    }

    pub(super) const fn is_summed(&self, child: usize) -> bool {
        child < 64 && self.sum_mask >> child & 1 != 0
    }

    /// Whether the position is decided or its numbers have reached the thresholds, raised so that at least
    /// one more position is searched when `extra` asks for it.
    pub(super) fn is_done(&self, extra: u32) -> bool {
        let Totals { pn, dn, .. } = self.totals;
        if pn == 0 || dn == 0 {
            return true;
        }
        extra == 0 && (pn >= self.pn_limit || dn >= self.dn_limit)
    }

    /// Thresholds for the best child.
    pub(super) fn child_limits(&self, best: &Child, extra: u32) -> (u32, u32) {
        let t = &self.totals;
        let best = best.known;
        let (mut pn_limit, mut dn_limit) = (self.pn_limit, self.dn_limit);
        // A little beyond the second best, so that the search does not go back and forth between the two.
        let second = t.second.saturating_add(1 + t.second / 4);
        if extra > 0 {
            pn_limit = pn_limit.max(t.pn + 1);
            dn_limit = dn_limit.max(t.dn + 1);
        }
        let (pn_limit, dn_limit) = if self.or {
            (pn_limit.min(second), dn_limit.saturating_sub(t.others))
        } else {
            (pn_limit.saturating_sub(t.others), dn_limit.min(second))
        };
        // Where sums are at the end of their range, differences are nothing to go by.
        (pn_limit.max(best.pn + 1), dn_limit.max(best.dn + 1))
    }
}
