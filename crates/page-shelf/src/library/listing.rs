//! Pages of games, as `library.list` answers them.

use serde_json::{Value, json};

use super::names::TRASH;
use super::root::LibraryRoot;

/// Games of a page.
const PAGE: usize = 100;

/// Damaged files that are told at most.
const MOST_DAMAGED: usize = 20;

/// A file that cannot be read, or a part of one, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryDamage {
    /// The name of the file in its folder.
    pub name: String,
    /// Why it cannot be read.
    pub reason: String,
}

/// A page of games, and how many there are.
#[derive(Clone, Debug, Default)]
pub struct FoundGames {
    page: usize,
    games: Vec<Value>,
    total: usize,
}

impl FoundGames {
    /// No games yet; those of the page with a number, from 0, are kept.
    pub fn of_page(page: usize) -> Self {
        Self {
            page,
            ..Self::default()
        }
    }

    /// Adds a game; `message` is asked if it stands on the page.
    pub fn add(&mut self, message: impl FnOnce() -> Value) {
        if self.total / PAGE == self.page {
            self.games.push(message());
        }
        self.total += 1;
    }
}

/// What a list tells about a folder.
#[derive(Clone, Debug, Default)]
pub struct LibraryList {
    /// The name of the folder.
    pub folder: String,
    /// Folders in it, and files of several games.
    pub folders: Vec<String>,
    /// True for a file of several games.
    pub is_read_only: bool,
    /// The games.
    pub found: FoundGames,
    /// The files of it that cannot be read.
    pub damaged: Vec<LibraryDamage>,
}

impl LibraryList {
    /// The message.
    pub fn message(self, root: &LibraryRoot) -> Value {
        let shown: Vec<_> = { self.damaged.iter().take(MOST_DAMAGED) }
            .map(|damage| json!({ "name": damage.name, "error": damage.reason }))
            .collect();
        json!({
            "folder": self.folder,
            "folders": self.folders,
            "read_only": self.is_read_only,
            "page": self.found.page,
            "pages": self.found.total.div_ceil(PAGE).max(1),
            "total": self.found.total,
            "games": self.found.games,
            "damaged": shown,
            "damaged_total": self.damaged.len(),
            "trash": root.path().join(TRASH).is_dir(),
            "indexing": root.progress().map(|[done, total]| json!({ "done": done, "total": total })),
        })
    }
}
