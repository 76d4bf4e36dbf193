//! Processes that end with the test, and waiting for what they do.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait for something that has to happen, also on a machine that is busy with other things.
const LONG: Duration = Duration::from_secs(300);
/// The interval of looks.
const POLL: Duration = Duration::from_millis(5);

/// Waits until `is_so`.
///
/// # Panics
/// With the words of `otherwise` when it is not so after five minutes.
#[track_caller]
pub fn wait_until(mut is_so: impl FnMut() -> bool, otherwise: &str) {
    let end = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < end, "{otherwise}");
        thread::sleep(POLL);
    }
}

/// A run was over before the test could do something in the middle of it.
#[derive(Debug)]
pub struct TooQuick;

/// Tries something with runs of `first` units, and of four times as many while they are over too quickly for it: how fast a
/// machine is, and how soon a test gets its turn on it, is not known.
///
/// # Panics
/// When runs of 64 times as many are too quick, too.
#[track_caller]
pub fn with_longer_runs(first: u64, mut attempt: impl FnMut(u64) -> Result<(), TooQuick>) {
    let is_done = [1, 4, 16, 64]
        .into_iter()
        .any(|factor| attempt(first * factor).is_ok());
    assert!(is_done, "even the longest run was too quick");
}

/// A process that is killed when it is dropped, if it has not ended by itself.
#[derive(Debug)]
pub struct Process(Child);

impl Process {
    /// Starts `program` in `folder`, without input; nobody reads what it prints.
    #[track_caller]
    pub fn start(
        program: impl AsRef<OsStr>,
        folder: &Path,
        args: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Self {
        let mut command = Command::new(program);
        command.args(args).current_dir(folder).stderr(Stdio::null());
        Self::spawn(&mut command)
    }

    /// Starts a command without input and without a reader of its results; what it prints as errors goes where `command` says.
    #[track_caller]
    pub fn spawn(command: &mut Command) -> Self {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
        Self(child.expect("the program starts"))
    }

    /// Starts a command without input, and waits for the first line that it prints; nobody reads the others.
    ///
    /// # Panics
    /// When it cannot be started, or ends before it prints a line.
    #[track_caller]
    pub fn spawn_and_read_line(command: &mut Command) -> (Self, String) {
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut process = Self(child.expect("the program starts"));
        let mut out = BufReader::new(process.0.stdout.take().expect("a pipe"));
        let mut line = String::new();
        out.read_line(&mut line).expect("a line of text");
        assert!(line.ends_with('\n'), "it ended: {line:?}");
        // It would wait for a reader, or fail without one.
        thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
        line.truncate(line.trim_end().len());
        (process, line)
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Kills it (`SIGKILL`).
    #[track_caller]
    pub fn kill(&mut self) {
        self.0.kill().expect("a child of this process");
        self.0.wait().expect("a child of this process");
    }

    /// Returns true if it has ended.
    #[track_caller]
    pub fn has_ended(&mut self) -> bool {
        let status = self.0.try_wait().expect("a child of this process");
        status.is_some()
    }

    /// Waits until what it writes, `len` bytes, has grown by `bytes`; it must not have ended by then.
    #[track_caller]
    pub fn writes(&mut self, bytes: u64, len: impl Fn() -> u64) {
        let before = len();
        wait_until(
            || len() >= before + bytes || self.has_ended(),
            "nothing is written",
        );
        assert!(!self.has_ended(), "it ended before it was to");
    }

    /// Waits for its end. Its exit code; `None` when a signal ended it.
    #[track_caller]
    pub fn code(&mut self) -> Option<i32> {
        wait_until(|| self.has_ended(), "it does not end");
        self.0.wait().expect("a child of this process").code()
    }

    /// Waits for its end, which has to be a good one.
    #[track_caller]
    pub fn succeeds(&mut self) {
        assert_eq!(self.code(), Some(0));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TestFolder;

    #[test]
    #[cfg(unix)]
    fn processes_end_as_they_do_or_with_the_test() {
        let folder = TestFolder::new();
        let shell = |text: &str| Process::start("sh", &folder.path(""), ["-c", text]);
        assert_eq!(shell("exit 3").code(), Some(3));
        shell("exit 0").succeeds();
        let mut slow = shell("while :; do echo some >> out; sleep 0.1; done");
        slow.writes(5, || folder.path("out").metadata().map_or(0, |it| it.len()));
        assert!(!slow.has_ended());
        slow.kill();
        assert_eq!(slow.code(), None);
    }

    #[test]
    #[cfg(unix)]
    fn the_first_line_of_a_process_is_read() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo here I am; echo more; exit 4"]);
        let (mut process, line) = Process::spawn_and_read_line(&mut command);
        assert_eq!((line.as_str(), process.code()), ("here I am", Some(4)));
    }
}
