//! Histories of moves: butterfly history (side, origin and destination), low-ply history (near the root), capture
//! history, pawn history, continuation history (piece-to after the piece-tos of earlier moves), and the history of the TT
//! move.
//!
//! All are updated by the gravity formula, within bounds of their own; the end of a node decides the bonus and the malus.

mod correction;

use bytemuck::Zeroable;
use shogi_core::{Color, Move, MoveClass, Piece, PieceKind, Position, Square};
use shogi_eval::Evaluator;
use yane_mem::PageBox;

use crate::Params;
use crate::move_loop::{MoveInfo, SearchedMoves};
use crate::search::{Node, StaticEval};
use crate::worker::{NO_SCORE, Worker};

pub(crate) use correction::{CorrectionHistory, CorrectionIndex};

/// Origins: 81 squares and 7 kinds of drops.
const ORIGINS: usize = 88;
/// Pairs of an origin and a destination.
const PATHS: usize = ORIGINS * Square::COUNT;
/// Pairs of a piece and its destination.
const PIECE_TOS: usize = Piece::INDEX_LIMIT * Square::COUNT;
/// Kinds of captured pieces, 0 for none.
const VICTIMS: usize = 15;
/// Bits of the number that stands for the pawns.
const PAWN_BITS: u32 = 10;
/// Plies from the root with a low-ply history of their own.
pub(crate) const LOW_PLIES: usize = 5;

/// Piece-to: the piece after a move and its destination, the index of continuation histories. 0 after a pass and
/// before the start of the game.
pub(crate) type PieceTo = usize;

/// Number of continuation histories of a move.
pub(crate) const CONTINUATIONS: usize = 5;

/// The plies between these moves and the move itself.
pub(crate) const CONTINUATION_PLIES: [usize; CONTINUATIONS] = [1, 2, 3, 4, 6];

/// The index of the histories of a node's moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryIndex {
    /// Piece-tos of the moves [`CONTINUATION_PLIES`] before.
    pub(crate) before: [PieceTo; CONTINUATIONS],
    /// The number that stands for the pawns.
    pawns: usize,
    /// Plies from the root.
    ply: usize,
    in_check: bool,
}

impl HistoryIndex {
    /// For the node `ply` plies below the root that has `position`.
    #[inline]
    pub(crate) fn new(position: &Position, before: [PieceTo; CONTINUATIONS], ply: usize) -> Self {
        Self {
            before,
            pawns: correction::pawns(position, PAWN_BITS),
            ply,
            in_check: position.in_check(),
        }
    }

    /// As [`HistoryIndex::new`] for [`Histories::update_continuation`] alone.
    #[inline]
    pub(crate) fn for_continuation(before: [PieceTo; CONTINUATIONS], in_check: bool) -> Self {
        Self {
            before,
            pawns: 0,
            ply: LOW_PLIES,
            in_check,
        }
    }
}

/// The piece-to of `m`; never 0.
#[inline]
pub(crate) fn piece_to(m: Move) -> PieceTo {
    m.piece_after().index() * Square::COUNT + m.to().index()
}

#[inline]
fn origin(m: Move) -> usize {
    match (m.from(), m.dropped()) {
        (Some(from), _) => from.index(),
        (None, Some(kind)) => Square::COUNT + kind as usize - 1,
        (None, None) => 0,
    }
}

/// The index of the origin and destination of `m`.
#[inline]
fn path(m: Move) -> usize {
    origin(m) * Square::COUNT + m.to().index()
}

#[inline]
fn capture_index(m: Move, victim: Option<PieceKind>) -> usize {
    piece_to(m) * VICTIMS + victim.map_or(0, |kind| kind as usize)
}

/// The gravity formula: moves a value towards `±limit` by `change`, the less the nearer it already is.
#[inline]
fn gravity_update(value: &mut i16, change: i32, limit: i32) {
    let change = change.clamp(-limit, limit);
    let old = i32::from(*value);
    *value = (old + change - old * change.abs() / limit) as i16;
}

/// The histories of one searching thread (about 20 MB). Rows of the tables are read all over the place, so it wants
/// large pages: [`Histories::new`].
#[derive(Zeroable)]
#[repr(C)]
pub(crate) struct Histories {
    main: [[i16; PATHS]; 2],
    low_ply: [[i16; PATHS]; LOW_PLIES],
    capture: [i16; PIECE_TOS * VICTIMS],
    pawn: [[i16; PIECE_TOS]; 1 << PAWN_BITS],
    continuation: [[i16; PIECE_TOS]; PIECE_TOS],
    /// TT move history: rises when the TT move is the best one.
    tt_move_history: i16,
    pub(crate) corrections: CorrectionHistory,
}

/// The rows of the histories that all quiet moves of one node look at.
pub(crate) struct QuietHistories<'a> {
    main: &'a [i16; PATHS],
    /// Near the root only.
    low_ply: Option<&'a [i16; PATHS]>,
    low_ply_weight: i32,
    low_ply_divisor: i32,
    main_weight: i32,
    pawn_weight: i32,
    pawn: &'a [i16; PIECE_TOS],
    before: [&'a [i16; PIECE_TOS]; CONTINUATIONS],
}

