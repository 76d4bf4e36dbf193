//! A folder with books, a shelf for it, and pages that listen.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use page_messages::{
    AllPages, EventSink, PageFailure, PageFile, PageFiles, PageRequest, PageService as _, StopFlag,
};
use serde_json::{Value, json};
use shogi_shelf::{OpenBooks, ShogiBookShelf};
use test_support::{TestFolder, fixture_bytes};
use yane_io::Job;

pub(crate) const HEADER: &str = "#YANEURAOU-DB2016 1.00\r\n";
pub(crate) const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
/// After 7g7f.
pub(crate) const AFTER_7G7F: &str =
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
/// [`AFTER_7G7F`] flipped.
pub(crate) const FLIPPED_7G7F: &str =
    "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

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

/// Broadcasts outside of requests.
#[derive(Default)]
pub(crate) struct Pages(pub(crate) Mutex<Vec<Value>>);

impl AllPages for Pages {
    fn broadcast(&self, name: &str, mut fields: Value) {
        fields["ev"] = json!(name);
        self.0.lock().unwrap().push(fields);
    }
}

/// A server's shelf on a folder.
pub(crate) struct Server {
    pub(crate) shelf: ShogiBookShelf,
    /// What the engine plays from.
    pub(crate) playing: Arc<Mutex<OpenBooks>>,
    /// Broadcasts of requests.
    pub(crate) told: RefCell<Vec<Value>>,
    pub(crate) pages: Arc<Pages>,
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
        Self::with(folder, Job::default(), None)
    }

    pub(crate) fn with(folder: &TestFolder, job: Job, own: Option<&Path>) -> Self {
        let playing = Arc::new(Mutex::new(OpenBooks::default()));
        let played = Arc::clone(&playing);
        let files = Arc::new(Files(folder.path("")));
        let shelf = ShogiBookShelf::new(files, job, own, move |books| {
            *played.lock().unwrap() = books;
        });
        let pages = Arc::new(Pages::default());
        let all: Arc<dyn AllPages> = Arc::clone(&pages) as _;
        shelf.start(&all);
        Self {
            shelf,
            playing,
            told: RefCell::default(),
            pages,
        }
    }

    /// All events of a request.
    pub(crate) fn events(&self, op: &str, fields: Value) -> Result<Vec<Value>, PageFailure> {
        assert!(self.shelf.effort(op).is_some(), "{op}");
        let heard = Heard {
            events: RefCell::default(),
            told: &self.told,
        };
        let request = PageRequest::new(1, op, fields);
        self.shelf.answer(&request, &heard, &StopFlag::default())?;
        Ok(heard.events.take())
    }

    /// The only event of a request.
    pub(crate) fn try_ask(&self, op: &str, fields: Value) -> Result<Value, PageFailure> {
        let mut events = self.events(op, fields)?;
        assert_eq!(events.len(), 1, "{op}");
        Ok(events.remove(0))
    }

    #[track_caller]
    pub(crate) fn ask(&self, op: &str, fields: Value) -> Value {
        self.try_ask(op, fields).unwrap()
    }

    /// The entries of a list that comes piece by piece.
    pub(crate) fn list(&self, op: &str, fields: Value, event: &str, list: &str) -> Vec<Value> {
        let events = self.events(op, fields).unwrap();
        let pieces = events.iter().filter(|one| one["ev"] == event);
        pieces
            .flat_map(|piece| piece[list].as_array().unwrap().clone())
            .collect()
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
    pub(crate) fn edit(&self, book: &str, sfen: &str, changes: &Value) {
        let fields = json!({ "sfen": sfen, "changes": changes });
        self.change("book.edit", book, fields).unwrap();
    }

    /// What a book says of a position; `null` if nothing.
    pub(crate) fn at(&self, book: &str, sfen: &str) -> Value {
        let fields = json!({ "positions": [sfen], "books": [book] });
        self.ask("book.at", fields)["positions"][0]["books"][0].clone()
    }

    /// Moves with their scores.
    pub(crate) fn moves(&self, book: &str, sfen: &str) -> Vec<(String, Option<i64>)> {
        let entry = self.at(book, sfen);
        let moves = entry["moves"].as_array().cloned().unwrap_or_default();
        moves
            .iter()
            .map(|mv| {
                (
                    mv["move"].as_str().unwrap().to_owned(),
                    mv["score"].as_i64(),
                )
            })
            .collect()
    }
}

/// A folder with a copy of a fixture.
pub(crate) fn folder(book: &str, name: &str) -> TestFolder {
    let folder = TestFolder::new();
    folder.write(name, fixture_bytes(format!("book/{book}")));
    folder
}

/// The text of a book.
pub(crate) fn book(positions: &[(&str, &[&str])]) -> String {
    let position = |(sfen, lines): &(&str, &[&str])| {
        let lines: String = lines.iter().map(|line| [line, "\r\n"].concat()).collect();
        ["sfen ", sfen, "\r\n", &lines].concat()
    };
    HEADER.to_owned() + &positions.iter().map(position).collect::<String>()
}

/// A folder with a book of a few positions, `a.db`: three lines, of which two come together.
pub(crate) fn small() -> TestFolder {
    let folder = TestFolder::new();
    let third = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3";
    let fourth = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL w - 4";
    let second = "lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w - 2";
    let text = book(&[
        (fourth, &["8c8d none -40 20 1"]),
        (third, &["2g2f 8c8d 50 20 4", "6g6f none none none 1"]),
        (
            AFTER_7G7F,
            &[
                "3c3d 2g2f -30 21 6",
                "8c8d none -45 21 2 # 居飛車",
                "#like this",
            ],
        ),
        (second, &["8c8d none -20 18 1"]),
        (
            START,
            &[
                "#start",
                "7g7f 3c3d 30 22 9",
                "2g2f 8c8d 20 22 3",
                "1i1f none 99 1 1",
                "9g9f",
            ],
        ),
    ]);
    folder.write("a.db", text);
    folder
}
