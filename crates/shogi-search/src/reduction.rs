//! How much less deep late moves are searched.

use shogi_eval::Evaluator;

use crate::node_state::{Candidate, Node};
use crate::worker::Worker;

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// The reduction in 1024ths of a ply before the move itself is looked at. `window` is beta less
    /// alpha.
    #[inline]
    pub(crate) fn base_reduction(
        &self,
        improving: bool,
        depth: i32,
        number: i32,
        window: i32,
    ) -> i32 {
        let p = self.params;
        let base = self.reductions.get(depth, number);
        let not_improving = if improving {
            0
        } else {
            base * p.lmr_not_improving / 512
        };
        base + not_improving + p.lmr_base - window * p.lmr_window / self.root_window
    }

    /// What to add to the reduction of a move, in 1024ths of a ply. The move has not been played.
    pub(crate) fn reduction_change<const PV: bool>(
        &self,
        node: &Node,
        candidate: &Candidate,
        alpha: i32,
    ) -> i32 {
        let p = self.params;
        let mut change = p.lmr_offset - candidate.number.min(40) * p.lmr_number;
        if node.tt_pv {
            change -= p.lmr_pv;
            if PV {
                change -= p.lmr_pv_window;
            }
            if node.entry.is_some() && node.tt_score > alpha {
                change -= p.lmr_pv_score;
            }
            if node.tt_depth() >= node.depth {
                change -= p.lmr_pv_depth;
            }
        }
        change -= node.correction.abs() * p.lmr_correction;
        if node.expect_cut {
            change += p.lmr_cut;
            if node.tt_move.is_none() {
                change += p.lmr_cut_no_hash;
            }
        }
        if node.tt_noisy {
            change += p.lmr_hash_capture;
        }
        if self.frame_at(node.ply + 1).cutoffs > 2 {
            change += p.lmr_cutoffs;
            if !PV && !node.expect_cut {
                change += p.lmr_cutoffs_all;
            }
        }
        if Some(candidate.m) == node.tt_move {
            change -= p.lmr_hash;
        }
        if candidate.gives_check {
            change -= p.lmr_check;
        }
        change - self.standing(candidate) * p.lmr_history / 8192
    }

    /// What is known about the move from elsewhere.
    #[inline]
    pub(crate) fn standing(&self, candidate: &Candidate) -> i32 {
        if candidate.noisy {
            candidate.gain * self.params.lmr_capture / 90 + candidate.history
        } else {
            2 * candidate.main + candidate.history
        }
    }
}
