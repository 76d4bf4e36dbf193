//! Streams that whoever waits reads itself.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::process::{Child, ChildStderr, ChildStdin};
use std::time::Duration;

use arrayvec::ArrayVec;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::lines::Lines;
use super::output::{Output, TICK};
use super::{Deadline, NoLine, Tail, text};

/// Longest time that an engine may leave a command unread when the pipe is full.
const WRITE_PATIENCE: Duration = Duration::from_secs(10);
/// Most output that is taken from an engine that does not read its commands.
const MOST_WAITING: usize = 1 << 24;
/// Longest wait for the last lines on the standard error of an engine that ended.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// The streams of an engine.
#[derive(Debug)]
pub(in crate::client) struct Pipes {
    /// Never blocks. `None` when it was closed.
    stdin: Option<ChildStdin>,
    /// `None` after its end.
    stdout: Option<Output>,
    /// `None` after its end.
    stderr: Option<ChildStderr>,
    lines: Lines,
    tail: Tail,
}

/// What can be done without waiting.
#[derive(Clone, Copy, Default)]
struct Ready {
    input: bool,
    output: bool,
    remarks: bool,
}

impl Pipes {
    pub(in crate::client) fn new(child: &mut Child) -> io::Result<Self> {
        if let Some(stdin) = &child.stdin {
            rustix::io::ioctl_fionbio(stdin, true)?;
        }
        Ok(Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().map(Output::new),
            stderr: child.stderr.take(),
            lines: Lines::default(),
            tail: Tail::default(),
        })
    }

    /// Writes all of it, as soon as the engine has read what was written before.
    pub(in crate::client) fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let mut deadline = None;
        while !bytes.is_empty() {
            let Some(stdin) = &mut self.stdin else {
                return Err(ErrorKind::BrokenPipe.into());
            };
            match stdin.write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let deadline = deadline.get_or_insert_with(|| Deadline::new(WRITE_PATIENCE));
                    self.make_room(deadline)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until the engine reads on. It may be that it first has to get rid of its own output.
    fn make_room(&mut self, deadline: &mut Deadline) -> io::Result<()> {
        loop {
            let left = deadline.left().ok_or(ErrorKind::TimedOut)?;
            let listens = self.lines.waiting() < MOST_WAITING;
            let ready = self.poll(true, listens, left)?;
            self.read_remarks(ready);
            if ready.output {
                self.read();
            }
            if ready.input {
                return Ok(());
            }
        }
    }

    pub(in crate::client) fn close_input(&mut self) {
        self.stdin = None;
    }

    /// The next line.
    pub(in crate::client) fn line(
        &mut self,
        deadline: &mut Deadline,
    ) -> Result<Cow<'_, str>, NoLine> {
        let mut remarks = false;
        let line = loop {
            if let Some(line) = self.lines.next() {
                break line;
            }
            let Some(stdout) = &self.stdout else {
                match self.lines.rest() {
                    Some(line) => break line,
                    None => return Err(NoLine::Closed),
                }
            };
            let left = deadline.left().ok_or(NoLine::Timeout)?;
            if stdout.is_watched() && left >= TICK && !remarks {
                if !self.read() {
                    // Nothing came for some time. An engine that writes remarks meanwhile is read with them.
                    remarks = self.take_remarks();
                }
                continue;
            }
            // An error of the system that comes again and again ends with the deadline.
            let ready = self.poll(false, true, left).unwrap_or_default();
            self.read_remarks(ready);
            if ready.output {
                self.read();
            }
        };
        Ok(text(self.lines.bytes(line)))
    }

    /// Reads what there is of the output, or what comes. `false` when reading was interrupted.
    fn read(&mut self) -> bool {
        let Some(stdout) = &mut self.stdout else {
            return true;
        };
        match self.lines.fill(stdout) {
            Ok(1..) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => return false,
            // One that cannot be read any more has ended too.
            Ok(0) | Err(_) => self.stdout = None,
        }
        true
    }

    /// Reads what there is of the standard error, at most a piece; whether there was any.
    fn take_remarks(&mut self) -> bool {
        let ready = self.poll(false, false, Duration::ZERO);
        let ready = ready.unwrap_or_default();
        self.read_remarks(ready);
        ready.remarks
    }

    /// Reads what there is of the standard error, at most a piece.
    fn read_remarks(&mut self, ready: Ready) {
        let Some(stderr) = self.stderr.as_mut().filter(|_| ready.remarks) else {
            return;
        };
        let mut piece = [0; 4096];
        match stderr.read(&mut piece) {
            Ok(read @ 1..) => self.tail.push(&piece[..read]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            _ => self.stderr = None,
        }
    }

    /// Waits until something can be done, at most `left`.
    fn poll(&self, writes: bool, reads: bool, left: Duration) -> io::Result<Ready> {
        let stdin = self.stdin.as_ref().filter(|_| writes);
        let stdout = self.stdout.as_ref().filter(|_| reads);
        let stderr = self.stderr.as_ref();
        let mut fds = ArrayVec::<_, 3>::new();
        fds.extend(stdin.map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
        fds.extend(stdout.map(|pipe| PollFd::new(pipe.stream(), PollFlags::IN)));
        fds.extend(stderr.map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        match poll(&mut fds, Timespec::try_from(left).ok().as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Ready::default()),
            Err(error) => return Err(error.into()),
        }
        // That a pipe is at its end is something too.
        let mut told = fds.iter().map(|fd| !fd.revents().is_empty());
        let mut next = |is_there: bool| is_there && told.next().unwrap_or_default();
        Ok(Ready {
            input: next(stdin.is_some()),
            output: next(stdout.is_some()),
            remarks: next(stderr.is_some()),
        })
    }

    /// Has the engine write what it likes, for some time.
    pub(in crate::client) fn discard(&mut self, time: Duration) {
        let mut deadline = Deadline::new(time);
        while let Some(left) = deadline.left() {
            let ready = self.poll(false, true, left).unwrap_or_default();
            self.read_remarks(ready);
            if ready.output {
                self.read();
            }
            while self.lines.next().is_some() {}
            if self.stdout.is_none() && self.stderr.is_none() {
                return std::thread::sleep(left);
            }
        }
    }

    /// The last of what came on the standard error.
    pub(in crate::client) fn stderr(&mut self) -> String {
        // An engine that ended has said everything, but it may be on its way.
        let time = if self.stdout.is_none() {
            LAST_WORDS
        } else {
            Duration::ZERO
        };
        let mut deadline = Deadline::new(time);
        while self.stderr.is_some() {
            let Some(left) = deadline.left() else { break };
            let ready = self.poll(false, false, left).unwrap_or_default();
            self.read_remarks(ready);
            if time.is_zero() && !ready.remarks {
                break;
            }
        }
        self.tail.text()
    }
}
