//! The search of one node: principal variation search (alpha-beta with null windows) with the
//! pruning, extensions and reductions that the field has found useful.
//!
//! [`Worker::search`] is the one long function of the crate: the order of its steps is its content.

use shogi_core::{CheckSquares, Move, Move16};
use shogi_eval::Evaluator;

use crate::Bound;
use crate::movepicker::{self, Context, MovePicker};
use crate::tried::TriedMoves;
use crate::tt::{NO_EVAL, TtEntry};
use crate::worker::{
    INFINITE, MATE_IN_MAX_PLY, MAX_EVAL, Worker, decides, mate_in, mated_in, score_from_tt,
    score_to_tt,
};

/// What a node knows before it tries moves.
struct Node {
    key: u64,
    ply: usize,
    depth: i32,
    in_check: bool,
    /// Static score, improved by the table's bound.
    eval: i32,
    /// Static score as the evaluator gave it.
    raw_eval: i32,
    /// The static score has risen since the side's last turn.
    improving: bool,
    cut_node: bool,
    entry: Option<TtEntry>,
    tt_score: i32,
    tt_move: Option<Move>,
    tt_pv: bool,
}

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// The score of the node at `ply` (at least 1) within `alpha..beta`, searched `depth` plies
    /// deep. `PV`: the window is open. `cut_node`: a score of at least beta is expected.
    #[allow(clippy::too_many_lines)]
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
        // Mate distance: nothing below can beat a shorter mate found elsewhere.
        alpha = alpha.max(mated_in(ply));
        beta = beta.min(mate_in(ply + 1));
        if alpha >= beta {
            return alpha;
        }

        let excluded = self.frame(ply).excluded;
        let position = self.game.position();
        let (key, in_check) = (position.key(), position.in_check());
        let entry = if excluded.is_some() {
            None
        } else {
            self.tt.probe(key)
        };
        let tt_score = entry.map_or(0, |entry| score_from_tt(entry.score, ply));
        if let Some(entry) = entry
            && !PV
            && entry.depth >= depth
            && decides(entry.bound, tt_score, alpha, beta)
        {
            return tt_score;
        }
        let tt_move = self.tt_move(entry.as_ref());
        let tt_pv = PV || entry.is_some_and(|entry| entry.pv);

        if !in_check
            && entry.is_none()
            && excluded.is_none()
            && let Some(m) = self.game.position().mate_in_one()
        {
            if PV {
                self.pv.clear(ply + 1);
                self.pv.set(ply, m);
            }
            let score = mate_in(ply + 1);
            self.store(
                key,
                Some(m),
                score,
                NO_EVAL,
                depth,
                Bound::Exact,
                ply,
                tt_pv,
            );
            return score;
        }

        let mut node = Node {
            key,
            ply,
            depth,
            in_check,
            eval: 0,
            raw_eval: NO_EVAL,
            improving: false,
            cut_node,
            entry,
            tt_score,
            tt_move,
            tt_pv,
        };
        self.judge(&mut node, excluded);
        if !PV && !in_check && excluded.is_none() {
            if let Some(score) = self.prune_node(&node, alpha, beta) {
                return score;
            }
        }
        // Without a hash move the order is poor: look a ply less deep, and come back with one.
        if node.depth >= self.params.iir_depth && tt_move.is_none() && (PV || cut_node) {
            node.depth -= 1;
        }

        self.try_moves::<PV>(&node, excluded, alpha, beta)
    }

    /// Works out the static score of the node.
    fn judge(&mut self, node: &mut Node, excluded: Option<Move>) {
        let ply = node.ply;
        if node.in_check {
            // The last known score of this side keeps "improving" meaningful.
            let eval = self.frame_back(ply, 2).eval;
            let frame = self.frame(ply);
            (frame.in_check, frame.eval) = (true, eval);
            return;
        }
        if excluded.is_some() {
            node.raw_eval = self.frame(ply).eval;
            node.eval = node.raw_eval;
        } else {
            node.raw_eval = match node.entry {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.evaluate(),
            };
            node.eval = node.raw_eval;
            let bound = node.entry.and_then(|entry| entry.bound);
            if decides(bound, node.tt_score, node.eval, node.eval + 1) {
                node.eval = node.tt_score;
            }
        }
        let raw_eval = node.raw_eval;
        let frame = self.frame(ply);
        (frame.in_check, frame.eval) = (false, raw_eval);
        node.improving = raw_eval > self.frame_back(ply, 2).eval;
    }

    /// Decides the node without trying its moves one by one, if its static score is far enough from
    /// the window.
    fn prune_node(&mut self, node: &Node, alpha: i32, beta: i32) -> Option<i32> {
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
            return Some((eval + beta) / 2);
        }
        self.try_null_move(node, beta)
            .or_else(|| self.try_probcut(node, beta))
    }

    /// If even a pass keeps the score above beta, a move will.
    fn try_null_move(&mut self, node: &Node, beta: i32) -> Option<i32> {
        let (ply, depth) = (node.ply, node.depth);
        let p = self.params;
        let allowed = depth >= 2
            && node.cut_node
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
                score =
                    -self.search::<false>(-raised, -raised + 1, depth - 4, ply + 1, !node.cut_node);
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

    /// The next move of `picker` at the current node.
    #[inline]
    fn pick(
        &mut self,
        picker: &mut MovePicker,
        checks: &CheckSquares,
        before: [usize; 3],
    ) -> Option<Move> {
        let context = Context {
            position: self.game.position(),
            histories: self.histories,
            checks,
            before,
            all: self.options.generate_all_legal_moves,
            check_bonus: self.params.order_check,
        };
        picker.next(&mut self.move_stack, &context)
    }

    /// Tries the moves of the node one by one.
    #[allow(clippy::too_many_lines)]
    fn try_moves<const PV: bool>(
        &mut self,
        node: &Node,
        excluded: Option<Move>,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        let (ply, depth) = (node.ply, node.depth);
        self.frame(ply + 1).killers = [None; 2];
        let checks = self.game.position().check_squares();
        let before = self.arrivals(ply);
        let [killer, second_killer] = self.frame(ply).killers;
        let counter = self.histories.counter_move(before[0]);
        let refutations = [killer, second_killer, counter];
        let mut picker =
            MovePicker::new(&self.move_stack, node.tt_move, refutations, node.in_check);
        let hash_capture = node
            .tt_move
            .is_some_and(|m| movepicker::is_noisy(self.game.position(), m));

        let start_alpha = alpha;
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut number = 0;
        let mut tried = TriedMoves::default();
        while let Some(m) = self.pick(&mut picker, &checks, before) {
            if Some(m) == excluded {
                continue;
            }
            number += 1;
            let position = self.game.position();
            let noisy = movepicker::is_noisy(position, m);
            let victim = movepicker::victim(position, m);
            let gives_check = position.gives_check(m, &checks);
            let history = if noisy {
                self.histories.capture(m, victim)
            } else {
                self.histories.quiet(m, before)
            };
            let mut reduction = self.reduction(depth, number);
            if !node.improving {
                reduction += self.params.lmr_not_improving;
            }

            if best > -MATE_IN_MAX_PLY
                && self.prune_move(
                    node,
                    &mut picker,
                    m,
                    number,
                    alpha,
                    Facts {
                        noisy,
                        gives_check,
                        history,
                        reduced: (depth - 1 - reduction / 1024).max(0),
                    },
                )
            {
                continue;
            }

            let mut extension = 0;
            if ply < 2 * self.root_depth as usize {
                if Some(m) == node.tt_move && excluded.is_none() {
                    match self.singular_extension(node, m, beta, PV) {
                        Singular::Extend(plies) => extension = plies,
                        Singular::Cut(score) => {
                            picker.finish(&mut self.move_stack);
                            return score;
                        }
                    }
                } else if gives_check
                    && depth >= self.params.check_extension_depth
                    && self.game.position().see_ge(m, 0)
                {
                    extension = 1;
                }
            }
            let new_depth = depth - 1 + extension;

            self.play(m, ply);
            let mut score;
            if number == 1 {
                score = if PV {
                    -self.search::<true>(-beta, -alpha, new_depth, ply + 1, false)
                } else {
                    -self.search::<false>(-beta, -alpha, new_depth, ply + 1, !node.cut_node)
                };
            } else {
                let mut searched = new_depth;
                if depth >= 2 && !(node.in_check && noisy) {
                    reduction += self.reduction_change(
                        node,
                        m,
                        noisy,
                        gives_check,
                        history,
                        refutations,
                        hash_capture,
                    );
                    searched =
                        (new_depth - reduction.max(0) / 1024).clamp(1.min(new_depth), new_depth);
                }
                score = -self.search::<false>(-alpha - 1, -alpha, searched, ply + 1, true);
                if score > alpha && searched < new_depth {
                    score = -self.search::<false>(
                        -alpha - 1,
                        -alpha,
                        new_depth,
                        ply + 1,
                        !node.cut_node,
                    );
                }
                if PV && score > alpha && score < beta {
                    score = -self.search::<true>(-beta, -alpha, new_depth, ply + 1, false);
                }
            }
            self.undo();
            if self.stopper.is_stopped() {
                picker.finish(&mut self.move_stack);
                return 0;
            }

            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    if PV {
                        self.pv.set(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
            tried.push(m, noisy, victim);
        }
        picker.finish(&mut self.move_stack);

        if number == 0 {
            // Nothing but the excluded move, or mate (a side that cannot move has lost).
            return if excluded.is_some() {
                alpha
            } else {
                mated_in(ply)
            };
        }
        if let Some(m) = best_move
            && best >= beta
        {
            self.reward(m, ply, depth, before, &tried);
        }
        if excluded.is_none() {
            let bound = if best >= beta {
                Bound::Lower
            } else if PV && alpha > start_alpha {
                Bound::Exact
            } else {
                Bound::Upper
            };
            self.store(
                node.key,
                best_move,
                best,
                node.raw_eval,
                depth,
                bound,
                ply,
                node.tt_pv,
            );
        }
        best
    }

    /// Whether `m` can be left out: too late, too little hope, too bad a history or exchange.
    fn prune_move(
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
    fn reduction_change(
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
        if node.cut_node {
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
    fn singular_extension(&mut self, node: &Node, m: Move, beta: i32, pv: bool) -> Singular {
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
        let score = self.search::<false>(target - 1, target, (depth - 1) / 2, ply, node.cut_node);
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

    /// Learns from a cut: `m` refuted the node, the moves tried before it did not.
    fn reward(&mut self, m: Move, ply: usize, depth: i32, before: [usize; 3], tried: &TriedMoves) {
        let p = self.params;
        let bonus = (p.history_bonus * depth).min(p.history_bonus_max);
        let malus = -(p.history_malus * depth).min(p.history_malus_max);
        let position = self.game.position();
        if movepicker::is_noisy(position, m) {
            let victim = movepicker::victim(position, m);
            self.histories.update_capture(m, victim, bonus);
        } else {
            let killers = &mut self.frame(ply).killers;
            if killers[0] != Some(m) {
                *killers = [Some(m), killers[0]];
            }
            self.histories.update_quiet(m, before, bonus);
            if before[0] != 0 {
                self.histories.set_counter_move(before[0], m);
            }
            for &quiet in tried.quiets() {
                self.histories.update_quiet(quiet, before, malus);
            }
        }
        for &(capture, victim) in tried.captures() {
            self.histories.update_capture(capture, victim, malus);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn store(
        &self,
        key: u64,
        m: Option<Move>,
        score: i32,
        eval: i32,
        depth: i32,
        bound: Bound,
        ply: usize,
        pv: bool,
    ) {
        self.tt.store(
            key,
            TtEntry {
                code: m.map_or(Move16(0), Move16::from),
                score: score_to_tt(score, ply),
                eval,
                depth,
                bound: Some(bound),
                pv,
            },
        );
    }
}

/// What pruning wants to know about a move.
#[derive(Clone, Copy)]
struct Facts {
    noisy: bool,
    gives_check: bool,
    history: i32,
    /// Depth after the usual reduction.
    reduced: i32,
}

/// What the search for an alternative to the hash move tells.
enum Singular {
    /// Search the hash move so many plies deeper.
    Extend(i32),
    /// The node's score is at least beta.
    Cut(i32),
}
