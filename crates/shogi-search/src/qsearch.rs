//! Quiescence: captures and promotions (and answers to checks) until the position is quiet enough
//! for the static score.

use shogi_core::{CheckSquares, Move, Move16, PieceKind};
use shogi_eval::Evaluator;

use crate::Bound;
use crate::history::{Corrections, HistoryPlace};
use crate::movepicker::{self, MovePicker};
use crate::tt::{NO_EVAL, TtEntry};
use crate::worker::{
    INFINITE, MATE_IN_MAX_PLY, MAX_EVAL, Worker, decides, mate_in, mated_in, score_from_tt,
    score_to_tt,
};

/// In check, quiet answers beyond these are not tried once one move is known not to lose at once.
const QUIET_EVASIONS: i32 = 3;

/// A quiescence node before its moves are tried.
struct Leaf {
    key: u64,
    ply: usize,
    /// Plies since the search went quiet.
    deep: i32,
    in_check: bool,
    entry: Option<TtEntry>,
    tt_score: i32,
    /// Static score as the evaluator gave it, or [`NO_EVAL`].
    raw_eval: i32,
    /// Where the moves start from: the static score, or what the table knows better.
    stand: i32,
    /// What a capture's gain is added to.
    futility: i32,
}

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// The score of the node at `ply` within `alpha..beta`, following only forcing moves.
    pub(crate) fn qsearch<const PV: bool>(&mut self, alpha: i32, beta: i32, ply: usize) -> i32 {
        self.qsearch_from::<PV>(alpha, beta, ply, 0)
    }

    /// A quiescence node `deep` plies below the first.
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
        if deep == 0 {
            alpha = self.raise_to_repetition(alpha, ply);
            if alpha >= beta {
                return alpha;
            }
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
        let mut leaf = Leaf {
            key,
            ply,
            deep,
            in_check,
            entry,
            tt_score,
            raw_eval: NO_EVAL,
            stand: -INFINITE,
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
            if let Some(score) = self.stand_pat::<PV>(&mut leaf, beta) {
                return score;
            }
            alpha = alpha.max(leaf.stand);
        }
        self.try_forcing_moves::<PV>(&leaf, alpha, beta)
    }

    /// Works out what the side to move has without any move. `Some` when that is enough.
    fn stand_pat<const PV: bool>(&mut self, leaf: &mut Leaf, beta: i32) -> Option<i32> {
        let place = Corrections::place(self.game.position(), self.last_arrivals(leaf.ply));
        // They come while the position is evaluated.
        self.histories.corrections.expect(&place);
        leaf.raw_eval = match leaf.entry {
            Some(entry) if entry.eval != NO_EVAL => entry.eval,
            _ => self.evaluate(),
        };
        let correction = self.histories.corrections.value(&place, self.params);
        let static_eval = (leaf.raw_eval + correction).clamp(-MAX_EVAL, MAX_EVAL);
        leaf.stand = static_eval;
        leaf.futility = static_eval + self.params.qs_futility;
        let bound = leaf.entry.and_then(|entry| entry.bound);
        if decides(bound, leaf.tt_score, static_eval, static_eval + 1) {
            // The table's bound says more than the static score.
            leaf.stand = leaf.tt_score;
        }
        if leaf.stand < beta {
            return None;
        }
        let score = blend(leaf.stand, beta);
        if leaf.entry.is_none() {
            self.store_quiescence(leaf, None, score, Bound::Lower, PV);
        }
        Some(score)
    }

    fn try_forcing_moves<const PV: bool>(&mut self, leaf: &Leaf, mut alpha: i32, beta: i32) -> i32 {
        let (ply, in_check) = (leaf.ply, leaf.in_check);
        let with_checks = !in_check && leaf.deep < self.params.qs_checks;
        let position = self.game.position();
        let mut checks = None;
        let arrivals = self.arrivals(ply);
        let place = if in_check || with_checks {
            HistoryPlace::new(position, arrivals, ply)
        } else {
            HistoryPlace::for_answers(arrivals, in_check)
        };
        let hash_move = self.tt_move(leaf.entry.as_ref());
        let mut picker = if in_check {
            MovePicker::new(&self.move_stack, hash_move, 0, true)
        } else {
            let hash_move = hash_move.filter(|&m| movepicker::is_noisy(self.game.position(), m));
            MovePicker::noisy(&self.move_stack, hash_move, with_checks)
        };
        let mut best = leaf.stand;
        let (mut best_move, mut number, mut quiets) = (None, 0, 0);
        while let Some(m) = self.pick(&mut picker, None, &place) {
            number += 1;
            if in_check {
                self.expect(m);
            }
            if best > -MATE_IN_MAX_PLY {
                let position = self.game.position();
                if in_check {
                    quiets += i32::from(!movepicker::is_noisy(position, m));
                    if quiets > QUIET_EVASIONS {
                        break;
                    }
                } else if !self.is_promising(leaf, m, number, &mut checks, alpha, &mut best) {
                    continue;
                }
            }
            self.play(m, ply);
            let score = -self.qsearch_from::<PV>(-beta, -alpha, ply + 1, leaf.deep + 1);
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
            return 0;
        }
        if in_check && number == 0 {
            return mated_in(ply);
        }
        if best >= beta {
            best = blend(best, beta);
        }
        // The static score or a captured piece's value was raised to `best`: never exact.
        let bound = if best >= beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        self.store_quiescence(leaf, best_move, best, bound, PV);
        best
    }

    /// Whether a move out of check is worth following; if so, it is [expected](Self::expect). If not, `best`
    /// becomes what it may achieve.
    fn is_promising(
        &self,
        leaf: &Leaf,
        m: Move,
        number: i32,
        checks: &mut Option<CheckSquares>,
        alpha: i32,
        best: &mut i32,
    ) -> bool {
        let position = self.game.position();
        let recapture = self.game.last_move().map(Move::to) == Some(m.to());
        // Crowded boards have captures without end.
        if leaf.deep >= self.params.qs_recapture_ply && !recapture {
            return false;
        }
        let checks = checks.get_or_insert_with(|| position.check_squares());
        let mut takes_with_pawn = false;
        if !position.gives_check(m, checks) {
            let gain = movepicker::gain(position, m);
            if !recapture && !m.is_promotion() && number > self.params.qs_moves {
                return false;
            }
            let hoped = leaf.futility + gain;
            if hoped <= alpha {
                *best = (*best).max(hoped);
                return false;
            }
            takes_with_pawn = m.kind_after() == PieceKind::ProPawn && gain > 450;
        }
        // A pawn that takes and promotes is worth a look whatever takes it back.
        let follow = takes_with_pawn || position.see_ge(m, -self.params.qs_see);
        if follow {
            // Not before: three of four such moves are left out here.
            self.expect(m);
        }
        follow
    }

    fn store_quiescence(
        &self,
        leaf: &Leaf,
        best_move: Option<Move>,
        score: i32,
        bound: Bound,
        pv: bool,
    ) {
        let entry = TtEntry {
            code: best_move.map_or(Move16(0), Move16::from),
            score: score_to_tt(score, leaf.ply),
            eval: leaf.raw_eval,
            depth: 0,
            bound: Some(bound),
            pv: pv || leaf.entry.is_some_and(|entry| entry.pv),
        };
        self.tt.store(leaf.key, entry);
    }
}

/// A score of at least beta, half way back: leaves exaggerate.
fn blend(score: i32, beta: i32) -> i32 {
    if score.abs() < MAX_EVAL && beta.abs() < MAX_EVAL {
        i32::midpoint(score, beta)
    } else {
        score
    }
}
