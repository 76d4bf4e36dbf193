//! An engine as settings describe it.

use std::collections::BTreeMap;
use std::path::Path;

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
    /// Whether each of its seats, and the process at work there, keeps to one processor (`pin`); `None`: see
    /// [`Players::new`](crate::Players::new).
    pub pin: Option<bool>,
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
            pin: None,
        }
    }

    /// Whether it is a program on this machine, as far as can be seen.
    pub(crate) fn is_local_program(&self) -> bool {
        let program = self
            .path
            .split_ascii_whitespace()
            .next()
            .unwrap_or_default();
        let name = Path::new(program).file_stem().unwrap_or_default();
        !self.is_embedded() && !name.eq_ignore_ascii_case("ssh")
    }

    /// Whether it is told to use several threads.
    pub(crate) fn has_threads(&self) -> bool {
        let is_threads = |name: &str| name.eq_ignore_ascii_case("Threads");
        let mut options = self.options.iter();
        options.any(|(name, value)| is_threads(name) && value.trim() != "1")
    }

    /// Whether it is the one in this process.
    pub fn is_embedded(&self) -> bool {
        self.path == Self::EMBEDDED
    }
}
