//! A folder for the files of a test, and the program run in it. The tests of `pack2hcpe` use it too.
#![allow(dead_code, reason = "each program needs a part of it")]

use std::ffi::OsStr;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use test_support::{ProgramRun, TestFolder, run_program};

pub(crate) use crate::PROGRAM;

/// More than any run takes, even on a machine busy with other things.
const LIMIT: Duration = Duration::from_secs(300);

/// A file or folder under `fixtures/teacher`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    test_support::fixture("teacher").join(name)
}

/// The bytes of a fixture.
pub(crate) fn golden(name: &str) -> Vec<u8> {
    test_support::fixture_bytes(fixture(name))
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
    test_support::fixture_rows(&format!("teacher/{name}"))
}

/// A folder for the files of a test, in which the program runs.
pub(crate) struct Folder(TestFolder);

impl Deref for Folder {
    type Target = TestFolder;

    fn deref(&self) -> &TestFolder {
        &self.0
    }
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TestFolder::new())
    }

    /// A folder with these fixtures in it.
    pub(crate) fn with(fixtures: &[&str]) -> Self {
        let folder = Self::new();
        for name in fixtures {
            folder.write(Path::new(name).file_name().unwrap(), golden(name));
        }
        folder
    }

    /// Runs the program with the words of `line`.
    pub(crate) fn run(&self, line: &str) -> ProgramRun {
        self.run_with_input(line, Vec::new())
    }

    /// Runs the program with `input` on the standard input.
    pub(crate) fn run_with_input(&self, line: &str, input: Vec<u8>) -> ProgramRun {
        let program = assert_cmd::cargo::cargo_bin(PROGRAM);
        run_program(
            program,
            &self.path(""),
            line.split_whitespace(),
            input,
            LIMIT,
        )
    }
}
