//! Edits, undo and redo, seen by other pages; what is refused; lines that are registered.

use serde_json::{Value, json};

use crate::support::{AFTER_7G7F, FLIPPED_7G7F, START, Server, folder, small};

#[test]
fn an_edit_is_seen_at_once_by_pages_and_by_the_engine() {
    let folder = small();
    let before = folder.read("a.db");
    let server = Server::new(&folder);
    let book = server.open("a.db");
    server.told.take();
    server.edit(
        &book,
        START,
        &json!([{ "set": { "move": "2g2f", "score": 77, "depth": 40, "count": "100" } }, { "remove": "1i1f" }]),
    );
    let moves = server.moves(&book, START);
    assert_eq!(moves[0], ("2g2f".to_owned(), Some(77)));
    assert_eq!(moves.len(), 3);
    let entry = server.at(&book, START);
    assert_eq!(
        (&entry["moves"][0]["edited"], &entry["moves"][1]["edited"]),
        (&json!(true), &json!(false))
    );
    let books = server.playing.lock().unwrap().clone();
    let answer = books.find(&shogi_core::Position::startpos()).unwrap();
    assert_eq!(
        (
            answer.moves[0].mv.to_string().as_str(),
            answer.moves[0].score
        ),
        ("2g2f", Some(77))
    );
    let told = json!({ "ev": "book_changed", "book": book, "rev": 2 });
    assert_eq!(server.told.take(), [told]);
    let info = server.info(&book);
    assert_eq!((&info["edits"], &info["redos"]), (&json!(1), &json!(0)));
    assert_eq!(folder.read("a.db"), before, "the file is as it was");
}

#[test]
fn turned_entries_are_edited_as_they_stand() {
    let folder = small();
    let server = Server::new(&folder);
    let book = server.open("a.db");
    server.edit(
        &book,
        FLIPPED_7G7F,
        &json!([{ "set": { "move": "5g5f", "reply": "5c5d", "score": 1 } }]),
    );
    let entry = server.at(&book, AFTER_7G7F);
    let moves = entry["moves"].as_array().unwrap();
    let new = moves.iter().find(|mv| mv["move"] == "5c5d").unwrap();
    assert_eq!((&new["reply"], &new["score"]), (&json!("5g5f"), &json!(1)));
    // The page asks for the position as it stands: there is none of its own.
    let exact = json!({ "positions": [FLIPPED_7G7F], "flipped": false });
    assert!(server.ask("book.at", exact)["positions"][0]["books"][0].is_null());
    let fields = json!({ "sfen": FLIPPED_7G7F, "flipped": false, "changes": [{ "set": { "move": "2g2f" } }] });
    server.change("book.edit", &book, fields).unwrap();
    assert_eq!(server.at(&book, FLIPPED_7G7F)["matched"], "exact");
    assert_eq!(server.info(&book)["positions"], "6");
}

#[test]
fn edits_are_undone_and_redone() {
    let folder = small();
    let server = Server::new(&folder);
    let book = server.open("a.db");
    let own = server.moves(&book, START);
    let score = |score: i64| json!([{ "set": { "move": "7g7f", "score": score } }]);
    server.edit(&book, START, &score(1));
    server.edit(&book, START, &score(2));
    server.edit(&book, START, &json!([{ "remove_position": true }]));
    assert!(server.at(&book, START).is_null());
    assert_eq!(server.info(&book)["positions"], "4");
    let mut seen = Vec::new();
    for op in ["undo", "undo", "undo", "redo", "redo"] {
        server
            .change(&format!("book.{op}"), &book, json!({}))
            .unwrap();
        seen.push(server.moves(&book, START)[0].1);
    }
    assert_eq!(seen, [Some(2), Some(1), own[0].1, Some(1), Some(2)]);
    assert_eq!(server.info(&book)["redos"], 1);
    server.edit(&book, START, &score(3));
    assert_eq!(
        server.info(&book)["redos"],
        0,
        "another edit is done instead"
    );
    assert!(server.change("book.redo", &book, json!({})).is_err());
    server.change("book.discard", &book, json!({})).unwrap();
    let failure = server.change("book.undo", &book, json!({})).unwrap_err();
    assert_eq!(failure.text, "there is no edit to be undone");
    assert_eq!(server.moves(&book, START), own);
    assert_eq!(folder.names(), ["a.db"], "nothing is left beside it");
}

