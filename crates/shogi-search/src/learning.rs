//! What the histories learn from a node.

use shogi_core::Move;
use shogi_eval::Evaluator;

use crate::history::HistoryPlace;
use crate::node_state::{Candidate, Node};
use crate::tried::TriedMoves;
use crate::worker::{NO_SCORE, Worker};

/// Scales a change by 1024ths.
const fn share(change: i32, share: i32) -> i32 {
    change * share / 1024
}

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// What selects the histories of the move that led to the node at `ply`.
    fn prior_place(&self, ply: usize) -> HistoryPlace {
        let arrivals = self.arrivals(ply - 1);
        HistoryPlace::for_answers(arrivals, self.frame_back(ply, 1).in_check)
    }

    /// The table says that `m` refutes the node.
    pub(crate) fn learn_from_table(&mut self, node: &Node, m: Move) {
        let ply = node.ply;
        if !node.tt_noisy {
            let place = HistoryPlace::new(self.game.position(), self.arrivals(ply), ply);
            let bonus = (125 * node.depth - 70).min(1060);
            self.histories.update_quiet(m, &place, bonus);
        }
        let prior = *self.frame_back(ply, 1);
        if let Some(last) = prior.current
            && prior.quiet
            && prior.number <= 3
        {
            let place = self.prior_place(ply);
            self.histories.update_answer(last, &place, -2100);
        }
    }

    /// The static score tells at once how good the last quiet move was.
    pub(crate) fn learn_from_static(&mut self, node: &Node) {
        let p = self.params;
        let prior = *self.frame_back(node.ply, 1);
        if let Some(last) = prior.current
            && prior.quiet
            && !prior.in_check
            && prior.static_eval != NO_SCORE
        {
            let lesson = -(prior.static_eval + node.static_eval) * p.eval_lesson / 100;
            let lesson = lesson.clamp(-p.eval_lesson_max, p.eval_lesson_max);
            self.histories
                .update_main(last, lesson + p.eval_lesson_base);
        }
    }

    /// A move raised alpha, or refuted the node; the moves tried before it did not.
    pub(crate) fn learn_from_best(
        &mut self,
        node: &Node,
        place: &HistoryPlace,
        best: &Candidate,
        tried: &TriedMoves,
    ) {
        let p = self.params;
        let depth = node.depth;
        let by_hash = Some(best.m) == node.tt_move;
        let bonus = (p.history_bonus * depth - p.history_bonus / 2).min(p.history_bonus_max)
            + if by_hash { p.history_hash } else { 0 };
        let malus = (p.history_malus * depth - p.history_malus / 4).min(p.history_malus_max)
            - 30 * best.number.min(32);
        let malus = -malus.max(0);
        if best.noisy {
            let bonus = share(bonus, 1200);
            self.histories.update_capture(best.m, best.victim, bonus);
        } else {
            self.histories
                .update_quiet(best.m, place, share(bonus, 980));
            for &quiet in tried.quiets() {
                if quiet != best.m {
                    self.histories
                        .update_quiet(quiet, place, share(malus, 1050));
                }
            }
        }
        for &(capture, victim) in tried.captures() {
            if capture != best.m {
                let malus = share(malus, 1380);
                self.histories.update_capture(capture, victim, malus);
            }
        }
        // The opponent's first move, refuted: it was not that good.
        let ply = node.ply;
        let prior = *self.frame_back(ply, 1);
        if let Some(last) = prior.current
            && prior.quiet
            && prior.number == 1 + i32::from(prior.tt_hit)
        {
            let place = self.prior_place(ply);
            self.histories
                .update_answer(last, &place, share(malus, 580));
        }
        if node.tt_move.is_some() {
            let change = if by_hash { 810 } else { -850 };
            self.histories.update_hash_moves(change);
        }
    }

    /// No move raised alpha: the last move was a good one.
    pub(crate) fn learn_from_failure(&mut self, node: &Node, best: i32) {
        let ply = node.ply;
        let prior = *self.frame_back(ply, 1);
        let Some(last) = prior.current else {
            return;
        };
        if !prior.quiet {
            self.histories.update_capture(last, prior.victim, 960);
            return;
        }
        let mut scale = -228 + (-prior.stat_score / 104).min(322) + (63 * node.depth).min(508);
        if prior.number > 8 {
            scale += 184;
        }
        if !node.in_check && best <= node.static_eval - 92 {
            scale += 143;
        }
        if !prior.in_check && prior.static_eval != NO_SCORE && best <= -prior.static_eval - 70 {
            scale += 149;
        }
        let bonus = (144 * node.depth - 92).min(1365) * scale.max(0);
        let place = self.prior_place(ply);
        self.histories
            .update_answer(last, &place, bonus * 400 / 32_768);
        self.histories.update_main(last, bonus * 220 / 32_768);
    }

    /// The search ended with another score than the static one: the evaluation was off.
    pub(crate) fn learn_correction(
        &mut self,
        node: &Node,
        best_move: Option<&Candidate>,
        best: i32,
        beta: i32,
    ) {
        let Some(place) = &node.correction_place else {
            return;
        };
        // What a capture wins says nothing about the evaluation of quiet positions.
        let by_capture = best_move.is_some_and(|best| best.noisy);
        let below = best < node.static_eval && best < beta;
        let above = best > node.static_eval && best_move.is_some();
        if !by_capture && (below || above) {
            let error = (best - node.static_eval).clamp(-3000, 3000);
            self.histories.corrections.learn(place, error, node.depth);
        }
    }
}
