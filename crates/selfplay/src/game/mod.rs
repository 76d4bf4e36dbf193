//! One game. Engines say what they play; when and how it ends is judged here.

mod adjudication;
mod repetition;
mod verdict;
mod visits;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use farm::Desk;
use pack_format::hcpe3::{Candidate, Ending, Flags, Hcpe3Builder};
use pack_format::pack::GameBuilder;
use pack_format::{EndReason, GameResult, Score};
use rand::RngExt;
use shogi_core::movegen::Legal;
use shogi_core::{Declaration, EnteringKingRule, Game, Move, Position};
use shogi_engine::{Decision, ThinkError, ThinkLimits, Thought};
use thiserror::Error;

use crate::to_score;
use crate::{Adjudication, Format};
use adjudication::Judge;
use repetition::Repetitions;

pub use verdict::Verdict;
pub use visits::visits;

/// What chooses at random: always the same from the same seed.
pub type Random = rand::rngs::Xoshiro256PlusPlus;

/// The rules of a game.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Last ply that is played.
    pub max_game_ply: u32,
    /// Positions to search for each move.
    pub nodes: u64,
    /// Random moves at the beginning.
    pub random_plies: u32,
    /// When a win may be declared.
    pub entering_king_rule: EnteringKingRule,
    /// When a game is ended before its end.
    pub adjudication: Adjudication,
    /// What is recorded.
    pub format: Format,
    /// Whether the engine forgets everything before the game.
    pub forget: bool,
}

/// A ply that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// What its player thought of the position before it.
    pub score: Score,
    /// The moves that were looked at; empty in a pack.
    pub candidates: Vec<Candidate>,
}

/// A game that was played to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Where it starts, behind the random moves.
    pub start: Position,
    /// Its plies.
    pub plies: Vec<Ply>,
    /// How it ended.
    pub verdict: Verdict,
    /// The answer of an engine by which it lost, when that broke the rules.
    pub foul: Option<String>,
}

/// Why a game has no end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Unfinished {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] ThinkError),
    /// The engine told no score with its move, so there is nothing to record. A book may be in use.
    #[error("{engine} told no score with the move {mv}; does it play from a book?")]
    NoScore {
        /// The engine.
        engine: String,
        /// Its move.
        mv: Move,
    },
    /// The run is ending.
    #[error("the run is ending")]
    Stopped,
}

impl From<Unfinished> for farm::Unfinished {
    fn from(error: Unfinished) -> Self {
        match error {
            Unfinished::Stopped => Self::Stopped,
            other => Self::Failed(other.to_string()),
        }
    }
}

/// Plays a game from the end of `game`, whose moves count for repetitions.
///
/// # Errors
/// See [`Unfinished`]: nothing is recorded then.
pub fn play(
    game: Game,
    rules: &Rules,
    random: &mut Random,
    desk: &mut Desk<'_>,
) -> Result<Played, Unfinished> {
    let mut play = Play::new(game, rules);
    play.random_moves(random);
    let start = play.game.position().clone();
    let mut judge = Judge::new(&rules.adjudication, random);
    if rules.forget {
        desk.thinker.new_game()?;
    } else {
        desk.thinker.next_game()?;
    }
    let verdict = loop {
        if let Some(verdict) = play.verdict() {
            break verdict;
        }
        if let Some(verdict) = play.ply(desk, &mut judge)? {
            break verdict;
        }
    };
    Ok(Played {
        start,
        plies: play.plies,
        verdict,
        foul: play.foul,
    })
}

/// A game being played.
struct Play<'a> {
    game: Game,
    repetitions: Repetitions,
    rules: &'a Rules,
    plies: Vec<Ply>,
    foul: Option<String>,
}

impl<'a> Play<'a> {
    fn new(game: Game, rules: &'a Rules) -> Self {
        Self {
            repetitions: Repetitions::of(&game),
            game,
            rules,
            plies: Vec::new(),
            foul: None,
        }
    }

    fn make(&mut self, m: Move) {
        self.game.play(m);
        self.repetitions.note(&self.game);
    }

    /// Plays moves at random, none of which ends the game.
    fn random_moves(&mut self, random: &mut Random) {
        for _ in 0..self.rules.random_plies {
            let moves = self.game.position().moves::<Legal>();
            if moves.is_empty() {
                return;
            }
            let m = moves[random.random_range(0..moves.len())];
            self.make(m);
            if self.verdict().is_some() {
                self.game.undo();
                self.repetitions = Repetitions::of(&self.game);
                return;
            }
        }
    }