#[test]
fn a_page_that_knows_an_older_book_is_refused() {
    let folder = small();
    let server = Server::new(&folder);
    let book = server.open("a.db");
    let old = server.info(&book)["rev"].clone();
    server.edit(&book, START, &json!([{ "comment": "one" }]));
    let now = server.info(&book)["rev"].as_u64();
    for op in ["edit", "register", "undo", "redo", "save", "discard"] {
        let fields = json!({ "book": book, "rev": old, "sfen": START, "changes": [{ "comment": "two" }], "lines": [{ "moves": ["7g7f"] }] });
        let failure = server.try_ask(&format!("book.{op}"), fields).unwrap_err();
        assert_eq!(failure.place.rev, now, "{op}");
        assert!(failure.text.contains("changed meanwhile"), "{op}");
    }
    assert_eq!(server.at(&book, START)["comment"], "one");
}

#[test]
fn what_is_no_edit_is_refused_and_changes_nothing() {
    let folder = small();
    let server = Server::new(&folder);
    let book = server.open("a.db");
    let set = |fields: Value| json!({ "sfen": START, "changes": [{ "set": fields }] });
    for fields in [
        json!({}),
        json!({ "sfen": START }),
        json!({ "sfen": START, "changes": [] }),
        json!({ "sfen": "?", "changes": [{ "comment": "" }] }),
        json!({ "sfen": START, "changes": [{ "other": "" }] }),
        json!({ "sfen": START, "changes": [{ "remove": "5g5f" }] }),
        json!({ "sfen": START, "changes": [{ "remove_position": false }] }),
        json!({ "sfen": "4k4/9/9/9/9/9/9/9/4K4 b G 1", "changes": [{ "remove_position": true }] }),
        set(json!({})),
        set(json!({ "move": "x" })),
        set(json!({ "move": "7g7e" })),
        set(json!({ "move": "7g7f", "reply": "7g7f" })),
        set(json!({ "move": "7g7f", "score": 0.5 })),
        set(json!({ "move": "7g7f", "score": 3_000_000_000_u64 })),
        set(json!({ "move": "7g7f", "count": "-1" })),
        set(json!({ "move": "7g7f", "count": 1 })),
        set(json!({ "move": "7g7f", "comment": "a".repeat(10_001) })),
        // Of several changes none is made when one is refused.
        json!({ "sfen": START, "changes": [{ "remove": "7g7f" }, { "remove": "7g7f" }] }),
    ] {
        let refused = server.change("book.edit", &book, fields.clone());
        assert!(refused.is_err(), "{fields}");
    }
    let info = server.info(&book);
    assert_eq!((&info["rev"], &info["edits"]), (&json!(1), &json!(0)));
    assert_eq!(folder.names(), ["a.db"]);
    let failure = server.change("book.save", &book, json!({})).unwrap_err();
    assert_eq!(failure.text, "there is no edit to be saved");
}

#[test]
fn nothing_may_be_known_of_a_move() {
    let folder = small();
    let server = Server::new(&folder);
    let book = server.open("a.db");
    server.edit(
        &book,
        START,
        &json!([{ "set": { "move": "7g7f", "score": null, "depth": null, "reply": null } }]),
    );
    let mv = server.at(&book, START)["moves"][0].clone();
    assert_eq!(
        (&mv["score"], &mv["depth"], &mv["reply"], &mv["count"]),
        (&Value::Null, &Value::Null, &Value::Null, &json!("9"))
    );
    server.change("book.save", &book, json!({})).unwrap();
    let text = String::from_utf8(folder.read("a.db")).unwrap();
    assert!(text.contains("\r\n7g7f none none none 9\r\n"), "{text}");
}

