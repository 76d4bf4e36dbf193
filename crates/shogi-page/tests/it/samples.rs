//! A sample of every message, in a file that the page's types are checked against.

use std::path::PathBuf;

use page_messages::{
    DoneReason, FailurePlace, Hello, PROTOCOL, PageFailure, PageService as _, done_event,
};
use serde_json::{Map, Value, json};
use shogi_page::OpenedGames;

use crate::{ask_of, page};

/// The variable that has the file written.
const VARIABLE: &str = "YANEURA_WRITE_SAMPLES";

/// A position with a mate in one.
const MATE: &str = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";

/// Each operation with the fields of a request.
fn requests() -> Vec<(&'static str, Value)> {
    let game = json!({ "info": { "black": "Ann" }, "nodes": [{},
        { "parent": 0, "move": "7g7f", "comment": "hm", "score": { "cp": 34 }, "depth": 20, "time_ms": 1200 },
        { "parent": 1, "end": "TORYO" }] });
    vec![
        (
            "position",
            json!({ "moves": ["7g7f", "3c3d"], "names": "ja" }),
        ),
        (
            "check_position",
            json!({ "sfen": "4k4/9/4P4/4P4/9/9/9/9/4K4 b - 1" }),
        ),
        (
            "import",
            json!({ "text": "手合割：平手\n1 ７六歩(77)\n2 投了\n", "line": { "moves": [] } }),
        ),
        ("export", json!({ "format": "kif", "game": game })),
        ("opened", json!({})),
        ("openings", json!({})),
        (
            "opening",
            json!({ "moves": ["7g7f", "3c3d", "2g2f", "8b4b"] }),
        ),
        (
            "analyze",
            json!({ "game": { "sfen": MATE, "nodes": [{}, { "parent": 0, "move": "G*5b" }] }, "depth": 2, "report": true }),
        ),
        ("think", json!({ "sfen": MATE, "lines": 2, "depth": 2 })),
        ("mate", json!({ "sfen": MATE, "time_ms": 10_000 })),
        (
            "play",
            json!({ "sfen": MATE, "depth": 2, "skill_level": 20 }),
        ),
        ("engines", json!({})),
        (
            "engine.set",
            json!({ "engine": "own", "options": { "USI_Hash": "2" } }),
        ),
        ("engine.start", json!({ "engine": "own" })),
        ("engine.clear", json!({ "engine": "own" })),
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
                    "hashfull" | "max" if value.is_number() => *value = json!(1),
                    "html" | "svg" => *value = json!("…"),
                    "nodes" | "nps" if value.is_string() => *value = json!("1"),
                    _ => settled(value),
                }
            }
        }
        _ => {}
    }
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../serve/ui/shogi-samples.json")
}

#[test]
fn samples_of_all_messages_are_current() {
    let page = page().with_opened(vec![OpenedGames {
        name: "game.kif".to_owned(),
        bytes: b"startpos moves 7g7f resign\n".to_vec(),
    }]);
    let mut samples = Map::new();
    for (op, fields) in requests() {
        let mut request = fields.clone();
        (request["id"], request["op"]) = (json!(1), json!(op));
        let mut events = ask_of(&page, op, fields).unwrap();
        for event in &mut events {
            if event["ev"] != "engine" {
                event["id"] = json!(1);
            }
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
        mv: Some(0),
        ..FailurePlace::default()
    };
    let failure = PageFailure::new("move 1: '7g7e' is not legal").at(place);
    let failed = DoneReason::Failed(failure);
    let reasons = [
        DoneReason::Finished,
        DoneReason::Stopped,
        DoneReason::Replaced,
        failed,
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
        "shogi-samples.json is stale: run this test with {VARIABLE}=1"
    );
}
