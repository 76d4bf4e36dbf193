//! A folder with books, a shelf for it, and pages that listen.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use othello_core::{Game, Square};
use othello_engine::PlayBook;
use othello_shelf::BookShelf;
use page_messages::{
    EventSink, PageFailure, PageFile, PageFiles, PageRequest, PageService as _, StopFlag,
};
use serde_json::{Value, json};
use test_support::{TestFolder, fixture_bytes};
use yane_io::Job;

/// Files of one folder, under the root `r`.
struct Files(PathBuf);

impl PageFiles for Files {
    fn existing(&self, file: &PageFile) -> Result<PathBuf, PageFailure> {
        let path = self.0.join(&file.path);
        if file.root == "r" && path.exists() {
            Ok(path)
        } else {
            Err(PageFailure::new(format!("{}: not found", file.path)))
        }
    }

    fn writable(&self, file: &PageFile) -> Result<PathBuf, PageFailure> {
        Ok(self.0.join(&file.path))
    }

    fn name_of(&self, path: &Path) -> Option<PageFile> {
        let root = std::fs::canonicalize(&self.0).ok()?;
        let path = path.strip_prefix(root).ok()?.to_str()?.to_owned();
        let root = "r".to_owned();
        Some(PageFile { root, path })
    }
}

/// A server's shelf on a folder.
pub(crate) struct Server {
    pub(crate) shelf: BookShelf,
    /// What the engine plays from.
    pub(crate) playing: Arc<Mutex<Option<PlayBook>>>,
    /// Broadcasts.
    pub(crate) told: RefCell<Vec<Value>>,
}

struct Heard<'a> {
    events: RefCell<Vec<Value>>,
    told: &'a RefCell<Vec<Value>>,
}

impl EventSink for Heard<'_> {
    fn event(&self, name: &str, mut fields: Value) {
        fields["ev"] = json!(name);
        self.events.borrow_mut().push(fields);
    }

    fn state(&self, name: &str, _: u64, fields: Value) {
        self.event(name, fields);
    }

    fn broadcast(&self, name: &str, mut fields: Value) {
        fields["ev"] = json!(name);
        self.told.borrow_mut().push(fields);
    }
}

impl Server {
    pub(crate) fn new(folder: &TestFolder) -> Self {
        Self::with(folder, Job::default())
    }

    pub(crate) fn with(folder: &TestFolder, job: Job) -> Self {
        let playing = Arc::new(Mutex::new(None));
        let played = Arc::clone(&playing);
        let files = Arc::new(Files(folder.path("")));
        let shelf = BookShelf::new(files, job, move |book| *played.lock().unwrap() = book);
        Self {
            shelf,
            playing,
            told: RefCell::default(),
        }
    }

    pub(crate) fn try_ask(&self, op: &str, fields: Value) -> Result<Value, PageFailure> {
        assert!(self.shelf.effort(op).is_some(), "{op}");
        let heard = Heard {
            events: RefCell::default(),
            told: &self.told,
        };
        let request = PageRequest::new(1, op, fields);
        self.shelf.answer(&request, &heard, &StopFlag::default())?;
        let mut events = heard.events.take();
        assert_eq!(events.len(), 1, "{op}");
        Ok(events.remove(0))
    }

    #[track_caller]
    pub(crate) fn ask(&self, op: &str, fields: Value) -> Value {
        self.try_ask(op, fields).unwrap()
    }

    /// Opens a book of the folder; returns by which name requests know it.
    pub(crate) fn open(&self, path: &str) -> String {
        let answer = self.ask("book.open", json!({ "root": "r", "path": path }));
        answer["book"].as_str().unwrap().to_owned()
    }

    /// What pages are told of a book.
    pub(crate) fn info(&self, book: &str) -> Value {
        let list = self.ask("book.list", json!({}));
        let mut books = list["books"].as_array().unwrap().iter();
        books.find(|info| info["book"] == book).unwrap().clone()
    }

    /// A change of a book as it is now.
    pub(crate) fn change(
        &self,
        op: &str,
        book: &str,
        mut fields: Value,
    ) -> Result<Value, PageFailure> {
        fields["book"] = json!(book);
        fields["rev"] = self.info(book)["rev"].clone();
        self.try_ask(op, fields)
    }

    #[track_caller]
    pub(crate) fn edit(&self, book: &str, moves: &str, value: Option<i32>) {
        let fields = json!({ "board": board(moves), "value": value });
        self.change("book.edit", book, fields).unwrap();
    }

    /// What a book says of the position after some moves; `null` if nothing.
    pub(crate) fn at(&self, book: &str, moves: &str) -> Value {
        let fields = json!({ "boards": [board(moves)], "books": [book] });
        self.ask("book.at", fields)["positions"][0]["books"][0].clone()
    }
}

/// The game of some moves.
pub(crate) fn game(moves: &str) -> Game {
    let mut game = Game::default();
    for at in (0..moves.len()).step_by(2) {
        let square: Square = moves[at..at + 2].parse().unwrap();
        game.try_play_square(square).unwrap();
    }
    game
}

/// The board after some moves, as pages write it.
pub(crate) fn board(moves: &str) -> String {
    game(moves).position().to_string()
}

/// A folder with a copy of a book.
pub(crate) fn folder(book: &str, name: &str) -> TestFolder {
    let folder = TestFolder::new();
    folder.write(name, fixture_bytes(format!("othello/books/{book}")));
    folder
}
