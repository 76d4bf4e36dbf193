//! A USI engine as a player.

use std::path::{Path, PathBuf};
use std::process::Command as Program;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use shogi_usi::GameResult;
use shogi_usi::client::{EngineError, EngineProcess};

use super::player::{Answer, Fault, Player, Question, centipawns};

/// An engine as the command line names it.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) program: PathBuf,
    /// Options as `NAME=VALUE`.
    pub(crate) options: Vec<String>,
    /// Working folder; where the program is if `None`, as GUIs have it.
    pub(crate) folder: Option<PathBuf>,
}

/// How to start an engine.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    program: PathBuf,
    folder: Option<PathBuf>,
    /// Names and values.
    options: Vec<(String, String)>,
    /// How long to wait for anything but a move.
    patience: Duration,
    /// What the engine calls itself.
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

    /// What the engine calls itself.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// How long to wait for anything but a move.
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
