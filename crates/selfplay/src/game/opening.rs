//! Openings of games: random moves, and the filter of the positions that they lead to.

use std::sync::Arc;

use farm::WorkError;
use shogi_core::movegen::Legal;
use shogi_core::{Game, Move};
use shogi_engine::{Decision, ThinkLimits, Thought, teacher_score};
use shogi_farm::WorkerContext;
use yane_base::random::RngExt;

use super::{GameRules, Play, Random};
use crate::settings::{MultiPvSampling, StartFilter};

/// The attempts for a start position, after which the settings count as hopeless.
const ATTEMPTS: u64 = 100;

/// Plays the opening of a game: the start of attempt 0, then its random moves; with a filter, further attempts until
/// the position is balanced.
///
/// # Errors
/// When the engine fails, the run ends, or no attempt gives a balanced position.
pub(crate) fn opening<'a>(
    start: &dyn Fn(u64) -> Game,
    rules: &'a GameRules,
    random: &mut Random,
    context: &mut WorkerContext<'_>,
) -> Result<Play<'a>, WorkError> {
    for attempt in 0..ATTEMPTS {
        let mut play = Play::new(start(attempt), rules);
        play.random_moves(random, context)?;
        let Some(filter) = &rules.start_filter else {
            return Ok(play);
        };
        if play.is_balanced(filter, context)? {
            return Ok(play);
        }
    }
    Err(WorkError::Failed(format!(
        "{ATTEMPTS} start positions in a row were not balanced (START_MAX_SCORE)"
    )))
}

