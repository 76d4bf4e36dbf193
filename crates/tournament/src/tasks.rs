//! Games to be played, and playing several at once on this machine: each worker has its own engine processes.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::thread::JoinHandle;

use farm::RunControl;
use serde::{Deserialize, Serialize};

use crate::engine::Contestant;
use crate::error::{Result, TournamentError};
use crate::game;
use crate::game::{Conditions, NoGame, PlayedGame, Setting};
use crate::player::{MatchPlayer, MoveLimit, PlayerAnswer, PlayerFault, Question};
use crate::rules::{PlayerColor, RuleBook};
use crate::score::GamePoints;

/// A game to be played, with all that whoever plays it has to know beside the engines and the [`Conditions`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GameTask {
    /// The number of the game, from 0.
    pub number: u64,
    /// The numbers of the engines that are black and white.
    pub players: [usize; 2],
    /// The opening.
    pub opening: String,
    /// The limits of black and white.
    pub limits: [MoveLimit; 2],
    /// Options of black and white, names and values, beside those that the engines always have.
    #[serde(default)]
    pub options: [Vec<(String, String)>; 2],
}

/// Where games come from and their results go.
pub(crate) trait TaskSource: Send {
    /// The next game; `None` when there are no more.
    fn next(&mut self) -> Option<GameTask>;

    /// Takes the result of a game. A break ends the run: results of the games in progress are not wanted.
    fn finished(&mut self, task: &GameTask, played: PlayedGame) -> Result<ControlFlow<()>>;

    /// Notes that no machine could play the game.
    ///
    /// # Errors
    /// When that ends the run.
    fn given_up(&mut self, task: &GameTask) -> Result<()>;
}

/// The engines that play, and how.
#[derive(Debug)]
pub struct Team {
    /// The engines, by the numbers that tasks have.
    pub contestants: Vec<Contestant>,
    /// The rules of the game.
    pub rules: Arc<dyn RuleBook>,
    /// What all games have in common.
    pub conditions: Conditions,
}

impl Team {
    /// The error of a game that did not begin, as a player did not get ready.
    pub(crate) fn not_ready(
        &self,
        task: &GameTask,
        color: PlayerColor,
        fault: &PlayerFault,
    ) -> TournamentError {
        let engine = self.contestants.get(task.players[color.index()]);
        let name = engine.map_or_else(String::new, |engine| engine.label.clone());
        let reason = match fault {
            PlayerFault::Refused(reason) => reason.clone(),
            other => format!("does not get ready: {other}"),
        };
        TournamentError::Engine { name, reason }
    }
}

/// Locks what no thread can have damaged: a panic of one ends the run.
pub(crate) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Plays the games of `source` on this machine, `workers` at a time. Returns true if all were played, or the source
/// wanted no more; false if `control` ended the run. `after` is called with the source after each game, on this thread.
pub(crate) fn play_here<S: TaskSource>(
    source: &Mutex<S>,
    team: &Team,
    workers: usize,
    control: &RunControl,
    after: &mut dyn FnMut(&S),
) -> Result<bool> {
    let is_over = AtomicBool::new(false);
    let is_quitting = || is_over.load(Ordering::Relaxed) || control.is_quitting();
    let jobs = std::iter::from_fn(|| {
        if is_quitting() {
            None
        } else {
            lock(source).next()
        }
    });
    run(
        jobs,
        workers,
        || WorkerEngines::new(team),
        |engines, task| {
            let played = engines.play(&task, &is_quitting);
            (task, played)
        },
        |(task, played)| {
            let flow = match played {
                Ok(played) => {
                    let mut source = lock(source);
                    let flow = source.finished(&task, played);
                    after(&source);
                    flow
                }
                Err(NoGame::Quit) => Ok(ControlFlow::Continue(())),
                Err(NoGame::BadOpening(reason)) => Err(TournamentError::Settings(format!(
                    "opening {:?}: {reason}",
                    task.opening
                ))),
                Err(NoGame::NotReady { color, fault }) => Err(team.not_ready(&task, color, &fault)),
            };
            // Games in progress end at their next move.
            if !matches!(flow, Ok(ControlFlow::Continue(()))) {
                is_over.store(true, Ordering::Relaxed);
            }
            flow
        },
    )?;
    Ok(!control.is_quitting())
}

