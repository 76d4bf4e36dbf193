//! Matches: who meets whom in which order, playing, and resuming from the log.

use std::collections::HashSet;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;

use farm::RunControl;
use farm::queue::Queue;
use yane_io::RunIdentity;

use crate::contents::RunContents;
use crate::engine::{EngineSpec, labels};
use crate::error::{Result, TournamentError};
use crate::event::{MatchEvent, MatchObserver, RunNote};
use crate::game::{Conditions, PlayedGame};
use crate::log::{GameLog, LogHeader, LoggedEngine, LoggedGame};
use crate::params::{ParameterValue, TunedParameter};
use crate::parts::{PartDesign, PartScores};
use crate::play::{GameRun, Place, TaskSource, lock};
use crate::player::MoveLimit;
use crate::rotation::{OptionSet, RoundRotation};
use crate::rules::{GameName, Openings, RuleBook};
use crate::score::MatchScore;
use crate::sequential::SequentialScore;
use crate::sprt::Sprt;
use crate::standings::Standings;
use crate::task::{GameSchedule, GameSetup, GameTask, TaskError};

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

/// Values of parameters that the first two engines get before every game beside the options of their description.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedPlayers {
    /// The parameters.
    pub parameters: Vec<TunedParameter>,
    /// The values of engines 0 and 1, in the order of the parameters.
    pub values: [Vec<ParameterValue>; 2],
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
    /// Parameters, of which the players have other values.
    pub tuned: Option<TunedPlayers>,
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
    pub fn task(&self, number: u64) -> GameTask {
        GameTask {
            number,
            values: (self.tuned.as_ref()).map_or_else(Default::default, |it| it.values.clone()),
        }
    }

    /// The numbers of the engines that are black and white in a game.
    fn players(&self, number: u64) -> [usize; 2] {
        let pairs = self.pairing.pairs(self.engines.len());
        let mut players = pairs[((number / 2) % pairs.len() as u64) as usize];
        if !number.is_multiple_of(2) {
            players.reverse();
        }
        players
    }

    /// The round of a game, from 0.
    fn round(&self, number: u64) -> usize {
        let pairs = self.pairing.pairs(self.engines.len()).len();
        (number / 2) as usize / pairs
    }

    /// The options with the tuned values that a task has for a player.
    fn tuned_options(
        &self,
        task: &GameTask,
        player: usize,
    ) -> Result<Vec<(String, String)>, TaskError> {
        let parameters = self.tuned.as_ref().map(|tuned| tuned.parameters.as_slice());
        task.tuned_options(parameters.unwrap_or_default(), player)
    }

    /// What the log has of the match.
    ///
    /// # Errors
    /// When two engines have the same name.
    pub fn header(&self) -> Result<LogHeader> {
        let engines = self.tuned_engines()?;
        let mut header = self.settings(&engines)?;
        for (logged, spec) in header.engines.iter_mut().zip(&engines) {
            logged.contents = spec.contents();
        }
        Ok(header)
    }

    /// The engines with the tuned values of the first game.
    fn tuned_engines(&self) -> Result<Vec<EngineSpec>> {
        let mut engines = self.engines.clone();
        for (player, engine) in engines.iter_mut().enumerate() {
            let tuned = self.tuned_options(&self.task(0), player);
            let tuned = tuned.map_err(|error| TournamentError::Settings(error.to_string()))?;
            engine.options.extend(tuned);
        }
        Ok(engines)
    }

    /// The header without the contents of the engines' files, which take time.
    fn settings(&self, engines: &[EngineSpec]) -> Result<LogHeader> {
        let names = labels(engines)?;
        let engines = names.iter().zip(engines);
        Ok(LogHeader {
            game: self.game,
            pairing: self.pairing.to_string(),
            engines: engines
                .map(|(name, spec)| LoggedEngine::of_settings(name, spec))
                .collect(),
            limit: format!("{}{}{}", self.limit, self.rotation, self.parts),
            margin_ms: self.conditions.margin.as_millis() as u64,
            openings: self.openings_text.clone(),
            opening_contents: match &self.openings {
                listed @ Openings::Listed(_) => listed.identity(),
                Openings::Random { .. } => String::new(),
            },
            max_plies: self.conditions.max_plies,
            adjudication: self.conditions.adjudication.to_string(),
        })
    }

    /// The queue at the server `url` by which machines share the games. Their engines may be in different places: names
    /// and options count, and the contents of openings, wherever they are from.
    ///
    /// # Errors
    /// When two engines have the same name.
    pub fn queue(&self, url: &str) -> Result<Queue> {
        let mut header = self.settings(&self.tuned_engines()?)?;
        for (engine, spec) in header.engines.iter_mut().zip(&self.engines) {
            engine.program.clear();
            if spec.name.is_none() {
                engine.name.clear();
            }
        }
        header.openings = self.openings.identity();
        let identity = RunIdentity::new("arena match 2")
            .with("games", self.games)
            .with("settings", format!("{header:?}"));
        Ok(Queue::new(url, &identity.to_string()))
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

impl GameSchedule for MatchPlan {
    fn setup(&self, task: &GameTask, rules: &dyn RuleBook) -> Result<GameSetup, TaskError> {
        let number = task.number;
        if number >= self.games {
            let games = self.games;
            return Err(TaskError::NoGame { number, games });
        }
        let players = self.players(number);
        let round = self.round(number);
        let factor = self.rotation.factor(round);
        let options = |player| {
            let parts = self.parts.options(round, player);
            let tuned = self.tuned_options(task, player)?;
            Ok::<_, TaskError>([self.rotation.options(round), &tuned, &parts].concat())
        };
        Ok(GameSetup {
            players,
            opening: self.openings.get(round, rules),
            limits: players.map(|player| self.limit.scaled(self.engines[player].scale * factor)),
            options: [options(players[0])?, options(players[1])?],
        })
    }

    fn contents(&self) -> RunContents {
        let mut contents = RunContents::default();
        let sets = self.rotation.options.iter().flat_map(OptionSet::options);
        let parts = self.parts.parts().iter();
        let parts = parts.flat_map(|part| part.without.options());
        let in_turn: Vec<_> = sets.chain(parts).collect();
        for (number, engine) in self.engines.iter().enumerate() {
            let options = engine.options.iter().chain(in_turn.iter().copied());
            engine.add_contents(&mut contents, &format!("engine {number}"), options);
        }
        contents
    }
}

/// The result of a match.
#[derive(Clone, Debug)]
pub struct MatchResult {
    /// The standings of all games, those of the log included.
    pub standings: Standings,
    /// Those of the rounds with each set of options that rounds take in turn, in the order of the plan.
    pub by_options: Vec<Standings>,
    /// The scores of the player with a part against the one without, in the order of the plan's parts.
    pub by_part: Vec<MatchScore>,
    /// The sequential test of a match without parts.
    pub test: Option<SequentialScore>,
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
        Some(path) => GameLog::open(path, &header, &mut |text| {
            observer(&MatchEvent::Note(RunNote::Remark(text)));
        })?,
        None => (GameLog::none(), Vec::new()),
    };
    let standings = Standings::new(plan.engines.len());
    let mut run = MatchRun {
        plan,
        log,
        done: finished.iter().map(|game| game.number).collect(),
        by_options: vec![standings.clone(); plan.rotation.options.len()],
        by_part: PartScores::new(&plan.parts),
        test: (plan.sprt.filter(|_| !plan.parts.has_parts())).map(SequentialScore::new),
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
    let games = GameRun {
        schedule: plan,
        rules,
        conditions: &plan.conditions,
        place,
        ahead: usize::MAX,
        control,
    };
    let is_decided = lock(&run).is_decided();
    let is_complete =
        is_decided || games.play(&run, &mut after, &|note| observer(&MatchEvent::Note(note)))?;
    let run = run
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok(MatchResult {
        is_complete: is_complete || run.is_decided(),
        standings: run.standings,
        by_options: run.by_options,
        by_part: run.by_part.scores(),
        test: run.test,
    })
}

/// A match in progress.
struct MatchRun<'a> {
    plan: &'a MatchPlan,
    log: GameLog,
    /// Numbers of finished games.
    done: HashSet<u64>,
    standings: Standings,
    by_options: Vec<Standings>,
    by_part: PartScores,
    test: Option<SequentialScore>,
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
        if let Some(test) = &mut self.test {
            test.add(game);
        }
    }

    /// Returns whether the test has ended.
    fn is_decided(&self) -> bool {
        if let Some(test) = &self.test {
            return test.decision().is_some();
        }
        self.plan.sprt.is_some_and(|sprt| {
            let is_decided = |score: &MatchScore| sprt.decision(&score.pairs).is_some();
            self.by_part.scores().iter().all(is_decided)
        })
    }
}

