//! An engine as settings describe it.

use std::collections::BTreeMap;

/// An engine and how often it works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    /// The program (`path`), with arguments where it is no file; `ssh host command` runs one elsewhere,
    /// and `embedded` is the engine in this process.
    pub path: String,
    /// What it is called (`name`).
    pub name: String,
    /// Seats at a time (`multi`); 0 stands for as many as there are processors.
    pub multi: usize,
    /// USI options to set (`options`).
    pub options: BTreeMap<String, String>,
}

impl Engine {
    /// The [`Self::path`] of the engine in this process.
    pub const EMBEDDED: &str = "embedded";

    /// The engine in this process, a seat on every processor.
    pub fn embedded() -> Self {
        Self {
            multi: 0,
            ..Self::program(Self::EMBEDDED)
        }
    }

    /// A program, or a command with arguments, at one seat.
    pub fn program(path: impl Into<String>) -> Self {
        let path = path.into();
        Self {
            name: path.clone(),
            path,
            multi: 1,
            options: BTreeMap::new(),
        }
    }

    /// Whether it is the one in this process.
    pub fn is_embedded(&self) -> bool {
        self.path == Self::EMBEDDED
    }
}
