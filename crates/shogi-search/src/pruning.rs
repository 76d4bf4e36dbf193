//! When a node needs no search, and when a move can be left out.

use shogi_eval::Evaluator;

use crate::Bound;
use crate::history::HistoryPlace;
use crate::movepicker::MovePicker;
use crate::node_state::{Candidate, Node};
use crate::worker::{MATE_IN_MAX_PLY, MAX_EVAL, Worker};

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// Decides the node without trying its moves one by one, if its static score is far enough from
    /// the window.
    pub(crate) fn prune_node(&mut self, node: &mut Node, alpha: i32, beta: i32) -> Option<i32> {
        let (ply, depth, eval) = (node.ply, node.depth, node.eval);
        let p = self.params;
        // Razoring: so far below alpha that only a tactical shot could help.
        if eval < alpha - p.razor_base - p.razor_slope * depth * depth {
            return Some(self.qsearch::<false>(alpha, beta, ply));
        }
        if depth <= p.rfp_depth
            && !node.tt_pv
            && eval >= beta
            && eval - self.futility_margin(node) >= beta
            && (node.tt_move.is_none() || node.tt_noisy)
            && beta > -MATE_IN_MAX_PLY
            && eval < MAX_EVAL
        {
            return Some((2 * beta + eval) / 3);
        }
        let score = self.try_null_move(node, beta);
        node.improving |= node.static_eval >= beta;
        score
    }

    /// Reverse futility: a lead by which the opponent will not make up.
    fn futility_margin(&self, node: &Node) -> i32 {
        let p = self.params;
        let unknown = node.expect_cut && node.entry.is_none();
        let ply = p.rfp_margin - if unknown { p.rfp_unknown } else { 0 };
        let mut margin = ply * node.depth + node.correction.abs();
        if node.improving {
            margin -= ply * p.rfp_improving / 100;
        }
        if node.worsening {
            margin -= ply * p.rfp_worsening / 100;
        }
        margin
    }

    /// If even a pass keeps the score above beta, a move will.
    fn try_null_move(&mut self, node: &Node, beta: i32) -> Option<i32> {
        let (ply, depth) = (node.ply, node.depth);
        let p = self.params;
        let allowed = node.expect_cut
            && node.excluded.is_none()
            && self.frame_back(ply, 1).arrival != 0
            && node.eval >= beta
            && node.static_eval >= beta - p.null_margin_slope * depth + p.null_margin
            && ply >= self.no_null_before
            && beta > -MATE_IN_MAX_PLY;
        if !allowed {
            return None;
        }
        let searched = depth - p.null_base - depth / p.null_depth_divisor;
        self.play_null(ply);
        let score = -self.search::<false>(-beta, -beta + 1, searched, ply + 1, false);
        self.undo();
        if self.stopper.is_stopped() {
            return Some(0);
        }
        // A mate found behind a pass is no proof.
        if score < beta || score >= MATE_IN_MAX_PLY {
            return None;
        }
        if self.no_null_before > 0 || depth < p.null_verify_depth {
            return Some(score);
        }
        // Confirm it at this node, without passes in the upper part of its tree.
        self.no_null_before = ply + 3 * searched.max(0) as usize / 4;
        let confirmed = self.search::<false>(beta - 1, beta, searched, ply, false);
        self.no_null_before = 0;
        self.frame(ply).number = 0;
        (confirmed >= beta).then_some(score)
    }

    /// If a good capture is far above beta after a shallower search, the node is decided.
    pub(crate) fn try_probcut(&mut self, node: &Node, beta: i32) -> Option<i32> {
        let (ply, depth) = (node.ply, node.depth);
        let p = self.params;
        let improving = if node.improving {
            p.probcut_improving
        } else {
            0
        };
        let raised = beta + p.probcut_margin - improving;
        let hopeless =
            node.entry.is_some_and(|entry| entry.bound.is_some()) && node.tt_score < raised;
        if depth < p.probcut_depth || beta.abs() >= MAX_EVAL || hopeless {
            return None;
        }
        let lead = (node.static_eval - beta) / 300;
        let searched = (depth - 5 - lead).clamp(0, depth);
        let place = HistoryPlace::for_answers(self.arrivals(ply), false);
        let hash_move = node.tt_move.filter(|_| node.tt_noisy);
        let mut picker = MovePicker::noisy(&self.move_stack, hash_move, false);
        let mut result = None;
        while let Some(m) = self.pick(&mut picker, None, &place) {
            if Some(m) == node.excluded
                || !self.game.position().see_ge(m, raised - node.static_eval)
            {
                continue;
            }
            self.expect(m);
            self.play(m, ply);
            let mut score = -self.qsearch::<false>(-raised, -raised + 1, ply + 1);
            if score >= raised && searched > 0 {
                let cut = !node.expect_cut;
                score = -self.search::<false>(-raised, -raised + 1, searched, ply + 1, cut);
            }
            self.undo();
            if self.stopper.is_stopped() {
                result = Some(0);
                break;
            }
            if score >= raised {
                self.store_at_depth(node, searched + 1, Some(m), score, Bound::Lower, node.tt_pv);
                result = Some(if score.abs() < MAX_EVAL {
                    score - (raised - beta)
                } else {
                    score
                });
                break;
            }
        }
        picker.finish(&mut self.move_stack);
        result
    }

    /// The table knows a search nearly as deep that came out far above beta.
    pub(crate) fn table_probcut(&self, node: &Node, beta: i32) -> Option<i32> {
        let raised = beta + self.params.probcut_table;
        let known = node.has_lower_bound()
            && node.tt_depth() >= node.depth - 4
            && node.tt_score >= raised
            && node.tt_score.abs() < MAX_EVAL
            && beta.abs() < MAX_EVAL
            && node.excluded.is_none();
        known.then_some(raised)
    }

    /// Whether the move can be left out: too late, too little hope, too bad a history or exchange.
    /// `hope` becomes what the move could have achieved at best, if that is more.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn prune_move(
        &self,
        node: &Node,
        picker: &mut MovePicker,
        candidate: &Candidate,
        reduction: i32,
        alpha: i32,
        has_best: bool,
        hope: &mut i32,
    ) -> bool {
        let p = self.params;
        let depth = node.depth;
        let late = p.lmp_base + p.lmp_scale * depth * depth / 100;
        if candidate.number >= if node.improving { late } else { late / 2 } {
            picker.skip_quiets();
        }
        let reduced = depth - 1 - reduction / 1024;
        if candidate.noisy || candidate.gives_check {
            return self.prune_forcing(node, candidate, reduced, alpha);
        }
        let history = candidate.history + candidate.pawn;
        if history < -p.history_pruning * depth {
            return true;
        }
        let history = history + 2 * candidate.main;
        let reduced = reduced + history / p.history_depth;
        if !node.in_check && reduced < p.futility_depth {
            let value = node.static_eval
                + p.futility_base
                + if has_best { 0 } else { p.futility_no_best }
                + p.futility_slope * reduced
                + if node.static_eval > alpha { 85 } else { 0 };
            if value <= alpha {
                if *hope <= value && hope.abs() < MAX_EVAL {
                    *hope = value;
                }
                return true;
            }
        }
        let reduced = reduced.max(0);
        !self
            .game
            .position()
            .see_ge(candidate.m, -p.see_quiet * reduced * reduced)
    }

    /// Whether a capture, promotion or check can be left out.
    fn prune_forcing(&self, node: &Node, candidate: &Candidate, reduced: i32, alpha: i32) -> bool {
        let p = self.params;
        let (m, history) = (candidate.m, candidate.history);
        let quiet_enough = !candidate.gives_check && !node.in_check;
        if candidate.noisy && quiet_enough && reduced < p.capture_futility_depth {
            let value = node.static_eval
                + p.capture_futility_base
                + p.capture_futility_slope * reduced
                + candidate.gain
                + p.capture_futility_history * history / 1024;
            if value <= alpha {
                return true;
            }
        }
        let history = if candidate.noisy { history } else { 0 };
        let margin = p.see_capture * node.depth + p.see_history * history / 1024;
        !self.game.position().see_ge(m, -margin.max(0))
    }
}
