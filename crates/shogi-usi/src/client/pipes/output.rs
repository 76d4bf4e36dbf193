//! The output of an engine, read without a time limit for each read.
//!
//! Asking the system for a time limit (`poll`) costs a third of what a question to an engine costs at all. So who
//! waits for output just reads, and a thread for all engines of the process looks every [`TICK`] for reads that take
//! long and ends them: it puts a byte of its own, a zero, into the pipe, which the reader takes out again.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::ChildStdout;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

/// Interval of checking reads. One is ended when two checks find it.
pub(super) const TICK: Duration = Duration::from_millis(20);

/// What ends a read.
const MARK: u8 = 0;

/// Nobody reads.
const IDLE: u8 = 0;
/// Somebody reads.
const READS: u8 = 1;
/// And has been found at it.
const SEEN: u8 = 2;
/// And has been sent a mark.
const ENDED: u8 = 3;

/// The pipe, as reader and watch see it.
#[derive(Debug)]
struct Shared {
    stream: ChildStdout,
    state: AtomicU8,
    /// Marks that were sent.
    marks: AtomicU32,
}

/// The output of an engine.
#[derive(Debug)]
pub(super) struct Output {
    shared: Arc<Shared>,
    is_watched: bool,
    /// Marks that were taken out.
    taken: u32,
}

impl Output {
    pub(super) fn new(stream: ChildStdout) -> Self {
        let shared = Arc::new(Shared {
            stream,
            state: AtomicU8::new(IDLE),
            marks: AtomicU32::new(0),
        });
        Self {
            is_watched: watch(&shared),
            shared,
            taken: 0,
        }
    }

    /// Whether a read ends by itself, not long after [`TICK`].
    pub(super) const fn is_watched(&self) -> bool {
        self.is_watched
    }

    pub(super) fn stream(&self) -> &ChildStdout {
        &self.shared.stream
    }

    /// Takes marks out of what was read; how many bytes are left.
    #[cold]
    fn take_marks(&mut self, bytes: &mut [u8], mut sent: u32) -> usize {
        let mut kept = 0;
        for at in 0..bytes.len() {
            if bytes[at] == MARK && sent > 0 {
                sent -= 1;
                self.taken = self.taken.wrapping_add(1);
            } else {
                bytes[kept] = bytes[at];
                kept += 1;
            }
        }
        kept
    }
}

impl Read for Output {
    /// [`ErrorKind::Interrupted`] when it took long.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.shared.state.store(READS, Ordering::Relaxed);
        let read = rustix::io::read(&self.shared.stream, &mut *bytes);
        self.shared.state.store(IDLE, Ordering::Relaxed);
        let read = read?;
        let marks = self.shared.marks.load(Ordering::Acquire);
        let sent = marks.wrapping_sub(self.taken);
        if sent == 0 || read == 0 {
            return Ok(read);
        }
        match self.take_marks(&mut bytes[..read], sent) {
            0 => Err(ErrorKind::Interrupted.into()),
            left => Ok(left),
        }
    }
}

impl Shared {
    /// An end of the pipe to write to, which no write blocks on. It is opened for a moment only, since the reader
    /// would not see the end of the engine's output as long as somebody has it. Only Linux has such a way to it.
    fn entry(&self) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
            .open(format!("/proc/self/fd/{}", self.stream.as_raw_fd()))
    }

    /// Looks at the read that is going on.
    fn look(&self) {
        let become_ = |from, to| {
            let state = &self.state;
            let changed = state.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed);
            changed.is_ok()
        };
        if become_(READS, SEEN) || self.state.load(Ordering::Relaxed) != SEEN {
            return;
        }
        // If there is none just now, as too many files are open, the next look tries again.
        let Ok(mut entry) = self.entry() else {
            return;
        };
        if become_(SEEN, ENDED) {
            // Who sees the mark knows of it. One that finds no room is not needed, as there is something to read;
            // then a zero of the engine's own may be taken for it, and no line has one.
            self.marks.fetch_add(1, Ordering::Release);
            drop(entry.write_all(&[MARK]));
        }
    }
}

/// The outputs that are watched.
static WATCHED: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

fn watched() -> MutexGuard<'static, Vec<Weak<Shared>>> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has an output watched, if that can be.
fn watch(shared: &Arc<Shared>) -> bool {
    if shared.entry().is_err() {
        return false;
    }
    let mut watched = watched();
    watched.push(Arc::downgrade(shared));
    let has_thread = watched.len() > 1;
    let thread = || thread::Builder::new().name("watch".to_owned());
    if has_thread || thread().spawn(keep_watch).is_ok() {
        return true;
    }
    watched.pop();
    false
}

/// Looks at all outputs as long as there are any.
fn keep_watch() {
    loop {
        thread::sleep(TICK);
        let mut watched = watched();
        // While it is looked at, an output stays open: its number is that of no other file.
        watched.retain(|shared| {
            let shared = shared.upgrade();
            shared.inspect(|shared| shared.look()).is_some()
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

    fn shell(script: &str) -> (Child, Output) {
        let mut child = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = Output::new(child.stdout.take().unwrap());
        assert!(output.is_watched());
        (child, output)
    }

    #[test]
    fn a_read_ends_when_nothing_comes() {
        let (mut child, mut output) = shell("read -r word; printf ab");
        let begin = Instant::now();
        for n in 1..=3 {
            let error = output.read(&mut [0; 100]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Interrupted);
            assert!(begin.elapsed() >= n * TICK && begin.elapsed() < Duration::from_secs(20));
        }
        drop(child.stdin.take());
        // Nothing of the marks is left, and nothing of the output is missing.
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
    fn a_mark_may_come_amid_a_line() {
        let (mut child, mut output) = shell("printf info; sleep 0.2; echo ' depth 1'");
        let mut text = Vec::new();
        let mut ended = 0;
        loop {
            let mut bytes = [0; 100];
            match output.read(&mut bytes) {
                Ok(0) => break,
                Ok(read) => text.extend_from_slice(&bytes[..read]),
                Err(_) => ended += 1,
            }
        }
        assert!(ended > 0);
        assert_eq!(text, b"info depth 1\n");
        child.wait().unwrap();
    }
}
