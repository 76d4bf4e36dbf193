//! The state of one searching thread, and the steps that every kind of node takes: making and
//! taking back moves, recognising the end of the game, scores that depend on the distance to the
//! root, the principal variation.

use shogi_core::{Color, Delta, EnteringKingRule, Game, Move, PieceChange, Position, Repetition};
use shogi_eval::Evaluator;

use crate::history::{CONTINUATION_PLIES, CONTINUATIONS, CorrectionHistory, Histories, PieceTo};
use crate::long_mate::LongMateSolver;
use crate::mate_probe::MateProbe;
use crate::movepicker::MoveStack;
use crate::params::Params;
use crate::reductions::Reductions;
use crate::score::MATE_IN_MAX_PLY;
use crate::score::{MAX_EVAL, NO_SCORE, PAWN, Score, mate_in, mated_in};
#[cfg(test)]
use crate::score::{score_from_tt, score_to_tt};
use crate::stack::{PvTable, StackEntry};
use crate::state::ThreadState;
use crate::stop::Stopper;
use crate::tt::{TranspositionTable, TtEntry};
use crate::{MAX_PLY, SearchOptions, SearchUnit, Value, history};

/// Stack entries before the root, so that "six plies back" always exists.
const STACK_BEFORE_ROOT: usize = 7;

/// Most moves on the stack of moves: a few pickers a ply.
const MOVE_STACK: usize = 3 * 600 * (MAX_PLY as usize + 2);

/// One searching thread.
pub(crate) struct Worker<'a, E: Evaluator + ?Sized> {
    pub(crate) game: Game,
    pub(crate) evaluator: &'a mut E,
    pub(crate) tt: &'a TranspositionTable,
    pub(crate) histories: &'a mut Histories,
    pub(crate) mate_probe: &'a mut Option<Box<dyn MateProbe>>,
    pub(crate) long_mates: &'a mut Option<Box<LongMateSolver>>,
    pub(crate) params: &'a Params,
    pub(crate) options: &'a SearchOptions,
    pub(crate) stopper: Stopper<'a>,
    pub(crate) nodes: u64,
    pub(crate) sel_depth: usize,
    pub(crate) root_depth: i32,
    pub(crate) pv: PvTable,
    pub(crate) move_stack: MoveStack,
    stack: Vec<StackEntry>,
    pub(crate) reductions: Reductions,
    /// Width of the window at the root.
    pub(crate) root_window: i32,
    /// No passes at plies before this one: a pass is being confirmed.
    pub(crate) no_null_before: usize,
    root_color: Color,
    /// Score of a draw for the side to move at the root.
    draw_value: Score,
    unit: SearchUnit,
}

impl<'a, E: Evaluator + ?Sized> Worker<'a, E> {
    pub(crate) fn new(
        game: &Game,
        evaluator: &'a mut E,
        tt: &'a TranspositionTable,
        thread: &'a mut ThreadState,
        params: &'a Params,
        options: &'a SearchOptions,
        stopper: Stopper<'a>,
    ) -> Self {
        evaluator.reset(game.position());
        let root_color = game.position().side_to_move();
        let draw_cp = options.draw_value_cp[root_color.index()];
        let mut stack = vec![StackEntry::EMPTY; MAX_PLY as usize + STACK_BEFORE_ROOT + 4];
        for (back, m) in game.moves().rev().take(STACK_BEFORE_ROOT).enumerate() {
            stack[STACK_BEFORE_ROOT - 1 - back].piece_to = history::piece_to(m);
        }
        Self {
            game: game.clone(),
            evaluator,
            tt,
            histories: &mut thread.histories,
            mate_probe: &mut thread.mate_probe,
            long_mates: &mut thread.long_mates,
            params,
            options,
            stopper,
            nodes: 0,
            sel_depth: 0,
            root_depth: 0,
            pv: PvTable::new(),
            move_stack: MoveStack::with_capacity(MOVE_STACK),
            stack,
            reductions: Reductions::new(params),
            root_window: 1,
            no_null_before: 0,
            root_color,
            draw_value: Score::of_eval(draw_cp * PAWN / 100),
            unit: SearchUnit::default(),
        }
    }

    /// The same worker, which counts in `unit`.
    pub(crate) fn in_unit(mut self, unit: SearchUnit) -> Self {
        self.draw_value = Score::new(unit.to_search(self.draw_value.get()));
        self.unit = unit;
        self
    }

    /// The stack entry (search stack, `ss`) of `ply`, to be changed.
    #[inline(always)]
    pub(crate) fn ss(&mut self, ply: usize) -> &mut StackEntry {
        &mut self.stack[ply + STACK_BEFORE_ROOT]
    }

