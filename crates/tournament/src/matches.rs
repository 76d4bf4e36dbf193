//! Matches: who meets whom in which order, playing, and resuming from the log.

use std::collections::HashSet;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;

use farm::RunControl;
use farm::queue::Queue;

use crate::engine::{EngineSpec, labels};
use crate::error::{Result, TournamentError};
use crate::game::{Conditions, PlayedGame};
use crate::log::{GameLog, LogHeader, LoggedEngine, LoggedGame};
use crate::parts::{PartDesign, PartScores};
use crate::player::MoveLimit;
use crate::queue;
use crate::rotation::RoundRotation;
use crate::rules::{GameName, Openings, RuleBook};
use crate::score::MatchScore;
use crate::sprt::Sprt;
use crate::standings::Standings;
use crate::tasks::{GameTask, TaskSource, Team, play_here};

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Two engines.
    Match,
    /// The first against each of the others.
    Gauntlet,
    /// Everybody against everybody.
    RoundRobin,
}

impl Pairing {
    /// The pairs of so many engines.
    pub fn pairs(self, engines: usize) -> Vec<[usize; 2]> {
        match self {
            Self::Match => vec![[0, 1]],
            Self::Gauntlet => (1..engines).map(|other| [0, other]).collect(),
            Self::RoundRobin => (0..engines)
                .flat_map(|one| (one + 1..engines).map(move |other| [one, other]))
                .collect(),
        }
    }
}

impl fmt::Display for Pairing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Match => "match",
            Self::Gauntlet => "gauntlet",
            Self::RoundRobin => "round robin",
        })
    }
}

/// A match, a gauntlet or a round robin.
#[derive(Clone, Debug)]
pub struct MatchPlan {
    /// The game that is played.
    pub game: GameName,
    /// Who meets whom.
    pub pairing: Pairing,
    /// The engines.
    pub engines: Vec<EngineSpec>,
    /// Options, names and values, that the engines get before every game beside those of their description; none where
    /// there is no entry.
    pub extra_options: Vec<Vec<(String, String)>>,
    /// Number of games in all. Every opening is played twice with colours exchanged by each pair of engines.
    pub games: u64,
    /// The limit of moves, before the scale of an engine.
    pub limit: MoveLimit,
    /// What rounds take in turn.
    pub rotation: RoundRotation,
    /// The parts that are compared in a match of an engine against itself: who has which.
    pub parts: PartDesign,
    /// The openings.
    pub openings: Openings,
    /// The openings in words, for the log.
    pub openings_text: String,
    /// What all games have in common.
    pub conditions: Conditions,
    /// The test that ends a match of two early; with parts, when it has decided about each of them.
    pub sprt: Option<Sprt>,
}

impl MatchPlan {
    /// The game with the given number, counted from 0. Games 2n and 2n + 1 are a pair; every pair of engines plays one of
    /// a round before the next round begins with another opening.
    pub fn task(&self, number: u64, rules: &dyn RuleBook) -> GameTask {
        let pairs = self.pairing.pairs(self.engines.len());
        let mut players = pairs[((number / 2) % pairs.len() as u64) as usize];
        let round = self.round(number);
        if !number.is_multiple_of(2) {
            players.reverse();
        }
        let factor = self.rotation.factor(round);
        GameTask {
            number,
            players,
            opening: self.openings.get(round, rules),
            limits: players.map(|player| self.limit.scaled(self.engines[player].scale * factor)),
            options: players.map(|player| {
                let parts = self.parts.options(round, player);
                [self.rotation.options(round), self.extra(player), &parts].concat()
            }),
        }
    }

    /// The round of a game, from 0.
    fn round(&self, number: u64) -> usize {
        let pairs = self.pairing.pairs(self.engines.len()).len();
        (number / 2) as usize / pairs
    }

    fn extra(&self, player: usize) -> &[(String, String)] {
        self.extra_options.get(player).map_or(&[], Vec::as_slice)
    }