    /// Whether the game is at its end before anybody is asked.
    fn verdict(&self) -> Option<Verdict> {
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

    /// Asks for a move and plays it; how the game ends if it does.
    fn ply(
        &mut self,
        desk: &mut Desk<'_>,
        judge: &mut Judge,
    ) -> Result<Option<Verdict>, Unfinished> {
        let us = self.game.position().side_to_move();
        let limits = ThinkLimits {
            nodes: Some(self.rules.nodes),
            lines: self.rules.format.lines(),
            stop: Some(Arc::clone(desk.stop)),
            line_moves: Some(self.rules.format.line_moves()),
            ..ThinkLimits::default()
        };
        let thought = desk.thinker.think(&self.game, &limits);
        if desk.is_late.load(Ordering::Acquire) {
            self.foul = Some("no answer in time".to_owned());
            return Ok(Some(Verdict::loss(us, EndReason::TIME_UP)));
        }
        if desk.stop.load(Ordering::Acquire) {
            return Err(Unfinished::Stopped);
        }
        let thought = match thought {
            Ok(thought) => thought,
            Err(ThinkError::IllegalAnswer { answer, .. }) => {
                self.foul = Some(answer);
                return Ok(Some(Verdict::loss(us, EndReason::ILLEGAL_MOVE)));
            }
            Err(error) => return Err(error.into()),
        };
        let best = match thought.decision {
            Decision::Resign => return Ok(Some(Verdict::loss(us, EndReason::RESIGN))),
            Decision::DeclareWin => return Ok(Some(self.declared())),
            Decision::Play { best, .. } => best,
        };
        let Some(line) = thought.lines.first() else {
            let engine = desk.thinker.name().to_owned();
            return Err(Unfinished::NoScore { engine, mv: best });
        };
        let score = to_score(line.score);
        let ply = self.game.position().ply();
        if let Some(verdict) = judge.verdict(us, score, ply) {
            return Ok(Some(verdict));
        }
        let has_tried = self.tries(best);
        let (candidates, resigns) = self.candidates(&thought, best);
        self.plies.push(Ply {
            mv: best,
            score,
            candidates,
        });
        self.make(best);
        Ok(if has_tried {
            Some(Verdict::win(us, EndReason::WIN_TRY))
        } else {
            resigns.then_some(Verdict::loss(us, EndReason::RESIGN))
        })
    }

    /// Whether `best` wins by the try rule.
    fn tries(&self, best: Move) -> bool {
        let rule = self.rules.entering_king_rule;
        rule == EnteringKingRule::TryRule
            && self.game.position().declaration(rule) == Some(Declaration::Try(best))
    }

    /// The candidates of a record, and whether its player gives up behind it.
    fn candidates(&self, thought: &Thought, best: Move) -> (Vec<Candidate>, bool) {
        let Format::Hcpe3(settings) = &self.rules.format else {
            return (Vec::new(), false);
        };
        let resigns = thought.lines.first().is_some_and(|line| {
            let limit = settings.resign_eval;
            limit.is_some_and(|limit| to_score(line.score).0 <= -limit)
        });
        (visits(&thought.lines, best, settings), resigns)
    }

    /// What a declaration of the side to move comes to.
    fn declared(&mut self) -> Verdict {
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
        self.foul = Some("win".to_owned());
        Verdict::loss(us, EndReason::ILLEGAL_MOVE)
    }
}

impl Played {
    /// The game's bytes in a file.
    ///
    /// # Panics
    /// Never: every move was checked before it was played, and starts before they were used.
    pub fn encode(&self, format: &Format) -> Vec<u8> {
        let mut bytes = Vec::new();
        match format {
            Format::Pack => {
                let mut game =
                    GameBuilder::new(self.start.clone()).expect("a start that was checked");
                for ply in &self.plies {
                    game.play(ply.mv, ply.score).expect("a legal move");
                }
                let game = game.finish(self.verdict.result, self.verdict.reason);
                game.expect("a reason that goes with the result")
                    .write_to(&mut bytes);
            }
            Format::Hcpe3(_) => {
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

    fn ending(&self) -> Ending {
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

    /// Who won; `None` after a draw.
    pub const fn result(&self) -> GameResult {
        self.verdict.result
    }
}
