//! The engines of a run, and the workers that play with them: each has engine processes of its own.

use std::sync::{Arc, Mutex, PoisonError};

use farm::{FarmError, Finished, RunControl, Stop, WorkError, Worker, Workers};

use crate::engine::Contestant;
use crate::error::{Result, TournamentError};
use crate::game;
use crate::game::{Conditions, NoGame, PlayedGame, Setting};
use crate::player::{MatchPlayer, PlayerAnswer, PlayerFault, Question};
use crate::rules::{PlayerColor, RuleBook};
use crate::score::GamePoints;
use crate::task::{GameSchedule, GameSetup, GameTask, Outcome};

/// The engines that play, and how.
#[derive(Debug)]
pub struct Team {
    /// The engines, by their numbers.
    pub contestants: Vec<Contestant>,
    /// The rules of the game.
    pub rules: Arc<dyn RuleBook>,
    /// What all games have in common.
    pub conditions: Conditions,
}

impl Team {
    /// The error of a game that did not begin, as a player did not get ready.
    fn not_ready(
        &self,
        setup: &GameSetup,
        color: PlayerColor,
        fault: &PlayerFault,
    ) -> TournamentError {
        let engine = self.contestants.get(setup.players[color.index()]);
        let name = engine.map_or_else(String::new, |engine| engine.label.clone());
        let reason = match fault {
            PlayerFault::Refused(reason) => reason.clone(),
            other => format!("does not get ready: {other}"),
        };
        TournamentError::Engine { name, reason }
    }
}

/// Why a worker refused to go on: the error with which the run ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusal(Arc<Mutex<Option<TournamentError>>>);

impl Refusal {
    /// Ends the run with `error`, if it is the first one.
    pub(crate) fn refuse(&self, error: TournamentError) -> WorkError {
        let told = error.to_string();
        self.first().get_or_insert(error);
        WorkError::Refused(told)
    }

    /// The result of a run, with the error in its own words.
    pub(crate) fn told<T>(&self, result: Result<T>) -> Result<T> {
        match result {
            Err(TournamentError::Farm(error @ FarmError::Refused { .. })) => {
                let own = self.first().take();
                Err(own.unwrap_or(TournamentError::Farm(error)))
            }
            other => other,
        }
    }

    fn first(&self) -> std::sync::MutexGuard<'_, Option<TournamentError>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Players of games as workers of a farm: as many games at a time as there are workers.
#[derive(Clone)]
pub(crate) struct GameWorkers<'a> {
    team: &'a Team,
    schedule: &'a dyn GameSchedule,
    count: usize,
    control: &'a RunControl,
    refusal: Refusal,
}

impl<'a> GameWorkers<'a> {
    /// `count` workers for the games of `schedule`. Games in progress end at their next move when `control` ends the run.
    pub(crate) fn new(
        team: &'a Team,
        schedule: &'a dyn GameSchedule,
        count: usize,
        control: &'a RunControl,
    ) -> Self {
        Self {
            team,
            schedule,
            count,
            control,
            refusal: Refusal::default(),
        }
    }

    /// Why a worker refused to go on.
    pub(crate) const fn refusal(&self) -> &Refusal {
        &self.refusal
    }
}

impl<'a> Workers for GameWorkers<'a> {
    type Worker = GameWorker<'a>;

    fn count(&self) -> usize {
        self.count
    }

    fn name(&self, _: usize) -> &'static str {
        "games"
    }

    fn start(&self, _: usize) -> Result<GameWorker<'a>, WorkError> {
        Ok(GameWorker {
            engines: WorkerEngines::new(self.team),
            workers: self.clone(),
        })
    }
}

/// A worker, which plays one game at a time.
pub(crate) struct GameWorker<'a> {
    engines: WorkerEngines<'a>,
    workers: GameWorkers<'a>,
}

