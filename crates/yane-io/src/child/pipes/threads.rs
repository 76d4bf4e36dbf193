//! Pipes that threads read.

#![cfg_attr(
    unix,
    expect(unreachable_pub, reason = "there it is compiled for its tests alone")
)]

use std::borrow::Cow;
use std::io::{ErrorKind, Read as _, Write as _};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{io, thread};

use super::{Deadline, LineBuffer, NoLine, StderrTail, decode_line};

/// Lines that wait to be taken; the program waits behind them.
const AHEAD: usize = 64;
/// Longest wait for the rest of the standard error of a program that ended.
const STDERR_TIMEOUT: Duration = Duration::from_millis(100);

/// The pipes of a program.
#[derive(Debug)]
pub struct Pipes {
    /// `None` when it was closed.
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    /// The line that was returned last.
    line: Vec<u8>,
    has_ended: bool,
    stderr: Option<JoinHandle<()>>,
    tail: Arc<Mutex<StderrTail>>,
}

impl Pipes {
    /// Takes the pipes of `child`.
    ///
    /// # Errors
    /// When it has none, or the system cannot change them.
    pub fn new(child: &mut Child) -> io::Result<Self> {
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(ErrorKind::BrokenPipe.into());
        };
        let tail = Arc::default();
        Ok(Self {
            stdin: child.stdin.take(),
            lines: read_lines(stdout),
            line: Vec::new(),
            has_ended: false,
            stderr: Some(drain(stderr, Arc::clone(&tail))),
            tail,
        })
    }

    /// Writes all bytes; waits while the pipe is full.
    ///
    /// # Errors
    /// When the program has ended or does not read.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(stdin) = &mut self.stdin else {
            return Err(ErrorKind::BrokenPipe.into());
        };
        stdin.write_all(bytes)?;
        stdin.flush()
    }

    /// Closes the standard input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// The next line, without blanks at its ends; the beginning of one longer than 1 MiB.
    ///
    /// # Errors
    /// [`NoLine`], when none comes.
    pub fn line(&mut self, deadline: &mut Deadline) -> Result<Cow<'_, str>, NoLine> {
        let left = deadline.left().ok_or(NoLine::Timeout)?;
        self.line = self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoLine::Timeout,
            RecvTimeoutError::Disconnected => {
                self.has_ended = true;
                NoLine::Closed
            }
        })?;
        Ok(decode_line(&self.line))
    }

    /// Reads and drops all output for some time.
    pub fn discard(&mut self, time: Duration) {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => return thread::sleep(left),
            }
        }
    }

    /// The last bytes of the standard error.
    pub fn stderr(&mut self) -> String {
        let end = Instant::now() + STDERR_TIMEOUT;
        let is_reading = |thread: &JoinHandle<()>| !thread.is_finished();
        while self.has_ended && self.stderr.as_ref().is_some_and(is_reading) && Instant::now() < end
        {
            thread::sleep(Duration::from_millis(1));
        }
        let tail = self.tail.lock();
        tail.unwrap_or_else(PoisonError::into_inner).text()
    }
}

/// Reads lines until the end of the output.
fn read_lines(mut stdout: ChildStdout) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::sync_channel(AHEAD);
    thread::spawn(move || {
        let mut lines = LineBuffer::default();
        loop {
            let read = match lines.fill(&mut stdout) {
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => 0,
            };
            while let Some(line) = lines.next() {
                if sender.send(lines.bytes(line).to_vec()).is_err() {
                    return;
                }
            }
            if read == 0 {
                if let Some(line) = lines.rest() {
                    // Fails when the program was dropped.
                    sender.send(lines.bytes(line).to_vec()).ok();
                }
                return;
            }
        }
    });
    receiver
}

/// Reads until the end, keeping the tail.
fn drain(mut stderr: ChildStderr, tail: Arc<Mutex<StderrTail>>) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut piece = [0; 1024];
        loop {
            match stderr.read(&mut piece) {
                Ok(read @ 1..) => tail
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(&piece[..read]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => return,
            }
        }
    })
}
