//! An engine process.

use std::ffi::OsStr;
use std::io::Write;
use std::process::{Child, ChildStdin, Command as Program, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::EngineError;
use super::pipes::{Line, StderrTail, read_lines};
use crate::{
    BestMove, CheckMate, ClockTimes, Command, GameResult, GoCommand, Info, OptionSpec,
    PositionCommand, Response,
};

/// The outcome of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoResult {
    /// What the engine decided.
    pub best: BestMove,
    /// The last `info` line about the best line that carried a score.
    pub info: Option<Info>,
    /// Time from writing the command to reading the answer.
    pub elapsed: Duration,
}

/// A running USI engine. It is killed when dropped; [`Self::quit`] ends it in good order.
#[derive(Debug)]
pub struct EngineProcess {
    program: String,
    child: Child,
    /// `None` after `quit`.
    stdin: Option<ChildStdin>,
    lines: Receiver<Line>,
    stderr: StderrTail,
    name: String,
    author: String,
    options: Vec<OptionSpec>,
    /// When the running search was started.
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
        let mut child = command.spawn().map_err(|source| EngineError::Spawn {
            program: program.clone(),
            source,
        })?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            unreachable!("all three streams are pipes");
        };
        Ok(Self {
            name: program.clone(),
            program,
            child,
            stdin: Some(stdin),
            lines: read_lines(stdout),
            stderr: StderrTail::drain(stderr),
            author: String::new(),
            options: Vec::new(),
            go_at: Instant::now(),
        })
    }

    /// Sends `usi` and waits for `usiok`; after it name, author and options are known.
    ///
    /// # Errors
    /// When the engine ends or `timeout` passes.
    pub fn handshake(&mut self, timeout: Duration) -> Result<(), EngineError> {
        self.send(&Command::Usi)?;
        let deadline = Instant::now() + timeout;
        loop {
            match self.receive("usiok", deadline, timeout)?.0 {
                Response::IdName(name) => self.name = name,
                Response::IdAuthor(author) => self.author = author,
                Response::Option(option) => self.options.push(option),
                Response::UsiOk => return Ok(()),
                _ => {}
            }
        }
    }

    /// The engine's name: what it says in the handshake, before that the program.
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

    /// Whether the engine announced an option of this name, whatever its case.
    pub fn has_option(&self, name: &str) -> bool {
        self.options
            .iter()
            .any(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// The last 4 KiB that the engine wrote to its standard error.
    pub fn stderr(&self) -> String {
        self.stderr.text()
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

    /// Sends `isready` and waits for `readyok`.
    ///
    /// # Errors
    /// When the engine ends or `timeout` passes.
    pub fn get_ready(&mut self, timeout: Duration) -> Result<(), EngineError> {
        self.send(&Command::IsReady)?;
        let deadline = Instant::now() + timeout;
        while self.receive("readyok", deadline, timeout)?.0 != Response::ReadyOk {}
        Ok(())
    }

    /// Tells that a new game begins.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        self.send(&Command::UsiNewGame)
    }

    /// Tells how the game ended for the engine.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn game_over(&mut self, result: GameResult) -> Result<(), EngineError> {
        self.send(&Command::GameOver(result))
    }

    /// Sets the position of the next search.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn set_position(&mut self, position: &PositionCommand) -> Result<(), EngineError> {
        self.send(&Command::Position(Box::new(position.clone())))
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

    /// Waits for the decision of the running search, at most `timeout`, showing every `info` line to
    /// `on_info`.
    ///
    /// # Errors
    /// When the engine ends, answers with nonsense, or `timeout` passes.
    pub fn wait(
        &mut self,
        timeout: Duration,
        mut on_info: impl FnMut(&Info),
    ) -> Result<GoResult, EngineError> {
        let deadline = Instant::now() + timeout;
        let mut last = None;
        loop {
            match self.receive("bestmove", deadline, timeout)? {
                (Response::Info(info), _) => {
                    on_info(&info);
                    if info.score.is_some() && info.multi_pv.is_none_or(|number| number == 1) {
                        last = Some(*info);
                    }
                }
                (Response::BestMove(best), at) => {
                    let elapsed = at.saturating_duration_since(self.go_at);
                    return Ok(GoResult {
                        best,
                        info: last,
                        elapsed,
                    });
                }
                (Response::Other(line), _) if line.starts_with("bestmove") => {
                    return Err(EngineError::BadMove {
                        engine: self.name.clone(),
                        line,
                    });
                }
                _ => {}
            }
        }
    }

    /// Waits for the answer to a `go mate`, at most `timeout`.
    ///
    /// # Errors
    /// When the engine ends or `timeout` passes.
    pub fn wait_checkmate(&mut self, timeout: Duration) -> Result<CheckMate, EngineError> {
        let deadline = Instant::now() + timeout;
        loop {
            if let (Response::CheckMate(mate), _) = self.receive("checkmate", deadline, timeout)? {
                return Ok(mate);
            }
        }
    }

    /// Asks to end the running search; its decision still has to be waited for.
    ///
    /// # Errors
    /// When the engine has ended.
    pub fn stop(&mut self) -> Result<(), EngineError> {
        self.send(&Command::Stop)
    }

    /// Tells that the opponent played the expected move. The time of [`GoResult::elapsed`] counts
    /// from here.
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
        // An engine that has already ended cannot be written to; that is what is wanted.
        drop(self.send(&Command::Quit));
        self.stdin = None;
        let deadline = Instant::now() + timeout;
        let engine = self.name.clone();
        let failed = |source| EngineError::End {
            engine: engine.clone(),
            source,
        };
        loop {
            if let Some(status) = self.child.try_wait().map_err(failed)? {
                return Ok(status);
            }
            if Instant::now() >= deadline {
                self.child.kill().map_err(failed)?;
                return self.child.wait().map_err(failed);
            }
            thread::sleep(Duration::from_millis(2));
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
    /// When the engine has ended.
    pub fn send_line(&mut self, line: &str) -> Result<(), EngineError> {
        let written = match &mut self.stdin {
            Some(stdin) => stdin
                .write_all(format!("{line}\n").as_bytes())
                .and_then(|()| stdin.flush()),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        written.map_err(|source| EngineError::Write {
            engine: self.name.clone(),
            command: line.to_owned(),
            source,
        })
    }

    /// The next line of output as it is, within `timeout`.
    ///
    /// # Errors
    /// When the engine ends or `timeout` passes.
    pub fn next_line(&mut self, timeout: Duration) -> Result<String, EngineError> {
        self.receive_line("a line", Instant::now() + timeout, timeout)
            .map(|line| line.text)
    }

    fn receive(
        &mut self,
        expected: &'static str,
        deadline: Instant,
        timeout: Duration,
    ) -> Result<(Response, Instant), EngineError> {
        let line = self.receive_line(expected, deadline, timeout)?;
        let Ok(response) = line.text.parse();
        Ok((response, line.at))
    }

    fn receive_line(
        &mut self,
        expected: &'static str,
        deadline: Instant,
        timeout: Duration,
    ) -> Result<Line, EngineError> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => EngineError::Timeout {
                engine: self.name.clone(),
                expected,
                after: timeout,
            },
            RecvTimeoutError::Disconnected => EngineError::Closed {
                engine: self.name.clone(),
                expected,
                stderr: self.stderr.text(),
            },
        })
    }

    /// The program as it was started.
    pub fn program(&self) -> &str {
        &self.program
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        // Both fail only when the process has already ended.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
