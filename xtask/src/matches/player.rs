//! A player: something that can be asked for moves.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command as Program;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use shogi_core::ByColor;
use shogi_usi::client::{EngineError, EngineProcess};
use shogi_usi::{ClockTimes, GameResult, GoCommand, Score};

/// The limit of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// Milliseconds for each move.
    MoveTime(u64),
    /// Nodes for each move.
    Nodes(u64),
    /// Depth of each search in plies.
    Depth(u32),
    /// A clock, all in milliseconds.
    Clock {
        time: u64,
        increment: u64,
        byoyomi: u64,
    },
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MoveTime(ms) => write!(f, "{ms} ms a move"),
            Self::Nodes(nodes) => write!(f, "{nodes} nodes a move"),
            Self::Depth(plies) => write!(f, "depth {plies}"),
            Self::Clock {
                time,
                increment,
                byoyomi,
            } => {
                write!(f, "{time} ms + {increment} ms a move, byoyomi {byoyomi} ms")
            }
        }
    }
}

/// Reason why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The time that was allowed has passed.
    Silent,
    /// The player is gone, or what it said makes no sense.
    Broken(String),
}

/// A question for a move.
#[derive(Clone, Debug)]
pub(crate) struct Question<'a> {
    /// The rest of a `position` command.
    pub(crate) position: &'a str,
    pub(crate) limit: Limit,
    /// The time left on the clocks in milliseconds; used only with [`Limit::Clock`].
    pub(crate) clocks: ByColor<u64>,
    /// The time to wait for the answer.
    pub(crate) patience: Duration,
}

impl Question<'_> {
    /// The `go` command. Clocks in the forms that a GUI sends: byoyomi or increments, never both.
    pub(crate) fn go(&self) -> GoCommand {
        let mut go = GoCommand::default();
        match self.limit {
            Limit::MoveTime(ms) => go.movetime = Some(Duration::from_millis(ms)),
            Limit::Nodes(nodes) => go.nodes = Some(nodes),
            Limit::Depth(plies) => go.depth = Some(plies),
            Limit::Clock {
                increment, byoyomi, ..
            } => {
                let [black, white] = self.clocks.0.map(|ms| Some(Duration::from_millis(ms)));
                let increment = (increment > 0).then(|| Duration::from_millis(increment));
                let byoyomi = increment.is_none().then(|| Duration::from_millis(byoyomi));
                go.clock = ClockTimes {
                    btime: black,
                    wtime: white,
                    byoyomi,
                    binc: increment,
                    winc: increment,
                };
            }
        }
        go
    }
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The word that follows `bestmove`.
    pub(crate) text: String,
    /// Time from the question to the answer.
    pub(crate) elapsed: Duration,
    /// The player's score of its position, in centipawns, if it said so. Mates count as
    /// [`MATE_CP`].
    pub(crate) score_cp: Option<i64>,
    /// The depth that it reports, in plies.
    pub(crate) depth: Option<u32>,
    /// The number of positions that it reports.
    pub(crate) nodes: Option<u64>,
}

/// The score that a mate, given or suffered, counts as: more than any other.
pub(crate) const MATE_CP: i64 = 100_000;

/// A score as a number of centipawns.
pub(crate) fn centipawns(score: Score) -> i64 {
    match score {
        Score::Cp(cp) => i64::from(cp).clamp(1 - MATE_CP, MATE_CP - 1),
        Score::Mate(plies) if plies.get() < 0 => -MATE_CP,
        Score::Mate(_) | Score::MateUnknown => MATE_CP,
        Score::MatedUnknown => -MATE_CP,
    }
}

/// A player of games.
pub(crate) trait Player {
    /// Prepares for a game.
    fn new_game(&mut self) -> Result<(), Fault>;

    /// Asks for a move.
    fn best_move(&mut self, question: &Question<'_>) -> Result<Answer, Fault>;

    /// Tells how the game ended for the player.
    fn game_over(&mut self, result: GameResult);
}

// A USI engine as a player.

/// An engine as the command line names it.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) program: PathBuf,
    /// Options as `NAME=VALUE`.
    pub(crate) options: Vec<String>,
    /// Working folder; where the program is if `None`, as GUIs have it.
    pub(crate) folder: Option<PathBuf>,
}