    /// The stack entry `back` plies before `ply`, which may lie before the root.
    #[inline(always)]
    pub(crate) fn ss_back(&self, ply: usize, back: usize) -> &StackEntry {
        &self.stack[ply + STACK_BEFORE_ROOT - back]
    }

    /// The stack entry of `ply`.
    #[inline(always)]
    pub(crate) fn ss_at(&self, ply: usize) -> &StackEntry {
        self.ss_back(ply, 0)
    }

    /// Piece-tos of the moves [`CONTINUATION_PLIES`] before the node at `ply`.
    #[inline]
    pub(crate) fn continuation_piece_tos(&self, ply: usize) -> [PieceTo; CONTINUATIONS] {
        CONTINUATION_PLIES.map(|back| self.ss_back(ply, back).piece_to)
    }

    /// Piece-tos of the moves one, two and four plies before the node at `ply`.
    #[inline]
    pub(crate) fn last_piece_tos(&self, ply: usize) -> [PieceTo; 3] {
        [1, 2, 4].map(|back| self.ss_back(ply, back).piece_to)
    }

    /// Returns whether the side to move can repeat the position of three plies ago by taking its last move
    /// back, after the opponent has just done so.
    #[inline]
    pub(crate) fn upcoming_repetition(&self, ply: usize) -> bool {
        if ply < 4 {
            return false;
        }
        let [last, own, earlier] = [1, 2, 3].map(|back| self.ss_back(ply, back));
        if !(last.quiet && own.quiet && earlier.quiet) {
            return false;
        }
        let (Some(last_move), Some(own_move), Some(earlier_move)) =
            (last.current, own.current, earlier.current)
        else {
            return false;
        };
        let (Some(last_from), Some(own_from)) = (last_move.from(), own_move.from()) else {
            return false;
        };
        if last_from != earlier_move.to()
            || earlier_move.from() != Some(last_move.to())
            || last.in_check
            || own.in_check
        {
            return false;
        }
        let position = self.game.position();
        let back = Move::normal(own_move.to(), own_from, own_move.piece_after());
        !position.in_check() && position.is_legal(back)
    }

    /// `m` will probably be played: asks for the table's entry of the position after it. It takes longer to
    /// come than it takes to play the move.
    #[inline]
    pub(crate) fn prefetch(&self, m: Move) {
        self.tt.prefetch(self.game.position().key_after(m));
    }

    /// Plays `m`, which is [expected](Self::prefetch), from the node at `ply`.
    #[inline]
    pub(crate) fn play(&mut self, m: Move, ply: usize) {
        self.game.play_unchecked(m);
        let victim = self.game.last_captured().map(shogi_core::Piece::kind);
        let ss = self.ss(ply);
        ss.current = Some(m);
        ss.piece_to = history::piece_to(m);
        ss.victim = victim;
        ss.quiet = victim.is_none() && !m.is_promotion();
        let delta = self.last_delta(m);
        self.evaluator.push(Some(&delta));
        self.nodes += 1;
        self.stopper.count(self.nodes);
    }

    /// Returns what `m`, just played, changed.
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
        let ss = self.ss(ply);
        (ss.current, ss.piece_to, ss.quiet) = (None, 0, false);
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

    /// Works out the static evaluation of the root.
    pub(crate) fn set_root_static_eval(&mut self) {
        let in_check = self.game.position().in_check();
        let static_eval = if in_check {
            NO_SCORE
        } else {
            let index = CorrectionHistory::index(self.game.position(), self.last_piece_tos(0));
            let correction = self.histories.corrections.value(&index, self.params);
            Score::of_eval(self.evaluate() + correction)
        };
        let ss = self.ss(0);
        (ss.in_check, ss.static_eval, ss.tt_pv) = (in_check, static_eval, true);
    }

    /// The static evaluation of the current position, in the search's unit.
    #[inline]
    pub(crate) fn evaluate(&mut self) -> i32 {
        let value = self.evaluator.evaluate(self.game.position());
        Score::of_eval(self.unit.to_search(value)).get()
    }

    /// A score as the caller of the search sees it: in the evaluator's unit.
    pub(crate) fn shown(&self, score: Score) -> Value {
        Value(self.unit.to_evaluator(score.get()))
    }

    /// The score of a draw for the side to move. It changes by one with the number of positions
    /// visited, so that of several ways to a draw the search does not always walk the first.
    #[inline]
    pub(crate) fn draw_score(&self) -> Score {
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
    pub(crate) fn terminal_score(&mut self, ply: usize) -> Option<Score> {
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
            return Some(Score::of_eval(self.evaluate()));
        }
        None
    }

