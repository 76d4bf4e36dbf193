//! Pipes that the caller reads itself (Unix).
//!
//! A `poll` before each read costs a third of a whole round trip to a program. So the caller just reads, and one
//! watchdog thread for all programs of the process checks every [`TICK`] for reads that block and interrupts them: it
//! writes a marker byte, a zero, into the pipe, which the reader removes again.

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use std::{io, thread};

use arrayvec::ArrayVec;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::{Deadline, LineBuffer, NoLine, StderrTail, decode_line};

/// Longest wait for a program to read a command when the pipe is full.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// Most output that is buffered for a program that does not read its commands.
const MAX_BUFFERED: usize = 1 << 24;
/// Longest wait for the rest of the standard error of a program that ended.
const STDERR_TIMEOUT: Duration = Duration::from_millis(100);

/// The pipes of a program.
#[derive(Debug)]
pub struct Pipes {
    /// Never blocks. `None` when it was closed.
    stdin: Option<ChildStdin>,
    /// `None` after its end.
    stdout: Option<InterruptibleOutput>,
    /// `None` after its end.
    stderr: Option<ChildStderr>,
    lines: LineBuffer,
    tail: StderrTail,
}

/// The pipes that are ready.
#[derive(Clone, Copy, Default)]
struct Ready {
    stdin: bool,
    stdout: bool,
    stderr: bool,
}

impl Pipes {
    /// Takes the pipes of `child`.
    ///
    /// # Errors
    /// When it has none, or the system cannot change them.
    pub fn new(child: &mut Child) -> io::Result<Self> {
        if let Some(stdin) = &child.stdin {
            rustix::io::ioctl_fionbio(stdin, true)?;
        }
        Ok(Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().map(InterruptibleOutput::new),
            stderr: child.stderr.take(),
            lines: LineBuffer::default(),
            tail: StderrTail::default(),
        })
    }

    /// Writes all bytes; waits while the pipe is full.
    ///
    /// # Errors
    /// When the program has ended or does not read.
    pub fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let mut deadline = None;
        while !bytes.is_empty() {
            let Some(stdin) = &mut self.stdin else {
                return Err(ErrorKind::BrokenPipe.into());
            };
            match stdin.write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let deadline = deadline.get_or_insert_with(|| Deadline::new(WRITE_TIMEOUT));
                    self.wait_for_room(deadline)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until the program reads on; takes its output meanwhile, as it may be blocked on that.
    fn wait_for_room(&mut self, deadline: &mut Deadline) -> io::Result<()> {
        loop {
            let left = deadline.left().ok_or(ErrorKind::TimedOut)?;
            let reads = self.lines.buffered() < MAX_BUFFERED;
            let ready = self.poll(true, reads, left)?;
            self.read_stderr(ready);
            if ready.stdout {
                self.read();
            }
            if ready.stdin {
                return Ok(());
            }
        }
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
        let mut has_stderr = false;
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
            if stdout.is_watched() && left >= TICK && !has_stderr {
                if !self.read() {
                    // Nothing came for some time. If the program writes to its standard error, both are polled.
                    has_stderr = self.drain_stderr();
                }
                continue;
            }
            // A persistent error of the system ends with the deadline.
            let ready = self.poll(false, true, left).unwrap_or_default();
            self.read_stderr(ready);
            if ready.stdout {
                self.read();
            }
        };
        Ok(decode_line(self.lines.bytes(line)))
    }

    /// Reads from the output once, which may block. Returns `false` when the read was interrupted.
    fn read(&mut self) -> bool {
        let Some(stdout) = &mut self.stdout else {
            return true;
        };
        match self.lines.fill(stdout) {
            Ok(1..) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => return false,
            // An error counts as the end.
            Ok(0) | Err(_) => self.stdout = None,
        }
        true
    }

    /// Reads from the standard error once without blocking; returns whether there was anything.
    fn drain_stderr(&mut self) -> bool {
        let ready = self.poll(false, false, Duration::ZERO);
        let ready = ready.unwrap_or_default();
        self.read_stderr(ready);
        ready.stderr
    }

    /// Reads from the standard error once if it is ready.
    fn read_stderr(&mut self, ready: Ready) {
        let Some(stderr) = self.stderr.as_mut().filter(|_| ready.stderr) else {
            return;
        };
        let mut piece = [0; 4096];
        match stderr.read(&mut piece) {
            Ok(read @ 1..) => self.tail.push(&piece[..read]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            _ => self.stderr = None,
        }
    }

    /// Waits until a pipe is ready, at most `left`.
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
        // A pipe at its end is ready too.
        let mut events = fds.iter().map(|fd| !fd.revents().is_empty());
        let mut next = |is_there: bool| is_there && events.next().unwrap_or_default();
        Ok(Ready {
            stdin: next(stdin.is_some()),
            stdout: next(stdout.is_some()),
            stderr: next(stderr.is_some()),
        })
    }

    /// Reads and drops all output for some time.
    pub fn discard(&mut self, time: Duration) {
        let mut deadline = Deadline::new(time);
        while let Some(left) = deadline.left() {
            let ready = self.poll(false, true, left).unwrap_or_default();
            self.read_stderr(ready);
            if ready.stdout {
                self.read();
            }
            while self.lines.next().is_some() {}
            if self.stdout.is_none() && self.stderr.is_none() {
                return std::thread::sleep(left);
            }
        }
    }

    /// The last bytes of the standard error.
    pub fn stderr(&mut self) -> String {
        // The rest of a program that ended may still be in the pipe.
        let time = if self.stdout.is_none() {
            STDERR_TIMEOUT
        } else {
            Duration::ZERO
        };
        let mut deadline = Deadline::new(time);
        while self.stderr.is_some() {
            let Some(left) = deadline.left() else { break };
            let ready = self.poll(false, false, left).unwrap_or_default();
            self.read_stderr(ready);
            if time.is_zero() && !ready.stderr {
                break;
            }
        }
        self.tail.text()
    }
}

