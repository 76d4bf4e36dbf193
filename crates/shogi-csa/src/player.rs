//! Whoever finds the moves: an engine in this process or as a process of its own.

use std::path::{Path, PathBuf};
use std::process::Command as Program;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use shogi_core::Game;
use shogi_usi::client::{EngineError, EngineProcess};
use shogi_usi::{BestMove, ClockTimes, GameResult, GoCommand, Info};
use thiserror::Error;

use crate::summary::CsaSummary;

/// Time for an engine to get ready: large networks take long to load.
const READY_TIMEOUT: Duration = Duration::from_secs(110);
/// Time for an engine to answer `stop` and to quit.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval of looking for commands while an engine thinks; what the engine says is seen at once.
const TICK: Duration = Duration::from_millis(5);

/// The reason why a player cannot play.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct PlayerProblem(pub String);

impl From<EngineError> for PlayerProblem {
    fn from(error: EngineError) -> Self {
        Self(error.to_string())
    }
}

/// What a player has to say about the search with this number.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ThinkEvent {
    /// A line of the search.
    Info {
        /// The number of the search.
        search: u64,
        /// The line.
        info: Box<Info>,
    },
    /// The decision, the last event of a search.
    Decided {
        /// The number of the search.
        search: u64,
        /// The decision.
        best: BestMove,
    },
    /// The player cannot go on with the search.
    Broken {
        /// The number of the search.
        search: u64,
        /// The reason.
        reason: String,
    },
    /// What a user should know, whatever is searched.
    Note(String),
}

/// Takes the events of a player, from any thread.
pub type ThinkSink = Arc<dyn Fn(ThinkEvent) + Send + Sync>;

/// A player of games on a server. Searches are started without waiting and report to a [`ThinkSink`].
pub trait CsaPlayer: Send {
    /// The name, for people.
    fn name(&self) -> &str;

    /// Gets ready for the game of an offer; may take a minute. A player that was broken is started again.
    ///
    /// # Errors
    /// When the player does not get ready.
    fn new_game(&mut self, summary: &CsaSummary) -> Result<(), PlayerProblem>;

    /// Starts the search with the number `search` from the end of `game`, while no other runs. With `go.ponder` it decides only
    /// after [`Self::ponder_hit`].
    ///
    /// # Errors
    /// When it cannot be started.
    fn think(&mut self, search: u64, game: &Game, go: &GoCommand) -> Result<(), PlayerProblem>;

    /// The opponent has made the expected move: the search that ponders becomes one against the clock.
    ///
    /// # Errors
    /// When the player is gone.
    fn ponder_hit(&mut self) -> Result<(), PlayerProblem>;

    /// Ends the search, if one runs. It may still report its decision, which counts for nothing.
    fn stop(&mut self);

    /// The game is over; no search runs.
    fn game_over(&mut self, result: GameResult);
}

/// The command line and options of a USI engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsiCommandLine {
    /// The program; when no such file exists and it has blanks, with arguments behind it.
    pub program: String,
    /// Working folder; that of the program if it is not given.
    pub folder: Option<PathBuf>,
    /// Options, names and values.
    pub options: Vec<(String, String)>,
}

impl UsiCommandLine {
    fn start(&self) -> Result<EngineProcess, PlayerProblem> {
        let file = Path::new(&self.program);
        let mut command = if file.is_file() || !self.program.contains(' ') {
            // The engine may be started in a folder of its own, so that its path must not depend on this one.
            let path = file.canonicalize().unwrap_or_else(|_| file.to_owned());
            let mut command = Program::new(&path);
            if let Some(folder) = path.parent().filter(|folder| folder.is_absolute()) {
                command.current_dir(folder);
            }
            command
        } else {
            let mut words = self.program.split_ascii_whitespace();
            let mut command = Program::new(words.next().unwrap_or_default());
            command.args(words);
            command
        };
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let mut process = EngineProcess::spawn_command(&mut command)?;
        process.handshake(READY_TIMEOUT)?;
        for (name, value) in &self.options {
            if !process.has_option(name) {
                let text = format!("{} has no option {name}", process.name());
                return Err(PlayerProblem(text));
            }
            process.set_option(name, value)?;
        }
        process.get_ready(READY_TIMEOUT)?;
        Ok(process)
    }
}

/// A command to the thread that has the engine.
enum EngineTask {
    NewGame {
        max_moves: Option<u32>,
        ready: Sender<Result<(), PlayerProblem>>,
    },
    Think {
        search: u64,
        game: Box<Game>,
        go: Box<GoCommand>,
    },
    PonderHit,
    Stop,
    GameOver(GameResult),
}

/// A USI engine as a process, on a thread of its own.
pub struct UsiPlayer {
    name: String,
    /// `None` once the player is dropped.
    tasks: Option<Sender<EngineTask>>,
    thread: Option<JoinHandle<()>>,
}

impl UsiPlayer {
    /// Starts an engine and gets it ready.
    ///
    /// # Errors
    /// When it cannot be started, lacks an option or does not get ready.
    pub fn start(command: UsiCommandLine, sink: ThinkSink) -> Result<Self, PlayerProblem> {
        let process = command.start()?;
        let name = process.name().to_owned();
        let (sender, tasks) = mpsc::channel();
        let mut worker = EngineWorker {
            command,
            process: Some(process),
            sink,
        };
        let thread = thread::Builder::new()
            .name("usi engine".to_owned())
            .spawn(move || worker.run(&tasks))
            .map_err(|error| PlayerProblem(format!("cannot start a thread: {error}")))?;
        Ok(Self {
            name,
            tasks: Some(sender),
            thread: Some(thread),
        })
    }