/// The setup of an engine: program, options, folder.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    program: PathBuf,
    folder: Option<PathBuf>,
    /// Names and values.
    options: Vec<(String, String)>,
    /// The time to wait for anything but a move.
    patience: Duration,
    /// The engine's name for itself.
    name: String,
}

impl Engine {
    /// Describes an engine, starting it once to see that it is one and has the options.
    pub(crate) fn new(setup: Setup, patience: Duration) -> Result<Self> {
        let split = |option: &String| {
            let (name, value) = option
                .split_once('=')
                .context("an option needs NAME=VALUE")?;
            Ok((name.to_owned(), value.to_owned()))
        };
        let options: Vec<_> = setup.options.iter().map(split).collect::<Result<_>>()?;
        // The engine is started in a folder of its own, so its path must not depend on this one. A
        // program that is found on the search path stays as it is.
        let program = setup.program.canonicalize().unwrap_or(setup.program);
        let beside = || program.parent().filter(|folder| folder.is_absolute());
        let folder = setup.folder.or_else(|| beside().map(Path::to_owned));
        let mut engine = Self {
            program,
            folder,
            options,
            patience,
            name: String::new(),
        };
        let process = engine.start()?;
        for (option, _) in &engine.options {
            ensure!(
                process.has_option(option),
                "{} has no option {option}",
                process.name()
            );
        }
        process.name().clone_into(&mut engine.name);
        process.quit(patience)?;
        Ok(engine)
    }

    /// The engine's name for itself.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The time to wait for anything but a move.
    pub(crate) const fn patience(&self) -> Duration {
        self.patience
    }

    /// Starts a process and sets its options.
    pub(crate) fn start(&self) -> Result<EngineProcess, EngineError> {
        let mut command = Program::new(&self.program);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let mut process = EngineProcess::spawn_command(&mut command)?;
        process.handshake(self.patience)?;
        for (name, value) in &self.options {
            process.set_option(name, value)?;
        }
        Ok(process)
    }
}

/// A running engine.
#[derive(Debug)]
pub(crate) struct UsiPlayer {
    process: EngineProcess,
    patience: Duration,
}

impl UsiPlayer {
    pub(crate) fn start(engine: &Engine) -> Result<Self, Fault> {
        Ok(Self {
            process: engine.start()?,
            patience: engine.patience,
        })
    }

    /// Sets options for the games to come.
    pub(crate) fn set_options(&mut self, options: &[(String, String)]) -> Result<(), Fault> {
        for (name, value) in options {
            self.process.set_option(name, value)?;
        }
        Ok(())
    }
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Timeout { .. } => Self::Silent,
            other => Self::Broken(other.to_string()),
        }
    }
}

impl Player for UsiPlayer {
    fn new_game(&mut self) -> Result<(), Fault> {
        self.process.get_ready(self.patience)?;
        Ok(self.process.new_game()?)
    }

    fn best_move(&mut self, question: &Question<'_>) -> Result<Answer, Fault> {
        self.process
            .send_line(&format!("position {}", question.position))?;
        match self.process.go(&question.go(), question.patience) {
            Ok(result) => {
                // The word after `bestmove` alone: the rest is about pondering.
                let text = result.best.to_string();
                let text = text.split(' ').next().unwrap_or_default().to_owned();
                let info = result.info.unwrap_or_default();
                Ok(Answer {
                    text,
                    elapsed: result.elapsed,
                    score_cp: info.score.map(centipawns),
                    depth: info.depth,
                    nodes: info.nodes,
                })
            }
            // No move at all is for the referee to judge.
            Err(EngineError::BadMove { line, .. }) => Ok(Answer {
                text: line,
                elapsed: Duration::ZERO,
                score_cp: None,
                depth: None,
                nodes: None,
            }),
            Err(error) => Err(error.into()),
        }
    }

    fn game_over(&mut self, result: GameResult) {
        // An engine that is gone is found out in the next game.
        drop(self.process.game_over(result));
    }
}