// Blocking reads of a program's output that a watchdog interrupts.
//
// A `poll` before each read costs a third of a whole round trip to a program. So the caller just reads, and one
// watchdog thread for all programs of the process checks every [`TICK`] for reads that block and interrupts them: it
// writes a marker byte, a zero, into the pipe, which the reader removes again.

/// Interval of checking reads. One that two checks find is interrupted.
pub(super) const TICK: Duration = Duration::from_millis(20);

/// The byte that interrupts a read.
const MARKER: u8 = 0;

/// State: no read in progress.
const IDLE: u8 = 0;
/// State: a read in progress.
const READING: u8 = 1;
/// State: a check has found the read.
const SEEN: u8 = 2;
/// State: a marker was sent to the read.
const INTERRUPTED: u8 = 3;

/// The pipe, shared by the reader and the watchdog.
#[derive(Debug)]
struct Shared {
    stream: ChildStdout,
    state: AtomicU8,
    /// Markers that were sent.
    markers: AtomicU32,
}

/// The output of a program.
#[derive(Debug)]
pub(super) struct InterruptibleOutput {
    shared: Arc<Shared>,
    is_watched: bool,
    /// Markers that were removed.
    removed: u32,
}

impl InterruptibleOutput {
    pub(super) fn new(stream: ChildStdout) -> Self {
        let shared = Arc::new(Shared {
            stream,
            state: AtomicU8::new(IDLE),
            markers: AtomicU32::new(0),
        });
        Self {
            is_watched: watch(&shared),
            shared,
            removed: 0,
        }
    }

    /// Returns whether the watchdog interrupts reads, not long after [`TICK`].
    pub(super) const fn is_watched(&self) -> bool {
        self.is_watched
    }

    pub(super) fn stream(&self) -> &ChildStdout {
        &self.shared.stream
    }

    /// Removes markers from what was read; returns the number of bytes left.
    #[cold]
    fn remove_markers(&mut self, bytes: &mut [u8], mut sent: u32) -> usize {
        let mut kept = 0;
        for at in 0..bytes.len() {
            if bytes[at] == MARKER && sent > 0 {
                sent -= 1;
                self.removed = self.removed.wrapping_add(1);
            } else {
                bytes[kept] = bytes[at];
                kept += 1;
            }
        }
        kept
    }
}

