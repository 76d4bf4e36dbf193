//! Reading the files under `fixtures/`.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;
use shogi_core::Position;

/// The text of a file under `fixtures/`.
pub(crate) fn text(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let file = root.join(path);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The rows of a file with one JSON value a line; `count` is how many there must be.
pub(crate) fn rows<T: DeserializeOwned>(path: &str, count: usize) -> Vec<T> {
    let parse = |(index, line)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{path}:{}: {error}", index + 1))
    };
    let rows: Vec<T> = text(path).lines().enumerate().map(parse).collect();
    assert_eq!(rows.len(), count, "{path}");
    rows
}

/// The position of an SFEN that is known to be right.
pub(crate) fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}
