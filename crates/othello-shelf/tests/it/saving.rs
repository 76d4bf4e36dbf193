//! The bytes of saved books; servers that were killed; files that others change.

use std::path::Path;

use othello_book::files::{self, BookInput, BookOutputMode, BookReadOptions, BookWriteOptions};
use othello_book::ops;
use othello_book::store::{GrowingBook, PositionEdit, PositionLookup as _};
use othello_core::Board;
use serde_json::json;
use test_support::{TestFolder, fixture_bytes};
use yane_io::{Job, TempFolder};

use crate::support::{Server, folder, game};

/// What `othello book set BOOK MOVES VALUE -o BOOK` does, for the side to move after the moves.
fn set(path: &Path, moves: &str, value: i8) {
    let input = BookInput::open(path).unwrap();
    let temp = TempFolder::from(&std::env::temp_dir());
    let opened = files::open(&input, BookReadOptions::default(), temp, &Job::default()).unwrap();
    let mut book = GrowingBook::new(opened.book);
    let position = game(moves).position();
    PositionEdit::set(&book, position, value, PositionEdit::BY_HAND).apply(&mut book);
    if book.find(Board::START).is_some() {
        ops::count_lines(&mut book, Board::START);
    }
    let writing = BookWriteOptions::new(input.file.format);
    files::save(&book, path, BookOutputMode::Write, writing).unwrap();
}

const EDITS: [(&str, i8); 4] = [("f5", -3), ("f5d6c3", 4), ("f5d6c3d3c4f4", 2), ("f5", -5)];

#[test]
fn saved_books_are_those_of_the_command() {
    for path in [
        "egaroucid/var_a.egbk3",
        "egaroucid/var_g.egbk3",
        "egaroucid/old.egbk2",
        "egaroucid/old.egbk",
        "dev_a.dat",
        "games_b.dat",
    ] {
        let name = path.rsplit('/').next().unwrap();
        let folder = folder(path, name);
        let server = Server::new(&folder);
        let book = server.open(name);
        let other = TestFolder::new();
        // Several at once in the page's book; one after the other in the command's.
        let edits = if Path::new(path).extension().is_some_and(|end| end == "dat") {
            1
        } else {
            EDITS.len()
        };
        other.write(name, folder.read(name));
        for (moves, value) in &EDITS[..edits] {
            server.edit(&book, moves, Some(i32::from(*value)));
            set(&other.path(name), moves, *value);
        }
        server.change("book.save", &book, json!({})).unwrap();
        assert_eq!(folder.names(), other.names(), "{path}");
        for name in folder.names() {
            assert!(folder.read(&name) == other.read(&name), "{path}: {name}");
        }
        // It goes on with the saved book.
        let info = server.info(&book);
        assert_eq!(
            (&info["edits"], &info["can_edit"]),
            (&json!(0), &json!(true))
        );
        let (moves, value) = EDITS[edits - 1];
        assert_eq!(server.at(&book, moves)["value"], value, "{path}");
        server.edit(&book, "f5", Some(9));
        server.change("book.save", &book, json!({})).unwrap();
        drop(server);
        let server = Server::new(&folder);
        let book = server.open(name);
        assert_eq!(server.at(&book, "f5")["value"], 9, "{path}");
    }
}

#[test]
fn removed_positions_stay_away() {
    let folder = folder("egaroucid/var_a.egbk3", "a.egbk3");
    let server = Server::new(&folder);
    let book = server.open("a.egbk3");
    let has = |server: &Server, book: &str| !server.at(book, "f5")["value"].is_null();
    assert!(has(&server, &book));
    server.edit(&book, "f5", None);
    server.change("book.save", &book, json!({})).unwrap();
    assert!(!has(&server, &book));
    let positions = server.info(&book)["positions"].clone();
    let server = Server::new(&folder);
    let book = server.open("a.egbk3");
    assert!(!has(&server, &book));
    assert_eq!(server.info(&book)["positions"], positions);
}

#[test]
fn a_server_that_is_killed_goes_on_where_it_was() {
    let folder = folder("egaroucid/var_a.egbk3", "a.egbk3");
    let server = Server::new(&folder);
    let book = server.open("a.egbk3");
    server.edit(&book, "f5", Some(-11));
    server.edit(&book, "f5d6", Some(12));
    server.edit(&book, "f5d6c3", Some(-13));
    server.change("book.undo", &book, json!({})).unwrap();
    // Nothing is closed in order.
    drop(server);
    assert!(folder.names().contains(&"a.egbk3.edits".to_owned()));
    let server = Server::new(&folder);
    let book = server.open("a.egbk3");
    let info = server.info(&book);
    assert_eq!((&info["edits"], &info["redos"]), (&json!(2), &json!(1)));
    assert_eq!(server.at(&book, "f5d6")["value"], 12);
    server.change("book.redo", &book, json!({})).unwrap();
    assert_eq!(server.at(&book, "f5d6c3")["value"], -13);
    // Closing leaves them too.
    server.ask("book.close", json!({ "book": book }));
    let book = server.open("a.egbk3");
    assert_eq!(server.info(&book)["edits"], 3);
    server.change("book.save", &book, json!({})).unwrap();
    assert_eq!(folder.names(), ["a.egbk3"]);
}

