//! The search of one node up to its moves, step by step: what ends the node at once, what the transposition table
//! knows, its static evaluation, and what that decides.
//!
//! Principal variation search (alpha-beta with null windows) with the pruning, extensions and reductions that the field
//! has found useful, under the names of the chess programming wiki. The moves are in [`crate::move_loop`], the updates of the
//! histories in [`crate::history`].

use shogi_core::{CheckSquares, Move, Move16};
use shogi_eval::Evaluator;

use crate::Bound;
use crate::history::{CorrectionHistory, HistoryIndex};
use crate::movepicker::{self, Context, MovePicker};
use crate::node::{Node, StaticEval, TtProbe};
use crate::score::{
    MATE_IN_MAX_PLY, MAX_EVAL, NO_SCORE, Score, decides, mate_in, mated_in, score_from_tt,
    score_to_tt,
};
use crate::tt::{NO_EVAL, TtEntry};
use crate::worker::Worker;

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// The score of the node at `ply` (at least 1) within `alpha..beta`, searched `depth` plies
    /// deep. `PV`: the window is open. `cut_node`: a score of at least beta is expected.
    pub(crate) fn search<const PV: bool>(
        &mut self,
        mut alpha: Score,
        mut beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        if depth <= 0 {
            return self.qsearch::<PV>(alpha, beta, ply);
        }
        if self.stopper.is_stopped() {
            return Score::ZERO;
        }
        self.pv.clear(ply);
        self.sel_depth = self.sel_depth.max(ply + 1);
        // Repetition, declaration win, end of the game.
        if let Some(score) = self.terminal_score(ply) {
            return score;
        }
        alpha = self.raise_alpha_to_repetition(alpha, ply);
        // Mate-distance pruning: nothing below can beat a shorter mate found elsewhere.
        alpha = alpha.max(mated_in(ply));
        beta = beta.min(mate_in(ply + 1));
        if alpha >= beta {
            return alpha;
        }

        let mut node = self.enter_node::<PV>(depth, ply, cut_node);
        if !PV && let Some(score) = self.tt_cutoff(&node, alpha, beta) {
            return score;
        }
        if let Some(score) = self.try_mate::<PV>(&node) {
            return score;
        }
        let mut eval = self.static_evaluation(&node);
        if !node.in_check {
            self.hindsight_adjustment(&mut node, &eval);
            if !PV {
                if let Some(score) = self.razoring(&node, &eval, alpha, beta) {
                    return score;
                }
                if let Some(score) = self.reverse_futility_pruning(&node, &eval, beta) {
                    return score;
                }
                if let Some(score) = self.null_move_pruning(&node, &eval, beta) {
                    return score;
                }
                eval.improving |= eval.value >= beta;
            }
        }
        // Internal iterative reduction: without a move of the table the order is poor.
        let p = self.params;
        if node.depth >= p.iir_depth
            && !node.in_check
            && node.tt.m.is_none()
            && (PV || cut_node)
            && node.prior_reduction <= p.iir_prior_reduction
        {
            node.depth -= p.iir_reduction;
        }
        if !node.in_check {
            let score = if PV {
                None
            } else {
                self.probcut(&node, &eval, beta)
            };
            if let Some(score) = score.or_else(|| self.tt_probcut(&node, beta)) {
                return score;
            }
        }
        self.search_moves::<PV>(node, &eval, alpha, beta)
    }

    /// A side that can repeat an earlier position has at least a draw.
    #[inline]
    pub(crate) fn raise_alpha_to_repetition(&self, alpha: Score, ply: usize) -> Score {
        let draw = self.draw_score();
        if alpha < draw && self.upcoming_repetition(ply) {
            draw
        } else {
            alpha
        }
    }

    /// Begins the node: resets its stack entries and probes the transposition table.
    fn enter_node<const PV: bool>(&mut self, depth: i32, ply: usize, cut_node: bool) -> Node {
        let prior_reduction = std::mem::take(&mut self.ss(ply - 1).reduction);
        self.ss(ply + 2).cutoffs = 0;
        let ss = self.ss(ply);
        ss.number = 0;
        let (excluded, was_pv) = (ss.excluded, ss.tt_pv);
        let position = self.game.position();
        let (key, in_check) = (position.key(), position.in_check());
        let entry = self.tt.probe(key);
        let m = self.tt_move(entry.as_ref());
        let pv = if excluded.is_some() {
            was_pv
        } else {
            PV || entry.is_some_and(|entry| entry.pv)
        };
        let ss = self.ss(ply);
        (ss.tt_pv, ss.tt_hit) = (pv, entry.is_some());
        Node {
            key,
            ply,
            depth,
            in_check,
            cut_node,
            excluded,
            prior_reduction,
            tt: TtProbe {
                entry,
                score: entry.map_or(Score::ZERO, |entry| score_from_tt(entry.score, ply)),
                m,
                noisy: m.is_some_and(|m| movepicker::is_noisy(self.game.position(), m)),
                pv,
            },
        }
    }

    /// TT cutoff: the table's score, if it decides the node.
    fn tt_cutoff(&mut self, node: &Node, alpha: Score, beta: Score) -> Option<Score> {
        let entry = node.tt.entry?;
        let score = node.tt.score;
        let enough = node.excluded.is_none()
            && entry.depth > node.depth - i32::from(score < beta)
            && decides(entry.bound, score, alpha, beta)
            && (node.cut_node == (score >= beta) || node.depth > self.params.tt_cutoff_depth);
        if !enough {
            return None;
        }
        if score >= beta
            && let Some(m) = node.tt.m
        {
            self.update_on_tt_cutoff(node, m);
        }
        Some(score)
    }

    /// A mate in one ends the node, and so does a short mate that is found where the search is deep
    /// enough to pay for looking. A position that is in the table has been asked before.
    fn try_mate<const PV: bool>(&mut self, node: &Node) -> Option<Score> {
        if node.in_check || node.tt.entry.is_some() || node.excluded.is_some() {
            return None;
        }
        let ply = node.ply;
        let (m, score, bound) = if let Some(m) = self.game.position().mate_in_one() {
            (m, mate_in(ply + 1), Bound::Exact)
        } else if node.depth >= self.params.mate_depth {
            // There may be a shorter mate.
            let (m, score) = self.probe_mate(ply, self.params.mate_nodes)?;
            (m, score, Bound::Lower)
        } else {
            return None;
        };
        if PV {
            self.pv.clear(ply + 1);
            self.pv.set(ply, m);
        }
        self.store(node, NO_EVAL, node.depth, Some(m), score, bound);
        Some(score)
    }

    /// The static evaluation of the node, which is kept on the stack and teaches the histories what the last move was worth.
    fn static_evaluation(&mut self, node: &Node) -> StaticEval {
        let ply = node.ply;
        if node.in_check {
            // The last known evaluation of this side keeps "improving" meaningful.
            let last_known = self.ss_back(ply, 2).static_eval;
            let ss = self.ss(ply);
            (ss.in_check, ss.static_eval) = (true, last_known);
            return StaticEval::IN_CHECK;
        }
        let index = CorrectionHistory::index(self.game.position(), self.last_piece_tos(ply));
        // The values come while the position is evaluated.
        self.histories.corrections.prefetch(&index);
        let (raw, correction, value, estimate);
        if node.excluded.is_some() {
            raw = NO_EVAL;
            correction = self.histories.corrections.value(&index, self.params);
            value = self.ss_at(ply).static_eval;
            estimate = value;
        } else {
            raw = match node.tt.entry {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.evaluate(),
            };
            correction = self.histories.corrections.value(&index, self.params);
            value = Score::of_eval(raw + correction);
            let bound = node.tt.entry.and_then(|entry| entry.bound);
            estimate = if decides(bound, node.tt.score, value, value + 1) {
                node.tt.score
            } else {
                value
            };
            if node.tt.entry.is_none() {
                self.store_static_eval(node, raw);
            }
            let ss = self.ss(ply);
            (ss.in_check, ss.static_eval) = (false, value);
            self.update_by_static_eval(node, &index, value);
        }
        let (opponent, own) = (
            self.ss_back(ply, 1).static_eval,
            self.ss_back(ply, 2).static_eval,
        );
        StaticEval {
            raw,
            value,
            estimate,
            correction,
            index: Some(index),
            improving: value > own,
            opponent_worsening: value > -opponent,
        }
    }

    /// Hindsight adjustment: the move that led here was reduced; with the static evaluation known, more or less than
    /// that may have been right.
    fn hindsight_adjustment(&self, node: &mut Node, eval: &StaticEval) {
        let p = self.params;
        let opponent = self.ss_back(node.ply, 1).static_eval;
        if node.prior_reduction >= p.hindsight_deeper && !eval.opponent_worsening {
            node.depth += 1;
        }
        if node.prior_reduction >= p.hindsight_shallower
            && node.depth >= p.hindsight_depth
            && opponent != NO_SCORE
            && eval.value - -opponent > p.hindsight_margin
        {
            node.depth -= 1;
        }
    }

    /// Razoring: so far below alpha that only a tactical shot could help, which quiescence search finds.
    fn razoring(
        &mut self,
        node: &Node,
        eval: &StaticEval,
        alpha: Score,
        beta: Score,
    ) -> Option<Score> {
        let p = self.params;
        let margin = p.razor_base + p.razor_slope * node.depth * node.depth;
        (eval.estimate < alpha - margin).then(|| self.qsearch::<false>(alpha, beta, node.ply))
    }

    /// Reverse futility pruning: a lead for which the opponent will not make up.
    fn reverse_futility_pruning(
        &self,
        node: &Node,
        eval: &StaticEval,
        beta: Score,
    ) -> Option<Score> {
        let estimate = eval.estimate;
        let pruned = node.depth <= self.params.rfp_depth
            && !node.tt.pv
            && estimate >= beta
            && estimate - self.reverse_futility_margin(node, eval) >= beta
            && (node.tt.m.is_none() || node.tt.noisy)
            && beta > -MATE_IN_MAX_PLY
            && estimate < MAX_EVAL;
        let weight = self.params.rfp_beta_weight;
        pruned.then_some(beta.weighted(weight, estimate, 1))
    }

    fn reverse_futility_margin(&self, node: &Node, eval: &StaticEval) -> i32 {
        let p = self.params;
        let unknown = node.cut_node && node.tt.entry.is_none();
        let ply = p.rfp_margin - if unknown { p.rfp_unknown } else { 0 };
        let mut margin = ply * node.depth + eval.correction.abs();
        if eval.improving {
            margin -= ply * p.rfp_improving / 100;
        }
        if eval.opponent_worsening {
            margin -= ply * p.rfp_worsening / 100;
        }
        margin
    }

    /// Null move pruning: if even a pass keeps the score above beta, a move will.
    fn null_move_pruning(&mut self, node: &Node, eval: &StaticEval, beta: Score) -> Option<Score> {
        let (ply, depth) = (node.ply, node.depth);
        let p = self.params;
        let allowed = node.cut_node
            && node.excluded.is_none()
            && self.ss_back(ply, 1).piece_to != 0
            && eval.estimate >= beta
            && eval.value >= beta - p.null_margin_slope * depth + p.null_margin
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
            return Some(Score::ZERO);
        }
        // A mate found behind a pass is no proof.
        if score < beta || score >= MATE_IN_MAX_PLY {
            return None;
        }
        if self.no_null_before > 0 || depth < p.null_verify_depth {
            return Some(score);
        }
        // Verification search at this node, without passes in the upper part of its tree.
        self.no_null_before = ply + (searched.max(0) * p.null_verify_plies / 100) as usize;
        let verified = self.search::<false>(beta - 1, beta, searched, ply, false);
        self.no_null_before = 0;
        self.ss(ply).number = 0;
        (verified >= beta).then_some(score)
    }

    /// `ProbCut`: if a good capture is far above beta after a shallower search, the node is decided.
    fn probcut(&mut self, node: &Node, eval: &StaticEval, beta: Score) -> Option<Score> {
        let (ply, depth) = (node.ply, node.depth);
        let p = self.params;
        let improving = if eval.improving {
            p.probcut_improving
        } else {
            0
        };
        let raised = beta + p.probcut_margin - improving;
        let hopeless =
            node.tt.entry.is_some_and(|entry| entry.bound.is_some()) && node.tt.score < raised;
        if depth < p.probcut_depth || beta.abs() >= MAX_EVAL || hopeless {
            return None;
        }
        let lead = (eval.value - beta) / p.probcut_lead;
        let searched = (depth - p.probcut_reduction - lead).clamp(0, depth);
        let index = HistoryIndex::for_continuation(self.continuation_piece_tos(ply), false);
        let tt_move = node.tt.m.filter(|_| node.tt.noisy);
        let mut picker = MovePicker::noisy(&self.move_stack, tt_move, false);
        let mut result = None;
        while let Some(m) = self.pick(&mut picker, None, &index) {
            if Some(m) == node.excluded || !self.game.position().see_ge(m, raised - eval.value) {
                continue;
            }
            self.prefetch(m);
            self.play(m, ply);
            let mut score = -self.qsearch::<false>(-raised, -raised + 1, ply + 1);
            if score >= raised && searched > 0 {
                let cut = !node.cut_node;
                score = -self.search::<false>(-raised, -raised + 1, searched, ply + 1, cut);
            }
            self.undo();
            if self.stopper.is_stopped() {
                result = Some(Score::ZERO);
                break;
            }
            if score >= raised {
                self.store(node, eval.raw, searched + 1, Some(m), score, Bound::Lower);
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

    /// `ProbCut` by the table alone: it knows a search nearly as deep that came out far above beta.
    fn tt_probcut(&self, node: &Node, beta: Score) -> Option<Score> {
        let p = self.params;
        let raised = beta + p.probcut_table;
        let known = node.tt.has_lower_bound()
            && node.tt.depth() >= node.depth - p.probcut_table_depth
            && node.tt.score >= raised
            && node.tt.score.abs() < MAX_EVAL
            && beta.abs() < MAX_EVAL
            && node.excluded.is_none();
        known.then_some(raised)
    }

    /// The next move of `picker` at the current node.
    #[inline]
    pub(crate) fn pick(
        &mut self,
        picker: &mut MovePicker,
        checks: Option<&CheckSquares>,
        index: &HistoryIndex,
    ) -> Option<Move> {
        let context = Context {
            position: self.game.position(),
            histories: self.histories,
            params: self.params,
            checks,
            index,
            all: self.options.generate_all_legal_moves,
        };
        picker.next(&mut self.move_stack, &context)
    }

    /// Stores what a search of `depth` plies found out about the node.
    pub(crate) fn store(
        &self,
        node: &Node,
        raw_eval: i32,
        depth: i32,
        m: Option<Move>,
        score: Score,
        bound: Bound,
    ) {
        let entry = TtEntry {
            code: m.map_or(Move16(0), Move16::from),
            score: score_to_tt(score, node.ply),
            eval: raw_eval,
            depth: depth.clamp(0, i32::from(u8::MAX)),
            bound: Some(bound),
            pv: node.tt.pv,
        };
        self.tt.store(node.key, entry);
    }

    /// Stores the static evaluation only: the node may be decided by it.
    fn store_static_eval(&self, node: &Node, raw_eval: i32) {
        let entry = TtEntry {
            code: Move16(0),
            score: Score::ZERO,
            eval: raw_eval,
            depth: 0,
            bound: None,
            pv: node.tt.pv,
        };
        self.tt.store(node.key, entry);
    }
}
