//! The search of one node up to its moves: what ends it at once, what the table knows, its static
//! score.
//!
//! The search is principal variation search (alpha-beta with null windows) with the pruning,
//! extensions and reductions that the field has found useful. The judgements are in
//! [`crate::pruning`], [`crate::singular`] and [`crate::reduction`], the moves in [`crate::moves`],
//! what is learned from them in [`crate::learning`].

use shogi_core::{CheckSquares, Move, Move16};
use shogi_eval::Evaluator;

use crate::Bound;
use crate::history::{Corrections, HistoryPlace};
use crate::movepicker::{self, Context, MovePicker};
use crate::node_state::Node;
use crate::tt::{NO_EVAL, TtEntry};
use crate::worker::{
    MAX_EVAL, NO_SCORE, Worker, decides, mate_in, mated_in, score_from_tt, score_to_tt,
};

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// The score of the node at `ply` (at least 1) within `alpha..beta`, searched `depth` plies
    /// deep. `PV`: the window is open. `cut_node`: a score of at least beta is expected.
    pub(crate) fn search<const PV: bool>(
        &mut self,
        mut alpha: i32,
        mut beta: i32,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> i32 {
        if depth <= 0 {
            return self.qsearch::<PV>(alpha, beta, ply);
        }
        if self.stopper.is_stopped() {
            return 0;
        }
        self.pv.clear(ply);
        self.sel_depth = self.sel_depth.max(ply + 1);
        if let Some(score) = self.terminal_score(ply) {
            return score;
        }
        alpha = self.raise_to_repetition(alpha, ply);
        // Mate distance: nothing below can beat a shorter mate found elsewhere.
        alpha = alpha.max(mated_in(ply));
        beta = beta.min(mate_in(ply + 1));
        if alpha >= beta {
            return alpha;
        }

        let mut node = self.look_up::<PV>(depth, ply, cut_node);
        if !PV && let Some(score) = self.table_cut(&node, alpha, beta) {
            return score;
        }
        if let Some(score) = self.mate_at_once::<PV>(&node) {
            return score;
        }
        self.judge(&mut node);
        if !PV
            && !node.in_check
            && let Some(score) = self.prune_node(&mut node, alpha, beta)
        {
            return score;
        }
        // Without a hash move the order is poor: look a ply less deep, and come back with one.
        if node.depth >= self.params.iir_depth
            && !node.in_check
            && node.tt_move.is_none()
            && (PV || cut_node)
            && node.prior_reduction <= 3
        {
            node.depth -= 1;
        }
        if !node.in_check {
            let score = if PV {
                None
            } else {
                self.try_probcut(&node, beta)
            };
            if let Some(score) = score.or_else(|| self.table_probcut(&node, beta)) {
                return score;
            }
        }
        self.try_moves::<PV>(node, alpha, beta)
    }

    /// A side that can go back to an earlier position has at least a draw.
    #[inline]
    pub(crate) fn raise_to_repetition(&self, alpha: i32, ply: usize) -> i32 {
        let draw = self.draw_score();
        if alpha < draw && self.can_go_back(ply) {
            draw
        } else {
            alpha
        }
    }

    /// Begins the node: resets its frames and asks the table.
    fn look_up<const PV: bool>(&mut self, depth: i32, ply: usize, cut_node: bool) -> Node {
        let prior_reduction = std::mem::take(&mut self.frame(ply - 1).reduction);
        self.frame(ply + 2).cutoffs = 0;
        let frame = self.frame(ply);
        frame.number = 0;
        let (excluded, was_pv) = (frame.excluded, frame.tt_pv);
        let position = self.game.position();
        let (key, in_check) = (position.key(), position.in_check());
        let entry = self.tt.probe(key);
        let tt_move = self.tt_move(entry.as_ref());
        let tt_pv = if excluded.is_some() {
            was_pv
        } else {
            PV || entry.is_some_and(|entry| entry.pv)
        };
        let frame = self.frame(ply);
        (frame.tt_pv, frame.tt_hit) = (tt_pv, entry.is_some());
        Node {
            key,
            ply,
            depth,
            in_check,
            raw_eval: NO_EVAL,
            static_eval: NO_SCORE,
            eval: NO_SCORE,
            correction: 0,
            correction_place: None,
            improving: false,
            worsening: false,
            expect_cut: cut_node,
            excluded,
            entry,
            tt_score: entry.map_or(0, |entry| score_from_tt(entry.score, ply)),
            tt_move,
            tt_noisy: tt_move.is_some_and(|m| movepicker::is_noisy(self.game.position(), m)),
            tt_pv,
            prior_reduction,
        }
    }

    /// The table's score, if it decides the node.
    fn table_cut(&mut self, node: &Node, alpha: i32, beta: i32) -> Option<i32> {
        let entry = node.entry?;
        let score = node.tt_score;
        let enough = node.excluded.is_none()
            && entry.depth > node.depth - i32::from(score < beta)
            && decides(entry.bound, score, alpha, beta)
            && (node.expect_cut == (score >= beta) || node.depth > 5);
        if !enough {
            return None;
        }
        if score >= beta
            && let Some(m) = node.tt_move
        {
            self.learn_from_table(node, m);
        }
        Some(score)
    }

    /// A mate in one ends the node, and so does a short mate that is found where the search is deep
    /// enough to pay for looking. A position that is in the table has been asked before.
    fn mate_at_once<const PV: bool>(&mut self, node: &Node) -> Option<i32> {
        if node.in_check || node.entry.is_some() || node.excluded.is_some() {
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
        self.store(node, Some(m), score, bound, node.tt_pv);
        Some(score)
    }

    /// Works out the static score of the node, and what it says about the moves before.
    fn judge(&mut self, node: &mut Node) {
        let ply = node.ply;
        if node.in_check {
            // The last known score of this side keeps "improving" meaningful.
            let eval = self.frame_back(ply, 2).static_eval;
            let frame = self.frame(ply);
            (frame.in_check, frame.static_eval) = (true, eval);
            return;
        }
        let place = Corrections::place(self.game.position(), self.last_arrivals(ply));
        // They come while the position is evaluated.
        self.histories.corrections.expect(&place);
        node.correction_place = Some(place);
        if node.excluded.is_some() {
            node.correction = self.histories.corrections.value(&place, self.params);
            node.static_eval = self.frame_at(ply).static_eval;
            node.eval = node.static_eval;
        } else {
            node.raw_eval = match node.entry {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.evaluate(),
            };
            node.correction = self.histories.corrections.value(&place, self.params);
            node.static_eval = (node.raw_eval + node.correction).clamp(-MAX_EVAL, MAX_EVAL);
            node.eval = node.static_eval;
            if let Some(entry) = node.entry {
                if decides(entry.bound, node.tt_score, node.eval, node.eval + 1) {
                    node.eval = node.tt_score;
                }
            } else {
                self.store_static(node);
            }
            let static_eval = node.static_eval;
            let frame = self.frame(ply);
            (frame.in_check, frame.static_eval) = (false, static_eval);
            self.learn_from_static(node);
        }
        let (last, own) = (
            self.frame_back(ply, 1).static_eval,
            self.frame_back(ply, 2).static_eval,
        );
        node.improving = node.static_eval > own;
        node.worsening = node.static_eval > -last;
        self.look_back_at_reduction(node, last);
    }

    /// The move that led here was reduced: with the static score known, more or less than that may
    /// have been right.
    fn look_back_at_reduction(&self, node: &mut Node, last: i32) {
        let p = self.params;
        if node.prior_reduction >= p.hindsight_deeper && !node.worsening {
            node.depth += 1;
        }
        if node.prior_reduction >= p.hindsight_shallower
            && node.depth >= 2
            && last != NO_SCORE
            && node.static_eval + last > p.hindsight_margin
        {
            node.depth -= 1;
        }
    }

    /// The next move of `picker` at the current node.
    #[inline]
    pub(crate) fn pick(
        &mut self,
        picker: &mut MovePicker,
        checks: Option<&CheckSquares>,
        place: &HistoryPlace,
    ) -> Option<Move> {
        let context = Context {
            position: self.game.position(),
            histories: self.histories,
            params: self.params,
            checks,
            place,
            all: self.options.generate_all_legal_moves,
        };
        picker.next(&mut self.move_stack, &context)
    }

    /// Remembers the result of the node.
    pub(crate) fn store(&self, node: &Node, m: Option<Move>, score: i32, bound: Bound, pv: bool) {
        self.store_at_depth(node, node.depth, m, score, bound, pv);
    }

    /// Remembers what a search of `depth` plies found out about the node.
    pub(crate) fn store_at_depth(
        &self,
        node: &Node,
        depth: i32,
        m: Option<Move>,
        score: i32,
        bound: Bound,
        pv: bool,
    ) {
        let entry = TtEntry {
            code: m.map_or(Move16(0), Move16::from),
            score: score_to_tt(score, node.ply),
            eval: node.raw_eval,
            depth: depth.clamp(0, i32::from(u8::MAX)),
            bound: Some(bound),
            pv,
        };
        self.tt.store(node.key, entry);
    }

    /// Remembers the static score only: the node may be decided by it.
    fn store_static(&self, node: &Node) {
        let entry = TtEntry {
            code: Move16(0),
            score: 0,
            eval: node.raw_eval,
            depth: 0,
            bound: None,
            pv: node.tt_pv,
        };
        self.tt.store(node.key, entry);
    }
}
