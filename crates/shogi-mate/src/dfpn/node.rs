//! A node of the search: a position on the stack, and its children with their results.

use shogi_core::{Hand, Move, Undo};

use super::{INF, MAX_FINITE, NO_REPETITION};

/// No child.
pub(super) const NONE: u16 = u16::MAX;

/// The proof and disproof number of a position, and for a decided one the hand and the length.
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

    /// Returns whether it is decided.
    pub(crate) const fn is_final(&self) -> bool {
        self.pn == 0 || self.dn == 0
    }
}

/// A child: a move and the result of the position after it.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // independent facts
pub(super) struct Child {
    pub(super) m: Move,
    /// Board after the move.
    pub(super) key: u64,
    /// The attacker's hand after it.
    pub(super) hand: Hand,
    pub(super) result: Outcome,
    /// Virtual loss while another thread is searching it. It affects the
    /// selection of the next move only, not the numbers that are returned and stored.
    pub(super) virtual_loss: u32,
    /// Work done below it.
    pub(super) amount: u32,
    /// The smaller, the sooner, when all else is equal.
    pub(super) order: i16,
    /// The delayed move that becomes active when this one fails its player; [`NONE`] for none.
    pub(super) next_delayed: u16,
    /// True if it is no delayed move, or its turn has come.
    pub(super) active: bool,
    /// Never searched.
    pub(super) first: bool,
    /// Probed already: neither a mate in one nor out of checks.
    pub(super) probed: bool,
    /// An old child: known from a lesser depth only.
    pub(super) old: bool,
    /// Its own mask: see [`Node`].
    pub(super) sum_mask: u64,
    /// The position it was last searched from, unless decided.
    pub(super) parent: Option<(u64, Hand)>,
}

impl Child {
    /// The number that its player goes by, when it is `own`.
    #[inline(always)]
    fn selection_number(&self, own: u32) -> u32 {
        if self.result.is_final() {
            own
        } else {
            (own + self.virtual_loss).min(MAX_FINITE)
        }
    }
}

/// A node on the stack: a position with its thresholds.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The move that led here; `None` at the root.
    pub(super) last_move: Option<(Move, Undo)>,
    /// True at an OR node: the attacker is to move.
    pub(super) is_or: bool,
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
    /// Start of its children in the list of all.
    pub(super) start: usize,
    /// Thresholds of proof and disproof number.
    pub(super) pn_threshold: u32,
    pub(super) dn_threshold: u32,
    /// The searcher's `inc_flag` when this position was entered.
    pub(super) inc_flag: u32,
    /// Least depth at which it was searched.
    pub(super) least_depth: u32,
    /// A bit for each child that is counted in the sum.
    pub(super) sum_mask: u64,
    pub(super) amount: u32,
    /// The outcome when it is decided without children.
    pub(super) decided: Option<Outcome>,
    pub(super) numbers: NodeNumbers,
}

/// The numbers of a node, from those of its children.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeNumbers {
    pub(super) pn: u32,
    pub(super) dn: u32,
    /// The child to search next.
    pub(super) best: u16,
    /// The owner's number of the second best child.
    pub(super) second: u32,
    /// The opponent's number without what the best child adds to it.
    pub(super) others: u32,
}

impl Node {
    /// Adds up the children: the owner of the node needs one of them, the opponent all.
    ///
    /// The owner's number (attacker: proof) is the least of its children; the opponent's is the sum of
    /// those that `sum_mask` says, plus the largest of the rest, plus a little for moves whose turn has
    /// not come.
    pub(super) fn update_numbers(&mut self, children: &[Child]) {
        let mut best = NONE;
        let mut rank = (u32::MAX, u32::MAX, u32::MAX, i16::MAX);
        let (mut least, mut second) = (INF, INF);
        let (mut sum, mut largest, mut waiting) = (0u32, 0u32, 0u32);
        for (i, child) in children.iter().enumerate() {
            if !child.active {
                waiting += 1;
                continue;
            }
            let result = &child.result;
            let (own, other) = if self.is_or {
                (result.pn, result.dn)
            } else {
                (result.dn, result.pn)
            };
            // Of equally good children the one with the least work, roughly.
            let work = child.amount.checked_ilog2().unwrap_or(0);
            least = least.min(own);
            let number = child.selection_number(own);
            let this = (number, other, work, child.order);
            if this < rank {
                second = second.min(rank.0);
                rank = this;
                best = i as u16;
            } else {
                second = second.min(number);
            }
            if self.is_summed(i) {
                sum = sum.saturating_add(other);
            } else {
                largest = largest.max(other);
            }
        }
        // Delayed moves behind failed children are active already.
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
        let (pn, dn) = if self.is_or {
            (least, other)
        } else {
            (other, least)
        };
        self.numbers = NodeNumbers {
            pn,
            dn,
            best,
            second: second.min(INF),
            others: others.min(MAX_FINITE),
        };
    }

    /// Excludes a child from the sum.
    pub(super) fn exclude(&mut self, child: u16) {
        if child < 64 {
            self.sum_mask &= !(1 << child);
        }
    }

    pub(super) const fn is_summed(&self, child: usize) -> bool {
        child < 64 && self.sum_mask >> child & 1 != 0
    }

    /// Returns whether the position is decided or its numbers have reached the thresholds, raised so that at least
    /// one more position is searched when `inc_flag` asks for it.
    pub(super) fn is_done(&self, inc_flag: u32) -> bool {
        let NodeNumbers { pn, dn, .. } = self.numbers;
        if pn == 0 || dn == 0 {
            return true;
        }
        inc_flag == 0 && (pn >= self.pn_threshold || dn >= self.dn_threshold)
    }

    /// Thresholds for the best child.
    pub(super) fn child_thresholds(&self, best: &Child, inc_flag: u32) -> (u32, u32) {
        let t = &self.numbers;
        let best = best.result;
        let (mut pn_threshold, mut dn_threshold) = (self.pn_threshold, self.dn_threshold);
        // A little beyond the second best (1 + epsilon trick), so that the search does not alternate between the two.
        let second = t.second.saturating_add(1 + t.second / 4);
        if inc_flag > 0 {
            pn_threshold = pn_threshold.max(t.pn + 1);
            dn_threshold = dn_threshold.max(t.dn + 1);
        }
        let (pn_threshold, dn_threshold) = if self.is_or {
            (
                pn_threshold.min(second),
                dn_threshold.saturating_sub(t.others),
            )
        } else {
            (
                pn_threshold.saturating_sub(t.others),
                dn_threshold.min(second),
            )
        };
        // Saturated sums have meaningless differences.
        (pn_threshold.max(best.pn + 1), dn_threshold.max(best.dn + 1))
    }
}
