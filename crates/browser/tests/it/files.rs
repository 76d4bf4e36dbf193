//! Files that people drop: networks, weights and books, which a tab takes as the native programs take files of a disk.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use browser::{ROOT, TabContext, TabFiles};
use othello_eval::{PlyOffsets, Weights};
use othello_shelf::BookShelf;
use page_messages::{
    Effort, EventSink, PageFailure, PageFile, PageFiles, PageRequest, PageService, PageServices,
    StopFlag,
};
use serde_json::{Value, json};
use shogi_engine::Session;
use shogi_eval::loader::{EvalFiles, EvalOpenOptions};
use shogi_page::{OwnEngine, ShogiPage};
use shogi_shelf::ShogiBookShelf;
use test_networks::RandomNetwork;
use test_support::{TestFolder, fixture_bytes, fixture_text};
use yane_io::Job;

use crate::{SETUP, ends, timeless};

/// Files that a tab had kept: their names and bytes.
type Kept = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// What services say to requests, on a thread with the stack of a search.
fn said(
    make: impl FnOnce() -> PageServices + Send + 'static,
    requests: impl IntoIterator<Item = Value>,
) -> Vec<Value> {
    let requests: Vec<_> = requests.into_iter().collect();
    let work = move || {
        let said = Arc::new(Mutex::new(Vec::new()));
        let ear = Arc::clone(&said);
        let context = TabContext::new(make(), move |text: &str, _| {
            let event: Value = serde_json::from_str(text).unwrap();
            let mut said = ear.lock().unwrap_or_else(PoisonError::into_inner);
            said.push(event);
        });
        for (id, mut request) in requests.into_iter().enumerate() {
            request["id"] = json!(id + 1);
            context.hear(&request.to_string());
            while context.run_next().is_some() {}
        }
        drop(context);
        Arc::into_inner(said).unwrap().into_inner().unwrap()
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    thread.spawn(work).unwrap().join().unwrap()
}

/// What a tab says, and what it had kept.
fn tab(
    game: &'static str,
    requests: impl IntoIterator<Item = Value>,
) -> (Vec<Value>, Vec<(String, Vec<u8>)>) {
    let kept = Kept::default();
    let keep = Arc::clone(&kept);
    let make = move || {
        let files = TabFiles::new(move |name, bytes| {
            keep.lock().unwrap().push((name.to_owned(), bytes.to_vec()));
        });
        match game {
            "shogi" => browser::shogi_services(SETUP, &files),
            _ => browser::othello_services(SETUP, &files),
        }
    };
    let said = said(make, requests);
    let kept = std::mem::take(&mut *kept.lock().unwrap());
    (said, kept)
}

/// The errors of requests, by their number from 1.
fn errors(said: &[Value]) -> Vec<(u64, String)> {
    let failed = said.iter().filter(|event| event["why"] == "error");
    failed
        .map(|event| {
            (
                event["id"].as_u64().unwrap(),
                event["text"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

/// The events of a request by its number from 1, without the number and times.
fn events(said: &[Value], id: u64) -> Vec<Value> {
    let of = timeless(said).into_iter().filter(|event| event["id"] == id);
    of.map(|mut event| {
        event.as_object_mut().unwrap().remove("id");
        event
    })
    .collect()
}

/// A network that knows nothing, as the bytes of a file.
pub(crate) fn network(seed: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let random = RandomNetwork::new("kp_32x2-8-8".parse().unwrap(), seed);
    random.write(&mut bytes).unwrap();
    bytes
}

/// A search whose values the network decides.
fn think() -> Value {
    json!({ "op": "think", "moves": ["7g7f", "8c8d"], "lines": 2, "depth": 5 })
}

#[test]
fn a_network_that_was_dropped_plays_as_natively() {
    let folder = TestFolder::new();
    folder.write("random.nnue", network(3));
    TabFiles::put("random.nnue", network(3));
    let path = folder.path("random.nnue").to_string_lossy().into_owned();
    let native = said(
        move || {
            let mut session = Session::new();
            session.set_option("EvalDir", Some(&path)).unwrap();
            session.set_option("USI_Hash", Some("16")).unwrap();
            session.set_option("Threads", Some("1")).unwrap();
            let own = OwnEngine::new(session, "native").on_callers_thread();
            PageServices::default().with(ShogiPage::new(own, Vec::new()))
        },
        [think()],
    );
    let load = |path: Value| json!({ "op": "engine.load", "path": path });
    let (tab, _) = tab(
        "shogi",
        [
            think(),
            json!({ "op": "file.kind", "path": "random.nnue" }),
            load(json!("random.nnue")),
            think(),
            json!({ "op": "engines" }),
            load(Value::Null),
            think(),
            json!({ "op": "engines" }),
        ],
    );
    assert_eq!(errors(&tab), []);
    assert_eq!(events(&tab, 2)[0]["kind"], "network");
    let [built_in, dropped, again] = [1, 4, 7].map(|id| events(&tab, id));
    assert_eq!(dropped, events(&native, 1));
    assert_ne!(dropped, built_in);
    assert_eq!(again, built_in);
    let network = |id| events(&tab, id)[0]["engines"][0]["network"].clone();
    let expected = json!({ "file": "random.nnue", "name": "kp_32x2-8-8" });
    assert_eq!((network(5), network(8)), (expected, Value::Null));
}

/// Puts another file in the place of one.
struct Newer;

impl PageService for Newer {
    fn capabilities(&self) -> Vec<String> {
        Vec::new()
    }

    fn effort(&self, op: &str) -> Option<Effort> {
        (op == "put").then_some(Effort::Quick)
    }

    fn answer(&self, _: &PageRequest, _: &dyn EventSink, _: &StopFlag) -> Result<(), PageFailure> {
        TabFiles::put("newer.nnue", network(6));
        Ok(())
    }
}

#[test]
fn a_newer_network_of_the_same_name_takes_its_place() {
    TabFiles::put("newer.nnue", network(5));
    let load = json!({ "op": "engine.load", "path": "newer.nnue" });
    let (before, _) = tab("shogi", [load.clone(), think()]);
    // As a tab does when another file of the name is dropped.
    let both = said(
        || browser::shogi_services(SETUP, &TabFiles::new(|_, _| {})).with(Newer),
        [
            load.clone(),
            think(),
            json!({ "op": "put" }),
            load.clone(),
            think(),
        ],
    );
    let (after, _) = tab("shogi", [load, think()]);
    assert_eq!(errors(&both), []);
    assert_eq!(events(&both, 2), events(&before, 2));
    assert_eq!(events(&both, 5), events(&after, 2));
    assert_ne!(events(&both, 5), events(&both, 2));
}

#[test]
fn a_wrong_network_is_told_as_natively_and_the_one_before_plays_on() {
    let mut cut = network(3);
    cut.truncate(1000);
    let folder = TestFolder::new();
    for (name, bytes) in [
        ("wrong.nnue", &b"This is no network."[..]),
        ("cut.nnue", &cut),
    ] {
        folder.write(name, bytes);
        TabFiles::put(name, bytes.to_vec());
        let path = folder.path(name);
        let opened = EvalFiles::find(&path)
            .unwrap()
            .open(&EvalOpenOptions::default());
        let native = opened.unwrap_err().to_string();
        let native = native.replace(&*path.to_string_lossy(), name);
        let load = json!({ "op": "engine.load", "path": name });
        let clear = json!({ "op": "engine.clear" });
        let (tab, _) = tab("shogi", [think(), load, clear, think()]);
        assert_eq!(errors(&tab), [(2, native)]);
        assert_eq!(events(&tab, 4), events(&tab, 1));
    }
}

#[test]
fn files_of_other_kinds_and_of_the_system_are_refused() {
    TabFiles::put("game.zip", b"PK".to_vec());
    TabFiles::put("KPP_synthesized.bin", vec![0; 64]);
    TabFiles::put("text.txt", b"no book".to_vec());
    let kind = |name: &str| json!({ "op": "file.kind", "path": name });
    for (game, expected) in [
        ("shogi", "a network (.nnue, .bin) or a book"),
        ("othello", "weights (.yev, eval.dat, .egev2) or a book"),
    ] {
        let (tab, _) = tab(
            game,
            [
                kind("game.zip"),
                kind("KPP_synthesized.bin"),
                kind("text.txt"),
                kind("/etc/passwd"),
                json!({ "op": "engine.load", "path": "/etc/passwd" }),
                json!({ "op": "book.open", "root": ROOT, "path": "/etc/passwd" }),
                json!({ "op": "book.open", "root": "books", "path": "game.zip" }),
                json!({ "op": "engines" }),
            ],
        );
        let errors = errors(&tab);
        assert_eq!(errors.len(), 7, "{errors:?}");
        for (id, error) in &errors[..3] {
            assert!(error.contains(expected), "{id}: {error}");
        }
        for (id, error) in &errors[3..6] {
            assert_eq!(error, "/etc/passwd: this tab has no such file", "{id}");
        }
        assert!(errors[6].1.contains("'books'"), "{errors:?}");
    }
}

#[test]
fn weights_that_were_dropped_play_as_natively() {
    let weights = Weights::built_in().with_offsets(PlyOffsets([640; 61]));
    let bytes = weights.to_bytes("shifted");
    TabFiles::put("shifted.yev", bytes.clone());
    TabFiles::put("cut.yev", bytes[..bytes.len() / 2].to_vec());
    let hint = json!({ "op": "hint", "moves": ["f5", "d6"], "depth": 5 });
    let load = |path: Value| json!({ "op": "engine.load", "path": path });
    let (tab, _) = tab(
        "othello",
        [
            hint.clone(),
            json!({ "op": "file.kind", "path": "shifted.yev" }),
            load(json!("shifted.yev")),
            hint.clone(),
            json!({ "op": "engines" }),
            load(json!("cut.yev")),
            json!({ "op": "engine.clear" }),
            hint.clone(),
            load(Value::Null),
            hint.clone(),
        ],
    );
    assert_eq!(events(&tab, 2)[0]["kind"], "network");
    let folder = TestFolder::new();
    folder.write("cut.yev", &bytes[..bytes.len() / 2]);
    let path = folder.path("cut.yev");
    let native = Weights::load(&path).unwrap_err().to_string();
    let native = native.replace(&*path.to_string_lossy(), "cut.yev");
    assert_eq!(errors(&tab), [(6, native)]);
    let [built_in, dropped, after, again] = [1, 4, 8, 10].map(|id| events(&tab, id));
    assert_ne!(dropped, built_in);
    assert_eq!((&after, &again), (&dropped, &built_in));
    assert_eq!(events(&tab, 5)[0]["engines"][0]["weights"], "shifted.yev");
    // The same values as of a program with these weights.
    let native = said(
        move || {
            let settings = othello_search::SearchSettings {
                hash_bytes: SETUP.hash_mib << 20,
                threads: 1,
            };
            let searcher = othello_search::Searcher::new(settings, Arc::new(weights));
            let level = othello_search::PlayLevel::Egaroucid(15);
            let session = othello_engine::Session::new(searcher, level);
            let names = othello_page::EngineNames::default();
            let openings = othello_record::OpeningNames::built_in().clone();
            PageServices::default().with(othello_page::OthelloPage::new(session, openings, names))
        },
        [hint],
    );
    assert_eq!(dropped, events(&native, 1));
}

/// Files of a folder on a disk, as pages name those of a tab.
struct OnDisk(PathBuf);

impl PageFiles for OnDisk {
    fn existing(&self, file: &PageFile) -> Result<PathBuf, PageFailure> {
        Ok(self.0.join(&file.path))
    }

    fn writable(&self, file: &PageFile) -> Result<PathBuf, PageFailure> {
        self.existing(file)
    }

    fn name_of(&self, path: &Path) -> Option<PageFile> {
        Some(PageFile {
            root: ROOT.to_owned(),
            path: path.file_name()?.to_str()?.to_owned(),
        })
    }
}

/// The first position of a text book.
fn first_position(text: &str) -> String {
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix("sfen "));
    line.unwrap().trim().to_owned()
}

#[test]
fn shogi_books_are_looked_up_edited_and_saved_as_on_a_disk() {
    for (name, book, text) in [
        ("tab-a.db", "book/apery/ap_src.db", "book/apery/ap_src.db"),
        (
            "tab-b.ybb",
            "book/ybb/handicap.ybb",
            "book/ybb/handicap_back.db",
        ),
        ("tab-c.bin", "book/apery/ap.bin", "book/apery/ap_back.db"),
    ] {
        let bytes = fixture_bytes(book);
        let folder = TestFolder::new();
        folder.write(name, &bytes);
        TabFiles::put(name, bytes);
        let sfen = first_position(&fixture_text(text));
        let at = json!({ "op": "book.at", "positions": [sfen], "names": "en" });
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
        let edit = json!({ "op": "book.edit", "book": "b1", "rev": 1, "sfen": start,
            "changes": [{ "set": { "move": "9g9f", "score": 77 } }] });
        let rev = |op: &str, rev: u64| json!({ "op": op, "book": "b1", "rev": rev });
        let requests = [
            json!({ "op": "book.open", "root": ROOT, "path": name }),
            at.clone(),
            edit,
            rev("book.undo", 2),
            rev("book.redo", 3),
            at.clone(),
            rev("book.save", 4),
            json!({ "op": "book.at", "positions": [start] }),
            json!({ "op": "book.search", "book": "b1" }),
        ];
        let path = folder.path("");
        let native = said(
            move || {
                let files = Arc::new(OnDisk(path));
                let shelf = ShogiBookShelf::new(files, Job::default(), None, |_| {});
                PageServices::default().with(shelf)
            },
            requests.clone(),
        );
        let (tab, kept) = tab("shogi", requests);
        assert_eq!(ends(&tab), ends(&native), "{name}: {:?}", errors(&tab));
        for id in [1, 2, 3, 4, 5, 6, 7, 8] {
            assert_eq!(events(&tab, id), events(&native, id), "{name}: {id}");
        }
        let moves = &events(&tab, 2)[0]["positions"][0]["books"][0]["moves"];
        assert!(!moves.as_array().unwrap().is_empty(), "{name}");
        assert_eq!(errors(&tab).len(), errors(&native).len(), "{name}");
        let found = |said: &[Value]| -> usize {
            let found = events(said, 9).into_iter();
            found
                .filter_map(|event| Some(event["positions"].as_array()?.len()))
                .sum()
        };
        assert_eq!(found(&tab), found(&native), "{name}");
        assert!(kept == [(name.to_owned(), folder.read(name))], "{name}");
    }
}

#[test]
fn the_shogi_engine_plays_from_a_book_that_was_dropped() {
    TabFiles::put("tab-play.db", fixture_bytes("book/apery/ap_src.db"));
    let sfen = first_position(&fixture_text("book/apery/ap_src.db"));
    let (tab, _) = tab(
        "shogi",
        [
            json!({ "op": "file.kind", "path": "tab-play.db" }),
            json!({ "op": "book.open", "root": ROOT, "path": "tab-play.db" }),
            json!({ "op": "play", "sfen": sfen, "nodes": 100 }),
            json!({ "op": "think", "sfen": sfen, "nodes": 100 }),
        ],
    );
    assert_eq!(errors(&tab), []);
    assert_eq!(events(&tab, 1)[0]["kind"], "book");
    let play = events(&tab, 3)
        .into_iter()
        .find(|event| event["ev"] == "play");
    assert_eq!(play.unwrap()["from"], "book");
    let thought = &events(&tab, 4)[0]["book"];
    assert_eq!(thought[0]["book"], "b1", "{thought}");
}

#[test]
fn othello_books_are_looked_up_edited_and_saved_as_on_a_disk() {
    let start = format!("{0}OX------XO{0} X", "-".repeat(27));
    for (name, book) in [
        ("tab-a.egbk3", "othello/books/egaroucid/var_a.egbk3"),
        ("tab-b.dat", "othello/books/dev_a.dat"),
    ] {
        let bytes = fixture_bytes(book);
        let folder = TestFolder::new();
        folder.write(name, &bytes);
        TabFiles::put(name, bytes);
        let at = json!({ "op": "book.at", "boards": [start], "accuracy": true, "umigame": 60 });
        let rev = |op: &str, rev: u64| json!({ "op": op, "book": "b1", "rev": rev });
        let requests = [
            json!({ "op": "book.open", "root": ROOT, "path": name }),
            at.clone(),
            json!({ "op": "book.edit", "book": "b1", "rev": 1, "board": start, "value": -7 }),
            rev("book.undo", 2),
            rev("book.redo", 3),
            at.clone(),
            rev("book.save", 4),
            at,
            json!({ "op": "book.tree", "book": "b1", "depth": 3 }),
        ];
        let path = folder.path("");
        let native = said(
            move || {
                let shelf = BookShelf::new(Arc::new(OnDisk(path)), Job::default(), |_| {});
                PageServices::default().with(shelf)
            },
            requests.clone(),
        );
        let hint = json!({ "op": "hint", "depth": 1 });
        let kind = json!({ "op": "file.kind", "path": name });
        let (tab, kept) = tab("othello", requests.into_iter().chain([hint, kind]));
        assert_eq!(errors(&tab), [], "{name}");
        for id in 1..=9 {
            assert_eq!(events(&tab, id), events(&native, id), "{name}: {id}");
        }
        let said = &events(&tab, 8)[0]["positions"][0]["books"][0];
        assert_eq!(said["value"], -7, "{name}");
        let hints = &events(&tab, 10)[0]["moves"];
        let hints = hints.as_array().unwrap();
        assert!(hints.iter().any(|hint| !hint["book"].is_null()), "{name}");
        assert_eq!(events(&tab, 11)[0]["kind"], "book");
        assert!(kept == [(name.to_owned(), folder.read(name))], "{name}");
    }
}

#[test]
fn books_in_slices_are_looked_up_and_played_from_and_not_changed() {
    let start = format!("{0}OX------XO{0} X", "-".repeat(27));
    for (game, name, book, text) in [
        (
            "shogi",
            "slices.db",
            "book/apery/ap_src.db",
            "book/apery/ap_src.db",
        ),
        (
            "shogi",
            "slices.ybb",
            "book/ybb/handicap.ybb",
            "book/ybb/handicap_back.db",
        ),
        (
            "shogi",
            "slices.bin",
            "book/apery/ap.bin",
            "book/apery/ap_back.db",
        ),
        (
            "othello",
            "slices.egbk3",
            "othello/books/egaroucid/var_a.egbk3",
            "",
        ),
        ("othello", "slices.dat", "othello/books/dev_a.dat", ""),
    ] {
        let (at, edit, play) = if game == "shogi" {
            let sfen = first_position(&fixture_text(text));
            let changes = json!([{ "set": { "move": "9g9f", "score": 77 } }]);
            (
                json!({ "op": "book.at", "positions": [sfen], "names": "en" }),
                json!({ "op": "book.edit", "book": "b1", "rev": 1, "sfen": sfen, "changes": changes }),
                json!({ "op": "think", "sfen": sfen, "nodes": 100 }),
            )
        } else {
            (
                json!({ "op": "book.at", "boards": [start], "accuracy": true, "umigame": 60 }),
                json!({ "op": "book.edit", "book": "b1", "rev": 1, "board": start, "value": -7 }),
                json!({ "op": "hint", "depth": 1 }),
            )
        };
        let requests = [
            json!({ "op": "file.kind", "path": name }),
            json!({ "op": "book.open", "root": ROOT, "path": name }),
            at,
            play,
            edit,
        ];
        TabFiles::put(name, fixture_bytes(book));
        let (whole, _) = tab(game, requests.clone());
        assert!(browser::put_sliced(name, fixture_bytes(book)));
        let (sliced, _) = tab(game, requests);
        let told = errors(&sliced);
        assert_eq!((told.len(), told[0].0), (1, 5), "{name}: {told:?}");
        assert!(
            told[0].1.contains("too large to be changed here"),
            "{told:?}"
        );
        for id in [1, 3, 4] {
            assert_eq!(events(&sliced, id), events(&whole, id), "{name}: {id}");
        }
        let said = &events(&sliced, 3)[0]["positions"][0]["books"][0];
        assert!(said.is_object(), "{name}: {said}");
    }
    // What is no such book is put as a whole.
    for (name, bytes) in [
        ("slices.sbk", fixture_bytes("book/apery/ap.bin")),
        ("nn.bin", network(3)),
        ("slices.nnue", network(3)),
        ("slices.yev", Weights::untrained().to_bytes("none")),
    ] {
        assert!(!browser::put_sliced(name, bytes), "{name}");
    }
}

#[test]
fn a_text_of_edax_is_looked_up_and_not_changed() {
    let name = "tab-c.txt";
    TabFiles::put(
        name,
        fixture_bytes("othello/books/edax/export_dev_a.sorted.txt"),
    );
    let start = format!("{0}OX------XO{0} X", "-".repeat(27));
    let (tab, _) = tab(
        "othello",
        [
            json!({ "op": "book.open", "root": ROOT, "path": name }),
            json!({ "op": "book.at", "boards": [start] }),
            json!({ "op": "book.edit", "book": "b1", "rev": 1, "board": start, "value": -7 }),
        ],
    );
    let told = errors(&tab);
    assert!(
        told.len() == 1 && told[0].1.contains("keeps no values"),
        "{told:?}"
    );
    let said = &events(&tab, 2)[0]["positions"][0]["books"][0];
    assert!(said["value"].is_i64(), "{said}");
}