impl QuietHistories<'_> {
    /// The rank of quiet move `m`.
    #[inline]
    pub(crate) fn rank(&self, m: Move) -> i32 {
        self.rank_anywhere(m) + self.rank_near_root(m)
    }

    /// The part of the rank of `m` that does not depend on the distance to the root.
    #[inline(always)]
    pub(crate) fn rank_anywhere(&self, m: Move) -> i32 {
        let (path, column) = (path(m), piece_to(m));
        let continuation: i32 = self.before.iter().map(|row| i32::from(row[column])).sum();
        continuation
            + self.main_weight * i32::from(self.main[path])
            + self.pawn_weight * i32::from(self.pawn[column])
    }

    /// The part of the rank of `m` that belongs to plies near the root.
    #[inline]
    pub(crate) fn rank_near_root(&self, m: Move) -> i32 {
        self.low_ply.map_or(0, |low_ply| {
            self.low_ply_weight * i32::from(low_ply[path(m)]) / self.low_ply_divisor
        })
    }

    /// Returns whether [`Self::rank_near_root`] has anything to say here.
    #[inline(always)]
    pub(crate) const fn is_near_root(&self) -> bool {
        self.low_ply.is_some()
    }
}

impl Histories {
    /// Empty histories.
    ///
    /// # Panics
    /// When the system has no memory for it.
    pub(crate) fn new(p: &Params) -> PageBox<Self> {
        let mut histories: PageBox<Self> =
            PageBox::zeroed().expect("memory for the histories of a thread");
        histories.fill_starts(p);
        histories
    }

    /// Fills the histories that do not start at zero.
    fn fill_starts(&mut self, p: &Params) {
        self.capture.fill(p.history_start_capture as i16);
        // Row 0 stands for "no move" and stays zero.
        self.continuation[1..]
            .as_flattened_mut()
            .fill(p.history_start_continuation as i16);
    }

    pub(crate) fn clear(&mut self, p: &Params) {
        self.main.as_flattened_mut().fill(0);
        self.low_ply.as_flattened_mut().fill(0);
        self.pawn.as_flattened_mut().fill(0);
        self.fill_starts(p);
        self.tt_move_history = 0;
        self.corrections.clear();
    }

    /// Forgets the low-ply history: a new search begins.
    pub(crate) fn new_search(&mut self) {
        self.low_ply.as_flattened_mut().fill(0);
    }

    /// The rows for quiet moves of `us` at `index`.
    #[inline]
    pub(crate) fn quiet(&self, us: Color, index: &HistoryIndex, p: &Params) -> QuietHistories<'_> {
        QuietHistories {
            main: &self.main[us.index()],
            low_ply: self.low_ply.get(index.ply),
            low_ply_weight: p.order_low_ply,
            low_ply_divisor: 1 + index.ply as i32,
            main_weight: p.order_main,
            pawn_weight: p.order_pawn,
            pawn: &self.pawn[index.pawns],
            before: index.before.map(|before| &self.continuation[before]),
        }
    }

    /// The butterfly history of `m`.
    #[inline]
    pub(crate) fn main(&self, m: Move) -> i32 {
        i32::from(self.main[m.color().index()][path(m)])
    }

    /// The pawn history of `m`.
    #[inline]
    pub(crate) fn pawn(&self, m: Move, index: &HistoryIndex) -> i32 {
        i32::from(self.pawn[index.pawns][piece_to(m)])
    }

    /// The continuation histories of `m` after the last and the last but one move.
    #[inline]
    pub(crate) fn continuation(&self, m: Move, index: &HistoryIndex) -> [i32; 2] {
        let column = piece_to(m);
        [index.before[0], index.before[1]].map(|row| i32::from(self.continuation[row][column]))
    }

    /// The capture history of the capture or promotion `m`.
    #[inline]
    pub(crate) fn capture(&self, m: Move, victim: Option<PieceKind>) -> i32 {
        i32::from(self.capture[capture_index(m, victim)])
    }

    /// Returns how reliable TT moves have been.
    #[inline]
    pub(crate) fn tt_move_history(&self) -> i32 {
        i32::from(self.tt_move_history)
    }

    /// Bonus (`change` positive) or malus of the TT move.
    pub(crate) fn update_tt_move_history(&mut self, change: i32, p: &Params) {
        gravity_update(&mut self.tt_move_history, change, p.history_tt_move_limit);
    }

    /// Bonus or malus of the quiet move `m` in all its histories.
    pub(crate) fn update_quiet(&mut self, m: Move, index: &HistoryIndex, change: i32, p: &Params) {
        self.update_main(m, change, p);
        if let Some(low_ply) = self.low_ply.get_mut(index.ply) {
            let change = change * p.low_ply_share / 1024;
            gravity_update(&mut low_ply[path(m)], change, p.history_main_limit);
        }
        let share = if change > 0 {
            p.continuation_bonus_share
        } else {
            p.continuation_malus_share
        };
        self.update_continuation(m, index, change * share / 1024, p);
        let share = if change > 0 {
            p.pawn_bonus_share
        } else {
            p.pawn_malus_share
        };
        self.update_pawn(m, index.pawns, change * share / 1024, p);
    }

    /// Bonus or malus of `m` in the pawn history of the pawns that `pawns` stands for alone.
    fn update_pawn(&mut self, m: Move, pawns: usize, change: i32, p: &Params) {
        let value = &mut self.pawn[pawns][piece_to(m)];
        gravity_update(value, change, p.history_pawn_limit);
    }

    /// The same for the quiet move `last` that led to these pawns. A pawn's move found others before it.
    fn update_pawn_of_last(&mut self, last: Move, pawns: usize, change: i32, p: &Params) {
        if last.kind_after() != PieceKind::Pawn {
            self.update_pawn(last, pawns, change, p);
        }
    }

    /// Bonus or malus of `m` in the butterfly history alone.
    pub(crate) fn update_main(&mut self, m: Move, change: i32, p: &Params) {
        let value = &mut self.main[m.color().index()][path(m)];
        gravity_update(value, change, p.history_main_limit);
    }

    /// Bonus or malus of `m` in the continuation histories.
    pub(crate) fn update_continuation(
        &mut self,
        m: Move,
        index: &HistoryIndex,
        change: i32,
        p: &Params,
    ) {
        let column = piece_to(m);
        // An evasion has little to do with earlier moves.
        let count = if index.in_check {
            (p.continuation_evasions as usize).min(CONTINUATIONS)
        } else {
            CONTINUATIONS
        };
        let shares = [
            p.continuation_share_1,
            p.continuation_share_2,
            p.continuation_share_3,
            p.continuation_share_4,
            p.continuation_share_6,
        ];
        for (&row, share) in index.before[..count].iter().zip(shares) {
            // Row 0 stands for "no move" and stays zero.
            if row != 0 {
                let value = &mut self.continuation[row][column];
                gravity_update(value, change * share / 1024, p.history_continuation_limit);
            }
        }
    }

    /// Bonus or malus of the capture or promotion `m`.
    pub(crate) fn update_capture(
        &mut self,
        m: Move,
        victim: Option<PieceKind>,
        change: i32,
        p: &Params,
    ) {
        let value = &mut self.capture[capture_index(m, victim)];
        gravity_update(value, change, p.history_capture_limit);
    }
}

