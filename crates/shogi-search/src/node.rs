//! The search of one node: principal variation search (alpha-beta with null windows) with the
//! pruning, extensions and reductions that the field has found useful.
//!
//! [`Worker::try_moves`] is the one long function of the crate: the order of its steps is its content.
//! The single judgements are in [`crate::pruning`].

use shogi_core::{CheckSquares, Move, Move16};
use shogi_eval::Evaluator;

use crate::Bound;
use crate::movepicker::{self, Context, MovePicker};
use crate::node_state::{Facts, Node, Singular};
use crate::tried::TriedMoves;
use crate::tt::{NO_EVAL, TtEntry};
use crate::worker::{
    INFINITE, MATE_IN_MAX_PLY, Worker, decides, mate_in, mated_in, score_from_tt, score_to_tt,
};

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
            expect_cut: cut_node,
            entry,
            tt_score,
            tt_move,
            tt_pv,
        };
        self.judge(&mut node, excluded);
        if !PV
            && !in_check
            && excluded.is_none()
            && let Some(score) = self.prune_node(&node, alpha, beta)
        {
            return score;
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

    /// The next move of `picker` at the current node.
    #[inline]
    pub(crate) fn pick(
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
                    -self.search::<false>(-beta, -alpha, new_depth, ply + 1, !node.expect_cut)
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
                        !node.expect_cut,
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
    pub(crate) fn store(
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
