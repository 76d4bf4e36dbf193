//! Positions that are counted twice.
//!
//! A sum over moves counts a position twice that can be reached through two of them. Where the position to be
//! searched next was searched from elsewhere before, the way back from there is followed by the recorded
//! parents. If it meets the present line, both ways part at that position: the move of the present line there
//! is no longer added, but enters as the largest of the moves that are not.

use shogi_core::Hand;

use super::Searcher;
use super::frame::NONE;
use crate::num::UNIT;

/// How far back parents are followed.
const STEPS: usize = 20;

/// How much larger the numbers of a parent may be for them to come from the position.
const GROWTH: u32 = 3 * UNIT;

impl Searcher {
    /// Looks whether the best child of the top position is counted twice further up.
    pub(super) fn stop_counting_twice(&mut self) {
        let frame = self.top();
        let totals = &frame.totals;
        if totals.best == NONE || totals.pn == 0 || totals.dn == 0 || self.frames.len() == 1 {
            return;
        }
        let best = &self.children[frame.start + totals.best as usize];
        let Some((mut key, mut hand)) = best.parent else {
            return;
        };
        if (key, hand) == (frame.key, frame.hand) {
            return;
        }
        let (mut pn, mut dn) = (best.known.pn, best.known.dn);
        for _ in 0..STEPS {
            if let Some(step) = self.path.find_same(key, hand) {
                self.stop_adding(step);
                return;
            }
            let found = self.tables.table.look_up(key, hand, 0, u32::MAX);
            let Some(entry) = found.exact else { return };
            let Some(parent) = entry.parent() else { return };
            if entry.pn > pn.saturating_add(GROWTH) || entry.dn > dn.saturating_add(GROWTH) {
                return;
            }
            (pn, dn) = (entry.pn, entry.dn);
            (key, hand) = parent;
        }
    }

    /// The present line's move at this step of it is no part of the sum there any more.
    fn stop_adding(&mut self, step: usize) {
        if step + 1 < self.frames.len() {
            let frame = &mut self.frames[step];
            frame.exclude(frame.totals.best);
        }
    }
}

impl crate::table::Entry {
    /// The position it was last searched from.
    pub(super) fn parent(&self) -> Option<(u64, Hand)> {
        let undecided = self.pn != 0 && self.parent_key != 0;
        let hand = Hand::try_from_bits(self.parent_hand)?;
        undecided.then_some((self.parent_key, hand))
    }
}
