//! Engines that are programs: several at once, and those that die, are silent, or lie.
#![cfg(unix)]

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use shogi_page::{ShogiPage, UsiEngine, UsiSettings};
use test_support::{TestFolder, UsiScript};

use crate::{Asked, ask_of, depth, page_with};

/// An engine of a script.
fn engine(folder: &TestFolder, label: &str, script: &UsiScript) -> UsiEngine {
    let path = script.write(&folder.path(label));
    UsiEngine::new(UsiSettings {
        label: label.to_owned(),
        command: Box::new(move || Command::new(&path)),
        options: vec![("Style".to_owned(), "wild".to_owned())],
    })
}

/// Says two lines, and its move when it is stopped.
fn usual() -> UsiScript {
    UsiScript::new("fake 1.0")
        .option("USI_Hash type spin default 16 min 1 max 64")
        .option("MultiPV type spin default 1 min 1 max 10")
        .option("ConsiderationMode type check default false")
        .option("Style type string default calm")
        .option("EvalDir type string default eval")
        .option("Settings type filename default x")
        .on(
            "setoption*",
            "echo \"info string $line\"; echo \"$line\" >> \"$0.log\"",
        )
        .on(
            "\"go mate\"*",
            "echo info nodes 5; echo checkmate G*5b",
        )
        .on(
            "\"go infinite\"*",
            "echo info depth 1 score cp 1 pv 7g7f; \
             echo info depth 9 seldepth 12 multipv 1 score cp 34 nodes 100 nps 1000 hashfull 7 time 5 pv 7g7f 3c3d 8h8h; \
             echo info depth 9 multipv 2 score mate -3 upperbound pv 2g2f",
        )
        .on("stop", "echo bestmove 7g7f")
        .go("echo info depth 3 score cp 5 pv 2g2f; echo bestmove 2g2f ponder 8c8d")
}

fn state(page: &ShogiPage, label: &str) -> Value {
    let told = ask_of(page, "engines", json!({})).unwrap().pop().unwrap();
    let engines = told["engines"].as_array().unwrap().clone();
    engines
        .into_iter()
        .find(|one| one["engine"] == label)
        .unwrap()
}

