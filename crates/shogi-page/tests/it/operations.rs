//! Rules, records, and what is wrong with requests.

use std::time::{Duration, Instant};

use page_messages::{Effort, PageService as _};
use serde_json::json;

use crate::{ask, failure, last, page};

#[test]
fn operations_have_efforts_and_seats() {
    let page = page();
    assert_eq!(page.capabilities(), ["shogi", "search"]);
    for (op, effort) in [
        ("position", Some(Effort::Quick)),
        ("engine.set", Some(Effort::Quick)),
        ("think", Some(Effort::Watched)),
        ("play", Some(Effort::Search)),
        ("hint", None),
    ] {
        assert_eq!(page.effort(op), effort, "{op}");
    }
    let seat = |op, fields| page.seat(&page_messages::PageRequest::new(1, op, fields));
    assert_eq!(seat("think", json!({})), seat("play", json!({})));
    assert_ne!(seat("think", json!({})), seat("mate", json!({})));
    let other = || json!({ "engine": "x" });
    assert_ne!(seat("think", json!({})), seat("think", other()));
    assert_eq!(seat("mate", other()), seat("think", other()));
}

#[test]
fn wrong_requests_say_why() {
    for (op, fields, told) in [
        (
            "position",
            json!({ "moves": ["7g7e"] }),
            "move 1: '7g7e' is not legal",
        ),
        ("position", json!({ "moves": 1 }), "position: "),
        ("position", json!({ "names": "fr" }), "position: "),
        ("think", json!({ "engine": "x" }), "engine 'x': "),
        ("think", json!({ "lines": 0 }), "lines 0: "),
        (
            "think",
            json!({ "search_moves": ["7g7e"] }),
            "search_moves: '7g7e'",
        ),
        ("think", json!({ "depth": 0 }), "depth 0: "),
        ("think", json!({ "nodes": "many" }), "nodes 'many': "),
        ("play", json!({}), "play: a clock"),
        (
            "play",
            json!({ "depth": 1, "skill_level": 21 }),
            "skill_level 21: ",
        ),
        (
            "play",
            json!({ "sfen": "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "depth": 1 }),
            "the game is over: mate",
        ),
        ("import", json!({}), "import: text or bytes"),
        ("import", json!({ "bytes": "!" }), "bytes: "),
        ("export", json!({ "format": "doc" }), "'doc' is no format"),
        (
            "engine.set",
            json!({ "options": { "EvalDir": "/etc" } }),
            "there is no option",
        ),
        (
            "engine.set",
            json!({ "options": { "USI_Hash": [] } }),
            "option 'USI_Hash'",
        ),
        (
            "engine.set",
            json!({ "options": { "USI_Hash": 0 } }),
            "option 'USI_Hash'",
        ),
        ("engine.clear", json!({ "engine": "x" }), "engine 'x'"),
    ] {
        let text = failure(op, fields.clone());
        assert!(text.starts_with(told), "{op} {fields}: {text}");
    }
}

#[test]
fn options_are_set_all_or_none() {
    let page = page();
    let ask = |op, fields| crate::ask_of(&page, op, fields);
    let value = |name: &str| {
        let told = ask("engines", json!({})).unwrap().pop().unwrap();
        let options = told["engines"][0]["options"].as_array().unwrap().clone();
        let option = options.into_iter().find(|option| option["name"] == name);
        option.map(|option| option["value"].clone())
    };
    assert_eq!(value("USI_Hash"), Some(json!("1")));
    assert_eq!(value("EvalDir"), None);
    assert_eq!(value("MultiPV"), None);
    let told = ask("engine.set", json!({ "options": { "USI_Hash": "2" } })).unwrap();
    assert_eq!(told[0]["ev"], "engine");
    let wrong = json!({ "options": { "Threads": "2", "USI_Hash": "x" } });
    assert!(ask("engine.set", wrong).is_err());
    assert_eq!(
        (value("USI_Hash"), value("Threads")),
        (Some(json!("2")), Some(json!("1")))
    );
    assert!(ask("engine.clear", json!({})).unwrap().is_empty());
    assert!(ask("engine.start", json!({})).is_ok());
}

#[test]
fn mates_are_found_and_refuted() {
    let mate = json!({ "sfen": "4k4/9/4P4/9/9/9/9/9/9 b G 1", "time_ms": 60_000 });
    let told = last("mate", mate);
    assert_eq!(
        (&told["state"], &told["plies"]),
        (&json!("mate"), &json!(1))
    );
    assert_eq!(
        (&told["pv"], &told["names"]),
        (&json!(["G*5b"]), &json!(["▲５二金"]))
    );
    let none = json!({ "sfen": "4k4/9/9/9/9/9/9/9/9 b P 1", "names": "en" });
    assert_eq!(last("mate", none)["state"], "none");
    let asked = crate::Asked::new(
        &page(),
        "mate",
        json!({ "time_ms": 3_600_000, "moves": ["7g7f", "3c3d"] }),
    );
    asked.stop.stop();
    let told = asked.end().unwrap().pop().unwrap();
    assert!(
        told["state"] == "unknown" || told["state"] == "none",
        "{told}"
    );
}

#[test]
fn games_of_the_command_line_are_told() {
    let files = ["a.kif", "b"].map(|name| shogi_page::OpenedGames {
        name: name.to_owned(),
        bytes: b"7g7f 3c3d".to_vec(),
    });
    let page = page().with_opened(files.to_vec());
    assert!(page.capabilities().contains(&"opened".to_owned()));
    let told = crate::ask_of(&page, "opened", json!({})).unwrap();
    assert_eq!((told.len(), &told[1]["name"]), (2, &json!("b")));
    assert_eq!(told[0]["items"][0]["moves"], json!(["7g7f", "3c3d"]));
    assert!(ask("opened", json!({})).is_empty());
}

/// A figure that is told to users. The limit leaves room for a machine that does other things.
#[test]
fn a_position_is_told_at_once() {
    let moves: Vec<_> = ["2h3h", "8b7b", "3h2h", "7b8b"].repeat(25);
    let page = page();
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let begin = Instant::now();
        let _told = crate::ask_of(&page, "position", json!({ "moves": moves })).unwrap();
        best = best.min(begin.elapsed());
    }
    assert!(best < Duration::from_millis(20), "{best:?}");
}
