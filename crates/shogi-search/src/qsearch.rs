//! Quiescence: captures and promotions (and answers to checks) until the position is quiet enough
//! for the static score.

use shogi_core::{Move16, PieceKind};
use shogi_eval::Evaluator;

use crate::Bound;
use crate::movepicker::{self, Context, MovePicker};
use crate::tt::{NO_EVAL, TtEntry};
use crate::worker::{
    INFINITE, MATE_IN_MAX_PLY, Worker, decides, mate_in, mated_in, score_from_tt, score_to_tt,
};

/// In check, quiet answers beyond these are not tried once one move is known not to lose at once.
const QUIET_EVASIONS: usize = 3;

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// The score of the node at `ply` within `alpha..beta`, following only forcing moves.
    pub(crate) fn qsearch<const PV: bool>(&mut self, alpha: i32, beta: i32, ply: usize) -> i32 {
        self.qsearch_from::<PV>(alpha, beta, ply, 0)
    }

    /// A quiescence node `deep` plies below the first.
    #[allow(clippy::too_many_lines)]
    fn qsearch_from<const PV: bool>(
        &mut self,
        mut alpha: i32,
        beta: i32,
        ply: usize,
        deep: i32,
    ) -> i32 {
        if self.stopper.is_stopped() {
            return 0;
        }
        self.pv.clear(ply);
        self.sel_depth = self.sel_depth.max(ply + 1);
        if let Some(score) = self.terminal_score(ply) {
            return score;
        }

        let position = self.game.position();
        let (key, in_check) = (position.key(), position.in_check());
        let entry = self.tt.probe(key);
        let tt_score = entry.map_or(0, |entry| score_from_tt(entry.score, ply));
        if let Some(entry) = entry
            && !PV
            && decides(entry.bound, tt_score, alpha, beta)
        {
            return tt_score;
        }
        let mut hash_move = self.tt_move(entry.as_ref());
        if !in_check {
            hash_move = hash_move.filter(|&m| movepicker::is_noisy(self.game.position(), m));
        }

        let mut best = -INFINITE;
        let mut eval = NO_EVAL;
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
            eval = match entry {
                Some(entry) if entry.eval != NO_EVAL => entry.eval,
                _ => self.evaluate(),
            };
            best = eval;
            if decides(entry.and_then(|e| e.bound), tt_score, eval, eval + 1) {
                // The table's bound says more than the static score.
                best = tt_score;
            }
            if best >= beta {
                if entry.is_none() {
                    self.store_quiescence(key, None, best, eval, Bound::Lower, ply, PV);
                }
                return best;
            }
            alpha = alpha.max(best);
        }
        let futility = best.saturating_add(self.params.qs_futility);

        let checks = self.game.position().check_squares();
        let before = self.arrivals(ply);
        let mut picker = if in_check {
            MovePicker::new(&self.move_stack, hash_move, [None; 3], true)
        } else {
            MovePicker::noisy(&self.move_stack, hash_move)
        };
        // Crowded boards have captures without end.
        let recaptures_only = !in_check && deep >= self.params.qs_recapture_ply;
        let last_square = self.game.last_move().map(shogi_core::Move::to);
        let (mut best_move, mut moves, mut quiets) = (None, 0, 0);
        loop {
            let context = Context {
                position: self.game.position(),
                histories: self.histories,
                checks: &checks,
                before,
                all: self.options.generate_all_legal_moves,
                check_bonus: 0,
            };
            let Some(m) = picker.next(&mut self.move_stack, &context) else {
                break;
            };
            moves += 1;
            if best > -MATE_IN_MAX_PLY {
                let position = self.game.position();
                if recaptures_only && Some(m.to()) != last_square {
                    continue;
                }
                if in_check {
                    if !movepicker::is_noisy(position, m) {
                        quiets += 1;
                        if quiets > QUIET_EVASIONS {
                            continue;
                        }
                    }
                } else if !position.gives_check(m, &checks) {
                    let hoped = futility + movepicker::gain(position, m);
                    if hoped <= alpha {
                        best = best.max(hoped);
                        continue;
                    }
                    if m.kind_after() == PieceKind::ProPawn && movepicker::gain(position, m) > 450 {
                        // A pawn that takes and promotes is worth a look whatever takes it back.
                    } else if !position.see_ge(m, -self.params.qs_see) {
                        continue;
                    }
                } else if !position.see_ge(m, -self.params.qs_see) {
                    continue;
                }
            }
            self.play(m, ply);
            let score = -self.qsearch_from::<PV>(-beta, -alpha, ply + 1, deep + 1);
            self.undo();
            if self.stopper.is_stopped() {
                best = 0;
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
            return 0;
        }
        if in_check && moves == 0 {
            return mated_in(ply);
        }
        // The static score or a captured piece's value was raised to `best`: never exact.
        let bound = if best >= beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        self.store_quiescence(key, best_move, best, eval, bound, ply, PV);
        best
    }

    #[allow(clippy::too_many_arguments)]
    fn store_quiescence(
        &self,
        key: u64,
        best_move: Option<shogi_core::Move>,
        score: i32,
        eval: i32,
        bound: Bound,
        ply: usize,
        pv: bool,
    ) {
        self.tt.store(
            key,
            TtEntry {
                code: best_move.map_or(Move16(0), Move16::from),
                score: score_to_tt(score, ply),
                eval,
                depth: 0,
                bound: Some(bound),
                pv,
            },
        );
    }
}
