//! A game while it is played.

use std::sync::Arc;

use farm::WorkError;
use pack_format::hcpe3::{Ending, Flags, Hcpe3Builder, Hcpe3Candidate};
use pack_format::pack::GameBuilder;
use pack_format::{EndReason, TeacherScore};
use shogi_core::{Declaration, EnteringKingRule, Game, Move, Position};
use shogi_engine::{Decision, ThinkError, ThinkLimits, Thought, ThoughtLine, teacher_score};
use shogi_farm::{WorkerContext, work_error};
use shogi_usi::Score;

use crate::GameFormat;
use crate::game::adjudication::{Adjudicator, Repetitions};
use crate::game::rules::{GameRules, Random, Verdict};
use crate::game::scores::{counted, sample, visits};
use crate::report::Outline;
use crate::settings::NO_VISITS;

/// A ply that was played.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlayedPly {
    /// The move.
    pub(crate) mv: Move,
    /// The score of the position before it, by its player.
    pub(crate) score: TeacherScore,
    /// The candidates of the position; empty in a pack.
    pub(crate) candidates: Vec<Hcpe3Candidate>,
}

/// A game that was played to its end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Played {
    /// Start of the game, after the random moves.
    pub(crate) start: Position,
    /// Plies of the game.
    pub(crate) plies: Vec<PlayedPly>,
    /// The end of the game.
    pub(crate) verdict: Verdict,
    /// The protocol violation by which an engine lost.
    pub(crate) violation: Option<String>,
}

/// A game being played.
pub(super) struct Play<'a> {
    pub(super) game: Game,
    pub(super) repetitions: Repetitions,
    pub(super) rules: &'a GameRules,
    pub(super) plies: Vec<PlayedPly>,
    pub(super) violation: Option<String>,
}

impl<'a> Play<'a> {
    pub(super) fn new(game: Game, rules: &'a GameRules) -> Self {
        Self {
            repetitions: Repetitions::of(&game),
            game,
            rules,
            plies: Vec::new(),
            violation: None,
        }
    }

    pub(super) fn make(&mut self, m: Move) {
        self.game.play_unchecked(m);
        self.repetitions.push(&self.game);
    }

