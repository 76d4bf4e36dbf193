//! Books for tests.

use std::path::{Path, PathBuf};

use yane_book::{BookMove, Job};

pub(crate) const HEADER: &str = "#YANEURAOU-DB2016 1.00\r\n";
pub(crate) const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
/// After 7g7f.
pub(crate) const AFTER_7G7F: &str =
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
/// [`AFTER_7G7F`] turned by 180 degrees.
pub(crate) const TURNED_7G7F: &str =
    "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// A file under `fixtures/book`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/book")
        .join(name)
}

/// A folder for the files of a test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Writes a book of these positions, each its SFEN and its lines.
    pub(crate) fn book(&self, name: &str, positions: &[(&str, &[&str])]) -> PathBuf {
        self.file(name, &text(positions))
    }
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
    [(1, 1 << 30), (3, 1 << 30), (2, 1)].map(|(threads, memory)| Job {
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
