//! Games that are shared over a queue, seen by a page that takes no part in them. Without `nats-server` on the path these tests are
//! skipped.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use farm::queue::Access;
use run_watch::RunWatch;
use serde_json::{Value, json};
use test_support::{Process, SharedRun as _, wait_until};
use yane_io::secret::{Secret, Trust};

use crate::follow::ask;
use crate::place::Place;
use crate::trust::Stranger;

const SECRET: &str = "a secret of those who watch";

/// A watcher of the server of a place, with a secret or none.
fn watcher(place: &Place, secret: Option<&str>) -> RunWatch {
    let watch = RunWatch::new(&[]);
    let trust = match secret {
        Some(secret) => Trust::Secret(Secret::new(secret.as_bytes(), "").unwrap()),
        None => Trust::ThisMachine,
    };
    let access = Access {
        trust,
        ..Access::default()
    };
    watch.follow_queue(&place.nats.url(), access).unwrap();
    watch
}

/// All that is told of runs, read now.
fn told(watch: &RunWatch) -> Value {
    watch.read_now();
    ask(watch, "runs", json!({})).unwrap()
}

/// All of the only run, if there is one.
fn details(watch: &RunWatch) -> Option<Value> {
    let told = told(watch);
    let runs = told["runs"].as_array().unwrap();
    assert!(runs.len() <= 1, "{runs:?}");
    let run = &runs.first()?["run"];
    Some(ask(watch, "run", json!({ "run": run })).unwrap())
}

/// Waits until a run is as wanted; returns it.
#[track_caller]
fn run_is(watch: &RunWatch, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let mut run = Value::Null;
    let found = || {
        run = details(watch).unwrap_or_default();
        is_so(&run)
    };
    wait_until(found, what);
    run
}

fn number(value: &Value) -> u64 {
    value.as_str().unwrap_or_default().parse().unwrap_or(0)
}

fn with_secret(mut command: Command) -> Command {
    command.args(["--secret-file", "secret"]);
    command
}

fn write_secret(place: &Place) {
    let path = place.folder.path("secret");
    fs::write(&path, SECRET).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn a_shared_run_is_seen_with_its_workers_until_its_end_and_later() {
    let Some(place) = Place::new(300) else {
        return;
    };
    let _server = place.nats.start();
    let watch = watcher(&place, None);
    let mut serve = place.serve();
    run_is(&watch, "a run without workers is not seen", |run| {
        run["state"] == "running" && run["total"] == "300"
    });
    let mut workers = [place.work(), place.work()];
    let run = run_is(&watch, "two workers are not seen", |run| {
        let workers = run["workers"].as_array();
        let works = |worker: &Value| number(&worker["done"]) > 0;
        number(&run["done"]) > 0
            && workers.is_some_and(|all| all.len() == 2 && all.iter().all(works))
    });
    assert_eq!(run["program"], "gensfen");
    assert!(
        run["command"].as_str().unwrap().contains("--serve"),
        "{run}"
    );
    for (worker, process) in run["workers"].as_array().unwrap().iter().zip(&workers) {
        let name = worker["engine"].as_str().unwrap();
        let ids: Vec<String> = workers.iter().map(|one| one.id().to_string()).collect();
        assert!(
            ids.iter().any(|id| name.ends_with(id)),
            "{name} {}",
            process.id()
        );
    }
    serve.succeeds();
    workers.iter_mut().for_each(Process::succeeds);
    let run = run_is(&watch, "the end is not seen", |run| run["state"] == "done");
    assert_eq!(
        (&run["done"], &run["end"]["finished"]),
        (&json!("300"), &json!(300))
    );
    // Somebody who comes later sees the same.
    let late = run_is(&watcher(&place, None), "nothing is left", |run| {
        run["state"] == "done"
    });
    for field in [
        "run",
        "done",
        "total",
        "results",
        "histograms",
        "series",
        "workers",
    ] {
        assert_eq!(late[field], run[field], "{field}");
    }
    let games: u64 = late["results"][1]["counts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| number(&one["n"]))
        .sum();
    assert_eq!(games, 300);
    // The watchers have changed nothing.
    place.assert_same();
}

#[test]
fn with_another_secret_nothing_is_seen_and_garbage_is_counted() {
    let Some(place) = Place::new(100_000) else {
        return;
    };
    let _server = place.nats.start();
    write_secret(&place);
    let _serve = Process::spawn(&mut with_secret(place.serving()));
    let _worker = Process::spawn(&mut with_secret(place.working()));
    let ours = watcher(&place, Some(SECRET));
    let run = run_is(&ours, "the run is not seen", |run| number(&run["done"]) > 0);
    for secret in [None, Some("a secret of nobody else")] {
        let other = watcher(&place, secret);
        let says_so = || {
            let told = told(&other);
            assert_eq!(told["runs"], json!([]));
            let text = told["sources"][0]["text"].as_str().unwrap_or_default();
            text.contains("another secret than here")
        };
        wait_until(says_so, "another secret is not told of");
    }
    assert_eq!(told(&ours)["sources"][0]["damaged"], "0");
    // Somebody without the secret writes there, over the run and beside it.
    let id = run["run"].as_str().unwrap().rsplit('#').next().unwrap();
    let mut stranger = Stranger::new(&place.nats.url());
    let end = br#"{"event":"end","run":"x","state":"failed","text":"garbage"}"#;
    for subject in [
        format!("farmevents.{id}"),
        "farmevents.0123456789abcdef".to_owned(),
    ] {
        let damaged = |watch: &RunWatch| number(&told(watch)["sources"][0]["damaged"]);
        let before = damaged(&ours);
        let is_counted = || {
            // What the run shows next takes its place, perhaps before it is read.
            stranger.publish(&subject, end);
            damaged(&ours) > before
        };
        wait_until(is_counted, "garbage is not counted");
    }
    let before = number(&run["done"]);
    let run = run_is(&ours, "the run does not go on", |run| {
        number(&run["done"]) > before
    });
    assert_eq!(run["state"], "running");
}

#[test]
fn a_run_is_lost_when_who_serves_it_dies_and_goes_on_when_it_is_back() {
    let Some(place) = Place::new(1500) else {
        return;
    };
    let mut server = place.nats.start();
    let watch = watcher(&place, None);
    let mut serve = place.serve();
    let _worker = place.work();
    let first = run_is(&watch, "the run is not seen", |run| {
        number(&run["done"]) > 0
    });
    serve.kill();
    run_is(&watch, "the run is not lost", |run| run["state"] == "lost");
    let _serve = place.serve();
    let second = run_is(&watch, "the run does not go on", |run| {
        run["state"] == "running" && number(&run["done"]) > number(&first["done"])
    });
    assert_eq!(second["run"], first["run"]);
    assert_ne!(second["pid"], first["pid"]);
    // The server loses all, and the watcher says so until it is back.
    server.kill();
    let says_so = || !told(&watch)["sources"][0]["text"].is_null();
    wait_until(says_so, "the server is not missed");
    place.nats.forget();
    let _server = place.nats.start();
    run_is(&watch, "the run is not seen again", |run| {
        matches!(run["state"].as_str(), Some("running" | "done"))
            && number(&run["done"]) > number(&second["done"])
    });
    wait_until(
        || told(&watch)["sources"][0]["text"].is_null(),
        "the server is still missed",
    );
}
