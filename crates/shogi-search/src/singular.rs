//! Whether the hash move is so much better than all others that it deserves a closer look.

use shogi_core::Move;
use shogi_eval::Evaluator;

use crate::node_state::{Node, Singular};
use crate::worker::{MAX_EVAL, Worker};

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// Searches the node without `m`, its hash move, where that may tell something.
    pub(crate) fn singular_extension<const PV: bool>(
        &mut self,
        node: &mut Node,
        m: Move,
        beta: i32,
    ) -> Singular {
        let p = self.params;
        let (ply, depth) = (node.ply, node.depth);
        let candidate = depth >= p.singular_depth + i32::from(node.tt_pv)
            && node.tt_depth() >= depth - 3
            && node.has_lower_bound()
            && node.tt_score.abs() < MAX_EVAL;
        if !candidate {
            return Singular::Extend(0);
        }
        let was_pv = i32::from(node.tt_pv && !PV);
        let margin = (p.singular_margin + was_pv * p.singular_margin_pv) * depth / 64;
        let target = node.tt_score - margin;
        let number = self.frame_at(ply).number;
        self.frame(ply).excluded = Some(m);
        let score = self.search::<false>(target - 1, target, (depth - 1) / 2, ply, node.expect_cut);
        let frame = self.frame(ply);
        frame.excluded = None;
        frame.number = number;
        frame.tt_hit = true;
        if score < target {
            let wide = i32::from(PV);
            let trust = self.histories.hash_moves() / 140 + node.correction.abs() / 2;
            let quiet = if node.tt_noisy { 0 } else { 150 };
            let double = p.singular_double + wide * p.singular_double_pv - quiet / 2 - trust.max(0);
            let triple = p.singular_triple + wide * p.singular_triple_pv - quiet - trust.max(0);
            let plies = 1
                + i32::from(score < target - double)
                + i32::from(score < target - double.max(triple));
            node.depth += 1;
            return Singular::Extend(plies);
        }
        if score >= beta && score.abs() < MAX_EVAL {
            // Several moves beat beta.
            let change = (-400 - 100 * depth).max(-4000);
            self.histories.update_hash_moves(change);
            return Singular::Cut(score);
        }
        if node.tt_score >= beta {
            Singular::Extend(-3)
        } else if node.expect_cut {
            Singular::Extend(-2)
        } else {
            Singular::Extend(0)
        }
    }
}