#[test]
fn lines_stream_until_it_is_stopped() {
    let folder = TestFolder::new();
    let page = page_with(vec![engine(&folder, "fake", &usual())]);
    assert_eq!(state(&page, "fake")["state"], "idle");
    let asked = Asked::new(&page, "think", json!({ "engine": "fake", "lines": 2 }));
    let told = asked.wait(|event| {
        event["lines"]
            .as_array()
            .is_some_and(|lines| lines.len() == 2)
    });
    assert_eq!(
        (&told["engine"], &told["hashfull"]),
        (&json!("fake"), &json!(7))
    );
    // The move that is not legal ends the line.
    assert_eq!(told["lines"][0]["pv"], json!(["7g7f", "3c3d"]));
    assert_eq!(told["lines"][1]["score"], json!({ "mate": -3 }));
    assert_eq!(told["lines"][1]["bound"], "upper");
    assert_eq!(asked.stop()["final"], true);
    let known = state(&page, "fake");
    assert_eq!(
        (&known["state"], &known["name"]),
        (&json!("ready"), &json!("fake 1.0"))
    );
    let options: Vec<_> = known["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].clone())
        .collect();
    assert_eq!(options, ["USI_Hash", "Style"]);
    let log = String::from_utf8(folder.read("fake.log")).unwrap();
    for line in [
        "MultiPV value 2",
        "ConsiderationMode value true",
        "Style value wild",
    ] {
        assert!(log.contains(line), "{log}");
    }
}

#[test]
fn it_plays_and_mates_and_takes_options() {
    let folder = TestFolder::new();
    let page = page_with(vec![engine(&folder, "fake", &usual())]);
    let ask = |op, mut fields: Value| {
        fields["engine"] = json!("fake");
        ask_of(&page, op, fields)
    };
    let told = ask("play", json!({ "time_ms": 10 })).unwrap();
    let play = told.iter().find(|event| event["ev"] == "play").unwrap();
    assert_eq!(
        (&play["move"], &play["from"]),
        (&json!("2g2f"), &json!("search"))
    );
    let mate = json!({ "sfen": "4k4/9/4P4/9/9/9/9/9/9 b G 1", "time_ms": 1000 });
    let told = ask("mate", mate).unwrap();
    assert_eq!(told.last().unwrap()["names"], json!(["▲５二金"]));
    ask(
        "engine.set",
        json!({ "options": { "USI_Hash": 32, "Style": null } }),
    )
    .unwrap();
    assert!(ask("engine.set", json!({ "options": { "Settings": "y" } })).is_err());
    ask("engine.clear", json!({})).unwrap();
    ask("play", json!({ "depth": 1 })).unwrap();
    let log = String::from_utf8(folder.read("fake.log")).unwrap();
    assert!(log.contains("USI_Hash value 32"), "{log}");
    assert!(!log.contains("Settings"));
    // It lies about this position: its move is not legal.
    let lie = ask("play", json!({ "moves": ["2g2f"], "depth": 1 })).unwrap_err();
    assert!(lie.text.contains("'2g2f' is no legal move"), "{lie}");
    assert_eq!(state(&page, "fake")["state"], "failed");
    assert!(ask("play", json!({ "depth": 1 })).is_ok(), "started anew");
}

#[test]
fn two_engines_search_at_once() {
    let folder = TestFolder::new();
    let page = page_with(vec![engine(&folder, "fake", &usual())]);
    let ours = Asked::new(&page, "think", json!({}));
    ours.wait(|event| depth(event) >= 1);
    let other = Asked::new(&page, "think", json!({ "engine": "fake" }));
    other.wait(|event| depth(event) == 9);
    let now = ours.wait(|_| true);
    ours.wait(|event| depth(event) > depth(&now));
    assert_eq!(other.stop()["engine"], "fake");
    assert_eq!(ours.stop()["engine"], "own");
}

#[test]
fn an_engine_that_dies_is_one_error_and_is_started_anew() {
    let folder = TestFolder::new();
    let script = UsiScript::new("dying")
        .start("if [ -e \"$0.died\" ]; then dies=no; else dies=yes; fi")
        .go("if [ $dies = yes ]; then touch \"$0.died\"; echo bye >&2; exit 1; fi; echo bestmove 7g7f");
    let page = page_with(vec![engine(&folder, "dying", &script)]);
    let play = || ask_of(&page, "play", json!({ "engine": "dying", "depth": 1 }));
    let error = play().unwrap_err().text;
    assert!(
        error.starts_with("dying: ") && error.contains("bye"),
        "{error}"
    );
    let known = state(&page, "dying");
    assert_eq!(known["state"], "failed");
    assert!(known["note"].as_str().unwrap().contains("ended"), "{known}");
    assert!(play().is_ok());
    assert_eq!(state(&page, "dying")["state"], "ready");
}

#[test]
fn an_engine_that_does_not_stop_is_ended() {
    let folder = TestFolder::new();
    let script = UsiScript::new("deaf").go("echo info depth 1 score cp 1 pv 7g7f");
    let page = page_with(vec![engine(&folder, "deaf", &script)]);
    let asked = Asked::new(&page, "think", json!({ "engine": "deaf" }));
    asked.wait(|event| depth(event) == 1);
    let begin = Instant::now();
    let end = asked.stop();
    assert!(begin.elapsed() < Duration::from_secs(30));
    assert_eq!(end["final"], true);
    assert_eq!(state(&page, "deaf")["state"], "failed");
    let again = Asked::new(&page, "think", json!({ "engine": "deaf" }));
    again.wait(|event| depth(event) == 1);
    again.stop();
}

#[test]
fn a_silent_engine_can_be_stopped() {
    let folder = TestFolder::new();
    let silent = UsiScript::new("silent").text();
    let silent_text = silent.replace("echo readyok", ":");
    let path = test_support::write_program(&folder.path("silent"), &silent_text);
    let silent = UsiEngine::new(UsiSettings {
        label: "silent".to_owned(),
        command: Box::new(move || Command::new(&path)),
        options: Vec::new(),
    });
    let page = page_with(vec![silent]);
    let asked = Asked::new(&page, "think", json!({ "engine": "silent" }));
    asked.wait(|event| event["lines"] == json!([]));
    asked.stop.stop();
    asked.end().unwrap();
}

#[test]
fn a_program_that_is_none_is_an_error() {
    let missing = UsiEngine::new(UsiSettings {
        label: "none".to_owned(),
        command: Box::new(|| Command::new("/no/such/engine")),
        options: Vec::new(),
    });
    let page = page_with(vec![missing]);
    let error = ask_of(&page, "think", json!({ "engine": "none" })).unwrap_err();
    assert!(error.text.starts_with("none: cannot start"), "{error}");
    let error = ask_of(
        &page,
        "engine.set",
        json!({ "engine": "none", "options": { "a": "b" } }),
    );
    assert!(
        error
            .unwrap_err()
            .text
            .contains("not known before it was started")
    );
    assert!(ask_of(&page, "engine.start", json!({ "engine": "none" })).is_err());
}
