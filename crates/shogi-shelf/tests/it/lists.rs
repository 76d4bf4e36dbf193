//! Searches, checks and differences of whole books.

use std::cell::RefCell;

use page_messages::{EventSink, PageRequest, PageService as _, StopFlag};
use serde_json::{Value, json};
use yane_book::check::check;
use yane_book::diff::{DiffOptions, diff};
use yane_io::Job;

use crate::support::{AFTER_7G7F, START, Server, book, folder, small};

#[test]
fn positions_are_searched_by_what_is_given() {
    let folder = small();
    let server = Server::new(&folder);
    let book = server.open("a.db");
    let found = |mut fields: Value| {
        fields["book"] = json!(book);
        let found = server.list("book.search", fields, "found", "positions");
        found
            .iter()
            .map(|one| one["ply"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(found(json!({})), [4, 3, 2, 2, 1]);
    assert_eq!(found(json!({ "score": [-30, 60] })), [3, 2, 2]);
    assert_eq!(found(json!({ "score": [null, -30] })), [4, 2]);
    assert_eq!(
        found(json!({ "ply": [3, null], "depth": [20, 20] })),
        [4, 3]
    );
    assert_eq!(found(json!({ "comment": "居飛車" })), [2]);
    assert_eq!(found(json!({ "most": 2 })), [4, 3]);
    // Behind a line: the nearest first.
    assert_eq!(found(json!({ "behind": { "moves": ["7g7f"] } })), [2, 3, 4]);
    assert_eq!(
        found(json!({ "behind": { "moves": ["7g7f"] }, "score": [0, null] })),
        [3]
    );
    // Edits count.
    server.edit(&book, START, &json!([{ "comment": "居飛車" }]));
    assert_eq!(found(json!({ "comment": "居飛車" })), [2, 1]);
    let first = server.list(
        "book.search",
        json!({ "book": book, "ply": [1, 1] }),
        "found",
        "positions",
    );
    assert_eq!(
        first[0],
        json!({ "sfen": START, "ply": 1, "move": "1i1f", "score": 99, "depth": 1, "comment": "居飛車" })
    );
}

#[test]
fn apery_books_are_searched_from_a_position() {
    let folder = folder("apery/ap.bin", "book.bin");
    let server = Server::new(&folder);
    let book = server.open("book.bin");
    let failure = server
        .events("book.search", json!({ "book": book }))
        .unwrap_err();
    assert!(
        failure.text.contains("does not know its positions"),
        "{failure}"
    );
    let found = server.list(
        "book.search",
        json!({ "book": book, "behind": {}, "most": 10_000 }),
        "found",
        "positions",
    );
    let positions: usize = server.info(&book)["positions"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(
        found.len() > 10 && found.len() <= positions,
        "{} of {positions}",
        found.len()
    );
}

#[test]
fn a_search_ends_when_it_is_stopped() {
    struct Stopping(StopFlag, RefCell<usize>);
    impl EventSink for Stopping {
        fn event(&self, _: &str, _: Value) {
            self.0.stop();
            *self.1.borrow_mut() += 1;
        }
        fn state(&self, _: &str, _: u64, _: Value) {}
        fn broadcast(&self, _: &str, _: Value) {}
    }
    let folder = small();
    let server = Server::new(&folder);
    let book = server.open("a.db");
    let stop = StopFlag::default();
    stop.stop();
    let sink = Stopping(stop.clone(), RefCell::default());
    for op in ["book.search", "book.check"] {
        let request = PageRequest::new(1, op, json!({ "book": book }));
        server.shelf.answer(&request, &sink, &stop).unwrap();
    }
    assert_eq!(*sink.1.borrow(), 0);
}

#[test]
fn a_check_is_that_of_the_command() {
    let folder = small();
    folder.write(
        "b.db",
        book(&[
            (START, &["7g7f  none 1 1 1", "7g7f", "7g7e none"]),
            (AFTER_7G7F, &["3c3d 3c3d 1 1 1", "hello"]),
            (AFTER_7G7F, &[]),
        ]),
    );
    let server = Server::new(&folder);
    for name in ["a.db", "b.db"] {
        let book = server.open(name);
        let events = server
            .events("book.check", json!({ "book": book }))
            .unwrap();
        let report = check(&folder.path(name), 1_000, &Job::default()).unwrap();
        let findings = server.list("book.check", json!({ "book": book }), "finding", "findings");
        assert_eq!(findings.len(), report.findings.len(), "{name}");
        for (told, finding) in findings.iter().zip(&report.findings) {
            assert_eq!(
                (&told["code"], &told["line"]),
                (&json!(finding.kind.name()), &json!(finding.line))
            );
        }
        let counts = events.last().unwrap();
        assert_eq!(
            (&counts["ev"], &counts["counts"][0]),
            (
                &json!("counts"),
                &json!({ "name": "positions", "n": report.positions.to_string() })
            )
        );
        let place = |code: &str| {
            let one = findings.iter().find(|one| one["code"] == code).cloned();
            one.map(|one| (one["sfen"].clone(), one["move"].clone()))
        };
        if name == "b.db" {
            assert_eq!(place("move"), Some((json!(START), json!("7g7e"))));
            assert_eq!(place("reply"), Some((json!(AFTER_7G7F), json!("3c3d"))));
            assert_eq!(place("format"), Some((json!(AFTER_7G7F), Value::Null)));
            assert_eq!(place("empty"), Some((json!(AFTER_7G7F), Value::Null)));
        } else {
            assert_eq!(place("move"), Some((json!(START), json!("1i1f"))));
        }
    }
}

#[test]
fn findings_in_binary_books_have_positions() {
    let folder = folder("ybb/acyclic_ps.ybb", "a.ybb");
    let mut bytes = folder.read("a.ybb");
    // The last move of the file is none that is legal.
    let at = bytes.len() - 6;
    bytes[at..at + 2].copy_from_slice(&0x1234_u16.to_le_bytes());
    folder.write("a.ybb", bytes);
    let server = Server::new(&folder);
    let book = server.open("a.ybb");
    let findings = server.list("book.check", json!({ "book": book }), "finding", "findings");
    let moves: Vec<_> = findings
        .iter()
        .filter(|one| one["code"] == "move")
        .collect();
    assert_eq!(moves.len(), 1, "{findings:?}");
    let sfen = moves[0]["sfen"].as_str().unwrap();
    let entry = server.at(&book, sfen);
    let illegal = entry["moves"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|mv| mv["legal"] == false);
    assert_eq!(illegal.count(), 1);
}

#[test]
fn differences_are_those_of_the_command() {
    let folder = small();
    let other = String::from_utf8(folder.read("a.db")).unwrap();
    let other = other
        .replace("7g7f 3c3d 30 22 9", "7g7f 8c8d 31 22 9")
        .replace("2g2f 8c8d 20 22 3\r\n", "5g5f none 1 1 1\r\n");
    let start = other
        .find("sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6")
        .unwrap();
    let end = other
        .find("sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1")
        .unwrap();
    folder.write("b.db", [&other[..start], &other[end..]].concat());
    let server = Server::new(&folder);
    let (a, b) = (server.open("a.db"), server.open("b.db"));
    let fields = json!({ "books": [a, b], "names": "none" });
    let told = server.list("book.diff", fields.clone(), "difference", "differences");
    let entry = |sfen: &str, mv: Value, what: &str, first: Value, second: Value| json!({ "sfen": sfen, "move": mv, "what": what, "first": first, "second": second });
    assert_eq!(
        told,
        [
            entry(AFTER_7G7F, Value::Null, "position", json!(2), Value::Null),
            entry(START, json!("7g7f"), "score", json!(30), json!(31)),
            entry(START, json!("7g7f"), "reply", json!("3c3d"), json!("8c8d")),
            entry(START, json!("2g2f"), "move", json!(20), Value::Null),
            entry(START, json!("5g5f"), "move", Value::Null, json!(1)),
        ]
    );
    let events = server.events("book.diff", fields).unwrap();
    let counts = events.last().unwrap()["counts"].as_array().unwrap().clone();
    let count = |name: &str| counts.iter().find(|one| one["name"] == name).unwrap()["n"].clone();
    let report = diff(
        &folder.path("a.db"),
        &folder.path("b.db"),
        DiffOptions::default(),
        &Job::default(),
        |_| Ok(()),
    )
    .unwrap();
    assert_eq!(count("same"), report.same.to_string());
    assert_eq!(count("only_first"), "1");
    assert_eq!(count("scores_changed"), report.eval_changed.to_string());
}