impl Worker for GameWorker<'_> {
    type Item = GameTask;
    type Output = Outcome;

    fn work(&mut self, task: &GameTask, stop: &Stop) -> Result<Finished<Outcome>, WorkError> {
        let GameWorkers {
            team,
            schedule,
            control,
            refusal,
            ..
        } = &self.workers;
        stop.wait_if_paused();
        let setup = match schedule.setup(task, &*team.rules) {
            Ok(setup) => setup,
            Err(error) => return Ok(Err(error).into()),
        };
        let is_quitting = || stop.is_set() || control.is_quitting();
        match self.engines.play(&setup, &is_quitting) {
            Ok(played) => Ok(Ok(played).into()),
            Err(NoGame::Quit) => Err(WorkError::Stopped),
            Err(NoGame::BadOpening(reason)) => Err(refusal.refuse(TournamentError::Settings(
                format!("opening {:?}: {reason}", setup.opening),
            ))),
            // No other try would help: it was started again before.
            Err(NoGame::NotReady { color, fault }) => {
                Err(refusal.refuse(team.not_ready(&setup, color, &fault)))
            }
        }
    }
}

// The engine processes of a worker.

/// An engine's process, started when it is needed: before the first game and after a protocol violation.
#[derive(Debug)]
struct WorkerEngine<'a> {
    contestant: &'a Contestant,
    /// Options beside those that the engine always gets, set before every game.
    options: Vec<(String, String)>,
    player: Option<Box<dyn MatchPlayer>>,
}

impl MatchPlayer for WorkerEngine<'_> {
    fn set_options(&mut self, options: &[(String, String)]) -> Result<(), PlayerFault> {
        options.clone_into(&mut self.options);
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), PlayerFault> {
        let player = match &mut self.player {
            Some(player) => player,
            empty => empty.insert(self.contestant.start()?),
        };
        player
            .set_options(&self.options)
            .and_then(|()| player.new_game())
            .inspect_err(|_| self.player = None)
    }

    fn best_move(&mut self, question: &Question<'_>) -> Result<PlayerAnswer, PlayerFault> {
        let gone = || PlayerFault::Broken("the engine was not started".to_owned());
        let player = self.player.as_mut().ok_or_else(gone)?;
        // Whatever state the process is in after a fault, the next game starts with a fresh one.
        player
            .best_move(question)
            .inspect_err(|_| self.player = None)
    }

    fn game_over(&mut self, result: GamePoints) {
        if let Some(player) = &mut self.player {
            player.game_over(result);
        }
    }
}

/// Number of times that an engine may fail to get ready for a game.
const TRIES: u32 = 3;

/// The engines of a worker.
#[derive(Debug)]
struct WorkerEngines<'a> {
    team: &'a Team,
    engines: Vec<WorkerEngine<'a>>,
}

impl<'a> WorkerEngines<'a> {
    fn new(team: &'a Team) -> Self {
        let engine = |contestant| WorkerEngine {
            contestant,
            options: Vec::new(),
            player: None,
        };
        Self {
            team,
            engines: team.contestants.iter().map(engine).collect(),
        }
    }

    /// Plays a game. An engine that does not get ready is started again before that counts.
    fn play(
        &mut self,
        setup: &GameSetup,
        is_quitting: &dyn Fn() -> bool,
    ) -> Result<PlayedGame, NoGame> {
        let setting = Setting {
            rules: &*self.team.rules,
            conditions: &self.team.conditions,
            opening: &setup.opening,
            limits: setup.limits,
        };
        let Ok([black, white]) = self.engines.get_disjoint_mut(setup.players) else {
            let players = setup.players;
            return Err(NoGame::BadOpening(format!(
                "there are no engines {players:?}"
            )));
        };
        for (engine, options) in [&mut *black, &mut *white].into_iter().zip(&setup.options) {
            options.clone_into(&mut engine.options);
        }
        let mut tries = 0;
        loop {
            tries += 1;
            let played = game::play([&mut *black, &mut *white], setting, is_quitting);
            let is_final = match &played {
                Err(NoGame::NotReady { fault, .. }) => {
                    tries == TRIES || matches!(fault, PlayerFault::Refused(_))
                }
                _ => true,
            };
            if is_final {
                return played;
            }
            // The next try is with a new process, unless processes are gone because the run ends.
            if game::ends_soon(is_quitting) {
                return Err(NoGame::Quit);
            }
        }
    }
}