const _: () = assert!(MoveClass::COUNT < VICTIMS);

// Updates of the histories after a node: bonus and malus.

/// Scales a change by 1024ths.
const fn scaled(change: i32, share: i32) -> i32 {
    change * share / 1024
}

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// Returns what selects the continuation histories of the move that led to the node at `ply`.
    fn prior_index(&self, ply: usize) -> HistoryIndex {
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
        value: i32,
    ) {
        let p = self.params;
        let prior = *self.ss_back(node.ply, 1);
        if let Some(last) = prior.current
            && prior.quiet
            && !prior.in_check
            && prior.static_eval != NO_SCORE
        {
            let bonus = -(prior.static_eval + value) * p.eval_bonus / 100;
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
        best: i32,
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
        best: i32,
        beta: i32,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_bounded_and_follow_the_bonus() {
        let params = Params::default();
        let mut histories = Histories::new(&params);
        let m = Move::normal(Square::S7G, Square::S7F, Piece::BlackPawn);
        let reply = Move::normal(Square::S3C, Square::S3D, Piece::WhitePawn);
        let position = Position::startpos();
        let index = |before, ply| HistoryIndex::new(&position, before, ply);
        let here = index([piece_to(reply), 0, 0, 0, 0], 9);
        let rank =
            |histories: &Histories, index| histories.quiet(Color::Black, &index, &params).rank(m);
        for _ in 0..1000 {
            histories.update_quiet(m, &here, 2000, &params);
            histories.update_capture(m, Some(PieceKind::Rook), -2000, &params);
        }
        let elsewhere = rank(&histories, index([0; CONTINUATIONS], 9));
        let bound = 2 * (params.history_main_limit + params.history_pawn_limit);
        assert!((bound / 2..=bound).contains(&elsewhere), "{elsewhere}");
        let answer = rank(&histories, here) - elsewhere;
        let limit = params.history_continuation_limit;
        assert!((limit / 2..=limit).contains(&answer));
        assert_eq!(histories.continuation(m, &here), [answer, 0]);
        let limit = params.history_capture_limit;
        let capture = histories.capture(m, Some(PieceKind::Rook));
        assert!((-limit..-limit / 2).contains(&capture), "{capture}");
        // Plies near the root have a history of their own.
        histories.update_quiet(m, &index([0; CONTINUATIONS], 1), -2000, &params);
        let near = rank(&histories, index([0; CONTINUATIONS], 1));
        assert!(near < rank(&histories, index([0; CONTINUATIONS], 2)));
        histories.new_search();
        assert!(rank(&histories, index([0; CONTINUATIONS], 1)) > near);
        histories.clear(&params);
        assert_eq!(
            (rank(&histories, here), histories.tt_move_history()),
            (rank(&Histories::new(&params), here), 0)
        );
    }
}
