//! Requests, and lines of events.

use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use page_messages::{EventSink, PageRequest, PageService, StopFlag};
use run_watch::RunWatch;
use serde_json::{Value, json};

/// The events that answer a request.
#[derive(Default)]
struct Answer(RefCell<Vec<Value>>);

impl EventSink for Answer {
    fn event(&self, name: &str, mut fields: Value) {
        fields["ev"] = name.into();
        self.0.borrow_mut().push(fields);
    }

    fn state(&self, name: &str, _: u64, fields: Value) {
        self.event(name, fields);
    }

    fn broadcast(&self, _: &str, _: Value) {}
}

/// The event that answers a request, or what refuses it.
pub(crate) fn ask(service: &dyn PageService, op: &str, fields: Value) -> Result<Value, String> {
    let answer = Answer::default();
    let request = PageRequest::new(1, op, fields);
    let done = service.answer(&request, &answer, &StopFlag::default());
    done.map_err(|failure| failure.text)?;
    Ok(answer.0.into_inner().pop().unwrap())
}

/// All that is told of runs, read now.
pub(crate) fn told(watch: &RunWatch) -> Value {
    watch.read_now();
    ask(watch, "runs", json!({})).unwrap()
}

/// The runs, read now.
pub(crate) fn runs(watch: &RunWatch) -> Vec<Value> {
    told(watch)["runs"].as_array().unwrap().clone()
}

/// All of the only run.
pub(crate) fn details(watch: &RunWatch) -> Value {
    let runs = runs(watch);
    assert_eq!(runs.len(), 1, "{runs:?}");
    ask(watch, "run", json!({ "run": runs[0]["run"] })).unwrap()
}

/// Appends text to a file.
pub(crate) fn append(path: &Path, text: &str) {
    let mut options = OpenOptions::new();
    let mut file = options.append(true).create(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// The line of a game of a run.
pub(crate) fn game(run: &str, result: &str) -> String {
    let event = json!({"event": "game", "run": run, "at": 1_795_900_000_000_u64, "worker": 0,
        "plies": 100, "result": result, "reason": "resignation"});
    format!("{event}\n")
}

/// How often there was what result.
pub(crate) fn results(details: &Value) -> Vec<(String, String)> {
    let results = details["results"].as_array().unwrap();
    let of_result = results.iter().find(|one| one["name"] == "result");
    let counts = of_result.map(|one| one["counts"].as_array().unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let counts = counts.into_iter().flatten();
    counts
        .map(|one| (text(&one["name"]), text(&one["n"])))
        .collect()
}
