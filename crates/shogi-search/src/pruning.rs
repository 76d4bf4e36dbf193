//! Judgements of the node search: when a node needs no search, when a move can be left out, and how
//! deep a move deserves to be searched.

use shogi_core::Move;
use shogi_eval::Evaluator;

use crate::Bound;
use crate::movepicker::{self, MovePicker};
use crate::node_state::{Facts, Node, Singular};
use crate::worker::{MATE_IN_MAX_PLY, MAX_EVAL, Worker};

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// Decides the node without trying its moves one by one, if its static score is far enough from
    /// the window.
    pub(crate) fn prune_node(&mut self, node: &Node, alpha: i32, beta: i32) -> Option<i32> {
        let (ply, depth, eval) = (node.ply, node.depth, node.eval);
        let p = self.params;
        // Razoring: so far below alpha that only a tactical shot could help.
        if depth <= 3 && eval + p.razor_base + p.razor_slope * depth * depth <= alpha {
            let score = self.qsearch::<false>(alpha, alpha + 1, ply);
            if score <= alpha {
                return Some(score);
            }
        }
        // Reverse futility: so far above beta that the opponent will not make it up.
        let margin = p.rfp_margin * depth - if node.improving { p.rfp_improving } else { 0 };
        if depth <= p.rfp_depth
            && !node.tt_pv
            && eval - margin >= beta
            && beta > -MATE_IN_MAX_PLY
            && eval < MAX_EVAL
        {
            return Some(i32::midpoint(eval, beta));
        }
        self.try_null_move(node, beta)
            .or_else(|| self.try_probcut(node, beta))
    }

    /// If even a pass keeps the score above beta, a move will.
    fn try_null_move(&mut self, node: &Node, beta: i32) -> Option<i32> {
        let (ply, depth) = (node.ply, node.depth);
        let p = self.params;
        let allowed = depth >= 2
            && node.expect_cut
            && self.frame_back(ply, 1).arrival != 0
            && node.eval >= beta
            && node.raw_eval >= beta - p.null_margin_slope * depth + p.null_margin
            && beta > -MATE_IN_MAX_PLY;
        if !allowed {
            return None;
        }
        let by_eval = ((node.eval - beta) / p.null_eval_divisor).min(p.null_eval_max);
        let reduction = p.null_base + depth / p.null_depth_divisor + by_eval;
        self.play_null(ply);
        let score = -self.search::<false>(-beta, -beta + 1, depth - reduction, ply + 1, false);
        self.undo();
        if self.stopper.is_stopped() {
            return Some(0);
        }
        // A mate found behind a pass is no proof.
        (score >= beta).then_some(if score >= MATE_IN_MAX_PLY {
            beta
        } else {
            score
        })
    }

    /// If a good capture is far above beta after a shallower search, the node is decided.
    fn try_probcut(&mut self, node: &Node, beta: i32) -> Option<i32> {
        let (ply, depth) = (node.ply, node.depth);
        let raised = beta + self.params.probcut_margin;
        let hopeless = node.entry.is_some_and(|entry| {
            entry.depth >= depth - 3 && entry.bound.is_some() && node.tt_score < raised
        });
        if depth < self.params.probcut_depth || beta.abs() >= MATE_IN_MAX_PLY || hopeless {
            return None;
        }
        let checks = self.game.position().check_squares();
        let before = self.arrivals(ply);
        let hash_move = node
            .tt_move
            .filter(|&m| movepicker::is_noisy(self.game.position(), m));
        let mut picker = MovePicker::noisy(&self.move_stack, hash_move);
        let mut result = None;
        while let Some(m) = self.pick(&mut picker, &checks, before) {
            if !self.game.position().see_ge(m, raised - node.raw_eval) {
                continue;
            }
            self.play(m, ply);
            let mut score = -self.qsearch::<false>(-raised, -raised + 1, ply + 1);
            if score >= raised {
                score = -self.search::<false>(
                    -raised,
                    -raised + 1,
                    depth - 4,
                    ply + 1,
                    !node.expect_cut,
                );
            }
            self.undo();
            if self.stopper.is_stopped() {
                result = Some(0);
                break;
            }
            if score >= raised {
                self.store(
                    node.key,
                    Some(m),
                    score,
                    node.raw_eval,
                    depth - 3,
                    Bound::Lower,
                    ply,
                    node.tt_pv,
                );
                result = Some(score);
                break;
            }
        }
        picker.finish(&mut self.move_stack);
        result
    }

    /// Whether `m` can be left out: too late, too little hope, too bad a history or exchange.
    pub(crate) fn prune_move(
        &self,
        node: &Node,
        picker: &mut MovePicker,
        m: Move,
        number: usize,
        alpha: i32,
        facts: Facts,
    ) -> bool {
        let p = self.params;
        let depth = node.depth;
        let position = self.game.position();
        let lmp = p.lmp_base + p.lmp_scale * depth * depth / if node.improving { 100 } else { 200 };
        if number as i32 > lmp && !node.in_check {
            picker.skip_quiets();
        }
        if facts.noisy || facts.gives_check {
            if facts.noisy && !facts.gives_check && !node.in_check && facts.reduced < 7 {
                let hope = node.eval
                    + p.capture_futility_base
                    + p.capture_futility_slope * facts.reduced
                    + movepicker::gain(position, m)
                    + facts.history / 50;
                if hope <= alpha {
                    return true;
                }
            }
            return !position.see_ge(m, -p.see_capture * depth);
        }
        if facts.history < -p.history_pruning * depth && depth <= 5 {
            return true;
        }
        if !node.in_check && facts.reduced < p.futility_depth {
            let hope = node.eval
                + p.futility_base
                + p.futility_slope * facts.reduced
                + facts.history / 100;
            if hope <= alpha {
                return true;
            }
        }
        !position.see_ge(m, -p.see_quiet * facts.reduced * facts.reduced)
    }

    /// What to add to the reduction of a late move, in 1024ths of a ply.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn reduction_change(
        &self,
        node: &Node,
        m: Move,
        noisy: bool,
        gives_check: bool,
        history: i32,
        refutations: [Option<Move>; 3],
        hash_capture: bool,
    ) -> i32 {
        let p = self.params;
        let mut change = 0;
        if node.tt_pv {
            change -= p.lmr_pv;
        }
        if node.expect_cut {
            change += p.lmr_cut;
        }
        if gives_check {
            change -= p.lmr_check;
        }
        if noisy {
            return change - 1024 - history * 1024 / p.lmr_capture_history;
        }
        if hash_capture {
            change += p.lmr_hash_capture;
        }
        if refutations.contains(&Some(m)) {
            change -= p.lmr_refutation;
        }
        change - history * 1024 / p.lmr_history
    }

    /// If every other move than the hash move is clearly worse, it deserves a closer look.
    pub(crate) fn singular_extension(
        &mut self,
        node: &Node,
        m: Move,
        beta: i32,
        pv: bool,
    ) -> Singular {
        let (ply, depth) = (node.ply, node.depth);
        let Some(entry) = node.entry else {
            return Singular::Extend(0);
        };
        let candidate = depth >= self.params.singular_depth
            && entry.depth >= depth - 3
            && matches!(entry.bound, Some(Bound::Lower | Bound::Exact))
            && node.tt_score.abs() < MAX_EVAL;
        if !candidate {
            return Singular::Extend(0);
        }
        let target = node.tt_score - self.params.singular_margin * depth / 64;
        self.frame(ply).excluded = Some(m);
        let score = self.search::<false>(target - 1, target, (depth - 1) / 2, ply, node.expect_cut);
        self.frame(ply).excluded = None;
        if score < target {
            let twice = !pv && score < target - self.params.singular_double;
            Singular::Extend(1 + i32::from(twice))
        } else if target >= beta && !pv {
            // Several moves beat beta.
            Singular::Cut(target)
        } else if node.tt_score >= beta {
            Singular::Extend(-1)
        } else {
            Singular::Extend(0)
        }
    }
}
