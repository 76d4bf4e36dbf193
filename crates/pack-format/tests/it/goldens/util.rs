use std::fs;
use std::path::{Path, PathBuf};

/// A file of `fixtures/teacher`.
pub(crate) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/teacher")
        .join(name)
}

/// Its bytes.
pub(crate) fn read(name: &str) -> Vec<u8> {
    let path = path(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The JSON values of its lines.
pub(crate) fn json_lines(name: &str) -> Vec<serde_json::Value> {
    String::from_utf8(read(name))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
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