    /// What the log has of the match.
    ///
    /// # Errors
    /// When two engines have the same name.
    pub fn header(&self) -> Result<LogHeader> {
        let mut engines = self.engines.clone();
        for (player, engine) in engines.iter_mut().enumerate() {
            engine.options.extend_from_slice(self.extra(player));
        }
        let names = labels(&engines)?;
        let engines = names.iter().zip(&engines);
        Ok(LogHeader {
            game: self.game,
            pairing: self.pairing.to_string(),
            engines: engines
                .map(|(name, spec)| LoggedEngine::new(name, spec))
                .collect(),
            limit: format!("{}{}{}", self.limit, self.rotation, self.parts),
            margin_ms: self.conditions.margin.as_millis() as u64,
            openings: self.openings_text.clone(),
            max_plies: self.conditions.max_plies,
            adjudication: self.conditions.adjudication.to_string(),
        })
    }

    /// The queue at the server `url` by which machines share the games. Their engines may be in different places: names
    /// and options count.
    ///
    /// # Errors
    /// When two engines have the same name.
    pub fn queue(&self, url: &str) -> Result<Queue> {
        let mut header = self.header()?;
        for (engine, spec) in header.engines.iter_mut().zip(&self.engines) {
            engine.program.clear();
            if spec.name.is_none() {
                engine.name.clear();
            }
        }
        let games = self.games;
        Ok(Queue::new(url, &format!("tournament {games} {header:?}")))
    }

    /// Checks that the plan can be played.
    ///
    /// # Errors
    /// Names what is wrong.
    pub fn check(&self) -> Result<()> {
        let wrong = |text: &str| Err(TournamentError::Settings(text.to_owned()));
        match (self.pairing, self.engines.len()) {
            (Pairing::Match, count) if count != 2 => wrong("a match has two engines"),
            (Pairing::Gauntlet | Pairing::RoundRobin, _) if self.parts.has_parts() => {
                wrong("parts are compared in a match of two")
            }
            (_, 0 | 1) => wrong("at least two engines are needed"),
            (Pairing::Gauntlet | Pairing::RoundRobin, _) if self.sprt.is_some() => {
                wrong("a sequential test is for a match of two engines")
            }
            _ => Ok(()),
        }
    }
}

/// Where games are played.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// On this machine.
    Here {
        /// The engines.
        team: &'a Team,
        /// Number of games at the same time.
        workers: usize,
    },
    /// By the processes that work on a queue.
    Queue(&'a Queue),
}

/// An event of a match.
#[derive(Debug)]
#[non_exhaustive]
pub enum MatchEvent<'a> {
    /// The match begins or resumes with so many games of the log.
    Started {
        /// The standings of these games.
        standings: &'a Standings,
    },
    /// A game has ended.
    Game {
        /// The game.
        game: &'a LoggedGame,
        /// The standings with it.
        standings: &'a Standings,
        /// The scores by part with it.
        by_part: &'a PartScores,
    },
    /// An error of the queue, after which it tries again.
    TransientError(&'a str),
}

/// Called with every event of a match.
pub type MatchObserver<'o> = dyn Fn(&MatchEvent<'_>) + 'o;

/// The result of a match.
#[derive(Clone, Debug)]
pub struct MatchResult {
    /// The standings of all games, those of the log included.
    pub standings: Standings,
    /// Those of the rounds with each set of options that rounds take in turn, in the order of the plan.
    pub by_options: Vec<Standings>,
    /// The scores of the player with a part against the one without, in the order of the plan's parts.
    pub by_part: Vec<MatchScore>,
    /// True if all games were played or the test has ended.
    pub is_complete: bool,
}

