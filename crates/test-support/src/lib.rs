//! Helpers of the tests of the workspace: random numbers, fixtures, temporary folders, runs of programs, goldens.
//!
//! A dev-dependency only. Of the workspace it depends on `yane-base` alone, so that every crate can use it. Everything here
//! panics with a message where a test must fail.

#![forbid(unsafe_code)]
#![expect(
    clippy::missing_panics_doc,
    reason = "all of it panics where a test must fail"
)]

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{fmt, fs, thread};

use serde::de::DeserializeOwned;
use serde_json::Value;
use tempfile::TempDir;

mod browser;
mod edax;
mod faults;
mod kills;
mod nats;
mod page_checks;
mod page_client;
mod page_server;
mod process;
mod record_commands;
mod rivals;
mod static_host;
mod story;
mod usi_script;

pub use browser::{Browser, BrowserPage, MouseAction};
pub use edax::Edax;
pub use faults::Faults;
pub use kills::LongJob;
pub use nats::{Nats, SharedRun};
pub use page_checks::{FAINT, NAMED_ROLES, OVERLAPS, SETTLED, UNNAMED_OR_BROKEN};
pub use page_client::{PageClient, PageRefusal};
pub use page_server::{PageProgram, PageServer, wait_for_rest};
pub use process::{Process, TooQuick, wait_until, with_longer_runs};
pub use record_commands::{RecordCommands, RecordedGame};
pub use rivals::one_of_two_runs_wins;
pub use static_host::StaticHost;
pub use story::{PageStory, ServerNeed};
pub use usi_script::{UsiScript, write_program};
pub use yane_base::random::SplitMix64;

// Files under `fixtures/`, and folders for what a test writes.

/// The path of a file or folder under `fixtures/`.
pub fn fixture(path: impl AsRef<Path>) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    root.join(path)
}

/// The bytes of a file under `fixtures/`.
#[track_caller]
pub fn fixture_bytes(path: impl AsRef<Path>) -> Vec<u8> {
    let file = fixture(path);
    fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The text of a file under `fixtures/`.
#[track_caller]
pub fn fixture_text(path: impl AsRef<Path>) -> String {
    String::from_utf8(fixture_bytes(path)).expect("UTF-8")
}

/// The rows of a file under `fixtures/` with one JSON value a line.
#[track_caller]
pub fn fixture_rows<T: DeserializeOwned>(path: &str) -> Vec<T> {
    let parse = |(index, line)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{path}:{}: {error}", index + 1))
    };
    fixture_text(path).lines().enumerate().map(parse).collect()
}

/// Checks that `actual` equals a file under `fixtures/`; with `UPDATE_GOLDENS=1` in the environment, writes the file.
#[track_caller]
pub fn assert_golden(path: &str, actual: &[u8]) {
    if std::env::var_os("UPDATE_GOLDENS").is_some_and(|value| value == "1") {
        let file = fixture(path);
        fs::write(&file, actual).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        return;
    }
    let expected = fixture_bytes(path);
    if expected == actual {
        return;
    }
    let is_newline = |byte: &u8| *byte == b'\n';
    let mut lines = (1..).zip(expected.split(is_newline).zip(actual.split(is_newline)));
    let shown = String::from_utf8_lossy;
    match lines.find(|(_, (expected, actual))| expected != actual) {
        Some((number, (expected, actual))) => panic!(
            "{path}:{number}: expected {:?}, found {:?} (UPDATE_GOLDENS=1 accepts it)",
            shown(expected),
            shown(actual)
        ),
        None => panic!(
            "{path}: expected {} bytes, found {} (UPDATE_GOLDENS=1 accepts it)",
            expected.len(),
            actual.len()
        ),
    }
}

/// A temporary folder for the files of a test, removed when dropped.
#[derive(Debug)]
pub struct TestFolder(TempDir);

impl TestFolder {
    /// An empty folder.
    #[expect(clippy::new_without_default, reason = "making a folder is no default")]
    #[track_caller]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// The path of a file in the folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// The bytes of a file in the folder.
    #[track_caller]
    pub fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        let path = self.path(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Writes a file in the folder.
    #[track_caller]
    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// The names of the files in the folder, sorted.
    #[track_caller]
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder is there");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<_> = entries
            .map(|entry| name(entry).into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }
}

// Runs of programs.

/// The interval at which it is checked whether the program has ended.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_hold_what_is_written() {
        let folder = TestFolder::new();
        folder.write("mate1_yes.sfen", fixture_bytes("mate/mate1_yes.sfen"));
        assert_eq!(folder.names(), ["mate1_yes.sfen"]);
        assert_eq!(
            folder.read("mate1_yes.sfen"),
            fixture_bytes("mate/mate1_yes.sfen")
        );
    }

    #[test]
    fn goldens_are_compared_byte_for_byte() {
        assert_golden("mate/mate1_yes.sfen", &fixture_bytes("mate/mate1_yes.sfen"));
        let changed = [&fixture_bytes("mate/mate1_yes.sfen")[..], b"x"].concat();
        std::panic::catch_unwind(|| assert_golden("mate/mate1_yes.sfen", &changed)).unwrap_err();
    }
}
