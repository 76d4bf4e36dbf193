//! A folder for the files of a test, the program run in it, and books and records of random games, the same for the same seed.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use shogi_core::Position;
use shogi_core::movegen::{Legal, LegalAll};
use test_support::{ProgramRun, SplitMix64, TestFolder, fixture_bytes, run_program};

/// The program.
pub(crate) const MAKEBOOK: &str = env!("CARGO_BIN_EXE_makebook");

/// More than any run takes.
const LIMIT: Duration = Duration::from_secs(900);

/// The path of a file under `fixtures/book`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    test_support::fixture("book").join(name)
}

/// A folder with these files under `fixtures/book` in it.
pub(crate) fn folder_with(fixtures: &[&str]) -> TestFolder {
    let folder = TestFolder::new();
    for name in fixtures {
        let path = fixture(name);
        folder.write(path.file_name().unwrap(), fixture_bytes(&path));
    }
    folder
}

/// Runs of `makebook` in a folder.
pub(crate) trait RunMakebook {
    /// Runs it with the words of `line`.
    fn run(&self, line: &str) -> ProgramRun {
        self.run_args(line.split(' '))
    }

    fn run_args(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> ProgramRun;

    /// Starts it with the words of `line`.
    fn start(&self, line: &str) -> Child;
}

impl RunMakebook for TestFolder {
    fn run_args(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> ProgramRun {
        run_program(MAKEBOOK, &self.path("."), args, Vec::new(), LIMIT)
    }

    fn start(&self, line: &str) -> Child {
        Command::new(MAKEBOOK)
            .current_dir(self.path("."))
            .args(line.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }
}

/// Checks of runs that fail.
pub(crate) trait Refused {
    /// Checks the exit code, that standard error has all of `words`, and that there is no result.
    fn refused(self, code: i32, words: &[&str]) -> ProgramRun;
}

impl Refused for ProgramRun {
    #[track_caller]
    fn refused(self, code: i32, words: &[&str]) -> ProgramRun {
        assert_eq!(self.text(), "", "{self:?}");
        self.failed(code, words)
    }
}

/// The text of a book of `positions` positions, unsorted, some of them there twice.
pub(crate) fn random_book(seed: u64, positions: usize) -> String {
    let mut numbers = SplitMix64::new(seed);
    let mut text = String::from("#YANEURAOU-DB2016 1.00\n");
    let mut position = Position::startpos();
    for _ in 0..positions {
        let moves: Vec<_> = position.moves::<LegalAll>().into_iter().collect();
        if moves.is_empty() || position.ply() > 40 {
            position = Position::startpos();
            continue;
        }
        text.push_str("sfen ");
        text.push_str(&position.to_sfen());
        text.push('\n');
        let first = numbers.remainder(moves.len());
        for m in moves.iter().cycle().skip(first).take(3.min(moves.len())) {
            let eval = numbers.remainder(600) as i32 - 300;
            let line = format!("{m} none {eval} {} 1\n", numbers.remainder(20));
            text.push_str(&line);
        }
        let _ = position.do_move_unchecked(moves[first]);
    }
    text
}

/// Records of so many games at random; of eleven positions each, the first one or two are shared.
pub(crate) fn random_records(games: usize) -> String {
    let mut numbers = SplitMix64::new(7);
    let mut text = String::new();
    for _ in 0..games {
        text.push_str("startpos moves");
        let mut position = Position::startpos();
        for _ in 0..11 {
            let moves: Vec<_> = position.moves::<Legal>().into_iter().collect();
            let m = moves[numbers.remainder(moves.len())];
            text.push(' ');
            text.push_str(&m.to_string());
            let _ = position.do_move_unchecked(m);
        }
        text.push('\n');
    }
    text
}
