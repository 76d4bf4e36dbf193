//! A sample of every message about runs and programs, in a file that the page's types are checked against.

use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use page_messages::{AllPages, PageRequest, PageService as _};
use run_watch::{ProgramJobs, ProgramsSetup, RunWatch};
use serde_json::{Map, Value, json};
use serve::FileRoots;
use serve::jobs::{
    ArgumentDescription, JobKindInfo, JobLane, JobOptionInfo, JobPause, JobTakes, PageJobs,
};
use test_support::TestFolder;

use crate::support::{append, ask};

/// The variable that has the file written.
const VARIABLE: &str = "YANEURA_WRITE_SAMPLES";

/// Events of a run of games, of a training, and of a match, at a time (milliseconds since 1970).
fn events() -> Vec<Value> {
    let at = 1_795_900_000_000_u64;
    vec![
        json!({"event": "run", "run": "19ac2f6b0d4-4711", "at": at, "started": at, "program": "gensfen",
            "version": "0.1.0", "command": "gensfen --run --games 1000 -o games.pack", "pid": 4711, "host": "farm1"}),
        json!({"event": "begin", "run": "19ac2f6b0d4-4711", "at": at, "workers": 2, "finished": 0, "total": 1000,
            "output": "/data/games.pack"}),
        json!({"event": "game", "run": "19ac2f6b0d4-4711", "at": at + 9000, "worker": 0, "game": 0, "plies": 96,
            "result": "black", "reason": "resignation"}),
        json!({"event": "failed", "run": "19ac2f6b0d4-4711", "at": at + 9500, "worker": 1, "engine": "YaneuraOu",
            "reason": "no answer for 600 s"}),
        json!({"event": "workers", "run": "19ac2f6b0d4-4711", "at": at + 9600, "workers": [
            {"worker": 0, "engine": "YaneuraOu", "state": "searching", "nodes": 4_000_000}]}),
        json!({"event": "score", "run": "19ac2f6b0d4-4711", "at": at + 9700, "games": 2,
            "elo": {"difference": 0.0, "low": -120.0, "high": 120.0}}),
        json!({"event": "saved", "run": "19ac2f6b0d4-4711", "at": at + 9800, "output": "/data/games.pack", "games": 1}),
        json!({"event": "progress", "run": "19ac2f6b0d4-4711", "at": at + 10_000, "state": "running",
            "stage": "playing", "done": 1, "total": 1000, "unit": "games", "rate": 0.1, "elapsed": 10.0,
            "eta": 9990.0, "last_good_file": "/data/games.pack", "note": "Resuming after 12 games."}),
        json!({"event": "end", "run": "19ac2f6b0d4-4711", "at": at + 11_000, "state": "stopped", "games": 1}),
    ]
}

/// A kind as it is where its program is there.
fn merge() -> JobKindInfo {
    let argument = |value: Option<&str>, default: Option<&str>, help: &str| ArgumentDescription {
        value: value.map(str::to_owned),
        default: default.map(str::to_owned),
        help: help.to_owned(),
        ..ArgumentDescription::default()
    };
    let files = argument(Some("FILES"), None, "The books");
    let output = argument(Some("OUT"), None, "The output");
    let comments = ArgumentDescription {
        choices: vec!["keep".to_owned(), "drop".to_owned()],
        heading: Some("Settings".to_owned()),
        ..argument(Some("keep|drop"), Some("keep"), "What becomes of comments")
    };
    let of = JobOptionInfo::of_argument;
    JobKindInfo {
        kind: "makebook.merge".to_owned(),
        program: "makebook".to_owned(),
        command: "makebook merge".to_owned(),
        group: "book".to_owned(),
        lane: JobLane::Files,
        available: true,
        reason: None,
        pause: JobPause::Pause,
        help: "Merge books".to_owned(),
        options: vec![
            of("inputs", JobTakes::Files, &files).required(),
            of("output", JobTakes::NewFile, &output).required(),
            of("comments", JobTakes::Value, &comments),
        ],
    }
}

/// Passes broadcasts on.
struct Pages(Mutex<Sender<(String, Value)>>);

impl AllPages for Pages {
    fn broadcast(&self, name: &str, mut fields: Value) {
        fields["ev"] = name.into();
        // The test may have seen enough.
        let _over = self.0.lock().unwrap().send((name.to_owned(), fields));
    }
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../serve/ui/samples-runs.json")
}

/// A sample without the name of the temporary folder, with few kinds.
fn settled(value: &mut Value, folder: &str) {
    match value {
        Value::Array(values) => {
            values.truncate(3);
            for value in values {
                settled(value, folder);
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(|value| settled(value, folder)),
        Value::String(text) => *text = text.replace(folder, "farm"),
        _ => {}
    }
}

#[test]
fn samples_of_messages_about_runs_are_current() {
    let folder = TestFolder::new();
    let farm = folder.path("farm");
    std::fs::create_dir(&farm).unwrap();
    let lines: Vec<String> = events().iter().map(|event| format!("{event}\n")).collect();
    append(&farm.join("games.events"), &lines.concat());
    let watch = RunWatch::new(std::slice::from_ref(&farm));
    watch.read_now();
    let mut roots = FileRoots::default();
    roots.add(&farm).unwrap();
    // No program is there.
    let work = ProgramJobs::new(ProgramsSetup {
        programs: farm.clone(),
        files: Arc::new(roots),
        engines: Vec::new(),
        threads: None,
        runs: RunWatch::new(&[]),
    });
    let jobs = PageJobs::open(&folder.path("jobs"), Arc::new(work)).unwrap();
    let run = "1/farm/games.events#19ac2f6b0d4-4711";
    let mut samples = Map::new();
    for (op, fields) in [
        ("runs", json!({})),
        ("run", json!({ "run": run })),
        ("job.kinds", json!({})),
    ] {
        let service: &dyn page_messages::PageService =
            if op == "job.kinds" { &jobs } else { &watch };
        let mut request = fields.clone();
        (request["id"], request["op"]) = (json!(1), json!(op));
        let mut event = ask(service, op, fields).unwrap();
        event["id"] = json!(1);
        if let Some(kinds) = event["kinds"].as_array_mut() {
            kinds.insert(0, json!(merge()));
        }
        settled(&mut event, "farm");
        samples.insert(
            op.to_owned(),
            json!({ "request": request, "events": [event] }),
        );
    }
    let (sender, told) = channel();
    let pages: Arc<dyn AllPages> = Arc::new(Pages(Mutex::new(sender)));
    watch.start(&pages);
    // What is there already was told to whoever asks for the list.
    std::thread::sleep(std::time::Duration::from_millis(50));
    append(
        &farm.join("games.events"),
        "{\"event\":\"run\",\"run\":\"b\",\"at\":1795900020000,\"started\":1795900020000,\"program\":\"arena\"}\n",
    );
    let (name, changed) = told.recv().unwrap();
    assert_eq!(name, "runs_changed");
    samples.insert(name, json!({ "events": [changed] }));
    let capabilities = [watch.capabilities(), jobs.capabilities()].concat();
    assert_eq!(capabilities, ["runs", "jobs", "programs"]);
    assert!(
        watch
            .effort(&PageRequest::new(1, "jobs", json!({})).op)
            .is_none()
    );
    let text = format!("{:#}\n", Value::Object(samples));
    if std::env::var_os(VARIABLE).is_some() {
        std::fs::write(file(), &text).unwrap();
    }
    let kept = std::fs::read_to_string(file()).unwrap_or_default();
    assert!(
        kept == text,
        "samples-runs.json is stale: run this test with {VARIABLE}=1"
    );
}
