//! The state of one searching thread, and the steps that every kind of node takes: making and
//! taking back moves, recognising the end of the game, scores that depend on the distance to the
//! root.

use shogi_core::movegen::{Legal, LegalAll};
use shogi_core::{Color, Delta, EnteringKingRule, Game, Move, PieceChange, Repetition};
use shogi_eval::Evaluator;

use crate::history::{self, Arrival, Histories};
use crate::movepicker::MoveStack;
use crate::params::Params;
use crate::pv::PvTable;
use crate::stop::Stopper;
use crate::tt::{TranspositionTable, TtEntry};
use crate::{Bound, MAX_PLY, SearchOptions, Value};

/// Scores as plain numbers: the node functions add and compare them all the time.
pub(crate) const INFINITE: i32 = Value::INFINITE.0;
pub(crate) const MAX_EVAL: i32 = Value::MAX_EVAL.0;
pub(crate) const MATE_IN_MAX_PLY: i32 = Value::MATE_IN_MAX_PLY.0;

/// The score of mating `plies` from the root.
pub(crate) const fn mate_in(plies: usize) -> i32 {
    Value::mate_in(plies as u32).0
}

/// The score of being mated `plies` from the root.
pub(crate) const fn mated_in(plies: usize) -> i32 {
    Value::mated_in(plies as u32).0
}

/// A mate score counted from the root as one counted from the position `ply` plies below, for the
/// transposition table. Other scores stay.
pub(crate) const fn score_to_tt(score: i32, ply: usize) -> i32 {
    if score >= MATE_IN_MAX_PLY {
        score + ply as i32
    } else if score <= -MATE_IN_MAX_PLY {
        score - ply as i32
    } else {
        score
    }
}

/// The inverse of [`score_to_tt`].
pub(crate) const fn score_from_tt(score: i32, ply: usize) -> i32 {
    if score >= MATE_IN_MAX_PLY {
        score - ply as i32
    } else if score <= -MATE_IN_MAX_PLY {
        score + ply as i32
    } else {
        score
    }
}

/// What a node leaves for its descendants and siblings.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frame {
    /// Arrival of the move being searched; 0 for a pass.
    pub(crate) arrival: Arrival,
    /// Static score; meaningless in check.
    pub(crate) eval: i32,
    pub(crate) in_check: bool,
    pub(crate) killers: [Option<Move>; 2],
    /// Left out while looking for an alternative to it.
    pub(crate) excluded: Option<Move>,
}

/// Frames before the root, so that "four plies back" always exists.
const FRAMES_BEFORE_ROOT: usize = 4;

/// One searching thread.
pub(crate) struct Worker<'a, E: Evaluator + ?Sized> {
    pub(crate) game: Game,
    pub(crate) evaluator: &'a mut E,
    pub(crate) tt: &'a TranspositionTable,
    pub(crate) histories: &'a mut Histories,
    pub(crate) params: &'a Params,
    pub(crate) options: &'a SearchOptions,
    pub(crate) stopper: Stopper<'a>,
    pub(crate) nodes: u64,
    pub(crate) sel_depth: usize,
    pub(crate) root_depth: i32,
    pub(crate) pv: PvTable,
    pub(crate) move_stack: MoveStack,
    frames: Vec<Frame>,
    /// Late move reductions by depth and move number, in 1024ths of a ply.
    reductions: Box<[i32]>,
    root_color: Color,
    /// Score of a draw for the side to move at the root.
    draw_value: i32,
}

/// Depths and move numbers that [`Worker::reduction`] tells apart.
const REDUCTION_SIZE: usize = 64;

#[allow(clippy::cast_precision_loss)]
fn reduction_table(params: &Params) -> Box<[i32]> {
    (0..REDUCTION_SIZE * REDUCTION_SIZE)
        .map(|i| {
            let depth = (i / REDUCTION_SIZE).max(1) as f64;
            let number = (i % REDUCTION_SIZE).max(1) as f64;
            let product = depth.ln() * number.ln();
            params.lmr_base + (f64::from(params.lmr_scale) * product) as i32
        })
        .collect()
}

impl<'a, E: Evaluator + ?Sized> Worker<'a, E> {
    pub(crate) fn new(
        game: &Game,
        evaluator: &'a mut E,
        tt: &'a TranspositionTable,
        histories: &'a mut Histories,
        params: &'a Params,
        options: &'a SearchOptions,
        stopper: Stopper<'a>,
    ) -> Self {
        evaluator.reset(game.position());
        let root_color = game.position().side_to_move();
        let draw_cp = options.draw_value_cp[root_color.index()];
        let mut frames = vec![Frame::default(); MAX_PLY as usize + FRAMES_BEFORE_ROOT + 3];
        for (back, m) in game.moves().rev().take(FRAMES_BEFORE_ROOT).enumerate() {
            frames[FRAMES_BEFORE_ROOT - 1 - back].arrival = history::arrival(m);
        }
        Self {
            game: game.clone(),
            evaluator,
            tt,
            histories,
            params,
            options,
            stopper,
            nodes: 0,
            sel_depth: 0,
            root_depth: 0,
            pv: PvTable::new(),
            move_stack: MoveStack::with_capacity(16_384),
            frames,
            reductions: reduction_table(params),
            root_color,
            draw_value: (draw_cp * 90 / 100).clamp(-MAX_EVAL, MAX_EVAL),
        }
    }

