//! Golden data.

use std::path::PathBuf;

/// A file of `fixtures/othello`.
pub(crate) fn path(name: &str) -> PathBuf {
    test_support::fixture("othello").join(name)
}

/// Its bytes.
pub(crate) fn bytes(name: &str) -> Vec<u8> {
    test_support::fixture_bytes(path(name))
}

/// Its text.
pub(crate) fn text(name: &str) -> String {
    test_support::fixture_text(path(name))
}

/// The books that Edax made, and the same damaged.
pub(crate) const EDAX: [&str; 7] = [
    "dev_a",
    "dev_b",
    "games_a",
    "games_b",
    "pert_dev_a",
    "pert_games_a",
    "pert_games_b",
];
