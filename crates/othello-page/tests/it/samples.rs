//! A sample of every message, in a file that the page's types are checked against.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use othello_record::{OpeningNames, OthelloFormat, OthelloRecord};
use othello_shelf::{BookShelf, OthelloLibrary};
use page_messages::{
    DoneReason, FailurePlace, Hello, PROTOCOL, PageFailure, PageFile, PageFiles, PageService as _,
    PageServices, StopFlag, done_event,
};
use serde_json::{Map, Value, json};
use serve::jobs::{JobEnd, JobFolder, JobLane, JobPlan, JobRequest, JobWork, PageJobs};
use serve::{FileKinds, FileRoots, FilesPage};
use test_support::{TestFolder, fixture_bytes};
use yane_io::Job;

use crate::{LATE, ask_of, page};

/// The variable that has the file written.
const VARIABLE: &str = "YANEURA_WRITE_SAMPLES";

/// Each operation with the fields of a request.
fn requests() -> Vec<(&'static str, Value)> {
    let game = json!({ "info": { "black": "Ann" }, "nodes": [{}, { "parent": 0, "move": "f5" }] });
    vec![
        ("position", json!({ "moves": ["f5"] })),
        (
            "import",
            json!({ "text": "f5d6\nnonsense", "line": { "moves": [] } }),
        ),
        ("export", json!({ "format": "ggf", "game": game })),
        ("openings", json!({})),
        ("levels", json!({})),
        ("hint", json!({ "board": LATE, "level": 10, "lines": 2 })),
        ("focus", json!({ "board": LATE })),
        ("play", json!({ "board": LATE, "level": 10, "seed": "1" })),
        (
            "analyze",
            json!({ "moves": ["f5", "d6"], "level": 1, "last": 1 }),
        ),
        ("random", json!({ "plies": 1, "seed": "1" })),
        ("engines", json!({})),
        ("engine.set", json!({ "threads": 1 })),
        ("engine.clear", json!({})),
        ("files.roots", json!({})),
        ("files.list", json!({ "root": "books", "path": "" })),
        ("book.open", json!({ "root": "books", "path": "a.egbk3" })),
        ("book.list", json!({})),
        (
            "book.at",
            json!({ "boards": [START], "accuracy": true, "umigame": 60 }),
        ),
        (
            "book.tree",
            json!({ "book": "b1", "moves": [], "depth": 2, "most": 2 }),
        ),
        (
            "book.edit",
            json!({ "book": "b1", "rev": 1, "board": START, "value": -2, "level": 70 }),
        ),
        ("book.undo", json!({ "book": "b1", "rev": 2 })),
        ("book.redo", json!({ "book": "b1", "rev": 3 })),
        ("book.save", json!({ "book": "b1", "rev": 4 })),
        ("book.discard", json!({ "book": "b1", "rev": 5 })),
        ("book.close", json!({ "book": "b1" })),
        ("library.folder", json!({ "folder": "best" })),
        ("library.put", json!({ "folder": "", "record": game })),
        (
            "library.list",
            json!({ "folder": "", "page": 0, "search": { "player": "ann", "years": [1977, 2026] } }),
        ),
        ("library.get", json!({ "folder": "", "game": "a" })),
        (
            "library.copy",
            json!({ "folder": "", "games": ["a"], "to": "best" }),
        ),
        (
            "library.move",
            json!({ "folder": "", "games": ["a"], "to": "best" }),
        ),
        ("library.trash", json!({ "folder": "best", "games": ["a"] })),
        (
            "library.import",
            json!({ "folder": "", "root": "books", "path": "a.txt" }),
        ),
        (
            "job.start",
            json!({ "kind": "fix", "book": "b1", "options": { "remove-isolated": true } }),
        ),
        ("job.pause", json!({ "job": 1 })),
        ("job.resume", json!({ "job": 1 })),
        ("jobs", json!({})),
        ("job.stop", json!({ "job": 1 })),
    ]
}

/// Events that nobody asked for.
const BROADCASTS: [&str; 3] = ["engine", "book_changed", "library_changed"];

const START: &str = "---------------------------OX------XO--------------------------- X";

/// Work that stays as it is until its job is told to stop and the test is over.
struct Standing(Mutex<Receiver<()>>);

impl JobWork for Standing {
    fn plan(&self, _: &JobRequest, _: &JobFolder) -> Result<JobPlan, PageFailure> {
        let output = PageFile {
            root: "books".to_owned(),
            path: "a.egbk3".to_owned(),
        };
        Ok(JobPlan {
            words: Vec::new(),
            command: "othello book fix a.egbk3 -o a.egbk3 --force --remove-isolated".to_owned(),
            lane: JobLane::Files,
            reads: Vec::new(),
            writes: Vec::new(),
            output: Some(output),
            program: None,
        })
    }

