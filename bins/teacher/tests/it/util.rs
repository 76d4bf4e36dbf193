//! A folder for the files of a test, and the program run in it. The tests of `pack2hcpe` use it too.
#![allow(dead_code, reason = "each program needs a part of it")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

/// The program that is tested.
pub(crate) const PROGRAM: &str = env!("CARGO_PKG_NAME");

/// A file or folder under `fixtures/teacher`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/teacher")
        .join(name)
}

/// The bytes of a fixture.
pub(crate) fn golden(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names of the fixtures in `folder` with this extension, without it, sorted.
pub(crate) fn stems(folder: &str, extension: &str) -> Vec<String> {
    let entries = std::fs::read_dir(fixture(folder)).unwrap();
    let mut stems: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension() == Some(OsStr::new(extension)))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    stems.sort();
    assert!(!stems.is_empty(), "no .{extension} in {folder}");
    stems
}

/// The lines of a JSON lines fixture.
pub(crate) fn json_lines(name: &str) -> Vec<Value> {
    let text = String::from_utf8(golden(name)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A folder for the files of a test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with these fixtures in it.
    pub(crate) fn with(fixtures: &[&str]) -> Self {
        let folder = Self::new();
        for name in fixtures {
            folder.write(Path::new(name).file_name().unwrap(), golden(name));
        }
        folder
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        let name = name.as_ref();
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{}: {error}", name.display()))
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// The names of the files in it.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Runs the program with the words of `line`.
    pub(crate) fn run(&self, line: &str) -> Run {
        self.run_with_input(line, Vec::new())
    }

    /// The same with something on the standard input.
    pub(crate) fn run_with_input(&self, line: &str, input: Vec<u8>) -> Run {
        let output = Command::cargo_bin(PROGRAM)
            .unwrap()
            .current_dir(self.0.path())
            .args(line.split_whitespace())
            .write_stdin(input)
            .output()
            .unwrap();
        Run::new(output)
    }
}

/// What came of a run.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { code, out, err } = self;
        let out = String::from_utf8_lossy(&out[..out.len().min(2000)]);
        write!(f, "code {code:?}\n{out}\n{err}")
    }
}

impl Run {
    pub(crate) fn new(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: output.stdout,
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Checks that it went well.
    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Checks that it went well and only results were printed.
    #[track_caller]
    pub(crate) fn silent(self) -> Self {
        assert_eq!(self.err, "", "{self:?}");
        self.succeeded()
    }

    /// Checks that it ended with this exit code, having said all of `words` on standard error.
    #[track_caller]
    pub(crate) fn failed(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        for word in words {
            assert!(self.err.contains(word), "{word:?}: {self:?}");
        }
        self
    }

    /// The standard output as text.
    #[track_caller]
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }

    /// The result as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