impl TaskSource for MatchRun<'_> {
    fn next(&mut self) -> Option<GameTask> {
        while self.next < self.plan.games {
            let number = self.next;
            self.next += 1;
            if !self.done.contains(&number) {
                return Some(self.plan.task(number));
            }
        }
        None
    }

    fn finished(&mut self, task: &GameTask, played: PlayedGame) -> Result<ControlFlow<()>> {
        let game = LoggedGame {
            number: task.number,
            players: self.plan.players(task.number),
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
            tuned: None,
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

    fn game(plan: &MatchPlan, number: u64) -> GameSetup {
        plan.setup(&plan.task(number), &ShogiRules).unwrap()
    }

    #[test]
    fn everybody_meets_everybody_with_both_colours() {
        let plan = plan(Pairing::RoundRobin, &["a", "b", "c"]);
        let games: Vec<_> = (0..12).map(|number| game(&plan, number)).collect();
        let players: Vec<_> = games.iter().map(|game| game.players).collect();
        let round = [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]];
        assert_eq!(players, [round, round].concat());
        assert!(games[..6].iter().all(|game| game.opening == "startpos"));
        assert!(games[6..].iter().all(|game| game.opening.ends_with("7g7f")));
        let none = plan.setup(&plan.task(12), &ShogiRules).unwrap_err();
        assert_eq!(none.to_string(), "there is no game 12: the run has 12");
        assert_eq!(Pairing::Gauntlet.pairs(3), [[0, 1], [0, 2]]);
    }

    #[test]
    fn engines_and_rounds_have_factors() {
        let mut plan = plan(Pairing::Match, &["a,scale=2", "b"]);
        plan.rotation.multipliers = vec![1.0, 3.0];
        let limits = |number| game(&plan, number).limits;
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
        let parameter = TunedParameter::parse("Tuned, int, 7, 0, 9, 1, 0.1").unwrap();
        plan.tuned = Some(TunedPlayers {
            values: [7.0, 8.0].map(|value| vec![parameter.value_of(value)]),
            parameters: vec![parameter],
        });
        let values = |number| {
            let game = game(&plan, number);
            let texts = |options: &[(String, String)]| {
                options
                    .iter()
                    .map(|(_, value)| value.clone())
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            (game.players, game.options.map(|options| texts(&options)))
        };
        // Two pairs of engines and two colours make a round of four games.
        assert_eq!(values(3), ([2, 0], ["x".into(), "x 7".into()]));
        assert_eq!(values(4), ([0, 1], ["y 7".into(), "y 8".into()]));
        assert_eq!(values(8), ([0, 1], ["x 7".into(), "x 8".into()]));
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
