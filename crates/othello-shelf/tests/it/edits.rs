//! Edits, undo and redo, seen by other pages; what is refused.

use othello_core::Board;
use serde_json::{Value, json};

use crate::support::{Server, board, folder};

#[test]
fn an_edit_is_seen_at_once_by_pages_and_by_the_engine() {
    let folder = folder("egaroucid/var_a.egbk3", "a.egbk3");
    let before = folder.read("a.egbk3");
    let server = Server::new(&folder);
    let book = server.open("a.egbk3");
    server.told.take();
    server.edit(&book, "", Some(17));
    server.edit(&book, "f5", Some(-19));
    let entry = server.at(&book, "");
    assert_eq!((&entry["value"], &entry["level"]), (&json!(17), &json!(70)));
    let moves = entry["moves"].as_array().unwrap();
    let f5 = moves.iter().find(|mv| mv["move"] == "f5").unwrap();
    assert_eq!(f5["v"], 19, "the move leads to the edited position");
    assert_eq!(server.at(&book, "f5")["value"], -19);
    let engine = server.playing.lock().unwrap().clone().unwrap();
    assert_eq!(engine.value(Board::START), Some(17));
    assert_eq!(
        server.told.take(),
        [
            json!({ "ev": "book_changed", "book": book, "rev": 2 }),
            json!({ "ev": "book_changed", "book": book, "rev": 3 }),
        ]
    );
    let info = server.info(&book);
    assert_eq!((&info["edits"], &info["redos"]), (&json!(2), &json!(0)));
    assert_eq!(folder.read("a.egbk3"), before, "the file is as it was");
}

#[test]
fn edits_are_undone_and_redone() {
    let folder = folder("egaroucid/var_a.egbk3", "a.egbk3");
    let server = Server::new(&folder);
    let book = server.open("a.egbk3");
    let own = server.at(&book, "")["value"].clone();
    let positions = server.info(&book)["positions"].clone();
    server.edit(&book, "", Some(1));
    server.edit(&book, "", Some(2));
    server.edit(&book, "", None);
    assert_eq!(server.at(&book, "")["value"], Value::Null);
    let fewer: u64 = positions.as_str().unwrap().parse().unwrap();
    assert_eq!(server.info(&book)["positions"], (fewer - 1).to_string());
    let mut seen = Vec::new();
    for op in ["undo", "undo", "undo", "redo", "redo"] {
        server
            .change(&format!("book.{op}"), &book, json!({}))
            .unwrap();
        seen.push(server.at(&book, "")["value"].clone());
    }
    assert_eq!(seen, [json!(2), json!(1), own, json!(1), json!(2)]);
    assert_eq!(server.info(&book)["redos"], 1);
    server.edit(&book, "", Some(3));
    assert_eq!(
        server.info(&book)["redos"],
        0,
        "another edit is done instead"
    );
    assert!(server.change("book.redo", &book, json!({})).is_err());
    server.change("book.discard", &book, json!({})).unwrap();
    let failure = server.change("book.undo", &book, json!({})).unwrap_err();
    assert_eq!(failure.text, "there is no edit to be undone");
    assert_eq!(server.info(&book)["positions"], positions);
    assert_eq!(folder.names(), ["a.egbk3"], "nothing is left beside it");
}

#[test]
fn a_page_that_knows_an_older_book_is_refused() {
    let folder = folder("egaroucid/var_a.egbk3", "a.egbk3");
    let server = Server::new(&folder);
    let book = server.open("a.egbk3");
    let old = server.info(&book)["rev"].clone();
    server.edit(&book, "", Some(1));
    let now = server.info(&book)["rev"].as_u64();
    for op in ["edit", "undo", "redo", "save", "discard"] {
        let fields = json!({ "book": book, "rev": old, "board": board(""), "value": 5 });
        let failure = server.try_ask(&format!("book.{op}"), fields).unwrap_err();
        assert_eq!(failure.place.rev, now, "{op}");
        assert!(failure.text.contains("changed meanwhile"), "{op}");
    }
    assert_eq!(server.at(&book, "")["value"], 1);
}

#[test]
fn values_are_for_the_side_to_move_and_passes_are_made() {
    let folder = folder("egaroucid/var_a.egbk3", "a.egbk3");
    let server = Server::new(&folder);
    let book = server.open("a.egbk3");
    // Black moves a1, and white has no move: the book keeps the position behind the pass.
    let centre = format!("{0}---XX------XX---{0}XO------", "-".repeat(16));
    let before = format!("-OX-----{centre} X");
    let passing = format!("XXX-----{centre} O");
    let behind = format!("XXX-----{centre} X");
    let fields = json!({ "board": passing, "value": -7 });
    server.change("book.edit", &book, fields).unwrap();
    let boards = json!({ "boards": [before, passing, behind] });
    let answer = server.ask("book.at", boards);
    let entry = |n: usize| answer["positions"][n]["books"][0].clone();
    let moves = entry(0)["moves"].as_array().unwrap().clone();
    assert_eq!(
        (&moves[0]["move"], &moves[0]["v"]),
        (&json!("a1"), &json!(7))
    );
    assert_eq!(entry(1)["value"], -7);
    assert_eq!(entry(1)["moves"][0]["move"], "pass");
    assert_eq!(entry(2)["value"], 7);
}

#[test]
fn what_is_no_edit_is_refused_and_changes_nothing() {
    let folder = folder("egaroucid/var_a.egbk3", "a.egbk3");
    let server = Server::new(&folder);
    let book = server.open("a.egbk3");
    let lonely = format!("X{} X", "-".repeat(63));
    for fields in [
        json!({}),
        json!({ "board": "?", "value": 1 }),
        json!({ "board": lonely, "value": 1 }),
        json!({ "board": board(""), "value": 65 }),
        json!({ "board": board(""), "value": -65 }),
        json!({ "board": board(""), "value": 1000 }),
        json!({ "board": board(""), "value": 0.5 }),
        json!({ "board": board(""), "value": "1" }),
        json!({ "board": board(""), "value": 1, "level": -1 }),
        json!({ "board": board(""), "value": 1, "level": 101 }),
        json!({ "board": format!("{}XO-- X", "-".repeat(60)), "value": null }),
    ] {
        let refused = server.change("book.edit", &book, fields.clone());
        assert!(refused.is_err(), "{fields}");
    }
    let info = server.info(&book);
    assert_eq!((&info["rev"], &info["edits"]), (&json!(1), &json!(0)));
    assert_eq!(folder.names(), ["a.egbk3"]);
    let failure = server.change("book.save", &book, json!({})).unwrap_err();
    assert_eq!(failure.text, "there is no edit to be saved");
}
