//! The process of a USI engine: started, made ready, asked, and ended when it fails. Every wait looks at whether it is still wanted.

use std::collections::BTreeMap;
use std::process::Command as Program;
use std::time::{Duration, Instant};

use page_messages::StopFlag;
use shogi_core::Game;
use shogi_usi::client::{EngineError, EngineProcess, absolute_path_value};
use shogi_usi::{Command, GoCommand, OptionSpec, Response};

/// The time between two looks at whether an answer is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// The time for an engine to say what it is.
const HANDSHAKE: Duration = Duration::from_secs(20);

/// The time for an engine to get ready: large networks take long.
const READY: Duration = Duration::from_secs(180);

/// The time for an engine to end its search after `stop`.
const GRACE: Duration = Duration::from_secs(3);

/// Options that take effect without getting ready again.
const AT_ONCE: [&str; 4] = ["multipv", "considerationmode", "skilllevel", "usi_ownbook"];

/// Why an engine is not used on.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// The process failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// It did not answer.
    #[error("it did not answer with {expected} within {} s", .after.as_secs())]
    Silent {
        /// The expected answer.
        expected: &'static str,
        /// The time limit.
        after: Duration,
    },
    /// It did not end its search when it was told to, and was ended itself.
    #[error("it did not stop, and was ended; the next request starts it anew")]
    DidNotStop,
    /// Nobody wants the answer any more.
    #[error("the request was stopped")]
    Unwanted,
    /// It answered with what is none.
    #[error("its answer '{0}' is no legal move")]
    Illegal(String),
    /// It has no search for mates.
    #[error("it has no search for mates")]
    NoMates,
}

/// A process that has said what it is.
#[derive(Debug)]
pub(super) struct Running {
    process: EngineProcess,
    /// What it calls itself.
    pub(super) name: String,
    /// The options that it announced.
    pub(super) options: Vec<OptionSpec>,
    /// The values that it has, by names in lower case.
    values: BTreeMap<String, String>,
    is_ready: bool,
    /// True if it is getting ready, and nobody has seen it end.
    is_getting_ready: bool,
}

/// How long to wait for the end of a search.
pub(super) struct Patience {
    /// The time for it; `None`: any.
    pub(super) most: Option<Duration>,
}

impl Running {
    /// Starts a program and asks what it is.
    pub(super) fn start(command: &mut Program, stop: &StopFlag) -> Result<Self, Fault> {
        let mut process = EngineProcess::spawn_command(command)?;
        process.send(&Command::Usi)?;
        let mut running = Self {
            name: process.program().to_owned(),
            process,
            options: Vec::new(),
            values: BTreeMap::new(),
            is_ready: false,
            is_getting_ready: false,
        };
        running.wait("usiok", HANDSHAKE, stop, |running, response| {
            match response {
                Response::IdName(name) => running.name = name,
                Response::Option(option) => running.options.push(option),
                Response::UsiOk => return true,
                _ => {}
            }
            false
        })?;
        for option in &running.options {
            let default = option.kind.default_value().to_string();
            running
                .values
                .insert(option.name.to_ascii_lowercase(), default);
        }
        Ok(running)
    }

    /// Reads lines until one is the answer, at most for a time.
    fn wait(
        &mut self,
        expected: &'static str,
        after: Duration,
        stop: &StopFlag,
        mut is_answer: impl FnMut(&mut Self, Response) -> bool,
    ) -> Result<(), Fault> {
        let end = Instant::now() + after;
        loop {
            match self.process.next_line(LOOK) {
                Ok(line) => {
                    let Ok(response) = line.parse();
                    if is_answer(self, response) {
                        return Ok(());
                    }
                }
                Err(EngineError::Timeout { .. }) if stop.is_stopped() => {
                    return Err(Fault::Unwanted);
                }
                Err(EngineError::Timeout { .. }) if Instant::now() < end => {}
                Err(EngineError::Timeout { .. }) => return Err(Fault::Silent { expected, after }),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns whether it has an option.
    pub(super) fn has_option(&self, name: &str) -> bool {
        self.values.contains_key(&name.to_ascii_lowercase())
    }

    /// Presses a button.
    pub(super) fn press(&mut self, name: &str) -> Result<(), Fault> {
        self.process.send(&Command::SetOption {
            name: name.to_owned(),
            value: None,
        })?;
        self.is_ready = false;
        Ok(())
    }

    /// Gives all options the wanted values, or their defaults, and gets it ready if that needs be. `wanted` by names in lower case.
    pub(super) fn get_ready(
        &mut self,
        wanted: &BTreeMap<String, String>,
        stop: &StopFlag,
    ) -> Result<(), Fault> {
        // A network may take longer to load than a request lives.
        if self.is_getting_ready {
            self.wait_until_ready(stop)?;
        }
        let mut changes = Vec::new();
        for option in &self.options {
            let lower = option.name.to_ascii_lowercase();
            let default = || option.kind.default_value().to_string();
            let value = wanted.get(&lower).cloned().unwrap_or_else(default);
            if self.values.get(&lower) != Some(&value) {
                changes.push((option.name.clone(), lower, value));
            }
        }
        for (name, lower, value) in changes {
            let path = absolute_path_value(&self.options, &name, &value);
            self.process
                .set_option(&name, path.as_deref().unwrap_or(&value))?;
            self.is_ready &= AT_ONCE.contains(&lower.as_str());
            self.values.insert(lower, value);
        }
        if self.is_ready {
            return Ok(());
        }
        self.process.send(&Command::IsReady)?;
        self.is_getting_ready = true;
        self.wait_until_ready(stop)?;
        self.process.new_game()?;
        self.is_ready = true;
        Ok(())
    }

    fn wait_until_ready(&mut self, stop: &StopFlag) -> Result<(), Fault> {
        let is_ready = |_: &mut Self, response| response == Response::ReadyOk;
        self.wait("readyok", READY, stop, is_ready)?;
        self.is_getting_ready = false;
        Ok(())
    }

    /// The next search knows nothing of those before.
    pub(super) const fn forget(&mut self) {
        self.is_ready = false;
    }

    /// Searches from the end of a game until an answer comes. `answer` gets what it says, and now and then `None`, and returns
    /// what ends the search.
    pub(super) fn ask<T>(
        &mut self,
        game: &Game,
        go: &GoCommand,
        patience: &Patience,
        stop: &StopFlag,
        mut answer: impl FnMut(Option<Response>) -> Option<T>,
    ) -> Result<T, Fault> {
        self.process.start_from(game, go)?;
        let begin = Instant::now();
        let mut stopped: Option<Instant> = None;
        loop {
            match self.process.next_line(LOOK) {
                Ok(line) => {
                    let Ok(response) = line.parse();
                    if let Some(answer) = answer(Some(response)) {
                        return Ok(answer);
                    }
                }
                Err(EngineError::Timeout { .. }) => {
                    let _nothing_new = answer(None);
                }
                Err(error) => return Err(error.into()),
            }
            match stopped {
                None if stop.is_stopped() => {
                    self.process.stop()?;
                    stopped = Some(Instant::now());
                }
                Some(at) if at.elapsed() > GRACE => return Err(Fault::DidNotStop),
                None if patience.most.is_some_and(|most| begin.elapsed() > most) => {
                    return Err(Fault::Silent {
                        expected: "its move",
                        after: begin.elapsed(),
                    });
                }
                _ => {}
            }
        }
    }
}