#[test]
fn a_file_that_another_program_changed_is_not_overwritten() {
    let folder = folder("egaroucid/var_a.egbk3", "a.egbk3");
    let server = Server::new(&folder);
    let book = server.open("a.egbk3");
    server.edit(&book, "f5", Some(-11));
    let other = fixture_bytes("othello/books/egaroucid/var_b.egbk3");
    // As programs of this workspace write: to another file that takes the name.
    folder.write("new", &other);
    std::fs::rename(folder.path("new"), folder.path("a.egbk3")).unwrap();
    for op in ["save", "undo", "edit"] {
        let fields = json!({ "board": crate::support::board(""), "value": 1 });
        let failure = server
            .change(&format!("book.{op}"), &book, fields)
            .unwrap_err();
        assert!(
            failure.text.contains("another program changed the file"),
            "{op}: {failure}"
        );
    }
    assert!(folder.read("a.egbk3") == other);
    assert_eq!(server.info(&book)["edits"], 1);
    // The edits are of another state of the file, which is told when it is opened again.
    drop(server);
    let server = Server::new(&folder);
    let book = server.open("a.egbk3");
    let info = server.info(&book);
    assert_eq!(
        (&info["edits"], &info["can_edit"]),
        (&json!(0), &json!(false))
    );
    let note = info["note"].as_str().unwrap();
    assert!(
        note.contains("a.egbk3.edits: is the journal of another run"),
        "{note}"
    );
    server.change("book.discard", &book, json!({})).unwrap();
    assert_eq!(server.info(&book)["can_edit"], true);
    server.edit(&book, "f5", Some(-11));
    server.change("book.save", &book, json!({})).unwrap();
    assert_eq!(folder.names(), ["a.egbk3"]);
}

#[test]
fn a_book_has_one_writer() {
    let folder = folder("egaroucid/var_a.egbk3", "a.egbk3");
    let (one, other) = (Server::new(&folder), Server::new(&folder));
    let (book, same) = (one.open("a.egbk3"), other.open("a.egbk3"));
    one.edit(&book, "f5", Some(-11));
    let fields = json!({ "board": crate::support::board(""), "value": 1 });
    let failure = other.change("book.edit", &same, fields).unwrap_err();
    assert!(
        failure.text.contains("is in use by another process"),
        "{failure}"
    );
    let third = Server::new(&folder);
    let book = third.open("a.egbk3");
    let info = third.info(&book);
    assert_eq!(info["can_edit"], false);
    assert!(info["note"].as_str().unwrap().contains("is in use"));
}

#[test]
fn a_disk_that_refuses_costs_nothing() {
    let folder = folder("egaroucid/var_a.egbk3", "a.egbk3");
    let before = folder.read("a.egbk3");
    // So little memory that sorting goes to the disk, to a folder that goes away.
    std::fs::create_dir(folder.path("temporary")).unwrap();
    let job = Job {
        memory: 1,
        temp_dir: Some(folder.path("temporary")),
        ..Job::default()
    };
    let server = Server::with(&folder, job);
    let book = server.open("a.egbk3");
    server.edit(&book, "f5", Some(-11));
    std::fs::remove_dir(folder.path("temporary")).unwrap();
    let failure = server.change("book.save", &book, json!({})).unwrap_err();
    assert!(failure.text.contains("temporary"), "{failure}");
    assert!(folder.read("a.egbk3") == before);
    let info = server.info(&book);
    assert_eq!(
        (&info["edits"], &info["can_edit"]),
        (&json!(1), &json!(true))
    );
    assert_eq!(server.at(&book, "f5")["value"], -11);
    // A journal that cannot be written refuses the edit.
    server.change("book.discard", &book, json!({})).unwrap();
    std::fs::create_dir(folder.path("a.egbk3.edits")).unwrap();
    let fields = json!({ "board": crate::support::board(""), "value": 1 });
    let failure = server.change("book.edit", &book, fields).unwrap_err();
    assert!(failure.text.contains("a.egbk3.edits"), "{failure}");
    assert_eq!(server.info(&book)["edits"], 0);
}
