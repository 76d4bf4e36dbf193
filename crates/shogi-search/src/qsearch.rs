//! Quiescence: captures and promotions (and evasions) until the position is quiet enough
//! for the static evaluation.

use shogi_core::{CheckSquares, Game, Move, Move16, PieceKind};
use shogi_eval::Evaluator;

use crate::history::{CorrectionHistory, HistoryIndex};
use crate::movepicker::{self, MovePicker};
use crate::score::{
    INFINITE, MATE_IN_MAX_PLY, MAX_EVAL, Score, decides, mate_in, mated_in, score_from_tt,
    score_to_tt,
};
use crate::shared_threads::SharedThreads;
use crate::stop::Stopper;
use crate::tt::{NO_EVAL, TtEntry};
use crate::worker::Worker;
use crate::{Bound, Control, Limits, SearchOptions, SharedState, Value};

/// A quiescence node before its moves are tried.
struct QsNode {
    key: u64,
    ply: usize,
    /// Plies since the search went quiet.
    qs_ply: i32,
    in_check: bool,
    entry: Option<TtEntry>,
    tt_score: Score,
    /// Static evaluation as the evaluator gave it, or [`NO_EVAL`].
    raw_eval: i32,
    /// Stand pat: the static evaluation, or the better score of the table.
    stand_pat: Score,
    /// Base of delta pruning (futility): a capture's gain is added to it.
    futility: Score,
}

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// The score of the node at `ply` within `alpha..beta`, following only forcing moves.
    pub(crate) fn qsearch<const PV: bool>(
        &mut self,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Score {
        self.qsearch_from::<PV>(alpha, beta, ply, 0)
    }

    /// A quiescence node `qs_ply` plies below the first.
    fn qsearch_from<const PV: bool>(
        &mut self,
        mut alpha: Score,
        beta: Score,
        ply: usize,
        qs_ply: i32,
    ) -> Score {
        if self.stopper.is_stopped() {
            return Score::ZERO;
        }
        self.pv.clear(ply);
        self.sel_depth = self.sel_depth.max(ply + 1);
        if let Some(score) = self.terminal_score(ply) {
            return score;
        }
        if qs_ply == 0 {
            alpha = self.raise_alpha_to_repetition(alpha, ply);
            if alpha >= beta {
                return alpha;
            }
        }
        let position = self.game.position();
        let (key, in_check) = (position.key(), position.in_check());
        let entry = self.tt.probe(key);
        let tt_score = entry.map_or(Score::ZERO, |entry| score_from_tt(entry.score, ply));
        if let Some(entry) = entry
            && !PV
            && decides(entry.bound, tt_score, alpha, beta)
        {
            return tt_score;
        }
        let mut node = QsNode {
            key,
            ply,
            qs_ply,
            in_check,
            entry,
            tt_score,
            raw_eval: NO_EVAL,
            stand_pat: -INFINITE,
            futility: -INFINITE,
        };
        if !in_check {
            if entry.is_none()
                && let Some(m) = self.game.position().mate_in_one()
            {
                if PV {
                    self.pv.clear(ply + 1);
                    self.pv.set(ply, m);
                }
                return mate_in(ply + 1);
            }
            if let Some(score) = self.stand_pat::<PV>(&mut node, beta) {
                return score;
            }
            alpha = alpha.max(node.stand_pat);
        }
        self.try_forcing_moves::<PV>(&node, alpha, beta)
    }

    /// Works out what the side to move has without any move. `Some` when that is enough.
    fn stand_pat<const PV: bool>(&mut self, node: &mut QsNode, beta: Score) -> Option<Score> {
        let index = CorrectionHistory::index(self.game.position(), self.last_piece_tos(node.ply));
        // They come while the position is evaluated.
        self.histories.corrections.prefetch(&index);
        node.raw_eval = match node.entry {
            Some(entry) if entry.eval != NO_EVAL => entry.eval,
            _ => self.evaluate(),
        };
        let correction = self.histories.corrections.value(&index, self.params);
        let static_eval = Score::of_eval(node.raw_eval + correction);
        node.stand_pat = static_eval;
        node.futility = static_eval + self.params.qs_futility;
        let bound = node.entry.and_then(|entry| entry.bound);
        if decides(bound, node.tt_score, static_eval, static_eval + 1) {
            // The table's bound says more than the static evaluation.
            node.stand_pat = node.tt_score;
        }
        if node.stand_pat < beta {
            return None;
        }
        let score = self.blend(node.stand_pat, beta);
        if node.entry.is_none() {
            self.store_quiescence(node, None, score, Bound::Lower, PV);
        }
        Some(score)
    }

    fn try_forcing_moves<const PV: bool>(
        &mut self,
        node: &QsNode,
        mut alpha: Score,
        beta: Score,
    ) -> Score {
        let (ply, in_check) = (node.ply, node.in_check);
        let with_checks = !in_check && node.qs_ply < self.params.qs_checks;
        let position = self.game.position();
        let mut checks = None;
        let continuation_piece_tos = self.continuation_piece_tos(ply);
        let index = if in_check || with_checks {
            HistoryIndex::new(position, continuation_piece_tos, ply)
        } else {
            HistoryIndex::for_continuation(continuation_piece_tos, in_check)
        };
        let tt_move = self.tt_move(node.entry.as_ref());
        let mut picker = if in_check {
            MovePicker::new(&self.move_stack, tt_move, 0, true)
        } else {
            let tt_move = tt_move.filter(|&m| movepicker::is_noisy(self.game.position(), m));
            MovePicker::noisy(&self.move_stack, tt_move, with_checks)
        };
        let mut best = node.stand_pat;
        let (mut best_move, mut number, mut quiets) = (None, 0, 0);
        while let Some(m) = self.pick(&mut picker, None, &index) {
            number += 1;
            if in_check {
                self.prefetch(m);
            }
            if best > -MATE_IN_MAX_PLY {
                let position = self.game.position();
                if in_check {
                    quiets += i32::from(!movepicker::is_noisy(position, m));
                    if quiets > self.params.qs_evasions {
                        break;
                    }
                } else if !self.is_promising(node, m, number, &mut checks, alpha, &mut best) {
                    continue;
                }
            }
            self.play(m, ply);
            let score = -self.qsearch_from::<PV>(-beta, -alpha, ply + 1, node.qs_ply + 1);
            self.undo();
            if self.stopper.is_stopped() {
                break;
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
        }
        picker.finish(&mut self.move_stack);
        if self.stopper.is_stopped() {
            return Score::ZERO;
        }
        if in_check && number == 0 {
            return mated_in(ply);
        }
        if best >= beta {
            best = self.blend(best, beta);
        }
        // The static evaluation or a captured piece's value was raised to `best`: never exact.
        let bound = if best >= beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        self.store_quiescence(node, best_move, best, bound, PV);
        best
    }

    /// Returns whether a move out of check is worth following; if so, it is [expected](Self::prefetch). If not, `best`
    /// becomes what it may achieve.
    fn is_promising(
        &self,
        node: &QsNode,
        m: Move,
        number: i32,
        checks: &mut Option<CheckSquares>,
        alpha: Score,
        best: &mut Score,
    ) -> bool {
        let position = self.game.position();
        let recapture = self.game.last_move().map(Move::to) == Some(m.to());
        // Crowded boards have captures without end.
        if node.qs_ply >= self.params.qs_recapture_ply && !recapture {
            return false;
        }
        let checks = checks.get_or_insert_with(|| position.check_squares());
        let mut takes_with_pawn = false;
        if !position.gives_check(m, checks) {
            let gain = movepicker::gain(position, m);
            if !recapture && !m.is_promotion() && number > self.params.qs_moves {
                return false;
            }
            let hoped = node.futility + gain;
            if hoped <= alpha {
                *best = (*best).max(hoped);
                return false;
            }
            takes_with_pawn =
                m.kind_after() == PieceKind::ProPawn && gain > self.params.qs_pawn_gain;
        }
        // A pawn that takes and promotes is worth a look whatever takes it back.
        let follow = takes_with_pawn || position.see_ge(m, -self.params.qs_see);
        if follow {
            // Not before: three of four such moves are left out here.
            self.prefetch(m);
        }
        follow
    }

    /// Returns a score of at least beta, brought back towards it: leaves exaggerate.
    fn blend(&self, score: Score, beta: Score) -> Score {
        if score.abs() < MAX_EVAL && beta.abs() < MAX_EVAL {
            let weight = self.params.qs_beta_weight;
            score.weighted(100 - weight, beta, weight)
        } else {
            score
        }
    }

    fn store_quiescence(
        &self,
        node: &QsNode,
        best_move: Option<Move>,
        score: Score,
        bound: Bound,
        pv: bool,
    ) {
        let entry = TtEntry {
            code: best_move.map_or(Move16(0), Move16::from),
            score: score_to_tt(score, node.ply),
            eval: node.raw_eval,
            depth: 0,
            bound: Some(bound),
            pv: pv || node.entry.is_some_and(|entry| entry.pv),
        };
        self.tt.store(node.key, entry);
    }
}

/// Follows captures and promotions (in check: evasions) from the current position of `game` to a quiet
/// one. The value for the side to move, and the moves that lead there: none when it is quiet already or the
/// game ends there.
///
/// Forgets the transposition table of `shared`, which should be small, so that the answer depends on the
/// position and the evaluation alone.
pub fn quiescence<E: Evaluator + ?Sized>(
    game: &Game,
    options: &SearchOptions,
    evaluator: &mut E,
    shared: &mut SharedState,
) -> (Value, Vec<Move>) {
    let SharedState {
        tt,
        threads,
        params,
        unit,
        ..
    } = shared;
    tt.clear(1);
    tt.new_search();
    let control = Control::new();
    let shared_threads = SharedThreads::new(1);
    let stopper = Stopper::new(&control, &Limits::default(), params, &shared_threads, 0);
    let thread = &mut threads[0];
    let mut worker =
        Worker::new(game, evaluator, tt, thread, params, options, stopper).in_unit(*unit);
    let value = worker.qsearch::<true>(-INFINITE, INFINITE, 0);
    (worker.shown(value), worker.pv.line(0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shogi_core::Position;
    use shogi_eval::MaterialEvaluator;

    fn quiet(sfen: &str) -> (Value, Vec<String>) {
        let game = Game::new(Position::from_sfen(sfen).unwrap());
        let mut shared = SharedState::new(1);
        let (value, line) = quiescence(
            &game,
            &SearchOptions::default(),
            &mut MaterialEvaluator::new(),
            &mut shared,
        );
        (value, line.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn hanging_pieces_are_taken() {
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        assert_eq!(quiet(start), (Value(0), vec![]));
        // A rook that nothing guards: twice its value changes sides.
        let (value, line) = quiet("4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1");
        assert_eq!(line, ["5f5e"]);
        assert!(value.0 > 1000, "{value:?}");
    }
}