#[test]
fn lines_go_into_a_book() {
    let folder = small();
    let server = Server::new(&folder);
    let book = server.open("a.db");
    let lines = json!([
        { "moves": ["7g7f", "3c3d", "6g6f", "8c8d"], "score": 44, "depth": 30 },
        { "moves": ["7g7f", "3c3d", "6g6f", "3d3e"], "score": 11, "depth": 2 },
    ]);
    let fields = json!({ "sfen": START, "lines": lines, "plies": 3, "count": "1" });
    server.change("book.register", &book, fields).unwrap();
    assert_eq!(server.info(&book)["edits"], 1, "one step of undo");
    let first = server.at(&book, START)["moves"][0].clone();
    assert_eq!(
        (
            &first["move"],
            &first["score"],
            &first["depth"],
            &first["count"],
            &first["reply"]
        ),
        (
            &json!("7g7f"),
            &json!(44),
            &json!(30),
            &json!("11"),
            &json!("3c3d")
        )
    );
    let second = server.at(&book, AFTER_7G7F)["moves"][0].clone();
    assert_eq!(
        (&second["score"], &second["depth"]),
        (&json!(-44), &json!(29))
    );
    // What was searched less deep does not count.
    let third = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3";
    let moves = server.at(&book, third)["moves"].clone();
    let third = moves
        .as_array()
        .unwrap()
        .iter()
        .find(|mv| mv["move"] == "6g6f")
        .unwrap();
    assert_eq!(
        (&third["score"], &third["depth"], &third["reply"]),
        (&json!(44), &json!(28), &json!("3d3e"))
    );
    server.change("book.undo", &book, json!({})).unwrap();
    assert_eq!(server.moves(&book, START)[0].1, Some(30));
    // Only one side, and only what comes later.
    let fields = json!({ "lines": [{ "moves": ["5g5f", "5c5d", "2h5h", "8b5b"] }], "side": "white", "from": 2 });
    server.change("book.register", &book, fields).unwrap();
    assert_eq!(server.info(&book)["positions"], "6");
    for fields in [
        json!({ "lines": [] }),
        json!({ "lines": [{ "moves": ["7g7f", "7g7f"] }] }),
        json!({ "lines": [{ "moves": ["7g7f"] }], "from": 1 }),
    ] {
        assert!(
            server
                .change("book.register", &book, fields.clone())
                .is_err(),
            "{fields}"
        );
    }
}

#[test]
fn binary_books_refuse_what_they_cannot_keep() {
    for (fixture, name) in [
        ("ybb/acyclic_ps.ybb", "a.ybb"),
        ("apery/ap.bin", "book.bin"),
    ] {
        let folder = folder(fixture, name);
        let server = Server::new(&folder);
        let book = server.open(name);
        for changes in [
            json!([{ "comment": "x" }]),
            json!([{ "set": { "move": "7g7f", "comment": "x" } }]),
            json!([{ "set": { "move": "7g7f", "reply": "3c3d" } }]),
        ] {
            let fields = json!({ "sfen": START, "changes": changes });
            let failure = server.change("book.edit", &book, fields).unwrap_err();
            assert!(failure.text.contains("keeps no"), "{failure}");
        }
        // A line brings only what can be kept.
        let fields = json!({ "lines": [{ "moves": ["9i9h", "3c3d"], "score": 3, "depth": 8 }], "plies": 1, "count": "2" });
        server.change("book.register", &book, fields).unwrap();
        server.change("book.save", &book, json!({})).unwrap();
        assert!(
            server
                .moves(&book, START)
                .contains(&("9i9h".to_owned(), Some(3))),
            "{name}"
        );
    }
}