/// Does `work` for every job on `workers` threads and gives each result to `finish` on the calling
/// thread, in the order in which they end. Every worker starts with a `state` of its own. Stops
/// when `finish` breaks or fails; jobs that have begun are done then, but nobody sees the results.
///
/// # Errors
/// Those of `finish`.
pub(crate) fn run<Job: Send, Local, Done: Send, E>(
    jobs: impl Iterator<Item = Job> + Send,
    workers: usize,
    state: impl Fn() -> Local + Sync,
    work: impl Fn(&mut Local, Job) -> Done + Sync,
    mut finish: impl FnMut(Done) -> std::result::Result<ControlFlow<()>, E>,
) -> std::result::Result<(), E> {
    let jobs = Mutex::new(jobs);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..workers {
            let (sender, jobs, state, work) = (sender.clone(), &jobs, &state, &work);
            scope.spawn(move || {
                let mut state = state();
                loop {
                    let job = lock(jobs).next();
                    let Some(job) = job else { break };
                    if sender.send(work(&mut state, job)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for done in receiver {
            if finish(done)?.is_break() {
                break;
            }
        }
        Ok(())
    })
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
pub(crate) struct WorkerEngines<'a> {
    team: &'a Team,
    engines: Vec<WorkerEngine<'a>>,
}

impl<'a> WorkerEngines<'a> {
    pub(crate) fn new(team: &'a Team) -> Self {
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
    pub(crate) fn play(
        &mut self,
        task: &GameTask,
        is_quitting: &dyn Fn() -> bool,
    ) -> std::result::Result<PlayedGame, NoGame> {
        let setting = Setting {
            rules: &*self.team.rules,
            conditions: &self.team.conditions,
            opening: &task.opening,
            limits: task.limits,
        };
        let Ok([black, white]) = self.engines.get_disjoint_mut(task.players) else {
            let players = task.players;
            return Err(NoGame::BadOpening(format!(
                "there are no engines {players:?}"
            )));
        };
        for (engine, options) in [&mut *black, &mut *white].into_iter().zip(&task.options) {
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

// Load beside a match: threads that do nothing but keep processors busy.

/// Busy threads until it is dropped.
#[derive(Debug)]
pub struct Stress {
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Stress {
    /// Starts so many threads.
    pub fn start(threads: u32) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let busy = || {
            let over = over.clone();
            thread::spawn(move || {
                let mut number = 1_u64;
                while !over.load(Ordering::Relaxed) {
                    for _ in 0..10_000 {
                        number = black_box(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 1);
                    }
                }
            })
        };
        let threads = (0..threads).map(|_| busy()).collect();
        Self { over, threads }
    }
}

impl Drop for Stress {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A busy loop cannot panic.
            thread.join().ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once() {
        let mut done = Vec::new();
        run(
            0..100,
            4,
            || 1,
            |one, job| job + *one,
            |result| {
                done.push(result);
                Ok::<_, ()>(ControlFlow::Continue(()))
            },
        )
        .expect("no errors");
        done.sort_unstable();
        assert_eq!(done, (1..=100).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_ends_the_work() {
        let mut finished = 0;
        let result = run(
            0..1_000_000,
            2,
            || (),
            |(), job| job,
            |_| {
                finished += 1;
                if finished < 3 {
                    Ok(ControlFlow::Continue(()))
                } else {
                    Err("enough")
                }
            },
        );
        assert!(result.is_err());
        assert_eq!(finished, 3);
    }

    #[test]
    fn the_work_can_be_ended_early() {
        let mut finished = 0;
        let finish = |_| {
            finished += 1;
            Ok::<_, ()>(if finished == 5 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        };
        run(0..1_000_000, 2, || (), |(), job: i32| job, finish).expect("no errors");
        assert_eq!(finished, 5);
    }
}