/// Plays a match. With a log the games are written to it as they end, and a match that was interrupted resumes there.
///
/// # Errors
/// When the plan makes no match, or the log belongs to another one or cannot be written.
pub fn play_match(
    plan: &MatchPlan,
    rules: &dyn RuleBook,
    log: Option<&Path>,
    place: Place<'_>,
    control: &RunControl,
    observer: &MatchObserver<'_>,
) -> Result<MatchResult> {
    plan.check()?;
    let header = plan.header()?;
    let (log, finished) = match log {
        Some(path) => GameLog::open(path, &header)?,
        None => (GameLog::none(), Vec::new()),
    };
    let standings = Standings::new(plan.engines.len());
    let mut run = MatchRun {
        plan,
        rules,
        log,
        done: finished.iter().map(|game| game.number).collect(),
        by_options: vec![standings.clone(); plan.rotation.options.len()],
        by_part: PartScores::new(&plan.parts),
        standings,
        last: None,
        next: 0,
    };
    for game in &finished {
        run.count(game);
    }
    observer(&MatchEvent::Started {
        standings: &run.standings,
    });
    let run = Mutex::new(run);
    let mut after = |run: &MatchRun<'_>| {
        if let Some(game) = &run.last {
            observer(&MatchEvent::Game {
                game,
                standings: &run.standings,
                by_part: &run.by_part,
            });
        }
    };
    let is_complete = if crate::tasks::lock(&run).is_decided() {
        true
    } else {
        match place {
            Place::Here { team, workers } => play_here(&run, team, workers, control, &mut after)?,
            Place::Queue(queue) => {
                let on_error = |reason: &str| observer(&MatchEvent::TransientError(reason));
                queue::serve(&run, queue, usize::MAX, control, &mut after, &on_error)?
            }
        }
    };
    let run = run
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok(MatchResult {
        is_complete: is_complete || run.is_decided(),
        standings: run.standings,
        by_options: run.by_options,
        by_part: run.by_part.scores(),
    })
}

/// A match in progress.
struct MatchRun<'a> {
    plan: &'a MatchPlan,
    rules: &'a dyn RuleBook,
    log: GameLog,
    /// Numbers of finished games.
    done: HashSet<u64>,
    standings: Standings,
    by_options: Vec<Standings>,
    by_part: PartScores,
    /// The number of the next game.
    next: u64,
    /// The game that ended last.
    last: Option<LoggedGame>,
}

impl MatchRun<'_> {
    /// Counts a finished game.
    fn count(&mut self, game: &LoggedGame) {
        self.standings.add(game);
        let round = self.plan.round(game.number);
        if let Some(number) = self.plan.rotation.option_set(round) {
            self.by_options[number].add(game);
        }
        self.by_part.add(&self.plan.parts, round, game);
    }

    /// Returns whether the test has ended.
    fn is_decided(&self) -> bool {
        self.plan.sprt.is_some_and(|sprt| {
            let is_decided = |score: &MatchScore| sprt.decision(&score.pairs).is_some();
            if self.plan.parts.has_parts() {
                self.by_part.scores().iter().all(is_decided)
            } else {
                is_decided(&self.standings.first_score())
            }
        })
    }
}

