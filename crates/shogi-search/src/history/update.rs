//! What a search teaches the histories.

use shogi_core::Move;
use shogi_eval::Evaluator;

use crate::history::correction::CorrectionIndex;
use crate::history::index::scaled;
use crate::history::{HistoryIndex, PAWN_BITS};
use crate::node::{MoveInfo, Node, SearchedMoves, StaticEval};
use crate::score::{NO_SCORE, Score};
use crate::worker::Worker;

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// Returns what selects the continuation histories of the move that led to the node at `ply`.
    pub(super) fn prior_index(&self, ply: usize) -> HistoryIndex {
        let piece_tos = self.continuation_piece_tos(ply - 1);
        HistoryIndex::for_continuation(piece_tos, self.ss_back(ply, 1).in_check)
    }

    /// A TT cutoff by `m`: a bonus for it, a malus for an early quiet move that it refutes.
    pub(crate) fn update_on_tt_cutoff(&mut self, node: &Node, m: Move) {
        let (ply, p) = (node.ply, self.params);
        if !node.tt.noisy {
            let piece_tos = self.continuation_piece_tos(ply);
            let index = HistoryIndex::new(self.game.position(), piece_tos, ply);
            let bonus = (p.tt_cutoff_bonus * node.depth - p.tt_cutoff_bonus_offset)
                .min(p.tt_cutoff_bonus_max);
            self.histories.update_quiet(m, &index, bonus, p);
        }
        let prior = *self.ss_back(ply, 1);
        if let Some(last) = prior.current
            && prior.quiet
            && prior.number <= p.tt_cutoff_prior_moves
        {
            let index = self.prior_index(ply);
            let malus = -p.tt_cutoff_malus;
            self.histories.update_continuation(last, &index, malus, p);
        }
    }

    /// The static evaluation `value` tells at once how good the last quiet move was.
    pub(crate) fn update_by_static_eval(
        &mut self,
        node: &Node,
        index: &CorrectionIndex,
        value: Score,
    ) {
        let p = self.params;
        let prior = *self.ss_back(node.ply, 1);
        if let Some(last) = prior.current
            && prior.quiet
            && !prior.in_check
            && prior.static_eval != NO_SCORE
        {
            let bonus = (-prior.static_eval - value) * p.eval_bonus / 100;
            let bonus = bonus.clamp(-p.eval_bonus_max, p.eval_bonus_max);
            let bonus = bonus + p.eval_bonus_base;
            self.histories.update_main(last, bonus, p);
            if node.tt.entry.is_none() {
                let bonus = bonus * p.eval_bonus_pawn / 1024;
                let pawns = index.pawns(PAWN_BITS);
                self.histories.update_pawn_of_last(last, pawns, bonus, p);
            }
        }
    }

    /// A move raised alpha, or refuted the node: a bonus for it, a malus for the moves searched before it.
    pub(crate) fn update_histories(
        &mut self,
        node: &Node,
        index: &HistoryIndex,
        best: &MoveInfo,
        searched: &SearchedMoves,
    ) {
        let p = self.params;
        let depth = node.depth;
        let is_tt_move = Some(best.m) == node.tt.m;
        let bonus = (p.history_bonus * depth - p.history_bonus_offset).min(p.history_bonus_max)
            + if is_tt_move { p.history_hash } else { 0 }
            + self.ss_back(node.ply, 1).stat_score * p.history_prior / 1024;
        let malus = (p.history_malus * depth - p.history_malus_offset).min(p.history_malus_max)
            - p.history_malus_number * best.number.min(p.history_malus_number_max);
        let malus = -malus.max(0);
        if best.noisy {
            let bonus = scaled(bonus, p.capture_bonus_share);
            self.histories.update_capture(best.m, best.victim, bonus, p);
        } else {
            let bonus = scaled(bonus, p.quiet_bonus_share);
            self.histories.update_quiet(best.m, index, bonus, p);
            let mut malus = scaled(malus, p.quiet_malus_share);
            for &quiet in &searched.quiets {
                malus = scaled(malus, p.quiet_malus_decay);
                if quiet != best.m {
                    self.histories.update_quiet(quiet, index, malus, p);
                }
            }
        }
        let capture_malus = scaled(malus, p.capture_malus_share);
        for &(capture, victim) in &searched.captures {
            if capture != best.m {
                self.histories
                    .update_capture(capture, victim, capture_malus, p);
            }
        }
        // The opponent's first move, refuted: it was not that good.
        let ply = node.ply;
        let prior = *self.ss_back(ply, 1);
        if let Some(last) = prior.current
            && prior.quiet
            && prior.number == 1 + i32::from(prior.tt_hit)
        {
            let index = self.prior_index(ply);
            let malus = scaled(malus, p.prior_malus_share);
            self.histories.update_continuation(last, &index, malus, p);
        }
        if node.tt.m.is_some() {
            let change = if is_tt_move {
                p.tt_move_bonus
            } else {
                -p.tt_move_malus
            };
            self.histories.update_tt_move_history(change, p);
        }
    }

    /// No move raised alpha: a bonus for the last move.
    pub(crate) fn update_on_fail_low(
        &mut self,
        node: &Node,
        eval: &StaticEval,
        index: &HistoryIndex,
        best: Score,
    ) {
        let (ply, p) = (node.ply, self.params);
        let prior = *self.ss_back(ply, 1);
        let Some(last) = prior.current else {
            return;
        };
        if !prior.quiet {
            let bonus = p.fail_low_capture_bonus;
            self.histories.update_capture(last, prior.victim, bonus, p);
            return;
        }
        let mut scale = p.fail_low_base
            + (-prior.stat_score / p.fail_low_stat_score).min(p.fail_low_stat_score_max)
            + (p.fail_low_depth * node.depth).min(p.fail_low_depth_max);
        if prior.number > p.fail_low_late_number {
            scale += p.fail_low_late;
        }
        if !node.in_check && best <= eval.value - p.fail_low_margin {
            scale += p.fail_low_below_eval;
        }
        if !prior.in_check
            && prior.static_eval != NO_SCORE
            && best <= -prior.static_eval - p.fail_low_prior_margin
        {
            scale += p.fail_low_below_prior;
        }
        let bonus = (p.fail_low_bonus * node.depth - p.fail_low_bonus_offset)
            .min(p.fail_low_bonus_max)
            * scale.max(0);
        let prior_index = self.prior_index(ply);
        let continuation = bonus * p.fail_low_continuation / 32_768;
        self.histories
            .update_continuation(last, &prior_index, continuation, p);
        self.histories
            .update_main(last, bonus * p.fail_low_main / 32_768, p);
        let bonus = bonus * p.fail_low_pawn / 32_768;
        self.histories
            .update_pawn_of_last(last, index.pawns, bonus, p);
    }

    /// The search ended with another score than the static evaluation: that was off.
    pub(crate) fn update_correction_history(
        &mut self,
        node: &Node,
        eval: &StaticEval,
        best_move: Option<&MoveInfo>,
        best: Score,
        beta: Score,
    ) {
        let Some(index) = &eval.index else {
            return;
        };
        // Material won by a capture says nothing about the evaluation of quiet positions.
        let by_capture = best_move.is_some_and(|best| best.noisy);
        let below = best < eval.value && best < beta;
        let above = best > eval.value && best_move.is_some();
        if !by_capture && (below || above) {
            let limit = self.params.correction_error_max;
            let error = (best - eval.value).clamp(-limit, limit);
            self.histories
                .corrections
                .update(index, error, node.depth, self.params);
        }
    }
}
