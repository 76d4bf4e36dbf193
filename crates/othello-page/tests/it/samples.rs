//! A sample of every message, in a file that the page's types are checked against.

use std::path::PathBuf;

use page_messages::{
    DoneReason, FailurePlace, Hello, PROTOCOL, PageFailure, PageService as _, StopFlag, done_event,
};
use serde_json::{Map, Value, json};

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
        ("play", json!({ "board": LATE, "level": 10, "seed": "1" })),
        (
            "analyze",
            json!({ "moves": ["f5", "d6"], "level": 1, "last": 1 }),
        ),
        ("random", json!({ "plies": 1, "seed": "1" })),
        ("engines", json!({})),
        ("engine.set", json!({ "threads": 1 })),
        ("engine.clear", json!({})),
    ]
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
                    "ms" => *value = json!(1),
                    "nodes" | "nps" if value.is_string() => *value = json!("1"),
                    _ => settled(value),
                }
            }
        }
        _ => {}
    }
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../serve/ui/samples.json")
}

#[test]
fn samples_of_all_messages_are_current() {
    let page = page();
    let mut samples = Map::new();
    for (op, fields) in requests() {
        let mut request = fields.clone();
        (request["id"], request["op"]) = (json!(1), json!(op));
        let mut events = ask_of(&page, op, fields, &StopFlag::default()).unwrap();
        for event in &mut events {
            event["id"] = json!(1);
            settled(event);
        }
        samples.insert(
            op.to_owned(),
            json!({ "request": request, "events": events }),
        );
    }
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
