//! From the children of a position to what is known of it, and into the table.

use shogi_core::Hand;

use super::Searcher;
use super::frame::{Child, Frame, Outcome};
use crate::hands;
use crate::num::{ANY, NO_REPETITION, UNIT, more};

impl Searcher {
    /// What is known of the top position.
    pub(super) fn conclude(&self) -> Outcome {
        let frame = self.top();
        if let Some(outcome) = frame.decided {
            return outcome;
        }
        let children = &self.children[frame.start..];
        let outcome = match (frame.totals.pn, frame.totals.dn) {
            (0, _) if frame.or => self.one_mates(children),
            (0, _) => self.all_are_mated(children),
            (_, 0) if frame.or => self.none_mates(children),
            (_, 0) => self.one_escapes(children),
            (pn, dn) => Outcome::undecided(pn, dn),
        };
        // The loop lies wholly below this position: the disproof holds on every path.
        if outcome.repetition >= frame.depth as i32 {
            return Outcome {
                repetition: NO_REPETITION,
                ..outcome
            };
        }
        outcome
    }

    fn one_mates(&self, children: &[Child]) -> Outcome {
        let mates = children.iter().filter(|child| child.known.pn == 0);
        let Some(best) = mates.min_by_key(|child| child.known.length) else {
            unreachable!("a proof number of 0 comes from a child's");
        };
        let hand = hands::proof_before(&self.position, best.m, best.known.hand);
        Outcome::mate(hand, more(best.known.length))
    }

    fn all_are_mated(&self, children: &[Child]) -> Outcome {
        let mut hand = hands::monopoly(&self.position);
        let mut length = 0;
        for child in children {
            hand = hands::max(hand, child.known.hand);
            length = length.max(more(child.known.length));
        }
        Outcome::mate(hand, length)
    }

    fn one_escapes(&self, children: &[Child]) -> Outcome {
        let escapes = children.iter().filter(|child| child.known.dn == 0);
        let Some(best) = escapes.max_by_key(|child| (child.known.repetition, child.known.length))
        else {
            unreachable!("a disproof number of 0 comes from a child's");
        };
        let known = &best.known;
        let hand = if known.repetition == NO_REPETITION {
            hands::min(known.hand, hands::total(&self.position))
        } else {
            self.hand()
        };
        Outcome::repetition(hand, more(known.length), known.repetition)
    }

    fn none_mates(&self, children: &[Child]) -> Outcome {
        let mut hand = hands::total(&self.position);
        let mut length = ANY;
        let mut repetition = NO_REPETITION;
        for child in children {
            let known = &child.known;
            length = length.min(more(known.length));
            repetition = repetition.min(known.repetition);
            let before = hands::disproof_before(&self.position, child.m, known.hand);
            hand = hands::min(hand, before);
        }
        let hand = if repetition == NO_REPETITION {
            hands::without_unseen_checks(&self.position, hand)
        } else {
            self.hand()
        };
        Outcome::repetition(hand, length, repetition)
    }

    /// Remembers `outcome` of the position of `frame`, which was searched from `parent`.
    pub(super) fn save(&self, frame: &Frame, outcome: &Outcome, parent: Option<(u64, Hand)>) {
        let table = &self.tables.table;
        if outcome.pn == 0 {
            table.save_proof(frame.key, outcome.hand, outcome.length, frame.amount);
            return;
        }
        if outcome.dn == 0 && outcome.repetition == NO_REPETITION {
            table.save_disproof(frame.key, outcome.hand, outcome.length, frame.amount);
            return;
        }
        let repetition = outcome.dn == 0;
        if repetition {
            self.tables
                .repetitions
                .save(frame.path, outcome.repetition, outcome.length);
        }
        let (pn, dn) = if repetition {
            (UNIT, UNIT)
        } else {
            (outcome.pn, outcome.dn)
        };
        table.save_undecided(frame.key, frame.hand, |entry| {
            (entry.pn, entry.dn) = (pn, dn);
            entry.repetition |= repetition;
            entry.depth = entry.depth.min(frame.least_depth as u16);
            entry.amount = entry.amount.saturating_add(frame.amount);
            entry.sum_mask = frame.sum_mask;
            if let Some((key, hand)) = parent {
                entry.parent_key = key;
                entry.parent_hand = hand.bits();
            }
        });
    }
}
