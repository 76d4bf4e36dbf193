//! A sample of every message about books, in a file that the page's types are checked against.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::support::{AFTER_7G7F, START, Server, book, small};

/// The variable that has the file written.
const VARIABLE: &str = "YANEURA_WRITE_SAMPLES";

/// Each operation with the fields of a request, in an order in which they can be asked.
fn requests() -> Vec<(&'static str, Value)> {
    vec![
        ("book.open", json!({ "root": "r", "path": "a.db" })),
        ("book.list", json!({})),
        ("book.engine", json!({ "book": "b1", "on": true })),
        ("book.move", json!({ "book": "b1", "to": 0 })),
        (
            "book.at",
            json!({ "positions": [START, AFTER_7G7F], "books": ["b1"], "flipped": true, "ignore_ply": true, "line": { "moves": ["7g7f"] } }),
        ),
        (
            "book.path",
            json!({ "book": "b1", "moves": ["7g7f", "8c8d"] }),
        ),
        (
            "book.tree",
            json!({ "book": "b1", "moves": [], "depth": 2, "most": 4, "loss": 100, "share": 0.01 }),
        ),
        (
            "book.search",
            json!({ "book": "b1", "score": [-50, 50], "depth": [20, null], "ply": [1, 40], "behind": { "moves": [] }, "most": 3 }),
        ),
        ("book.check", json!({ "book": "b1", "most": 1 })),
        ("book.diff", json!({ "books": ["b1", "b2"], "most": 10 })),
        (
            "book.edit",
            json!({ "book": "b1", "rev": 1, "sfen": START, "changes": [
                { "set": { "move": "7g7f", "reply": "3c3d", "score": 34, "depth": 32, "count": "1", "comment": "" } },
                { "remove": "9g9f" }, { "first": "2g2f" }, { "comment": "of the position" }] }),
        ),
        (
            "book.register",
            json!({ "book": "b1", "rev": 2, "sfen": START, "lines": [{ "moves": ["7g7f", "3c3d"], "score": 34, "depth": 32 }], "plies": 1 }),
        ),
        ("book.undo", json!({ "book": "b1", "rev": 3 })),
        ("book.redo", json!({ "book": "b1", "rev": 4 })),
        ("book.save", json!({ "book": "b1", "rev": 5 })),
        ("book.discard", json!({ "book": "b1", "rev": 6 })),
        ("book.close", json!({ "book": "b2" })),
    ]
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../serve/ui/shogi-book-samples.json")
}

#[test]
fn samples_of_all_messages_are_current() {
    let folder = small();
    folder.write("b.db", book(&[(START, &["2g2f none 25 22 3"])]));
    let server = Server::new(&folder);
    let mut samples = Map::new();
    for (op, fields) in requests() {
        if op == "book.diff" {
            server.open("b.db");
        }
        let mut request = fields.clone();
        (request["id"], request["op"]) = (json!(1), json!(op));
        server.told.take();
        let mut events = server.events(op, fields).unwrap();
        // What depends on the time.
        let is_last = |at: usize, events: &[Value]| {
            !events[at + 1..].iter().any(|one| one["ev"] == "progress")
        };
        let kept: Vec<_> = (0..events.len())
            .filter(|&at| events[at]["ev"] != "progress" || is_last(at, &events))
            .collect();
        events = kept.into_iter().map(|at| events[at].clone()).collect();
        for event in &mut events {
            event["id"] = json!(1);
        }
        events.extend(server.told.take());
        samples.insert(
            op.to_owned(),
            json!({ "request": request, "events": events }),
        );
    }
    let text = format!("{:#}\n", Value::Object(samples));
    if std::env::var_os(VARIABLE).is_some() {
        std::fs::write(file(), &text).unwrap();
    }
    let kept = std::fs::read_to_string(file()).unwrap_or_default();
    assert!(
        kept == text,
        "shogi-book-samples.json is stale: run this test with {VARIABLE}=1"
    );
}