impl TaskSource for MatchRun<'_> {
    fn next(&mut self) -> Option<GameTask> {
        while self.next < self.plan.games {
            let number = self.next;
            self.next += 1;
            if !self.done.contains(&number) {
                return Some(self.plan.task(number, self.rules));
            }
        }
        None
    }

    fn finished(&mut self, task: &GameTask, played: PlayedGame) -> Result<ControlFlow<()>> {
        let game = LoggedGame {
            number: task.number,
            players: task.players,
            played,
        };
        self.log.append(&game)?;
        self.count(&game);
        self.last = Some(game);
        Ok(if self.is_decided() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    fn given_up(&mut self, task: &GameTask) -> Result<()> {
        Err(TournamentError::Settings(format!(
            "no machine can play game {}: do all have the same version?",
            task.number
        )))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::ShogiRules;
    use crate::adjudication::MatchAdjudication;

    fn plan(pairing: Pairing, engines: &[&str]) -> MatchPlan {
        MatchPlan {
            game: GameName::Shogi,
            pairing,
            engines: engines.iter().map(|text| text.parse().unwrap()).collect(),
            extra_options: Vec::new(),
            games: 12,
            limit: MoveLimit::Nodes(100),
            rotation: RoundRotation::default(),
            parts: PartDesign::default(),
            openings: Openings::Listed(vec!["startpos".into(), "startpos moves 7g7f".into()]),
            openings_text: String::new(),
            conditions: Conditions {
                margin: Duration::ZERO,
                hang: Duration::from_secs(1),
                max_plies: 100,
                adjudication: MatchAdjudication::default(),
            },
            sprt: None,
        }
    }

    #[test]
    fn everybody_meets_everybody_with_both_colours() {
        let plan = plan(Pairing::RoundRobin, &["a", "b", "c"]);
        let tasks: Vec<_> = (0..12)
            .map(|number| plan.task(number, &ShogiRules))
            .collect();
        let players: Vec<_> = tasks.iter().map(|task| task.players).collect();
        let round = [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]];
        assert_eq!(players, [round, round].concat());
        assert!(tasks[..6].iter().all(|task| task.opening == "startpos"));
        assert!(tasks[6..].iter().all(|task| task.opening.ends_with("7g7f")));
        assert_eq!(Pairing::Gauntlet.pairs(3), [[0, 1], [0, 2]]);
    }

    #[test]
    fn engines_and_rounds_have_factors() {
        let mut plan = plan(Pairing::Match, &["a,scale=2", "b"]);
        plan.rotation.multipliers = vec![1.0, 3.0];
        let limits = |number| plan.task(number, &ShogiRules).limits;
        let nodes = |black, white| [MoveLimit::Nodes(black), MoveLimit::Nodes(white)];
        assert_eq!(limits(0), nodes(200, 100));
        assert_eq!(limits(1), nodes(100, 200));
        assert_eq!(limits(2), nodes(600, 300));
    }

    #[test]
    fn rounds_have_options_in_turn() {
        let mut plan = plan(Pairing::Gauntlet, &["a", "b", "c"]);
        plan.rotation.options = ["EvalDir=x", "EvalDir=y"]
            .map(|it| it.parse().unwrap())
            .into();
        plan.extra_options = vec![vec![("Tuned".into(), "7".into())]];
        let values = |number| {
            let task = plan.task(number, &ShogiRules);
            let texts = |options: &[(String, String)]| {
                options
                    .iter()
                    .map(|(_, value)| value.clone())
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            (task.players, task.options.map(|options| texts(&options)))
        };
        // Two pairs of engines and two colours make a round of four games.
        assert_eq!(values(3), ([2, 0], ["x".into(), "x 7".into()]));
        assert_eq!(values(4), ([0, 1], ["y 7".into(), "y".into()]));
        assert_eq!(values(8), ([0, 1], ["x 7".into(), "x".into()]));
        let limit = plan.header().unwrap().limit;
        assert_eq!(limit, "100 nodes a move, in turn EvalDir=x EvalDir=y");
    }

    #[test]
    fn plans_that_cannot_be_played_are_refused() {
        assert!(plan(Pairing::Match, &["a", "b", "c"]).check().is_err());
        assert!(plan(Pairing::Gauntlet, &["a"]).check().is_err());
        assert!(plan(Pairing::Gauntlet, &["a", "b", "c"]).check().is_ok());
        let mut tested = plan(Pairing::Gauntlet, &["a", "b", "c"]);
        tested.sprt = Some(Sprt::new(0.0, 5.0, 0.05, 0.05).unwrap());
        assert!(tested.check().is_err());
    }

    #[test]
    fn queues_are_of_engines_and_settings_not_of_places() {
        let id = |engines: &[&str]| {
            let plan = plan(Pairing::Match, engines);
            plan.queue("nats://x").unwrap().id().to_owned()
        };
        assert_eq!(id(&["a", "b"]), id(&["/elsewhere/a", "/other/b"]));
        assert_ne!(id(&["a", "b"]), id(&["a,X=1", "b"]));
        assert_ne!(id(&["a,name=new", "b"]), id(&["a,name=old", "b"]));
    }
}
