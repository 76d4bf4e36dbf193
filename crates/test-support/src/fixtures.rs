//! Files under `fixtures/`, and folders for what a test writes.

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use tempfile::TempDir;

/// The path of a file or folder under `fixtures/`.
pub fn fixture(path: impl AsRef<Path>) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    root.join(path)
}

/// The bytes of a file under `fixtures/`.
#[track_caller]
pub fn fixture_bytes(path: impl AsRef<Path>) -> Vec<u8> {
    let file = fixture(path);
    fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The text of a file under `fixtures/`.
#[track_caller]
pub fn fixture_text(path: impl AsRef<Path>) -> String {
    String::from_utf8(fixture_bytes(path)).expect("UTF-8")
}

/// The rows of a file under `fixtures/` with one JSON value a line.
#[track_caller]
pub fn fixture_rows<T: DeserializeOwned>(path: &str) -> Vec<T> {
    let parse = |(index, line)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{path}:{}: {error}", index + 1))
    };
    fixture_text(path).lines().enumerate().map(parse).collect()
}

/// Checks that `actual` equals a file under `fixtures/`; with `UPDATE_GOLDENS=1` in the environment, writes the file.
#[track_caller]
pub fn assert_golden(path: &str, actual: &[u8]) {
    if std::env::var_os("UPDATE_GOLDENS").is_some_and(|value| value == "1") {
        let file = fixture(path);
        fs::write(&file, actual).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        return;
    }
    let expected = fixture_bytes(path);
    if expected == actual {
        return;
    }
    let is_newline = |byte: &u8| *byte == b'\n';
    let mut lines = (1..).zip(expected.split(is_newline).zip(actual.split(is_newline)));
    let shown = String::from_utf8_lossy;
    match lines.find(|(_, (expected, actual))| expected != actual) {
        Some((number, (expected, actual))) => panic!(
            "{path}:{number}: expected {:?}, found {:?} (UPDATE_GOLDENS=1 accepts it)",
            shown(expected),
            shown(actual)
        ),
        None => panic!(
            "{path}: expected {} bytes, found {} (UPDATE_GOLDENS=1 accepts it)",
            expected.len(),
            actual.len()
        ),
    }
}

/// A temporary folder for the files of a test, removed when dropped.
#[derive(Debug)]
pub struct TestFolder(TempDir);

impl TestFolder {
    /// An empty folder.
    #[expect(clippy::new_without_default, reason = "making a folder is no default")]
    #[track_caller]
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A folder with copies of these fixtures.
    #[track_caller]
    pub fn with_fixtures(paths: &[&str]) -> Self {
        let folder = Self::new();
        for path in paths {
            let name = Path::new(path).file_name().expect("the name of a file");
            folder.write(name, fixture_bytes(path));
        }
        folder
    }

    /// The path of a file in the folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// The bytes of a file in the folder.
    #[track_caller]
    pub fn read(&self, name: impl AsRef<Path>) -> Vec<u8> {
        let path = self.path(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Writes a file in the folder.
    #[track_caller]
    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// The names of the files in the folder, sorted.
    #[track_caller]
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder is there");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<_> = entries
            .map(|entry| name(entry).into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_hold_copies_of_fixtures() {
        let folder = TestFolder::with_fixtures(&["mate/mate1_yes.sfen"]);
        assert_eq!(folder.names(), ["mate1_yes.sfen"]);
        assert_eq!(
            folder.read("mate1_yes.sfen"),
            fixture_bytes("mate/mate1_yes.sfen")
        );
    }

    #[test]
    fn goldens_are_compared_byte_for_byte() {
        assert_golden("mate/mate1_yes.sfen", &fixture_bytes("mate/mate1_yes.sfen"));
        let changed = [&fixture_bytes("mate/mate1_yes.sfen")[..], b"x"].concat();
        std::panic::catch_unwind(|| assert_golden("mate/mate1_yes.sfen", &changed)).unwrap_err();
    }
}