    fn send(&self, task: EngineTask) -> Result<(), PlayerProblem> {
        let sent = self
            .tasks
            .as_ref()
            .is_some_and(|tasks| tasks.send(task).is_ok());
        if sent {
            Ok(())
        } else {
            Err(PlayerProblem(format!("{} is gone", self.name)))
        }
    }
}

impl CsaPlayer for UsiPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, summary: &CsaSummary) -> Result<(), PlayerProblem> {
        let (ready, answer) = mpsc::channel();
        let max_moves = summary.max_moves;
        self.send(EngineTask::NewGame { max_moves, ready })?;
        let gone = || PlayerProblem(format!("{} is gone", self.name));
        answer.recv().unwrap_or_else(|_| Err(gone()))
    }

    fn think(&mut self, search: u64, game: &Game, go: &GoCommand) -> Result<(), PlayerProblem> {
        let (game, go) = (Box::new(game.clone()), Box::new(go.clone()));
        self.send(EngineTask::Think { search, game, go })
    }

    fn ponder_hit(&mut self) -> Result<(), PlayerProblem> {
        self.send(EngineTask::PonderHit)
    }

    fn stop(&mut self) {
        // Fails only when the engine is gone.
        self.send(EngineTask::Stop).ok();
    }

    fn game_over(&mut self, result: GameResult) {
        self.send(EngineTask::GameOver(result)).ok();
    }
}

impl Drop for UsiPlayer {
    fn drop(&mut self) {
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported.
            thread.join().ok();
        }
    }
}

/// The thread that has the engine.
struct EngineWorker {
    command: UsiCommandLine,
    /// `None` when it has failed.
    process: Option<EngineProcess>,
    sink: ThinkSink,
}

impl EngineWorker {
    fn run(&mut self, tasks: &Receiver<EngineTask>) {
        // The search that runs.
        let mut running: Option<u64> = None;
        loop {
            let task = match running {
                None => match tasks.recv() {
                    Ok(task) => Some(task),
                    Err(_) => break,
                },
                Some(search) => {
                    running = self.watch(search);
                    match tasks.recv_timeout(Duration::ZERO) {
                        Ok(task) => Some(task),
                        Err(RecvTimeoutError::Timeout) => None,
                        Err(RecvTimeoutError::Disconnected) => break,
                    }
                }
            };
            if let Some(task) = task {
                self.carry_out(task, &mut running);
            }
        }
        self.end_search(&mut running);
        if let Some(process) = self.process.take() {
            // It is killed when it does not quit.
            process.quit(STOP_TIMEOUT).ok();
        }
    }

    fn carry_out(&mut self, task: EngineTask, running: &mut Option<u64>) {
        match task {
            EngineTask::NewGame { max_moves, ready } => {
                self.end_search(running);
                // Nobody waits any more when the client has ended.
                ready.send(self.new_game(max_moves)).ok();
            }
            EngineTask::Think { search, game, go } => {
                self.end_search(running);
                let started = match &mut self.process {
                    Some(process) => process.start_from(&game, &go).map_err(PlayerProblem::from),
                    None => Err(PlayerProblem("the engine is gone".to_owned())),
                };
                match started {
                    Ok(()) => *running = Some(search),
                    Err(problem) => self.broken(search, problem.0),
                }
            }
            EngineTask::PonderHit => {
                let hit = self
                    .process
                    .as_mut()
                    .map(|process| process.ponder_hit(ClockTimes::default()));
                if let (Some(Err(error)), Some(search)) = (hit, *running) {
                    *running = None;
                    self.broken(search, error.to_string());
                }
            }
            EngineTask::Stop => self.end_search(running),
            EngineTask::GameOver(result) => {
                self.end_search(running);
                if let Some(process) = &mut self.process {
                    // An engine that is gone is started again for the next game.
                    process.game_over(result).ok();
                }
            }
        }
    }

    /// Waits a moment for the engine; returns the search when it goes on.
    fn watch(&mut self, search: u64) -> Option<u64> {
        let process = self.process.as_mut()?;
        let sink = &self.sink;
        let waited = process.wait(TICK, |info| {
            let info = Box::new(info.clone());
            sink(ThinkEvent::Info { search, info });
        });
        match waited {
            Ok(result) => {
                let best = result.best;
                sink(ThinkEvent::Decided { search, best });
                None
            }
            Err(EngineError::Timeout { .. }) => Some(search),
            Err(error) => {
                self.broken(search, error.to_string());
                None
            }
        }
    }

    /// Stops the running search and waits for its answer, which is passed over.
    fn end_search(&mut self, running: &mut Option<u64>) {
        if running.take().is_none() {
            return;
        }
        let Some(process) = &mut self.process else {
            return;
        };
        let stopped = process
            .stop()
            .and_then(|()| process.wait(STOP_TIMEOUT, |_| {}));
        if stopped.is_err() {
            // Its answers may belong to earlier searches: it is started again for the next game.
            self.process = None;
        }
    }

    fn broken(&mut self, search: u64, reason: String) {
        self.process = None;
        (self.sink)(ThinkEvent::Broken { search, reason });
    }

    fn new_game(&mut self, max_moves: Option<u32>) -> Result<(), PlayerProblem> {
        // The rule of the server, unless the user has set it.
        const NAME: &str = "MaxMovesToDraw";
        let started = Instant::now();
        let mut process = match self.process.take() {
            Some(process) => process,
            None => self.command.start()?,
        };
        let is_set = |(name, _): &(String, String)| name.eq_ignore_ascii_case(NAME);
        if process.has_option(NAME) && !self.command.options.iter().any(is_set) {
            process.set_option(NAME, &max_moves.unwrap_or(0).to_string())?;
        }
        process.get_ready(READY_TIMEOUT.saturating_sub(started.elapsed()).max(TICK))?;
        process.new_game()?;
        self.process = Some(process);
        Ok(())
    }
}