    /// Returns whether the side to move can declare a win.
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
}

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// The line to report for `pv`, which starts at the root: with `extend_lines` it goes on with moves
    /// of the transposition table.
    pub(crate) fn reported_line(&self, pv: &[Move]) -> Vec<Move> {
        if !self.options.extend_lines {
            return pv.to_vec();
        }
        extended(&self.game, pv, |position| {
            let m = position.move_from_16(self.tt.probe(position.key())?.code)?;
            position.is_legal(m).then_some(m)
        })
    }

    /// Adds the reply that the table knows to a line of one move, so that there is one to ponder on.
    pub(crate) fn add_reply(&mut self, line: &mut Vec<Move>) {
        if let [m] = line[..] {
            self.game.play_unchecked(m);
            let entry = self.tt.probe(self.game.position().key());
            line.extend(self.tt_move(entry.as_ref()));
            self.game.undo();
        }
    }
}

/// `pv` from the current position of `game` on, followed by the moves that `next` knows, as far as
/// nothing repeats.
fn extended(game: &Game, pv: &[Move], next: impl Fn(&Position) -> Option<Move>) -> Vec<Move> {
    let mut game = game.clone();
    let mut line = Vec::new();
    while line.len() < MAX_PLY as usize {
        if game.repetition_in_search(line.len() as u32) != Repetition::None && !line.is_empty() {
            break;
        }
        let known = pv.get(line.len()).copied();
        let Some(m) = known.or_else(|| next(game.position())) else {
            break;
        };
        game.play_unchecked(m);
        line.push(m);
    }
    line
}

impl<E: Evaluator + ?Sized> Worker<'_, E> {
    /// The first move and the score of a mate from the node at `ply`, if the probe finds one within
    /// `nodes` positions.
    pub(crate) fn probe_mate(&mut self, ply: usize, nodes: i32) -> Option<(Move, Score)> {
        let probe = self.mate_probe.as_deref_mut()?;
        if nodes <= 0 {
            return None;
        }
        let position = self.game.position();
        let (first, plies) = probe.probe(position, nodes as u32)?;
        debug_assert!(position.is_legal(first));
        let score = mate_in(ply + plies as usize);
        (score >= MATE_IN_MAX_PLY).then_some((first, score))
    }
}

#[cfg(test)]
mod tests {
    use shogi_core::{Piece, Square};

    use super::*;

    #[test]
    fn mate_scores_survive_the_table() {
        for score in [
            mate_in(9),
            mated_in(12),
            Score::ZERO,
            Score::new(500),
            MAX_EVAL,
            -MAX_EVAL,
        ] {
            for ply in [0, 3, 9] {
                assert_eq!(score_from_tt(score_to_tt(score, ply), ply), score);
            }
        }
        // Mate nine plies from the root, found five plies below it, is mate in four there.
        assert_eq!(score_to_tt(mate_in(9), 5), mate_in(4));
        assert_eq!(score_to_tt(mated_in(9), 5), mated_in(4));
    }

    #[test]
    fn lines_are_joined() {
        let a = Move::normal(Square::S7G, Square::S7F, Piece::BlackPawn);
        let b = Move::normal(Square::S3C, Square::S3D, Piece::WhitePawn);
        let mut table = PvTable::new();
        table.clear(2);
        table.set(1, b);
        table.set(0, a);
        assert_eq!(table.line(0).collect::<Vec<_>>(), [a, b]);
        table.clear(1);
        table.set(0, b);
        assert_eq!(table.line(0).collect::<Vec<_>>(), [b]);
    }

    /// The first of `moves` that is legal.
    fn first_legal(position: &Position, moves: &[&str]) -> Option<Move> {
        let mut moves = moves.iter();
        moves.find_map(|text| position.move_from_usi(text).ok())
    }

    #[test]
    fn a_line_goes_on_until_it_repeats() {
        let game = Game::new(Position::startpos());
        let pv = [game.position().move_from_usi("2h3h").unwrap()];
        let shuffle = ["8b7b", "3h2h", "7b8b", "2h3h"];
        let line = extended(&game, &pv, |position| first_legal(position, &shuffle));
        let text: Vec<_> = line.iter().map(ToString::to_string).collect();
        // The position after the first move is there again; the root itself may come back once.
        assert_eq!(text, ["2h3h", "8b7b", "3h2h", "7b8b", "2h3h"]);
    }

    #[test]
    fn a_line_ends_where_nothing_is_known() {
        let game = Game::new(Position::startpos());
        let pv = [game.position().move_from_usi("7g7f").unwrap()];
        assert_eq!(extended(&game, &pv, |_| None), pv);
        let line = extended(&game, &pv, |position| {
            first_legal(position, &["3c3d", "2g2f"])
        });
        assert_eq!(line.len(), 3);
    }
}
