//! Fixtures, books, folders and jobs for the tests.

use std::path::{Path, PathBuf};

use shogi_core::{Game, parse_position_line};
use test_support::TestFolder;
use yane_book::convert::{ConvertOptions, ConvertReport, convert};
use yane_book::probe::{Books, OpenBook, OpenOptions};
use yane_book::{BookMove, Job, Result};

pub(crate) const HEADER: &str = "#YANEURAOU-DB2016 1.00\r\n";
pub(crate) const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
/// After 7g7f.
pub(crate) const AFTER_7G7F: &str =
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
/// [`AFTER_7G7F`] flipped.
pub(crate) const FLIPPED_7G7F: &str =
    "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// The path of a file under `fixtures/book`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    test_support::fixture("book").join(name)
}

/// The text of a file under `fixtures/book`.
pub(crate) fn golden(name: &str) -> String {
    test_support::fixture_text(fixture(name))
}

/// What the tests do in a folder.
pub(crate) trait BookFolder {
    /// The text of a file.
    fn text(&self, name: &str) -> String;

    /// Writes a file; its path.
    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf;

    /// Writes a book of these positions, each its SFEN and its lines; its path.
    fn book(&self, name: &str, positions: &[(&str, &[&str])]) -> PathBuf;

    /// Converts one file into another.
    fn convert(&self, from: &str, to: &str, options: &ConvertOptions) -> Result<ConvertReport>;

    /// The message of a conversion that must fail and leave no output.
    fn refusal(&self, from: &str, to: &str, options: &ConvertOptions) -> String;
}

impl BookFolder for TestFolder {
    fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        self.write(name, bytes);
        self.path(name)
    }

    fn book(&self, name: &str, positions: &[(&str, &[&str])]) -> PathBuf {
        self.file(name, text(positions))
    }

    fn convert(&self, from: &str, to: &str, options: &ConvertOptions) -> Result<ConvertReport> {
        convert(&self.path(from), &self.path(to), options, &Job::default())
    }

    fn refusal(&self, from: &str, to: &str, options: &ConvertOptions) -> String {
        let error = self.convert(from, to, options).unwrap_err().to_string();
        assert!(!self.path(to).exists(), "{error}");
        error
    }
}

/// A path for an output in a new folder, which lives as long as the guard.
pub(crate) fn output() -> (TestFolder, PathBuf) {
    let folder = TestFolder::new();
    let path = folder.path("output");
    (folder, path)
}

/// Writes an input beside a place for the output.
pub(crate) fn files(text: &str) -> (TestFolder, PathBuf, PathBuf) {
    let (folder, output) = output();
    let input = folder.file("input", text);
    (folder, input, output)
}

/// The text of a book.
pub(crate) fn text(positions: &[(&str, &[&str])]) -> String {
    let position = |(sfen, lines): &(&str, &[&str])| {
        let lines: String = lines.iter().map(|line| [line, "\r\n"].concat()).collect();
        ["sfen ", sfen, "\r\n", &lines].concat()
    };
    HEADER.to_owned() + &positions.iter().map(position).collect::<String>()
}

/// Jobs that must all give the same result.
pub(crate) fn jobs() -> [Job; 3] {
    [(1, 1 << 30), (4, 1 << 30), (2, 1)].map(|(threads, memory)| Job {
        threads,
        memory,
        ..Job::default()
    })
}

/// Move, value, depth of each move.
pub(crate) fn brief(moves: &[BookMove]) -> Vec<(String, i32, i32)> {
    moves
        .iter()
        .map(|known| {
            let mv = known.mv.and_then(shogi_core::Move16::decode);
            let mv = mv.map_or_else(|| "none".to_owned(), |mv| mv.to_string());
            (mv, known.eval, known.depth)
        })
        .collect()
}

/// One book to probe.
pub(crate) fn open(path: &Path, options: OpenOptions) -> Books {
    let book = OpenBook::open(path, options, &Job::default()).unwrap();
    Books::from(vec![book])
}

/// Parses the arguments of the command `position`.
pub(crate) fn game(position: &str) -> Game {
    parse_position_line(position).unwrap()
}
