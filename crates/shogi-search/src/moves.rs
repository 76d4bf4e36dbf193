//! The moves of a node, tried one by one.
//!
//! [`Worker::try_moves`] is a long function: the order of its steps is its content.

use shogi_core::{CheckSquares, Move};
use shogi_eval::Evaluator;

use crate::Bound;
use crate::history::HistoryPlace;
use crate::movepicker::{self, MovePicker};
use crate::node_state::{Candidate, Node, Singular};
use crate::tried::TriedMoves;
use crate::worker::{INFINITE, MATE_IN_MAX_PLY, MAX_EVAL, Worker, mated_in};

/// A node is searched less deep once a move has raised alpha, at depths between these.
const CALMER: std::ops::Range<i32> = 3..14;

/// How a move is to be searched.
pub(crate) struct Plan {
    /// In 1024ths of a ply.
    pub(crate) reduction: i32,
    /// Depth without a reduction.
    pub(crate) depth: i32,
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
    /// The best score of the node so far.
    pub(crate) best: i32,
}

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// Tries the moves of the node one by one.
    #[allow(clippy::too_many_lines)]
    pub(crate) fn try_moves<const PV: bool>(
        &mut self,
        mut node: Node,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        let (ply, start_depth) = (node.ply, node.depth);
        let checks = self.game.position().check_squares();
        let place = HistoryPlace::new(self.game.position(), self.arrivals(ply), ply);
        let mut picker = MovePicker::new(&self.move_stack, node.tt_move, node.depth, node.in_check);
        let mut best = -INFINITE;
        let mut best_move: Option<Candidate> = None;
        let mut number = 0;
        let mut tried = TriedMoves::default();
        while let Some(m) = self.pick(&mut picker, Some(&checks), &place) {
            if Some(m) == node.excluded {
                continue;
            }
            // Few moves are left out from here on.
            self.expect(m);
            number += 1;
            self.frame(ply).number = number;
            let candidate = self.candidate(m, number, &checks, &place);
            let depth = node.depth;
            let mut reduction = self.base_reduction(node.improving, depth, number, beta - alpha);
            if best > -MATE_IN_MAX_PLY {
                let mut hope = best;
                let lower = reduction
                    + if node.tt_pv {
                        self.params.lmr_pv_pruning
                    } else {
                        0
                    };
                let pruned = self.prune_move(
                    &node,
                    &mut picker,
                    &candidate,
                    lower,
                    alpha,
                    best_move.is_some(),
                    &mut hope,
                );
                if pruned {
                    best = hope;
                    continue;
                }
            }

            let mut extension = 0;
            if ply < 2 * self.root_depth as usize {
                if Some(m) == node.tt_move && node.excluded.is_none() {
                    match self.singular_extension::<PV>(&mut node, m, beta) {
                        Singular::Extend(plies) => extension = plies,
                        Singular::Cut(score) => {
                            picker.finish(&mut self.move_stack);
                            return score;
                        }
                    }
                } else if candidate.gives_check
                    && depth >= self.params.check_extension_depth
                    && self.game.position().see_ge(m, 0)
                {
                    extension = 1;
                }
            }
            if self.stopper.is_stopped() {
                picker.finish(&mut self.move_stack);
                return 0;
            }
            reduction += self.reduction_change::<PV>(&node, &candidate, alpha);
            let plan = Plan {
                reduction,
                depth: depth - 1 + extension,
                alpha,
                beta,
                best,
            };
            let score = self.search_child::<PV>(&node, &candidate, &place, &plan);
            if self.stopper.is_stopped() {
                picker.finish(&mut self.move_stack);
                return 0;
            }

            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(candidate);
                    if PV {
                        self.pv.set(ply, m);
                    }
                    if score >= beta {
                        self.frame(ply).cutoffs += i32::from(extension < 2 || PV);
                        break;
                    }
                    if CALMER.contains(&node.depth) && score.abs() < MAX_EVAL {
                        node.depth -= 2;
                    }
                    alpha = score;
                }
            }
            tried.push(m, candidate.noisy, candidate.victim);
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
        self.conclude::<PV>(&node, &place, best_move, best, beta, &tried)
    }

    /// The score of a move of the node: reduced if it comes late, with a null window unless it may
    /// belong to the principal variation.
    pub(crate) fn search_child<const PV: bool>(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        place: &HistoryPlace,
        plan: &Plan,
    ) -> i32 {
        let ply = node.ply;
        let &Plan { alpha, beta, .. } = plan;
        let mut depth = plan.depth;
        let cut = !node.expect_cut;
        let late = candidate.number > 1;
        self.frame(ply).stat_score = self.standing(candidate);
        self.play(candidate.m, ply);
        let mut score = -INFINITE;
        if node.depth >= 2 && late {
            let searched = (depth - plan.reduction / 1024)
                .min(depth + 1 + i32::from(PV))
                .max(1)
                + i32::from(PV);
            self.frame(ply).reduction = depth - searched;
            score = -self.search::<false>(-alpha - 1, -alpha, searched, ply + 1, true);
            self.frame(ply).reduction = 0;
            if score > alpha {
                let deeper =
                    searched < depth && score > plan.best + self.params.lmr_deeper + 2 * depth;
                let shallower = score < plan.best + self.params.lmr_shallower;
                depth += i32::from(deeper) - i32::from(shallower);
                if depth > searched {
                    score = -self.search::<false>(-alpha - 1, -alpha, depth, ply + 1, cut);
                }
                if !candidate.noisy {
                    self.histories.update_answer(candidate.m, place, 1400);
                }
            }
        } else if !PV || late {
            let mut reduction = plan.reduction;
            if node.tt_move.is_none() {
                reduction += self.params.lmr_no_hash;
            }
            let less = i32::from(reduction > 3200) + i32::from(reduction > 4600 && depth > 2);
            score = -self.search::<false>(-alpha - 1, -alpha, depth - less, ply + 1, cut);
        }
        if PV && (!late || score > alpha) {
            // The hash move of a deep search is not left to quiescence.
            if Some(candidate.m) == node.tt_move && node.tt_depth() > 1 && self.root_depth > 8 {
                depth = depth.max(1);
            }
            score = -self.search::<true>(-beta, -alpha, depth, ply + 1, false);
        }
        self.undo();
        score
    }

    /// Gathers what is known about `m` before it is played.
    #[inline]
    pub(crate) fn candidate(
        &self,
        m: Move,
        number: i32,
        checks: &CheckSquares,
        place: &HistoryPlace,
    ) -> Candidate {
        let position = self.game.position();
        let victim = movepicker::victim(position, m);
        let noisy = victim.is_some() || m.is_promotion();
        let mut candidate = Candidate {
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
            candidate.gain = movepicker::gain(position, m);
            candidate.history = self.histories.capture(m, victim);
        } else {
            candidate.history = self.histories.answers(m, place).iter().sum();
            candidate.main = self.histories.main(m);
            candidate.pawn = self.histories.pawn(m, place);
        }
        candidate
    }

    /// All moves were tried, or one refuted the node: learns from that and remembers it.
    fn conclude<const PV: bool>(
        &mut self,
        node: &Node,
        place: &HistoryPlace,
        best_move: Option<Candidate>,
        mut best: i32,
        beta: i32,
        tried: &TriedMoves,
    ) -> i32 {
        // A score far above beta is less reliable the shallower the search was.
        if best >= beta && best.abs() < MAX_EVAL && beta.abs() < MAX_EVAL {
            best = (best * node.depth + beta) / (node.depth + 1);
        }
        match &best_move {
            Some(candidate) => self.learn_from_best(node, place, candidate, tried),
            None => self.learn_from_failure(node, best),
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
        // Where all moves fail below a node of the principal variation, the last move was the reason.
        let pv = node.tt_pv || best_move.is_none() && self.frame_back(node.ply, 1).tt_pv;
        self.frame(node.ply).tt_pv = pv;
        self.store(node, best_move.map(|best| best.m), best, bound, pv);
        self.learn_correction(node, best_move.as_ref(), best, beta);
        best
    }
}
