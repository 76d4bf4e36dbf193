//! Books as tests compare them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file under `fixtures/book`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/book")
        .join(name)
}

/// The `sfen` lines of a book in order.
pub(crate) fn positions(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| line.starts_with("sfen "));
    lines.map(str::to_owned).collect()
}

/// Fields of the move lines, by position and move.
pub(crate) fn moves(path: &Path) -> BTreeMap<(String, String), Fields> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut position = "";
    let mut moves = BTreeMap::new();
    for line in text.lines() {
        if line.starts_with("sfen ") {
            position = line;
        } else if !line.starts_with('#') {
            let fields: Vec<_> = line.split(' ').collect();
            let [mv, ponder, eval, depth, count] = fields[..] else {
                panic!("{line}");
            };
            assert_eq!(count, "1");
            let fields = Fields {
                ponder: ponder.to_owned(),
                eval: eval.parse().unwrap(),
                depth: depth.parse().unwrap(),
            };
            moves.insert((position.to_owned(), mv.to_owned()), fields);
        }
    }
    moves
}

/// Two books must be the same to the byte.
pub(crate) fn check_same(found: &Path, expected: &Path) {
    let [found, expected] = [found, expected].map(|path| std::fs::read_to_string(path).unwrap());
    for (at, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", at + 1);
    }
    assert!(found == expected);
}

/// What a move line says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fields {
    pub(crate) ponder: String,
    pub(crate) eval: i32,
    pub(crate) depth: i32,
}

/// Values in the order of the file must fall within each position.
pub(crate) fn check_order(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    for position in text.split("\r\nsfen ").skip(1) {
        let evals: Vec<i32> = position
            .lines()
            .skip(1)
            .map(|line| line.split(' ').nth(2).unwrap().parse().unwrap())
            .collect();
        assert!(evals.is_sorted_by(|a, b| a >= b), "{position}");
    }
}