impl Read for InterruptibleOutput {
    /// Fails with [`ErrorKind::Interrupted`] when it took long.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.shared.state.store(READING, Ordering::Relaxed);
        let read = rustix::io::read(&self.shared.stream, &mut *bytes);
        self.shared.state.store(IDLE, Ordering::Relaxed);
        let read = read?;
        let markers = self.shared.markers.load(Ordering::Acquire);
        let sent = markers.wrapping_sub(self.removed);
        if sent == 0 || read == 0 {
            return Ok(read);
        }
        match self.remove_markers(&mut bytes[..read], sent) {
            0 => Err(ErrorKind::Interrupted.into()),
            left => Ok(left),
        }
    }
}

impl Shared {
    /// A write end of the pipe that does not block. It is opened for a moment only, since the reader would not see the
    /// end of the program's output as long as it is open. Only Linux can open it.
    fn write_end(&self) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
            .open(format!("/proc/self/fd/{}", self.stream.as_raw_fd()))
    }

    /// Checks the read in progress, and interrupts it when the last check found it too.
    fn check(&self) {
        let transition = |from, to| {
            let state = &self.state;
            let changed = state.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed);
            changed.is_ok()
        };
        if transition(READING, SEEN) || self.state.load(Ordering::Relaxed) != SEEN {
            return;
        }
        // If that fails now, as too many files are open, the next check tries again.
        let Ok(mut pipe) = self.write_end() else {
            return;
        };
        if transition(SEEN, INTERRUPTED) {
            // Counted before it is written. A marker that finds no room is not needed, as there is something to read;
            // a zero of the program may then be taken for it, but lines have none.
            self.markers.fetch_add(1, Ordering::Release);
            drop(pipe.write_all(&[MARKER]));
        }
    }
}

/// The outputs that the watchdog checks.
static WATCHED: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

fn watched() -> MutexGuard<'static, Vec<Weak<Shared>>> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registers an output with the watchdog; returns whether that is possible.
fn watch(shared: &Arc<Shared>) -> bool {
    if shared.write_end().is_err() {
        return false;
    }
    let mut watched = watched();
    watched.push(Arc::downgrade(shared));
    let has_thread = watched.len() > 1;
    let thread = || thread::Builder::new().name("watchdog".to_owned());
    if has_thread || thread().spawn(run_watchdog).is_ok() {
        return true;
    }
    watched.pop();
    false
}

/// Checks all outputs as long as there are any.
fn run_watchdog() {
    loop {
        thread::sleep(TICK);
        let mut watched = watched();
        // While it is checked, an output stays open: its descriptor is that of no other file.
        watched.retain(|shared| {
            let shared = shared.upgrade();
            shared.inspect(|shared| shared.check()).is_some()
        });
        if watched.is_empty() {
            return;
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Child, Command, Stdio};
    use std::time::Instant;

    use super::*;

    fn shell(script: &str) -> (Child, InterruptibleOutput) {
        let mut child = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = InterruptibleOutput::new(child.stdout.take().unwrap());
        assert!(output.is_watched());
        (child, output)
    }

    #[test]
    fn a_blocking_read_is_interrupted() {
        let (mut child, mut output) = shell("read -r word; printf ab");
        let begin = Instant::now();
        for n in 1..=3 {
            let error = output.read(&mut [0; 100]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Interrupted);
            assert!(begin.elapsed() >= n * TICK && begin.elapsed() < Duration::from_secs(20));
        }
        drop(child.stdin.take());
        // No marker is left, and no output is missing.
        let mut text = Vec::new();
        loop {
            let mut bytes = [0; 100];
            match output.read(&mut bytes) {
                Ok(0) => break,
                Ok(read) => text.extend_from_slice(&bytes[..read]),
                Err(_) => {}
            }
        }
        assert_eq!(text, b"ab");
        child.wait().unwrap();
    }

    #[test]
    fn a_marker_may_come_inside_a_line() {
        let (mut child, mut output) = shell("printf info; sleep 0.2; echo ' depth 1'");
        let mut text = Vec::new();
        let mut interrupted = 0;
        loop {
            let mut bytes = [0; 100];
            match output.read(&mut bytes) {
                Ok(0) => break,
                Ok(read) => text.extend_from_slice(&bytes[..read]),
                Err(_) => interrupted += 1,
            }
        }
        assert!(interrupted > 0);
        assert_eq!(text, b"info depth 1\n");
        child.wait().unwrap();
    }
}