impl Play<'_> {
    /// Plays moves at random, none of which ends the game.
    fn random_moves(
        &mut self,
        random: &mut Random,
        context: &mut WorkerContext<'_>,
    ) -> Result<(), WorkError> {
        let (least, most) = self.rules.random_plies.clone().into_inner();
        let plies = if least < most {
            random.random_range(least..=most)
        } else {
            most
        };
        for _ in 0..plies {
            let moves = match &self.rules.multi_pv {
                None => self
                    .game
                    .position()
                    .moves::<Legal>()
                    .iter()
                    .copied()
                    .collect(),
                Some(sampling) => self.good_moves(sampling, context)?,
            };
            if moves.is_empty() {
                break;
            }
            let m = moves[random.random_range(0..moves.len())];
            self.make(m);
            if self.verdict().is_some() {
                self.game.undo();
                self.repetitions = super::adjudication::Repetitions::of(&self.game);
                break;
            }
        }
        Ok(())
    }

    /// The moves that are nearly as good as the best by a search with several lines; none when the engine plays none.
    fn good_moves(
        &self,
        sampling: &MultiPvSampling,
        context: &mut WorkerContext<'_>,
    ) -> Result<Vec<Move>, WorkError> {
        let thought = self.search(sampling.nodes, sampling.lines, context)?;
        if !matches!(thought.decision, Decision::Play { .. }) {
            return Ok(Vec::new());
        }
        let score = |index: usize| i32::from(teacher_score(thought.lines[index].score).0);
        let best = (0..thought.lines.len()).map(score).max().unwrap_or(0);
        let mut good = Vec::new();
        for (index, line) in thought.lines.iter().enumerate() {
            if let Some(&first) = line.pv.first()
                && best - score(index) <= sampling.spread
                && !good.contains(&first)
            {
                good.push(first);
            }
        }
        Ok(good)
    }

    /// Returns whether neither side is ahead, by a search; false at the end of a game.
    fn is_balanced(
        &self,
        filter: &StartFilter,
        context: &mut WorkerContext<'_>,
    ) -> Result<bool, WorkError> {
        if self.verdict().is_some() {
            return Ok(false);
        }
        let thought = self.search(filter.nodes, 1, context)?;
        let score = thought
            .lines
            .first()
            .map(|line| teacher_score(line.score).0);
        Ok(matches!(thought.decision, Decision::Play { .. })
            && score.is_some_and(|score| score.unsigned_abs() <= filter.max_score.unsigned_abs()))
    }

    fn search(
        &self,
        nodes: u64,
        lines: usize,
        context: &mut WorkerContext<'_>,
    ) -> Result<Thought, WorkError> {
        let limits = ThinkLimits {
            nodes: Some(nodes),
            lines,
            stop: Some(Arc::clone(context.stop.flag())),
            line_moves: Some(1),
            ..ThinkLimits::default()
        };
        context.think(&self.game, &limits)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;
    use std::time::Duration;

    use farm::Stop;
    use shogi_engine::{ThinkError, Thinker, ThoughtLine};
    use shogi_usi::Score;
    use yane_base::random::stream;

    use super::*;
    use crate::SelfplaySettings;

    /// An engine that scores positions by the number of pieces on the board, and moves in the order of generation.
    struct Counter {
        thoughts: u32,
    }

    impl Thinker for Counter {
        fn name(&self) -> &'static str {
            "counter"
        }

        fn new_game(&mut self) -> Result<(), ThinkError> {
            Ok(())
        }

        fn next_game(&mut self) -> Result<(), ThinkError> {
            Ok(())
        }

        fn think(&mut self, game: &Game, limits: &ThinkLimits) -> Result<Thought, ThinkError> {
            self.thoughts += 1;
            let moves = game.position().moves::<Legal>();
            // The n-th line is 50 n centipawns worse; the position is worth 100 for each ply.
            let value = 100 * game.position().ply() as i32 - 100;
            let lines = moves.iter().take(limits.lines).enumerate();
            let lines = lines.map(|(n, &m)| ThoughtLine {
                depth: 1,
                sel_depth: 1,
                score: Score::Cp(value - 50 * n as i32),
                bound: None,
                pv: vec![m],
                end: None,
            });
            let lines: Vec<_> = lines.collect();
            Ok(Thought {
                decision: Decision::Play {
                    best: moves[0],
                    ponder: None,
                },
                lines,
                visits: Vec::new(),
                nodes: 1,
                elapsed: Duration::ZERO,
            })
        }
    }

    fn rules(change: impl FnOnce(&mut GameRules)) -> GameRules {
        let mut rules = GameRules::from(&SelfplaySettings::default());
        change(&mut rules);
        rules
    }

    /// The moves of the opening, and the number of searches.
    fn open(rules: &GameRules, seed: u64) -> (Result<Vec<Move>, WorkError>, u32) {
        let mut engine = Counter { thoughts: 0 };
        let mut context = WorkerContext {
            engine: &mut engine,
            stop: &Stop::default(),
        };
        let mut random = stream(seed);
        let start = |_: u64| Game::new(shogi_core::Position::startpos());
        let play = opening(&start, rules, &mut random, &mut context);
        let moves = play.map(|play| play.game.moves().collect());
        (moves, engine.thoughts)
    }

    #[test]
    fn random_moves_need_no_engine() {
        let rules = rules(|rules| rules.random_plies = 6..=6);
        let (moves, thoughts) = open(&rules, 1);
        assert_eq!((moves.unwrap().len(), thoughts), (6, 0));
        assert_ne!(open(&rules, 1).0.unwrap(), open(&rules, 2).0.unwrap());
    }

    #[test]
    fn moves_are_sampled_among_the_best_lines() {
        let rules = rules(|rules| {
            rules.random_plies = 1..=1;
            rules.multi_pv = Some(MultiPvSampling {
                lines: 8,
                spread: 100,
                nodes: 10,
            });
        });
        let first = Game::new(shogi_core::Position::startpos());
        let legal = first.position().moves::<Legal>();
        let mut seen: Vec<Move> = (0..40)
            .map(|seed| open(&rules, seed).0.unwrap()[0])
            .collect();
        seen.sort_by_key(|m| legal.iter().position(|other| other == m));
        seen.dedup();
        assert_eq!(seen, legal[..3]);
    }

    #[test]
    fn unbalanced_openings_are_tried_again() {
        let filter = Some(StartFilter {
            max_score: 300,
            nodes: 10,
        });
        // Of 1 to 10 plies up to 3 are balanced.
        let some = rules(|rules| {
            rules.random_plies = 1..=10;
            rules.start_filter = filter;
        });
        let mut thoughts = 0;
        for seed in 0..20 {
            let (moves, searches) = open(&some, seed);
            assert!((1..=3).contains(&moves.unwrap().len()));
            thoughts += searches;
        }
        assert!(thoughts > 20);
        let none = rules(|rules| {
            rules.random_plies = 8..=8;
            rules.start_filter = filter;
        });
        let (error, searches) = open(&none, 1);
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains("not balanced") && u64::from(searches) == ATTEMPTS,
            "{error}"
        );
    }

    #[test]
    fn searches_vary_by_the_jitter() {
        let fixed = rules(|rules| rules.nodes = 1000);
        let varied = rules(|rules| {
            rules.nodes = 1000;
            rules.nodes_jitter = 0.2;
        });
        let mut random = stream(1);
        let nodes: Vec<u64> = (0..100).map(|_| varied.nodes(&mut random)).collect();
        assert!(nodes.iter().all(|nodes| (800..=1200).contains(nodes)));
        assert!(nodes.iter().any(|&nodes| nodes < 900) && nodes.iter().any(|&nodes| nodes > 1100));
        // Without jitter no random number is drawn: the games of older runs stay.
        let mut other = random.clone();
        assert_eq!(fixed.nodes(&mut random), 1000);
        assert_eq!(random.random::<u64>(), other.random::<u64>());
    }

    #[test]
    fn mates_are_not_balanced() {
        assert!(
            teacher_score(Score::Mate(NonZero::new(3).unwrap()))
                .0
                .unsigned_abs()
                > 30_000
        );
    }
}
