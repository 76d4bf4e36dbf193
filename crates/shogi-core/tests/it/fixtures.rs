//! Reading the files under `fixtures/`.

use serde::de::DeserializeOwned;
use shogi_core::Position;
pub(crate) use test_support::fixture_text as text;

/// The rows of a file with one JSON value a line; `count` is how many there must be.
pub(crate) fn rows<T: DeserializeOwned>(path: &str, count: usize) -> Vec<T> {
    let rows = test_support::fixture_rows(path);
    assert_eq!(rows.len(), count, "{path}");
    rows
}

/// The position of an SFEN that is known to be right.
pub(crate) fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}
