//! Runs of programs.

use std::ffi::OsStr;
use std::fmt;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How often it is looked whether the program has ended.
const POLL: Duration = Duration::from_millis(2);

/// Runs `program` in `folder` with `args`, and `input` on standard input, to its end.
///
/// # Panics
/// When the program cannot be started, or has not ended after `limit` (then it is killed).
#[track_caller]
pub fn run_program(
    program: impl AsRef<OsStr>,
    folder: &Path,
    args: impl IntoIterator<Item = impl AsRef<OsStr>>,
    input: Vec<u8>,
    limit: Duration,
) -> ProgramRun {
    let mut child = Command::new(program)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // The program may quit before it has read everything.
    let writer = thread::spawn(move || stdin.write_all(&input).ok());
    let out = read_all(child.stdout.take().expect("a pipe"));
    let err = read_all(child.stderr.take().expect("a pipe"));
    let end = Instant::now() + limit;
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child of this process") {
            break status;
        }
        if Instant::now() >= end {
            child.kill().ok();
            child.wait().ok();
            panic!("the program has not ended after {limit:?}");
        }
        thread::sleep(POLL);
    };
    writer.join().expect("the writer ends");
    ProgramRun::new(Output {
        status,
        stdout: out.join().expect("the reader ends"),
        stderr: err.join().expect("the reader ends"),
    })
}

fn read_all(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

/// The exit code and the output of a program that has ended.
pub struct ProgramRun {
    /// The exit code; `None` when a signal ended the program.
    pub code: Option<i32>,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: String,
}

impl fmt::Debug for ProgramRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, out, err } = self;
        let out = String::from_utf8_lossy(&out[..out.len().min(2000)]);
        write!(f, "code {code:?}\n{out}\n{err}")
    }
}

impl ProgramRun {
    /// The run that ended with this output.
    #[track_caller]
    pub fn new(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: output.stdout,
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Checks that the exit code is 0.
    #[track_caller]
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Checks that the exit code is 0 and standard error empty.
    #[track_caller]
    pub fn silent(self) -> Self {
        assert_eq!(self.err, "", "{self:?}");
        self.succeeded()
    }

    /// Checks the exit code of a failure, and that standard error has all of `words`.
    #[track_caller]
    pub fn failed(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        for word in words {
            assert!(self.err.contains(word), "{word:?}: {self:?}");
        }
        self
    }

    /// Standard output as text.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.out).expect("UTF-8")
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
