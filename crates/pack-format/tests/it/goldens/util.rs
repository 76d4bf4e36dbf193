use std::fs;
use std::path::PathBuf;

/// A file of `fixtures/teacher`.
pub(crate) fn path(name: &str) -> PathBuf {
    test_support::fixture("teacher").join(name)
}

/// Returns the bytes of such a file.
pub(crate) fn read(name: &str) -> Vec<u8> {
    test_support::fixture_bytes(path(name))
}

/// The JSON values of its lines.
pub(crate) fn json_lines(name: &str) -> Vec<serde_json::Value> {
    test_support::fixture_rows(&format!("teacher/{name}"))
}

/// The names in a folder of `fixtures/teacher` that end with `suffix`.
pub(crate) fn names(folder: &str, suffix: &str) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(path(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(suffix))
        .map(|name| format!("{folder}/{name}"))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "no {suffix} in {folder}");
    names
}