    #[inline(always)]
    pub(crate) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + FRAMES_BEFORE_ROOT]
    }

    /// The frame `back` plies before `ply`, which may lie before the root.
    #[inline(always)]
    pub(crate) fn frame_back(&self, ply: usize, back: usize) -> &Frame {
        &self.frames[ply + FRAMES_BEFORE_ROOT - back]
    }

    /// Arrivals of the moves one, two and four plies before the node at `ply`.
    #[inline]
    pub(crate) fn arrivals(&self, ply: usize) -> [Arrival; 3] {
        [1, 2, 4].map(|back| self.frame_back(ply, back).arrival)
    }

    /// Base of the late move reduction, in 1024ths of a ply.
    #[inline]
    pub(crate) fn reduction(&self, depth: i32, number: usize) -> i32 {
        let depth = (depth.max(0) as usize).min(REDUCTION_SIZE - 1);
        self.reductions[depth * REDUCTION_SIZE + number.min(REDUCTION_SIZE - 1)]
    }

    /// Plays `m` from the node at `ply`.
    #[inline]
    pub(crate) fn play(&mut self, m: Move, ply: usize) {
        self.frame(ply).arrival = history::arrival(m);
        self.game.play(m);
        self.tt.prefetch(self.game.position().key());
        let delta = self.last_delta(m);
        self.evaluator.push(Some(&delta));
        self.nodes += 1;
        self.stopper.count(self.nodes);
    }

    /// What `m`, just played, changed.
    #[inline]
    fn last_delta(&self, m: Move) -> Delta {
        let captured = self.game.last_captured();
        let kind = m
            .dropped()
            .or(captured.and_then(|piece| piece.kind().hand_kind()));
        let hand = self.game.position().hand(m.color());
        Delta {
            moved: PieceChange {
                before: m.from().map(|from| (m.piece_before(), from)),
                after: Some((m.piece_after(), m.to())),
            },
            captured: captured.map(|piece| PieceChange {
                before: Some((piece, m.to())),
                after: None,
            }),
            hand: kind.map(|kind| (kind, hand.count(kind))),
        }
    }

    /// Passes at the node at `ply`.
    pub(crate) fn play_null(&mut self, ply: usize) {
        self.frame(ply).arrival = 0;
        self.game.play_null();
        self.tt.prefetch(self.game.position().key());
        self.evaluator.push(None);
        self.nodes += 1;
        self.stopper.count(self.nodes);
    }

    /// Takes back the last move or pass.
    #[inline]
    pub(crate) fn undo(&mut self) {
        self.game.undo();
        self.evaluator.pop();
    }

    /// The static score of the current position.
    #[inline]
    pub(crate) fn evaluate(&mut self) -> i32 {
        self.evaluator
            .evaluate(self.game.position())
            .clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// The score of a draw for the side to move. It wavers by one with the number of positions
    /// visited, so that of several ways to a draw the search does not always walk the first.
    #[inline]
    pub(crate) fn draw_score(&self) -> i32 {
        let own = self.game.position().side_to_move() == self.root_color;
        let value = if own {
            self.draw_value
        } else {
            -self.draw_value
        };
        value - 1 + (self.nodes & 2) as i32
    }

    /// The score of the node at `ply` if the game ends or cannot be followed there.
    #[inline]
    pub(crate) fn terminal_score(&mut self, ply: usize) -> Option<i32> {
        match self.game.repetition_in_search(ply as u32) {
            Repetition::None => {}
            Repetition::Draw => return Some(self.draw_score()),
            Repetition::Win => return Some(mate_in(ply)),
            Repetition::Lose => return Some(mated_in(ply)),
            Repetition::Superior => return Some(MAX_EVAL),
            Repetition::Inferior => return Some(-MAX_EVAL),
        }
        let limit = self.options.max_moves_to_draw;
        if limit > 0 && self.game.position().ply() > limit {
            // A mate on the last move counts.
            let mated = self.game.position().is_mated();
            return Some(if mated {
                mated_in(ply)
            } else {
                self.draw_score()
            });
        }
        if self.can_declare() {
            return Some(mate_in(ply + 1));
        }
        if ply >= MAX_PLY as usize {
            return Some(self.evaluate());
        }
        None
    }

    /// Whether the side to move can declare a win.
    #[inline]
    fn can_declare(&self) -> bool {
        let rule = self.options.entering_king_rule;
        let position = self.game.position();
        let us = position.side_to_move();
        rule != EnteringKingRule::NoEnteringKing
            && position
                .king(us)
                .is_some_and(|king| king.is_promotion_zone(us))
            && position.declaration(rule).is_some()
    }

    /// The move of a table entry, if it can be played here.
    #[inline]
    pub(crate) fn tt_move(&self, entry: Option<&TtEntry>) -> Option<Move> {
        let position = self.game.position();
        let m = position.move_from_16(entry?.code)?;
        position.is_legal(m).then_some(m)
    }

    /// Whether the side to move has a legal move that the search considers.
    pub(crate) fn root_moves(&self) -> Vec<Move> {
        let position = self.game.position();
        if self.options.generate_all_legal_moves {
            position.moves::<LegalAll>().to_vec()
        } else {
            position.moves::<Legal>().to_vec()
        }
    }
}

/// Whether a table score of kind `bound` decides a node with the window's lower end `alpha` and
/// upper end `beta`.
#[inline]
pub(crate) fn decides(bound: Option<Bound>, score: i32, alpha: i32, beta: i32) -> bool {
    match bound {
        Some(Bound::Exact) => true,
        Some(Bound::Lower) => score >= beta,
        Some(Bound::Upper) => score <= alpha,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mate_scores_survive_the_table() {
        for score in [mate_in(9), mated_in(12), 0, 500, MAX_EVAL, -MAX_EVAL] {
            for ply in [0, 3, 9] {
                assert_eq!(score_from_tt(score_to_tt(score, ply), ply), score);
            }
        }
        // Mate nine plies from the root, found five plies below it, is mate in four there.
        assert_eq!(score_to_tt(mate_in(9), 5), mate_in(4));
        assert_eq!(score_to_tt(mated_in(9), 5), mated_in(4));
    }
}
