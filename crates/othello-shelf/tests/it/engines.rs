//! Other engines: fake ones, written as scripts.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Mutex;

use othello_shelf::{EngineChoice, OtherEngine};
use page_messages::{Effort, EventSink, PageFailure, PageRequest, PageService, StopFlag};
use serde_json::{Value, json};
use test_support::TestFolder;

/// A service that says that it was asked.
struct Own;

impl PageService for Own {
    fn capabilities(&self) -> Vec<String> {
        vec!["search".to_owned()]
    }

    fn effort(&self, _: &str) -> Option<Effort> {
        Some(Effort::Search)
    }

    fn answer(
        &self,
        request: &PageRequest,
        sink: &dyn EventSink,
        _: &StopFlag,
    ) -> Result<(), PageFailure> {
        sink.event(&request.op, json!({ "engines": [{ "engine": "own" }] }));
        Ok(())
    }
}

#[derive(Default)]
struct Answer(Mutex<Value>);

impl EventSink for Answer {
    fn event(&self, _: &str, fields: Value) {
        *self.0.lock().unwrap() = fields;
    }

    fn state(&self, _: &str, _: u64, _: Value) {}

    fn broadcast(&self, _: &str, _: Value) {}
}

/// A GTP engine that answers `genmove` with a command of the shell.
fn gtp(folder: &TestFolder, genmove: &str) -> PathBuf {
    let script = format!(
        "#!/bin/sh\nwhile read -r word rest; do\n case $word in\n  genmove) {genmove};;\n  name) printf '= Fake\\n\\n';;\n  \
         *) printf '= \\n\\n';;\n esac\ndone\n"
    );
    let path = folder.path("engine.sh");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn choice(program: &std::path::Path) -> EngineChoice<Own> {
    let description = format!("{},name=fake", program.display());
    EngineChoice::new(Own, OtherEngine::open_all(&[description]).unwrap())
}

fn ask(choice: &EngineChoice<Own>, op: &str, fields: Value) -> Result<Value, PageFailure> {
    let answer = Answer::default();
    choice.answer(
        &PageRequest::new(1, op, fields),
        &answer,
        &StopFlag::default(),
    )?;
    Ok(answer.0.into_inner().unwrap())
}

#[test]
fn a_page_chooses_who_moves() {
    let folder = TestFolder::new();
    let choice = choice(&gtp(&folder, "printf '= F6\\n\\n'"));
    let engines = ask(&choice, "engines", json!({})).unwrap();
    assert_eq!(
        engines["engines"][1],
        json!({ "engine": "fake", "name": "Fake" })
    );
    let played = ask(
        &choice,
        "play",
        json!({ "engine": "fake", "moves": ["f5"], "level": 5 }),
    );
    assert_eq!(played.unwrap()["move"], "f6");
    for fields in [json!({ "engine": "own" }), json!({})] {
        assert_eq!(
            ask(&choice, "play", fields).unwrap()["engines"][0]["engine"],
            "own"
        );
    }
    // Values are ours.
    let hint = ask(&choice, "hint", json!({ "engine": "fake" })).unwrap();
    assert_eq!(hint["engines"][0]["engine"], "own");
    let missing = ask(&choice, "play", json!({ "engine": "gone" })).unwrap_err();
    assert!(missing.text.starts_with("engine 'gone': "), "{missing}");
    let illegal = ask(
        &choice,
        "play",
        json!({ "engine": "fake", "moves": ["a1"] }),
    );
    assert_eq!(illegal.unwrap_err().text, "move 1: 'a1' is not legal");
}

#[test]
fn an_engine_that_fails_says_so_and_is_started_again() {
    let folder = TestFolder::new();
    // It ends at the first move, talks nonsense at the second, and plays at the third.
    let count = folder.path("count");
    let path = count.display();
    let genmove = format!(
        "echo x >> {path}; case $(wc -l < {path}) in *1) exit 3;; *2) printf '= zz9\\n\\n';; *) printf '= F6\\n\\n';; esac"
    );
    let choice = choice(&gtp(&folder, &genmove));
    let play = || {
        ask(
            &choice,
            "play",
            json!({ "engine": "fake", "moves": ["f5"] }),
        )
    };
    let gone = play().unwrap_err();
    assert!(gone.text.starts_with("fake: "), "{gone}");
    let nonsense = play().unwrap_err();
    assert_eq!(nonsense.text, "fake: its answer 'zz9' is no legal move");
    assert_eq!(play().unwrap()["move"], "f6");
}

#[test]
fn a_stopped_request_does_not_wait_for_its_engine() {
    let folder = TestFolder::new();
    let choice = choice(&gtp(&folder, "sleep 3"));
    let stop = StopFlag::default();
    let answer = Answer::default();
    let request = PageRequest::new(1, "play", json!({ "engine": "fake" }));
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| choice.answer(&request, &answer, &stop));
        std::thread::sleep(std::time::Duration::from_millis(100));
        stop.stop();
        assert_eq!(asked.join().unwrap(), Ok(()));
    });
    assert_eq!(*answer.0.lock().unwrap(), Value::Null);
}

#[test]
fn what_is_no_engine_is_refused_at_the_start() {
    for text in ["", "/nowhere/engine", "/bin/true"] {
        let opened = OtherEngine::open_all(&[text.to_owned()]);
        assert!(opened.is_err(), "{text}");
    }
}