    fn check(&self, _: &JobPlan) -> Result<(), PageFailure> {
        Ok(())
    }

    fn run(&self, _: &JobPlan, _: &Job) -> JobEnd {
        let _over = self.0.lock().unwrap().recv();
        JobEnd::Stopped {
            text: "nothing was written".to_owned(),
        }
    }

    fn written(&self, _: &Path) {}
}

/// All services of the page, with a book in their folder.
fn services(folder: &TestFolder, over: Receiver<()>) -> PageServices {
    let books = folder.path("books");
    std::fs::create_dir(&books).unwrap();
    let book = fixture_bytes("othello/books/egaroucid/var_a.egbk3");
    std::fs::write(books.join("a.egbk3"), book).unwrap();
    std::fs::write(books.join("a.txt"), "f5d6c3\nf5f5\n").unwrap();
    let (text, _) = OthelloFormat::Egaroucid.write(&OthelloRecord::default());
    let games = folder.path("games");
    std::fs::create_dir(&games).unwrap();
    std::fs::write(games.join("a.json"), text).unwrap();
    let mut roots = FileRoots::default();
    roots.add(&books).unwrap();
    let roots = Arc::new(roots);
    let files: Arc<dyn PageFiles> = roots.clone();
    let kinds = FileKinds::default().with("book", &["egbk3"]);
    let page = page();
    let playing = page.clone();
    let work = Arc::new(Standing(Mutex::new(over)));
    let jobs = PageJobs::open(&folder.path("state"), work).unwrap();
    PageServices::default()
        .with(page)
        .with(FilesPage::new(roots, kinds))
        .with(
            OthelloLibrary::open(&games, OpeningNames::default(), Some(Arc::clone(&files)))
                .unwrap(),
        )
        .with(BookShelf::new(files, Job::default(), move |book| {
            playing.set_book(book);
        }))
        .with(jobs)
}

/// A sample without what differs from run to run, or with each change of the search, and with short lists.
fn settled(value: &mut Value) {
    match value {
        Value::Array(values) => {
            values.truncate(3);
            values.iter_mut().for_each(settled);
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                match name.as_str() {
                    "ms" | "modified" => *value = json!(1),
                    // How far a thread in the background is.
                    "indexing" => *value = Value::Null,
                    "nodes" | "nps" if value.is_string() => *value = json!("1"),
                    _ => settled(value),
                }
            }
        }
        Value::String(text) if is_name_by_time(text) => *value = json!("2026_11_29_04_02_28"),
        _ => {}
    }
}

/// Whether a text is the name of a new game.
fn is_name_by_time(text: &str) -> bool {
    text.len() == 19
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 | 10 | 13 | 16 => byte == b'_',
            _ => byte.is_ascii_digit(),
        })
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../serve/ui/samples.json")
}

#[test]
fn samples_of_all_messages_are_current() {
    let folder = TestFolder::new();
    let (work, over) = channel();
    let page = services(&folder, over);
    let mut samples = Map::new();
    for (op, fields) in requests() {
        let mut request = fields.clone();
        (request["id"], request["op"]) = (json!(1), json!(op));
        let mut events = ask_of(&page, op, fields, &StopFlag::default()).unwrap();
        for event in &mut events {
            let is_broadcast = BROADCASTS.iter().any(|name| event["ev"] == *name);
            if !is_broadcast {
                event["id"] = json!(1);
            }
            settled(event);
        }
        samples.insert(
            op.to_owned(),
            json!({ "request": request, "events": events }),
        );
    }
    drop(work);
    let hello = Hello {
        proto: PROTOCOL,
        build: "0.1.0-0".to_owned(),
        caps: page.capabilities(),
        tab: 1,
    };
    let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    samples.insert("hello".to_owned(), value(&hello.to_text()));
    let place = FailurePlace {
        mv: Some(2),
        ..FailurePlace::default()
    };
    let failure = PageFailure::new("move 3: 'a1' is not legal").at(place);
    let reasons = [
        DoneReason::Finished,
        DoneReason::Stopped,
        DoneReason::Replaced,
        DoneReason::Failed(failure),
    ];
    let done: Vec<_> = reasons
        .iter()
        .map(|reason| value(&done_event(1, reason)))
        .collect();
    samples.insert("done".to_owned(), Value::Array(done));
    let text = format!("{:#}\n", Value::Object(samples));
    if std::env::var_os(VARIABLE).is_some() {
        std::fs::write(file(), &text).unwrap();
    }
    let kept = std::fs::read_to_string(file()).unwrap_or_default();
    assert!(
        kept == text,
        "samples.json is stale: run this test with {VARIABLE}=1"
    );
}
