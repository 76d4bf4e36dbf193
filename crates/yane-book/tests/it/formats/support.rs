//! What the tests share.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use yane_book::convert::{ConvertOptions, ConvertReport, convert};
use yane_book::{Job, Result};

/// A file of `fixtures/book`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/book")
        .join(name)
}

/// A folder of its own for a test, with short ways to fill and read it.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Converts one file of the folder into another.
    pub(crate) fn convert(
        &self,
        from: &str,
        to: &str,
        options: &ConvertOptions,
    ) -> Result<ConvertReport> {
        convert(&self.path(from), &self.path(to), options, &Job::default())
    }

    /// The message of a conversion that must fail and leave no output.
    pub(crate) fn refusal(&self, from: &str, to: &str, options: &ConvertOptions) -> String {
        let error = self.convert(from, to, options).unwrap_err().to_string();
        assert!(!self.path(to).exists(), "{error}");
        error
    }
}
