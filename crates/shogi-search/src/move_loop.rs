//! The moves of a node, searched one by one: pruning, extensions and reductions of each, and what they come to.

use shogi_core::{CheckSquares, Move};
use shogi_eval::Evaluator;

use crate::Bound;
use crate::history::HistoryIndex;
use crate::movepicker::{self, MovePicker};
use crate::node::{MoveInfo, SearchedMoves};
use crate::node::{Node, StaticEval};
#[cfg(test)]
use crate::reductions::Reductions;
use crate::score::{INFINITE, MATE_IN_MAX_PLY, MAX_EVAL, PAWN, Score, mated_in};
use crate::worker::Worker;

/// The depth and window with which a move is searched.
pub(crate) struct MoveSearch {
    /// Reduction in 1024ths of a ply.
    pub(crate) reduction: i32,
    /// Depth without a reduction.
    pub(crate) depth: i32,
    pub(crate) alpha: Score,
    pub(crate) beta: Score,
    /// The best score of the node so far.
    pub(crate) best: Score,
}

/// The result of the verification search of a singular extension.
enum Singular {
    /// Search the move of the table so many plies deeper.
    Extend(i32),
    /// Multicut: the node's score is at least beta.
    MultiCut(Score),
}

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// Searches the moves of the node one by one. The order of the steps is what this function is about.
    #[allow(clippy::too_many_lines)]
    pub(crate) fn search_moves<const PV: bool>(
        &mut self,
        mut node: Node,
        eval: &StaticEval,
        mut alpha: Score,
        beta: Score,
    ) -> Score {
        let (ply, start_depth) = (node.ply, node.depth);
        let checks = self.game.position().check_squares();
        let piece_tos = self.continuation_piece_tos(ply);
        let index = HistoryIndex::new(self.game.position(), piece_tos, ply);
        let mut picker = MovePicker::new(&self.move_stack, node.tt.m, node.depth, node.in_check);
        let mut best = -INFINITE;
        let mut best_move: Option<MoveInfo> = None;
        let mut number = 0;
        let mut searched = SearchedMoves::default();
        while let Some(m) = self.pick(&mut picker, Some(&checks), &index) {
            if Some(m) == node.excluded {
                continue;
            }
            // Few moves are left out from here on.
            self.prefetch(m);
            number += 1;
            self.ss(ply).number = number;
            let info = self.move_info(m, number, &checks, &index);
            let depth = node.depth;
            let mut reduction = self.base_reduction(eval.improving, depth, number, beta - alpha);

            if best > -MATE_IN_MAX_PLY {
                if number >= self.late_move_count(eval.improving, depth) {
                    picker.skip_quiets();
                }
                let pv_reduction = if node.tt.pv {
                    self.params.lmr_pv_pruning
                } else {
                    0
                };
                let reduction = reduction + pv_reduction;
                let has_best = best_move.is_some();
                if let Some(hope) = self.prune_move(&node, eval, &info, reduction, alpha, has_best)
                {
                    if best <= hope && best.abs() < MAX_EVAL {
                        best = hope;
                    }
                    continue;
                }
            }

            let mut extension = 0;
            if (ply as i32) < self.params.extension_ply_factor * self.root_depth {
                if Some(m) == node.tt.m && node.excluded.is_none() {
                    match self.singular_extension::<PV>(&mut node, eval, m, beta) {
                        Singular::Extend(plies) => extension = plies,
                        Singular::MultiCut(score) => {
                            picker.finish(&mut self.move_stack);
                            return score;
                        }
                    }
                } else if info.gives_check
                    && depth >= self.params.check_extension_depth
                    && self.game.position().see_ge(m, 0)
                {
                    extension = 1;
                }
            }
            if self.stopper.is_stopped() {
                picker.finish(&mut self.move_stack);
                return Score::ZERO;
            }
            reduction += self.reduction_adjustment::<PV>(&node, eval, &info, alpha);
            let plan = MoveSearch {
                reduction,
                depth: depth - 1 + extension,
                alpha,
                beta,
                best,
            };
            let score = self.search_move::<PV>(&node, &info, &index, &plan);
            if self.stopper.is_stopped() {
                picker.finish(&mut self.move_stack);
                return Score::ZERO;
            }

            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(info);
                    if PV {
                        self.pv.set(ply, m);
                    }
                    if score >= beta {
                        self.ss(ply).cutoffs += i32::from(extension < 2 || PV);
                        break;
                    }
                    self.reduce_after_alpha_raise(&mut node, score);
                    alpha = score;
                }
            }
            searched.push(&info);
        }
        picker.finish(&mut self.move_stack);

        if number == 0 {
            // Nothing but the excluded move, or mate (a side that cannot move has lost).
            return if node.excluded.is_some() {
                alpha
            } else {
                mated_in(ply)
            };
        }
        node.depth = start_depth;
        self.conclude::<PV>(&mut node, eval, &index, best_move, best, beta, &searched)
    }

    /// Searches the other moves of a node less deep once a move has raised alpha to `score`.
    #[inline]
    pub(crate) fn reduce_after_alpha_raise(&self, node: &mut Node, score: Score) {
        let p = self.params;
        if (p.alpha_raise_min_depth..p.alpha_raise_max_depth).contains(&node.depth)
            && score.abs() < MAX_EVAL
        {
            node.depth -= p.alpha_raise_reduction;
        }
    }

    /// Searches a move: reduced if it comes late, with a null window unless it may belong to the principal variation.
    pub(crate) fn search_move<const PV: bool>(
        &mut self,
        node: &Node,
        info: &MoveInfo,
        index: &HistoryIndex,
        plan: &MoveSearch,
    ) -> Score {
        let ply = node.ply;
        let p = self.params;
        let &MoveSearch { alpha, beta, .. } = plan;
        let mut depth = plan.depth;
        let cut = !node.cut_node;
        let late = info.number > 1;
        self.ss(ply).stat_score = self.stat_score(info);
        self.play(info.m, ply);
        let mut score = -INFINITE;
        if node.depth >= p.lmr_depth && late {
            // Late move reduction.
            let reduced = (depth - plan.reduction / 1024)
                .min(depth + 1 + i32::from(PV))
                .max(1)
                + i32::from(PV);
            self.ss(ply).reduction = depth - reduced;
            score = -self.search::<false>(-alpha - 1, -alpha, reduced, ply + 1, true);
            self.ss(ply).reduction = 0;
            if score > alpha {
                let deeper = reduced < depth
                    && score > plan.best + p.lmr_deeper + p.lmr_deeper_slope * depth;
                let shallower = score < plan.best + p.lmr_shallower;
                depth += i32::from(deeper) - i32::from(shallower);
                if depth > reduced {
                    score = -self.search::<false>(-alpha - 1, -alpha, depth, ply + 1, cut);
                }
                if !info.noisy {
                    let bonus = p.lmr_fail_high_bonus;
                    self.histories.update_continuation(info.m, index, bonus, p);
                }
            }
        } else if !PV || late {
            // Full depth, null window.
            let mut reduction = plan.reduction;
            if node.tt.m.is_none() {
                reduction += p.lmr_no_hash;
            }
            let less = i32::from(reduction > p.full_depth_reduce_once)
                + i32::from(reduction > p.full_depth_reduce_twice && depth > 2);
            score = -self.search::<false>(-alpha - 1, -alpha, depth - less, ply + 1, cut);
        }
        if PV && (!late || score > alpha) {
            // The TT move of a deep search is not left to quiescence.
            if Some(info.m) == node.tt.m
                && node.tt.depth() > 1
                && self.root_depth > p.tt_move_min_root_depth
            {
                depth = depth.max(1);
            }
            score = -self.search::<true>(-beta, -alpha, depth, ply + 1, false);
        }
        self.undo();
        score
    }

    /// Gathers what is known about `m` before it is played.
    #[inline]
    pub(crate) fn move_info(
        &self,
        m: Move,
        number: i32,
        checks: &CheckSquares,
        index: &HistoryIndex,
    ) -> MoveInfo {
        let position = self.game.position();
        let victim = movepicker::victim(position, m);
        let noisy = victim.is_some() || m.is_promotion();
        let mut info = MoveInfo {
            m,
            number,
            noisy,
            victim,
            gives_check: position.gives_check(m, checks),
            gain: 0,
            history: 0,
            main: 0,
            pawn: 0,
        };
        if noisy {
            info.gain = movepicker::gain(position, m);
            info.history = self.histories.capture(m, victim);
        } else {
            info.history = self.histories.continuation(m, index).iter().sum();
            info.main = self.histories.main(m);
            info.pawn = self.histories.pawn(m, index);
        }
        info
    }

    /// Late move pruning: from this number on quiet moves are left out.
    #[inline]
    fn late_move_count(&self, improving: bool, depth: i32) -> i32 {
        let p = self.params;
        let count = p.lmp_base + p.lmp_scale * depth * depth / 100;
        if improving {
            count
        } else {
            count * p.lmp_not_improving / 100
        }
    }

    /// Prunes a move with too little hope, or too bad a history or exchange. If it does, returns what it could have
    /// achieved at best, if that is known, else less than any score.
    fn prune_move(
        &self,
        node: &Node,
        eval: &StaticEval,
        info: &MoveInfo,
        reduction: i32,
        alpha: Score,
        has_best: bool,
    ) -> Option<Score> {
        let p = self.params;
        let depth = node.depth;
        let reduced = depth - 1 - reduction / 1024;
        if info.noisy || info.gives_check {
            let pruned = self.prune_forcing_move(node, eval, info, reduced, alpha);
            return pruned.then_some(-INFINITE);
        }
        // History pruning.
        let history = info.history + info.pawn;
        if history < -p.history_pruning * depth {
            return Some(-INFINITE);
        }
        let history = history + p.pruning_main * info.main;
        let reduced = reduced + history / p.history_depth;
        // Futility pruning.
        if !node.in_check && reduced < p.futility_depth {
            let value = eval.value
                + p.futility_base
                + if has_best { 0 } else { p.futility_no_best }
                + p.futility_slope * reduced
                + if eval.value > alpha {
                    p.futility_above_alpha
                } else {
                    0
                };
            if value <= alpha {
                return Some(value);
            }
        }
        // SEE pruning.
        let reduced = reduced.max(0);
        let position = self.game.position();
        let loses = !position.see_ge(info.m, -p.see_quiet * reduced * reduced);
        loses.then_some(-INFINITE)
    }

    /// Futility and SEE pruning of captures, promotions and checks.
    fn prune_forcing_move(
        &self,
        node: &Node,
        eval: &StaticEval,
        info: &MoveInfo,
        reduced: i32,
        alpha: Score,
    ) -> bool {
        let p = self.params;
        let (m, history) = (info.m, info.history);
        let quiet_enough = !info.gives_check && !node.in_check;
        if info.noisy && quiet_enough && reduced < p.capture_futility_depth {
            let value = eval.value
                + p.capture_futility_base
                + p.capture_futility_slope * reduced
                + info.gain
                + p.capture_futility_history * history / 1024;
            if value <= alpha {
                return true;
            }
        }
        let history = if info.noisy { history } else { 0 };
        let margin = p.see_capture * node.depth + p.see_history * history / 1024;
        !self.game.position().see_ge(m, -margin.max(0))
    }

    /// Singular extension: searches the node without `m`, the move of the table, where that may tell something.
    fn singular_extension<const PV: bool>(
        &mut self,
        node: &mut Node,
        eval: &StaticEval,
        m: Move,
        beta: Score,
    ) -> Singular {
        let p = self.params;
        let (ply, depth) = (node.ply, node.depth);
        let eligible = depth >= p.singular_depth + i32::from(node.tt.pv)
            && node.tt.depth() >= depth - p.singular_tt_depth
            && node.tt.has_lower_bound()
            && node.tt.score.abs() < MAX_EVAL;
        if !eligible {
            return Singular::Extend(0);
        }
        let was_pv = i32::from(node.tt.pv && !PV);
        let margin = (p.singular_margin + was_pv * p.singular_margin_pv) * depth / 64;
        let target = node.tt.score - margin;
        let number = self.ss_at(ply).number;
        self.ss(ply).excluded = Some(m);
        let searched = (depth - 1) * p.singular_search_depth / 100;
        let score = self.search::<false>(target - 1, target, searched, ply, node.cut_node);
        let ss = self.ss(ply);
        ss.excluded = None;
        ss.number = number;
        ss.tt_hit = true;
        if score < target {
            let wide = i32::from(PV);
            let trust = self.histories.tt_move_history() / p.singular_tt_history
                + eval.correction.abs() * p.singular_correction / 100;
            let quiet = if node.tt.noisy { 0 } else { p.singular_quiet };
            let trust = trust.max(0);
            let double = p.singular_double + wide * p.singular_double_pv
                - quiet * p.singular_quiet_double / 100
                - trust;
            let triple = p.singular_triple + wide * p.singular_triple_pv - quiet - trust;
            let plies = 1
                + i32::from(score < target - double)
                + i32::from(score < target - double.max(triple));
            node.depth += 1;
            return Singular::Extend(plies);
        }
        if score >= beta && score.abs() < MAX_EVAL {
            // Multicut: several moves beat beta.
            let malus =
                (p.multicut_malus_base + p.multicut_malus * depth).min(p.multicut_malus_max);
            self.histories.update_tt_move_history(-malus, p);
            return Singular::MultiCut(score);
        }
        // Negative extensions.
        Singular::Extend(if node.tt.score >= beta {
            -p.negative_extension_high
        } else if node.cut_node {
            -p.negative_extension_cut
        } else {
            0
        })
    }

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

    /// Returns what to add to the reduction of a move, in 1024ths of a ply. The move has not been played.
    pub(crate) fn reduction_adjustment<const PV: bool>(
        &self,
        node: &Node,
        eval: &StaticEval,
        info: &MoveInfo,
        alpha: Score,
    ) -> i32 {
        let p = self.params;
        let mut change = p.lmr_offset - info.number.min(p.lmr_number_max) * p.lmr_number;
        if node.tt.pv {
            change -= p.lmr_pv;
            if PV {
                change -= p.lmr_pv_window;
            }
            if node.tt.entry.is_some() && node.tt.score > alpha {
                change -= p.lmr_pv_score;
            }
            if node.tt.depth() >= node.depth {
                change -= p.lmr_pv_depth;
            }
        }
        change -= eval.correction.abs() * p.lmr_correction;
        if node.cut_node {
            change += p.lmr_cut;
            if node.tt.m.is_none() {
                change += p.lmr_cut_no_hash;
            }
        }
        if node.tt.noisy {
            change += p.lmr_hash_capture;
        }
        if self.ss_at(node.ply + 1).cutoffs > p.lmr_cutoff_count {
            change += p.lmr_cutoffs;
            if !PV && !node.cut_node {
                change += p.lmr_cutoffs_all;
            }
        }
        if Some(info.m) == node.tt.m {
            change -= p.lmr_hash;
        }
        if info.gives_check {
            change -= p.lmr_check;
        }
        change - self.stat_score(info) * p.lmr_history / 8192
    }

    /// The sum of a move's histories, which adjusts its reduction.
    #[inline]
    fn stat_score(&self, info: &MoveInfo) -> i32 {
        if info.noisy {
            info.gain * self.params.lmr_capture / PAWN + info.history
        } else {
            self.params.lmr_main * info.main + info.history
        }
    }

    /// All moves were searched, or one refuted the node: updates the histories and stores the result.
    #[allow(clippy::too_many_arguments)]
    fn conclude<const PV: bool>(
        &mut self,
        node: &mut Node,
        eval: &StaticEval,
        index: &HistoryIndex,
        best_move: Option<MoveInfo>,
        mut best: Score,
        beta: Score,
        searched: &SearchedMoves,
    ) -> Score {
        // A score far above beta is less reliable the shallower the search was.
        if best >= beta && best.abs() < MAX_EVAL && beta.abs() < MAX_EVAL {
            best = best.weighted(node.depth, beta, 1);
        }
        match &best_move {
            Some(info) => self.update_histories(node, index, info, searched),
            None => self.update_on_fail_low(node, eval, index, best),
        }
        if node.excluded.is_some() {
            return best;
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if PV && best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        // If all moves fail below a node of the principal variation, the last move was the reason.
        node.tt.pv = node.tt.pv || best_move.is_none() && self.ss_back(node.ply, 1).tt_pv;
        self.ss(node.ply).tt_pv = node.tt.pv;
        self.store(
            node,
            eval.raw,
            node.depth,
            best_move.map(|best| best.m),
            best,
            bound,
        );
        self.update_correction_history(node, eval, best_move.as_ref(), best, beta);
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;

    #[test]
    fn later_moves_of_deeper_nodes_are_reduced_more() {
        let reductions = Reductions::new(&Params::default());
        assert_eq!(reductions.get(1, 40), 0);
        assert!((2000..3000).contains(&reductions.get(10, 10)));
        for depth in 1..100 {
            for number in 1..600 {
                let here = reductions.get(depth, number);
                assert!(here <= reductions.get(depth + 1, number));
                assert!(here <= reductions.get(depth, number + 1));
            }
        }
    }
}