    /// The verdict if the game is at its end before an engine is asked.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        let position = self.game.position();
        let us = position.side_to_move();
        if let Some(verdict) = self.repetitions.verdict(us) {
            return Some(verdict);
        }
        if position.has_no_legal_move() {
            return Some(Verdict::loss(us, EndReason::RESIGN));
        }
        (position.ply() > self.rules.max_game_ply).then_some(Verdict::draw(EndReason::MAX_MOVES))
    }

    /// Requests a move from the engine and plays it. Returns the verdict if the game ends.
    pub(super) fn ply(
        &mut self,
        context: &mut WorkerContext<'_>,
        adjudicator: &mut Adjudicator,
        random: &mut Random,
    ) -> Result<Option<Verdict>, WorkError> {
        let us = self.game.position().side_to_move();
        let limits = ThinkLimits {
            nodes: Some(self.rules.nodes(random)),
            lines: self.rules.format.lines(),
            stop: Some(Arc::clone(context.stop.flag())),
            line_moves: Some(self.rules.format.line_moves()),
            ..ThinkLimits::default()
        };
        let thought = context.engine.think(&self.game, &limits);
        if context.stop.is_timed_out() {
            self.violation = Some("no answer in time".to_owned());
            return Ok(Some(Verdict::loss(us, EndReason::TIME_UP)));
        }
        if context.stop.is_set() {
            return Err(WorkError::Stopped);
        }
        let thought = match thought {
            Ok(thought) => thought,
            Err(ThinkError::IllegalAnswer { answer, .. }) => {
                self.violation = Some(answer);
                return Ok(Some(Verdict::loss(us, EndReason::ILLEGAL_MOVE)));
            }
            Err(error) => return Err(work_error(&error)),
        };
        let best = match thought.decision {
            Decision::Resign => return Ok(Some(Verdict::loss(us, EndReason::RESIGN))),
            Decision::DeclareWin => return Ok(Some(self.declared())),
            Decision::Play { best, .. } => best,
        };
        let Some(line) = thought.lines.first() else {
            let engine = context.engine.name();
            return Err(WorkError::Failed(format!(
                "{engine} reported no score with the move {best}; does it play from a book?"
            )));
        };
        let score = teacher_score(line.score);
        let ply = self.game.position().ply();
        if let Some(verdict) = adjudicator.verdict(us, score, ply) {
            return Ok(Some(verdict));
        }
        let chosen = self.choose(&thought, best, random, context)?;
        let has_tried = self.tries(chosen);
        let (candidates, resigns) = self.candidates(&thought, chosen);
        self.plies.push(PlayedPly {
            mv: chosen,
            score,
            candidates,
        });
        self.make(chosen);
        Ok(if has_tried {
            Some(Verdict::win(us, EndReason::WIN_TRY))
        } else {
            resigns.then_some(Verdict::loss(us, EndReason::RESIGN))
        })
    }

    /// The move to play: the best one, or one at random by visits where the rules say so.
    pub(super) fn choose(
        &self,
        thought: &Thought,
        best: Move,
        random: &mut Random,
        context: &WorkerContext<'_>,
    ) -> Result<Move, WorkError> {
        let Some(rule) = self.rules.visits else {
            return Ok(best);
        };
        let made = self.plies.len() as u32;
        let is_mate = |line: &ThoughtLine| !matches!(line.score, Score::Cp(_));
        if made >= rule.plies || thought.lines.first().is_some_and(is_mate) {
            return Ok(best);
        }
        if thought.visits.is_empty() {
            let engine = context.engine.name();
            return Err(WorkError::Failed(format!("{engine}: {NO_VISITS}")));
        }
        Ok(sample(&thought.visits, &rule, made / 2, random))
    }

    /// True if `best` wins by the try rule.
    pub(super) fn tries(&self, best: Move) -> bool {
        let rule = self.rules.entering_king_rule;
        rule == EnteringKingRule::TryRule
            && self.game.position().declaration(rule) == Some(Declaration::Try(best))
    }

    /// The candidates of a record, and whether its player resigns after it.
    pub(super) fn candidates(&self, thought: &Thought, best: Move) -> (Vec<Hcpe3Candidate>, bool) {
        let GameFormat::Hcpe3(settings) = &self.rules.format else {
            return (Vec::new(), false);
        };
        let resigns = thought.lines.first().is_some_and(|line| {
            let limit = settings.resign_eval;
            limit.is_some_and(|limit| teacher_score(line.score).0 <= -limit)
        });
        let candidates = if thought.visits.is_empty() {
            visits(&thought.lines, best, settings)
        } else {
            counted(thought, best)
        };
        (candidates, resigns)
    }

    /// The verdict of a declaration by the side to move.
    pub(super) fn declared(&mut self) -> Verdict {
        let position = self.game.position();
        let us = position.side_to_move();
        let rule = self.rules.entering_king_rule;
        let by_24 = matches!(
            rule,
            EnteringKingRule::CsaRule24 | EnteringKingRule::CsaRule24H
        );
        if position.declaration(rule) == Some(Declaration::Win) {
            let reason = if by_24 {
                EndReason::WIN_CSA24
            } else {
                EndReason::WIN_CSA27
            };
            return Verdict::win(us, reason);
        }
        let points = position.declaration_points();
        if by_24 && points.is_some_and(|points| points >= 24) {
            return Verdict::draw(EndReason::DRAW_CSA24);
        }
        self.violation = Some("win".to_owned());
        Verdict::loss(us, EndReason::ILLEGAL_MOVE)
    }
}

impl Played {
    /// The game's bytes in a file.
    ///
    /// # Panics
    /// Never: every move was checked before it was played, and starts before they were used.
    pub(crate) fn encode(&self, format: &GameFormat) -> Vec<u8> {
        let mut bytes = Vec::new();
        match format {
            GameFormat::Pack => {
                let mut game =
                    GameBuilder::new(self.start.clone()).expect("a start that was checked");
                for ply in &self.plies {
                    game.play(ply.mv, ply.score).expect("a legal move");
                }
                let game = game.finish(self.verdict.result, self.verdict.reason);
                game.expect("a reason that goes with the result")
                    .write_to(&mut bytes);
            }
            GameFormat::Hcpe3(_) => {
                let mut game =
                    Hcpe3Builder::new(self.start.clone()).expect("a start that was checked");
                for ply in &self.plies {
                    let played = game.play(ply.mv, ply.score, &ply.candidates);
                    played.expect("a legal move");
                }
                game.finish(self.ending(), 0).write_to(&mut bytes);
            }
        }
        bytes
    }

    pub(super) fn ending(&self) -> Ending {
        let Verdict { result, reason } = self.verdict;
        let flags = match reason {
            EndReason::REPETITION | EndReason::PERPETUAL_CHECK => Flags::REPETITION,
            EndReason::MAX_MOVES => Flags::MAX_MOVES,
            EndReason::WIN_CSA24
            | EndReason::WIN_CSA27
            | EndReason::WIN_TRY
            | EndReason::DRAW_CSA24 => Flags::DECLARATION,
            _ => Flags::NONE,
        };
        Ending { result, flags }
    }

    /// The game in a few words.
    pub(crate) fn outline(&self) -> Outline {
        Outline {
            plies: self.plies.len() as u32,
            result: self.verdict.result,
            reason: self.verdict.reason,
        }
    }
}
