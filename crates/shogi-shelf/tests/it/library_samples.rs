//! A sample of every message about the library, in a file that the page's types are checked against.

use std::path::PathBuf;

use page_shelf::library::is_time_name;
use serde_json::{Map, Value, json};
use test_support::fixture_bytes;

use crate::library_support::{Library, record};

/// The variable that has the file written.
const VARIABLE: &str = "YANEURA_WRITE_SAMPLES";

const FILE: &str = "shogi-library-samples.json";

/// Each operation with the fields of a request, in an order in which they can be asked.
fn requests() -> Vec<(&'static str, Value)> {
    let search = json!({
        "text": "", "player": "a", "years": [1900, 2100], "opening": "四間飛車",
        "position": shogi_core::Position::startpos().to_sfen(),
    });
    let new = record(&["7g7f", "3c3d", "2g2f"], "Ann", "2026/11/29");
    vec![
        ("library.folder", json!({ "folder": "best" })),
        ("library.list", json!({ "folder": "", "page": 0 })),
        (
            "library.search",
            json!({ "folder": "", "page": 0, "search": search }),
        ),
        ("library.get", json!({ "folder": "", "game": "a.kif" })),
        (
            "library.put",
            json!({ "folder": "best", "game": null, "from": { "folder": "", "game": "a.kif" }, "record": new }),
        ),
        (
            "library.copy",
            json!({ "folder": "many.sfen", "games": ["2"], "to": "" }),
        ),
        (
            "library.move",
            json!({ "folder": "", "games": ["a.kif"], "to": "best" }),
        ),
        (
            "library.trash",
            json!({ "folder": "best", "games": ["a.kif"] }),
        ),
        (
            "library.import",
            json!({ "folder": "", "root": "r", "path": "b.csa" }),
        ),
    ]
}

/// A sample without what differs from run to run.
fn settled(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(settled),
        Value::Object(fields) => {
            for (name, value) in fields {
                match name.as_str() {
                    // How far a thread in the background is.
                    "indexing" => *value = Value::Null,
                    _ => settled(value),
                }
            }
        }
        Value::String(text) if text.strip_suffix(".kif").is_some_and(is_time_name) => {
            *value = json!("2026_11_29_04_02_28.kif");
        }
        _ => {}
    }
}

#[test]
fn samples_of_all_messages_are_current() {
    let library = Library::new();
    let text = "先手：Ann\n後手：Bob\n開始日時：2026/11/29 10:00\n棋戦：Cup\n手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 ６六歩(67)\n4 ８四歩(83)\n5 ６八飛(28)\n6 投了\n";
    library.write("a.kif", text);
    library.write("damaged.csa", "");
    library.write("many.sfen", "startpos moves 7g7f\nstartpos moves 2g2f\n");
    library
        .folder
        .write("b.csa", fixture_bytes("kifu/game.csa"));
    library.indexed();
    let mut samples = Map::new();
    for (name, fields) in requests() {
        let op = if name == "library.search" {
            "library.list"
        } else {
            name
        };
        let mut request = fields.clone();
        (request["id"], request["op"]) = (json!(1), json!(op));
        library.indexed();
        library.pages.0.lock().unwrap().clear();
        let mut event = library.ask(op, fields).unwrap();
        event["id"] = json!(1);
        let mut events = vec![event];
        events.extend(library.told("library_changed"));
        events.iter_mut().for_each(settled);
        samples.insert(
            name.to_owned(),
            json!({ "request": request, "events": events }),
        );
    }
    let text = format!("{:#}\n", Value::Object(samples));
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../serve/ui")
        .join(FILE);
    if std::env::var_os(VARIABLE).is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let kept = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        kept == text,
        "{FILE} is stale: run this test with {VARIABLE}=1"
    );
}
