//! An engine process.

use std::ffi::OsStr;
use std::process::{Command as Program, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use shogi_core::Game;
use yane_io::bytes_of_text;
use yane_io::child::{Deadline, NoLine, Pipes, ProcessGroup, set_own_group};

use super::paths::{absolute_path_value, runs_here};
use super::{EngineError, PositionText, ReadyReport};
use crate::{
    BestMove, CheckMate, ClockTimes, Command, GameResult, GoCommand, Info, OptionSpec,
    PositionCommand, Response,
};

/// Interval of checking whether an engine has quit.
const QUIT_INTERVAL: Duration = Duration::from_millis(2);

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoResult {
    /// The decision of the engine.
    pub best: BestMove,
    /// The last `info` line about the best line that carried a score.
    pub info: Option<Info>,
    /// Time from writing the command to reading the answer.
    pub elapsed: Duration,
}

/// A running USI engine, in a process group of its own. It is killed when dropped, with all that it has started;
/// [`Self::quit`] ends it properly.
#[derive(Debug)]
pub struct EngineProcess {
    program: String,
    /// True if it runs on this machine, as far as can be seen.
    is_here: bool,
    group: ProcessGroup,
    pipes: Pipes,
    /// The last `position` command of [`Self::start_from`].
    position: PositionText,
    /// The last limits of [`Self::start_from`], and their text.
    limits: (GoCommand, String),
    name: String,
    author: String,
    options: Vec<OptionSpec>,
    /// What it wrote for people since it was last ready.
    report: ReadyReport,
    /// Time at which the running search was started.
    go_at: Instant,
}

impl EngineProcess {
    /// Starts `program` with arguments in the current directory.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn spawn(program: impl AsRef<OsStr>, args: &[&str]) -> Result<Self, EngineError> {
        Self::spawn_command(Program::new(program).args(args))
    }

    /// Starts a program as described by `command`, whose standard streams are replaced: for a
    /// working directory, environment or remote shell of your own.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn spawn_command(command: &mut Program) -> Result<Self, EngineError> {
        let program = command.get_program().to_string_lossy().into_owned();
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        set_own_group(command);
        let mut child = command.spawn().map_err(|reason| EngineError::Spawn {
            program: program.clone(),
            reason,
        })?;
        let pipes = Pipes::new(&mut child);
        // From here on it is ended whatever happens.
        let group = ProcessGroup::new(child);
        let pipes = pipes.map_err(|reason| EngineError::Spawn {
            program: program.clone(),
            reason,
        })?;
        Ok(Self {
            name: program.clone(),
            program,
            is_here: runs_here(command),
            group,
            pipes,
            position: PositionText::default(),
            limits: Default::default(),
            author: String::new(),
            options: Vec::new(),
            report: ReadyReport::default(),
            go_at: Instant::now(),
        })
    }

    /// Sends `usi` and waits for `usiok`; after it name, author and options are known.
    ///
    /// # Errors
    /// When the engine ends or `timeout` passes.
    pub fn handshake(&mut self, timeout: Duration) -> Result<(), EngineError> {
        self.send(&Command::Usi)?;
        let mut deadline = Deadline::new(timeout);
        loop {
            match self.receive_reported("usiok", &mut deadline, timeout)? {
                Response::IdName(name) => self.name = name,
                Response::IdAuthor(author) => self.author = author,
                Response::Option(option) => self.options.push(option),
                Response::UsiOk => return Ok(()),
                _ => {}
            }
        }
    }

    /// The engine's name from the handshake; before that, the program.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The engine's author, empty before the handshake.
    pub fn author(&self) -> &str {
        &self.author
    }

    /// The options that the engine announced.
    pub fn options(&self) -> &[OptionSpec] {
        &self.options
    }

    /// Returns whether the engine announced an option of this name, whatever its case.
    pub fn has_option(&self, name: &str) -> bool {
        self.options
            .iter()
            .any(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// The last 4 KiB that the engine wrote to its standard error.
    pub fn stderr(&mut self) -> String {
        self.pipes.stderr()
    }

    /// Sets an option.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        self.send(&Command::SetOption {
            name: name.to_owned(),
            value: Some(value.to_owned()),
        })
    }

    /// Sets an option whose value the user wrote: a relative path that exists, as seen from the current directory, is sent as an
    /// absolute one ([`absolute_path_value`]), as the engine may run in another folder. To a program that runs the engine on another
    /// machine (`ssh`) values are sent as they are.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn set_user_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        let path = if self.is_here {
            absolute_path_value(&self.options, name, value)
        } else {
            None
        };
        self.set_option(name, path.as_deref().unwrap_or(value))
    }

    /// Sends `isready` and waits for `readyok`. Returns what the engine has said for people, of errors too, since it was started or
    /// last ready.
    ///
    /// # Errors
    /// When the engine ends or `timeout` passes.
    pub fn get_ready(&mut self, timeout: Duration) -> Result<ReadyReport, EngineError> {
        self.send(&Command::IsReady)?;
        let mut deadline = Deadline::new(timeout);
        while self.receive_reported("readyok", &mut deadline, timeout)? != Response::ReadyOk {}
        Ok(std::mem::take(&mut self.report))
    }

    /// Sends `usinewgame`.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        self.send(&Command::UsiNewGame)
    }

    /// Sends `gameover`.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn game_over(&mut self, result: GameResult) -> Result<(), EngineError> {
        self.send(&Command::GameOver(Some(result)))
    }

    /// Sets the position of the next search.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn set_position(&mut self, position: &PositionCommand) -> Result<(), EngineError> {
        self.send_line(&format!("position {position}"))
    }

    /// Searches and waits for the decision, at most `timeout`.
    ///
    /// # Errors
    /// When the engine ends, answers with nonsense, or `timeout` passes. After a time-out the search
    /// still runs: see [`Self::stop`].
    pub fn go(&mut self, go: &GoCommand, timeout: Duration) -> Result<GoResult, EngineError> {
        self.start(go)?;
        self.wait(timeout, |_| {})
    }

    /// Starts a search without waiting.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn start(&mut self, go: &GoCommand) -> Result<(), EngineError> {
        self.go_at = Instant::now();
        self.send(&Command::Go(Box::new(go.clone())))
    }

    /// Sets the position to the end of `game` and starts a search, without waiting: as
    /// [`Self::set_position`] and [`Self::start`], but with one write. When `game` continues the last one, only its new
    /// moves are formatted, and the same limits not at all.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn start_from(&mut self, game: &Game, go: &GoCommand) -> Result<(), EngineError> {
        let text = self.position.of(game);
        let position = text.len();
        let (limits, limits_text) = &mut self.limits;
        if limits != go || limits_text.is_empty() {
            *limits_text = format!("\n{go}\n");
            limits.clone_from(go);
        }
        text.push_str(limits_text);
        self.go_at = Instant::now();
        let written = self.pipes.write(text.as_bytes());
        let failed = written.map_err(|reason| EngineError::Write {
            engine: self.name.clone(),
            command: text.clone(),
            reason,
        });
        text.truncate(position);
        failed
    }

    /// Waits for the decision of the running search, at most `timeout`, passing every `info` line to
    /// `on_info`.
    ///
    /// # Errors
    /// When the engine ends, answers with nonsense, or `timeout` passes.
    pub fn wait(
        &mut self,
        timeout: Duration,
        mut on_info: impl FnMut(&Info),
    ) -> Result<GoResult, EngineError> {
        let mut last = None;
        let best = self.wait_text(timeout, |text| {
            let info = Info::parse(text);
            on_info(&info);
            if info.score.is_some() && info.multi_pv.is_none_or(|number| number == 1) {
                last = Some(info);
            }
        })?;
        Ok(GoResult {
            best,
            info: last,
            elapsed: self.go_at.elapsed(),
        })
    }

    /// [`Self::wait`] with the text of the lines: `on_info` gets what follows the word `info`, for [`Info::parse`] or
    /// [`Info::parse_head`].
    ///
    /// # Errors
    /// When the engine ends, answers with nonsense, or `timeout` passes.
    pub fn wait_text(
        &mut self,
        timeout: Duration,
        mut on_info: impl FnMut(&str),
    ) -> Result<BestMove, EngineError> {
        let mut deadline = Deadline::new(timeout);
        loop {
            let line = match self.pipes.line(&mut deadline) {
                Ok(line) => line,
                Err(error) => return Err(self.no_line(error, "bestmove", timeout)),
            };
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match word {
                "info" => on_info(rest),
                "bestmove" => match BestMove::parse(rest) {
                    Some(best) => return Ok(best),
                    None => {
                        return Err(EngineError::BadMove {
                            engine: self.name.clone(),
                            line: line.into_owned(),
                        });
                    }
                },
                _ => {}
            }
        }
    }

    /// Waits for the answer to a `go mate`, at most `timeout`.
    ///
    /// # Errors
    /// When the engine ends or `timeout` passes.
    pub fn wait_checkmate(&mut self, timeout: Duration) -> Result<CheckMate, EngineError> {
        let mut deadline = Deadline::new(timeout);
        loop {
            let response = self.receive("checkmate", &mut deadline, timeout)?;
            if let Response::CheckMate(mate) = response {
                return Ok(mate);
            }
        }
    }

    /// Sends `stop`; the decision still has to be waited for.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn stop(&mut self) -> Result<(), EngineError> {
        self.send(&Command::Stop)
    }

    /// Sends `ponderhit`: the opponent played the expected move. [`GoResult::elapsed`] counts from here.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn ponder_hit(&mut self, clock: ClockTimes) -> Result<(), EngineError> {
        self.go_at = Instant::now();
        self.send(&Command::PonderHit(clock))
    }

    /// Ends the engine: `quit`, then at most `timeout` to end by itself, then it is killed.
    ///
    /// # Errors
    /// When the system cannot end the process.
    pub fn quit(mut self, timeout: Duration) -> Result<ExitStatus, EngineError> {
        // Fails when the engine has already ended.
        drop(self.send(&Command::Quit));
        self.pipes.close_input();
        let deadline = Instant::now() + timeout;
        let engine = self.name.clone();
        let failed = |reason| EngineError::End {
            engine: engine.clone(),
            reason,
        };
        loop {
            if self.group.has_ended().map_err(failed)? || Instant::now() >= deadline {
                return self.group.end().map_err(failed);
            }
            // An engine whose output is not read may block before it ends.
            self.pipes.discard(QUIT_INTERVAL);
        }
    }

    /// Sends any command.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn send(&mut self, command: &Command) -> Result<(), EngineError> {
        self.send_line(&command.to_string())
    }

    /// Sends a line as it is, for engines with commands of their own.
    ///
    /// # Errors
    /// When the engine has ended, or the line has a control character: another line could hide behind a line feed.
    pub fn send_line(&mut self, line: &str) -> Result<(), EngineError> {
        if line
            .chars()
            .any(|letter| letter.is_control() && letter != '\t')
        {
            return Err(EngineError::ControlCharacter {
                engine: self.name.clone(),
                line: line.to_owned(),
            });
        }
        let written = self.pipes.write(&bytes_of_text(&format!("{line}\n")));
        written.map_err(|reason| EngineError::Write {
            engine: self.name.clone(),
            command: line.to_owned(),
            reason,
        })
    }

    /// The next line of output as it is, within `timeout`.
    ///
    /// # Errors
    /// When the engine ends or `timeout` passes.
    pub fn next_line(&mut self, timeout: Duration) -> Result<String, EngineError> {
        self.receive_line("a line", &mut Deadline::new(timeout), timeout)
    }

    fn receive(
        &mut self,
        expected: &'static str,
        deadline: &mut Deadline,
        timeout: Duration,
    ) -> Result<Response, EngineError> {
        let line = self.receive_line(expected, deadline, timeout)?;
        let Ok(response) = line.parse();
        Ok(response)
    }

    /// [`Self::receive`], keeping lines for people. An engine that ends after it has said of an error ended because of it.
    fn receive_reported(
        &mut self,
        expected: &'static str,
        deadline: &mut Deadline,
        timeout: Duration,
    ) -> Result<Response, EngineError> {
        let line = match self.receive_line(expected, deadline, timeout) {
            Ok(line) => line,
            Err(error @ EngineError::Closed { .. }) => {
                self.report.check(&self.name)?;
                return Err(error);
            }
            Err(error) => return Err(error),
        };
        self.report.add(&line);
        let Ok(response) = line.parse();
        Ok(response)
    }

    fn receive_line(
        &mut self,
        expected: &'static str,
        deadline: &mut Deadline,
        timeout: Duration,
    ) -> Result<String, EngineError> {
        match self.pipes.line(deadline) {
            Ok(line) => Ok(line.into_owned()),
            Err(error) => Err(self.no_line(error, expected, timeout)),
        }
    }

    fn no_line(&mut self, reason: NoLine, expected: &'static str, after: Duration) -> EngineError {
        let engine = self.name.clone();
        match reason {
            NoLine::Timeout => EngineError::Timeout {
                engine,
                expected,
                after,
            },
            NoLine::Closed => EngineError::Closed {
                engine,
                expected,
                stderr: self.pipes.stderr(),
            },
        }
    }

    /// The program as it was started.
    pub fn program(&self) -> &str {
        &self.program
    }
}
