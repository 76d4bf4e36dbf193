//! A library in a folder of its own, asked as a page would ask it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use page_messages::{
    AllPages, EventSink, PageFailure, PageFile, PageFiles, PageRequest, PageService as _, StopFlag,
};
use serde_json::{Value, json};
use shogi_shelf::ShogiLibrary;
use test_support::{TestFolder, fixture_bytes};

use crate::support::Pages;

/// A library and all that it broadcasts.
pub(crate) struct Library {
    pub(crate) folder: TestFolder,
    pub(crate) of_records: ShogiLibrary,
    pub(crate) pages: Arc<Pages>,
}

#[derive(Default)]
struct Answer(std::cell::RefCell<Vec<Value>>);

impl EventSink for Answer {
    fn event(&self, name: &str, mut fields: Value) {
        fields["ev"] = json!(name);
        self.0.borrow_mut().push(fields);
    }

    fn state(&self, _: &str, _: u64, _: Value) {}

    fn broadcast(&self, _: &str, _: Value) {}
}

/// The files below one folder, as root `r`.
struct Below(PathBuf);

impl PageFiles for Below {
    fn existing(&self, file: &PageFile) -> Result<PathBuf, PageFailure> {
        let path = self.0.join(&file.path);
        std::fs::canonicalize(path).map_err(|error| PageFailure::of(&error))
    }

    fn writable(&self, _: &PageFile) -> Result<PathBuf, PageFailure> {
        Err(PageFailure::new("nothing is written"))
    }

    fn name_of(&self, _: &Path) -> Option<PageFile> {
        None
    }
}

impl Library {
    /// An empty library in the folder `games`.
    pub(crate) fn new() -> Self {
        let folder = TestFolder::new();
        let library = open(&folder);
        let pages = Arc::new(Pages::default());
        let all: Arc<dyn AllPages> = Arc::clone(&pages) as _;
        library.start(&all);
        Self {
            folder,
            of_records: library,
            pages,
        }
    }

    /// A library with the golden records of all formats.
    pub(crate) fn golden() -> Self {
        let library = Self::new();
        for name in [
            "game.kif",
            "game-sjis.kif",
            "game.ki2",
            "game.csa",
            "game.jkf",
        ] {
            library.write(name, fixture_bytes(format!("kifu/{name}")));
        }
        library
    }

    pub(crate) fn ask(&self, op: &str, fields: Value) -> Result<Value, PageFailure> {
        ask(&self.of_records, op, fields)
    }

    pub(crate) fn list(&self, folder: &str) -> Value {
        self.ask("library.list", json!({ "folder": folder }))
            .unwrap()
    }

    /// What a search finds once the index is complete.
    #[expect(clippy::needless_pass_by_value, reason = "a new value at each call")]
    pub(crate) fn search(&self, search: Value) -> Value {
        self.indexed();
        self.ask("library.list", json!({ "search": search }))
            .unwrap()
    }

    /// Waits for the index.
    pub(crate) fn indexed(&self) {
        self.list("");
        for _ in 0..2_000 {
            if self.of_records.is_indexed() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the index does not end");
    }

    /// Saves a new game; returns its name.
    pub(crate) fn save(&self, record: &Value) -> String {
        let saved = self
            .ask("library.put", json!({ "record": record }))
            .unwrap();
        saved["game"].as_str().unwrap().to_owned()
    }

    /// Writes a file of the library, and its folder.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path("games").join(name)
    }

    /// The broadcasts of a name.
    pub(crate) fn told(&self, name: &str) -> Vec<Value> {
        let told = self.pages.0.lock().unwrap();
        let of_name = told.iter().filter(|fields| fields["ev"] == name);
        of_name.cloned().collect()
    }
}

/// Another library in the same folder, as another program would have it.
pub(crate) fn open(folder: &TestFolder) -> ShogiLibrary {
    let files: Arc<dyn PageFiles> = Arc::new(Below(folder.path("")));
    ShogiLibrary::open(&folder.path("games"), Some(files)).unwrap()
}

pub(crate) fn ask(library: &ShogiLibrary, op: &str, fields: Value) -> Result<Value, PageFailure> {
    assert!(library.effort(op).is_some(), "{op}");
    let answer = Answer::default();
    let request = PageRequest::new(1, op, fields);
    library.answer(&request, &answer, &StopFlag::default())?;
    Ok(answer.0.take().pop().unwrap())
}

/// The names of the games of a list.
pub(crate) fn names(list: &Value) -> Vec<String> {
    let games = list["games"].as_array().unwrap().iter();
    games
        .map(|entry| entry["game"].as_str().unwrap().to_owned())
        .collect()
}

/// A record as a page sends it: a line from the start, and a resignation.
pub(crate) fn record(moves: &[&str], black: &str, date: &str) -> Value {
    let mut nodes = vec![json!({ "parent": null, "move": null })];
    let played = moves.iter().enumerate();
    nodes.extend(played.map(|(n, mv)| json!({ "parent": n, "move": mv })));
    nodes.push(json!({ "parent": moves.len(), "end": "TORYO" }));
    json!({ "info": { "black": black, "white": "W", "date": date, "event": "Cup" }, "nodes": nodes })
}
