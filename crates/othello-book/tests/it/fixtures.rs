//! Golden data.

use std::path::{Path, PathBuf};

/// A file of `fixtures/othello`.
pub(crate) fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/othello");
    folder.join(name)
}

/// Its bytes.
pub(crate) fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).unwrap()
}

/// Its text.
pub(crate) fn text(name: &str) -> String {
    String::from_utf8(bytes(name)).unwrap()
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
