//! A library in a folder of its own, asked as a page would ask it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use othello_record::OpeningNames;
use othello_shelf::OthelloLibrary;
use page_messages::{
    AllPages, EventSink, PageFailure, PageFile, PageFiles, PageRequest, PageService, StopFlag,
};
use serde_json::{Value, json};
use test_support::TestFolder;

/// A library and all that it broadcasts.
pub(crate) struct Shelf {
    pub(crate) folder: TestFolder,
    pub(crate) library: OthelloLibrary,
    told: Arc<Told>,
}

#[derive(Default)]
struct Told(Mutex<Vec<(String, Value)>>);

impl AllPages for Told {
    fn broadcast(&self, name: &str, fields: Value) {
        self.0.lock().unwrap().push((name.to_owned(), fields));
    }
}

#[derive(Default)]
struct Answer(Mutex<Option<Value>>);

impl EventSink for Answer {
    fn event(&self, _: &str, fields: Value) {
        *self.0.lock().unwrap() = Some(fields);
    }

    fn state(&self, _: &str, _: u64, _: Value) {}

    fn broadcast(&self, _: &str, _: Value) {}
}

/// The files below one folder, as root `here`.
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

impl Shelf {
    pub(crate) fn new() -> Self {
        Self::of(TestFolder::new())
    }

    /// The library in the folder `games`, with the files beside it to be imported.
    pub(crate) fn of(folder: TestFolder) -> Self {
        let library = open(&folder);
        let told = Arc::new(Told::default());
        let pages: Arc<dyn AllPages> = told.clone();
        library.start(&pages);
        Self {
            folder,
            library,
            told,
        }
    }

    pub(crate) fn ask(&self, op: &str, fields: Value) -> Result<Value, PageFailure> {
        ask(&self.library, op, fields)
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
            if self.library.is_indexed() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the index does not end");
    }

    /// Writes a file beside the library, and its folder.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.folder.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path("games").join(name)
    }

    /// The broadcasts of a name.
    pub(crate) fn told(&self, name: &str) -> Vec<Value> {
        let told = self.told.0.lock().unwrap();
        let of_name = told.iter().filter(|(other, _)| other == name);
        of_name.map(|(_, fields)| fields.clone()).collect()
    }
}

/// Another library in the same folder, as another program would have it.
pub(crate) fn open(folder: &TestFolder) -> OthelloLibrary {
    let files: Arc<dyn PageFiles> = Arc::new(Below(folder.path("")));
    let names = OpeningNames::built_in().clone();
    OthelloLibrary::open(&folder.path("games"), names, Some(files)).unwrap()
}

pub(crate) fn ask(library: &OthelloLibrary, op: &str, fields: Value) -> Result<Value, PageFailure> {
    let answer = Answer::default();
    let request = PageRequest::new(1, op, fields);
    library.answer(&request, &answer, &StopFlag::default())?;
    Ok(answer.0.into_inner().unwrap().unwrap())
}

/// The names of the games of a list.
pub(crate) fn names(list: &Value) -> Vec<String> {
    let games = list["games"].as_array().unwrap().iter();
    games
        .map(|entry| entry["game"].as_str().unwrap().to_owned())
        .collect()
}

/// A record as a page sends it: moves without variations.
pub(crate) fn record(moves: &str, black: &str, date: &str) -> Value {
    let squares: Vec<_> = moves.as_bytes().chunks(2).collect();
    let mut nodes = vec![json!({ "parent": null, "move": null })];
    nodes.extend(
        squares
            .iter()
            .enumerate()
            .map(|(n, square)| json!({ "parent": n, "move": String::from_utf8_lossy(square) })),
    );
    json!({
        "info": { "black": black, "white": "W", "date": date, "comment": "a memo\nin two lines" },
        "nodes": nodes,
    })
}

/// The games of a folder, and what the table says.
pub(crate) fn table(shelf: &Shelf, folder: &str) -> String {
    let path = shelf.path(folder).join("summary.csv");
    std::fs::read_to_string(path).unwrap_or_default()
}
