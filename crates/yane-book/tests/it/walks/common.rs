//! Golden files and a job for tests.

use std::path::{Path, PathBuf};

use yane_book::Job;

/// A file under `fixtures/book`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/book")
        .join(name)
}

/// The text of a file under `fixtures/book`.
pub(crate) fn golden(name: &str) -> String {
    std::fs::read_to_string(fixture(name)).unwrap()
}

/// Jobs that must all give the same result.
pub(crate) fn jobs() -> [Job; 3] {
    [(1, 1 << 30), (4, 1 << 30), (2, 1)].map(|(threads, memory)| Job {
        threads,
        memory,
        ..Job::default()
    })
}

/// A file name in a new folder; the folder lives as long as the guard.
pub(crate) fn output() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("output");
    (folder, path)
}

/// Writes an input beside a place for the output.
pub(crate) fn files(text: &str) -> (tempfile::TempDir, PathBuf, PathBuf) {
    let (folder, output) = output();
    let input = folder.path().join("input");
    std::fs::write(&input, text).unwrap();
    (folder, input, output)
}

/// The only files of a folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
