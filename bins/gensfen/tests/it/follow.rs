//! Games that are followed by their events, and games as a job of a page.

use std::cell::RefCell;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use page_messages::{EventSink, PageFiles, PageRequest, PageService, StopFlag};
use run_watch::{ProgramJobs, ProgramsSetup, RunWatch};
use serde_json::{Value, json};
use serve::FileRoots;
use serve::jobs::PageJobs;
use test_support::{TestFolder, TooQuick, wait_until, with_longer_runs};

use crate::gensfen::gensfen;

const PROGRAM: &str = env!("CARGO_BIN_EXE_gensfen");

/// The line of so many games.
fn games_line(games: u64) -> String {
    format!("--run --games {games} --nodes 300 --multi 1 --option Evaluation=positional -q")
}

/// The events that answer a request.
#[derive(Default)]
struct Answer(RefCell<Vec<(String, Value)>>);

impl EventSink for Answer {
    fn event(&self, name: &str, fields: Value) {
        self.0.borrow_mut().push((name.to_owned(), fields));
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
    let (_, fields) = answer.0.into_inner().pop().unwrap();
    Ok(fields)
}

/// The runs of a service, read now.
fn runs(watch: &RunWatch) -> Vec<Value> {
    watch.read_now();
    let told = ask(watch, "runs", json!({})).unwrap();
    told["runs"].as_array().unwrap().clone()
}

/// What so many games are without a disturbance.
fn whole(folder: &TestFolder, games: u64) -> Vec<u8> {
    let mut run = gensfen(&folder.path(""));
    run.args(games_line(games).split(' '))
        .args(["-o", "whole.pack"])
        .assert()
        .success();
    folder.read("whole.pack")
}

/// A program that is controlled by its standard input.
fn controlled(folder: &Path, games: u64, input: impl Into<Stdio>) -> Child {
    Command::new(PROGRAM)
        .current_dir(folder)
        .args(games_line(games).split(' '))
        .args([
            "-o",
            "games.pack",
            "--events",
            "games.events",
            "--control",
            "stdin",
        ])
        .stdin(input)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits for the end of a run that was stopped; it may be done before.
fn has_stopped(child: &mut Child) -> Result<(), TooQuick> {
    let code = child.wait().unwrap().code();
    if code == Some(0) {
        return Err(TooQuick);
    }
    assert_eq!(code, Some(130));
    Ok(())
}

/// Waits until the first of the runs is in a state; it may be done before.
fn state_is(watch: &RunWatch, wanted: &str) -> Result<(), TooQuick> {
    let mut state = Value::Null;
    let is_there = || {
        state = runs(watch)
            .first()
            .map_or(Value::Null, |run| run["state"].clone());
        state == wanted || state == "done"
    };
    wait_until(is_there, wanted);
    (state == wanted).then_some(()).ok_or(TooQuick)
}

#[test]
fn a_run_is_followed_by_its_events() {
    with_longer_runs(40, run_with_events);
}

fn run_with_events(total: u64) -> Result<(), TooQuick> {
    let folder = TestFolder::new();
    let watch = RunWatch::new(&[folder.path("")]);
    assert!(runs(&watch).is_empty());
    let mut child = controlled(&folder.path(""), total, Stdio::piped());
    let mut requests = child.stdin.take().unwrap();
    let games = || {
        let run = runs(&watch)[0]["run"].clone();
        ask(&watch, "run", json!({ "run": run })).unwrap()
    };
    // Nobody reads what is asked of a run that has ended.
    let mut request = |line: &str| requests.write_all(line.as_bytes()).map_err(|_| TooQuick);
    let mut pause_and_stop = || {
        state_is(&watch, "running")?;
        wait_until(
            || !games()["results"].as_array().unwrap().is_empty(),
            "no game ends",
        );
        request("pause\n")?;
        state_is(&watch, "paused")?;
        request("resume\n")?;
        state_is(&watch, "running")?;
        request("stop\n")
    };
    let asked = pause_and_stop();
    has_stopped(&mut child)?;
    asked?;
    state_is(&watch, "stopped")?;
    // Another run goes on, in the same file.
    let mut child = controlled(&folder.path(""), total, Stdio::piped());
    // The end of the input would stop it.
    let _requests = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    wait_until(
        || runs(&watch).iter().any(|run| run["state"] == "done"),
        "done",
    );
    assert_eq!(runs(&watch).len(), 2);
    let details = games();
    assert_eq!(
        (&details["program"], &details["state"]),
        (&json!("gensfen"), &json!("done"))
    );
    assert_eq!(
        (&details["done"], &details["total"]),
        (&json!(total.to_string()), &json!(total.to_string()))
    );
    assert!(
        details["command"]
            .as_str()
            .unwrap()
            .starts_with(&format!("gensfen --run --games {total}"))
    );
    let workers = details["workers"].as_array().unwrap();
    assert_eq!(workers.len(), 1);
    assert!(details["histograms"][0]["counts"].as_array().is_some());
    assert!(details["series"][0]["points"].as_array().unwrap().len() > 1);
    assert_eq!(details["end"]["complete"], true);
    assert_eq!(folder.read("games.pack"), whole(&folder, total));
    Ok(())
}

#[cfg(unix)]
#[test]
fn the_end_of_who_controls_a_run_stops_it() {
    with_longer_runs(40, run_without_its_controller);
}

#[cfg(unix)]
fn run_without_its_controller(total: u64) -> Result<(), TooQuick> {
    let folder = TestFolder::new();
    // Whoever holds the other end of the input is killed.
    let mut server = Command::new("sleep")
        .arg("1000")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = controlled(&folder.path(""), total, server.stdout.take().unwrap());
    let watch = RunWatch::new(&[folder.path("games.events")]);
    wait_until(
        || runs(&watch).iter().any(|run| run["done"] != "0"),
        "no game ends",
    );
    server.kill().unwrap();
    server.wait().unwrap();
    has_stopped(&mut child)?;
    assert_eq!(runs(&watch)[0]["state"], "stopped");
    Ok(())
}

/// A list of jobs, and the runs that it shows.
fn jobs(folder: &TestFolder) -> (PageJobs, RunWatch) {
    let mut roots = FileRoots::default();
    roots.add(&folder.path("files")).unwrap();
    let runs = RunWatch::new(&[]);
    let work = ProgramJobs::new(ProgramsSetup {
        programs: Path::new(PROGRAM).parent().unwrap().to_owned(),
        files: Arc::new(roots) as Arc<dyn PageFiles>,
        engines: Vec::new(),
        threads: None,
        runs: runs.clone(),
    });
    let jobs = PageJobs::open(&folder.path("jobs"), Arc::new(work)).unwrap();
    (jobs, runs)
}

/// The list once more: that of a server that has just gone is in use until its threads have ended, and another one is
/// begun meanwhile.
fn jobs_again(folder: &TestFolder) -> (PageJobs, RunWatch) {
    let mut found = None;
    let is_there = || {
        let opened = jobs(folder);
        let all = ask(&opened.0, "jobs", json!({})).unwrap();
        found = (all["jobs"][0] != Value::Null).then_some(opened);
        found.is_some()
    };
    wait_until(is_there, "the list stays in use");
    found.unwrap()
}

/// Waits for a state of a job; returns its fields. It may be done before.
fn job_is(jobs: &PageJobs, wanted: &str) -> Result<Value, TooQuick> {
    let mut found = Value::Null;
    let is_so = || {
        found = ask(jobs, "jobs", json!({})).unwrap()["jobs"][0].clone();
        assert!(
            found["state"] == wanted || found["state"] != "failed",
            "{found}"
        );
        found["state"] == wanted || found["state"] == "done"
    };
    wait_until(is_so, wanted);
    (found["state"] == wanted).then_some(found).ok_or(TooQuick)
}

#[test]
fn games_as_a_job_are_those_of_the_command() {
    with_longer_runs(40, games_as_a_job);
}

fn games_as_a_job(total: u64) -> Result<(), TooQuick> {
    let folder = TestFolder::new();
    fs::create_dir(folder.path("files")).unwrap();
    fs::create_dir(folder.path("jobs")).unwrap();
    let (list, watch) = jobs(&folder);
    let output = json!({ "root": "files", "path": "games.pack" });
    let options = json!({ "games": total, "nodes": 300, "multi": 1, "option": "Evaluation=positional",
        "output": output });
    let request = json!({ "kind": "gensfen", "options": options });
    ask(&list, "job.start", request.clone()).unwrap();
    let id = json!({ "job": 1 });
    let mut running = Err(TooQuick);
    let progressed = || {
        running = job_is(&list, "running");
        let is_begun = |job: &Value| job["done"].as_str() > Some("0");
        running.as_ref().map_or(true, is_begun)
    };
    wait_until(progressed, "no game ends");
    running?;
    let request_of = |name: &str| {
        let Err(refusal) = ask(&list, name, id.clone()) else {
            return Ok(());
        };
        // Only what is done may refuse it.
        let job = ask(&list, "jobs", json!({})).unwrap()["jobs"][0].clone();
        assert_eq!(job["state"], "done", "{refusal}");
        Err(TooQuick)
    };
    request_of("job.pause")?;
    job_is(&list, "paused")?;
    // The job and its run say the same.
    let run = runs(&watch)[0].clone();
    assert_eq!((&run["state"], &run["job"]), (&json!("paused"), &json!(1)));
    request_of("job.resume")?;
    job_is(&list, "running")?;
    request_of("job.stop")?;
    job_is(&list, "stopped")?;
    // The output is there now, and another job must not touch it.
    let crashed = (list, watch);
    drop(crashed);
    let (list, watch) = jobs_again(&folder);
    ask(&list, "job.resume", id).unwrap();
    let done = job_is(&list, "done")?;
    assert_eq!(done["result"]["report"]["finished"], total);
    assert_eq!(done["output"], output);
    let command = done["command"].as_str().unwrap();
    assert!(command.starts_with("gensfen --run "), "{command}");
    assert_eq!(folder.read("files/games.pack"), whole(&folder, total));
    // Both runs of the job are shown.
    let states: Vec<_> = runs(&watch)
        .iter()
        .map(|run| run["state"].clone())
        .collect();
    assert_eq!(states, ["done", "stopped"]);
    let told = ask(&list, "job.start", request).unwrap_err();
    assert_eq!(told, "games.pack: exists: choose another name");
    Ok(())
}

#[test]
fn the_kinds_of_jobs_fit_the_command_line() {
    let described = yane_cli::shell::description(gensfen::command().name("gensfen"));
    let described = serde_json::from_value(described).unwrap();
    let problems = ProgramJobs::problems(&described);
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn what_a_page_may_not_ask_is_refused_with_the_programs_words() {
    let folder = TestFolder::new();
    fs::create_dir(folder.path("files")).unwrap();
    fs::create_dir(folder.path("jobs")).unwrap();
    let (list, _) = jobs(&folder);
    let output = |path: &str| json!({ "root": "files", "path": path });
    for (options, expected) in [
        (json!({}), "output: a file was expected"),
        (json!({ "output": output("../a.pack") }), ""),
        (json!({ "output": "/tmp/a.pack" }), "output: "),
        (
            json!({ "output": output("a.pack"), "nodes": 0 }),
            "invalid value '0' for '--nodes <N>'",
        ),
        (
            json!({ "output": output("a.pack"), "nodes": "--json" }),
            "invalid value '--json'",
        ),
        (
            json!({ "output": output("a.pack"), "queue": "nats://x" }),
            "a job 'gensfen' has no option 'queue'",
        ),
        (
            json!({ "output": output("a.pack"), "settings": "a" }),
            "a job 'gensfen' has no option 'settings'",
        ),
        (
            json!({ "output": output("a.pack"), "engine": "/bin/sh" }),
            "engine: the server knows no engine",
        ),
        (
            json!({ "output": output("a.pack"), "option": "EvalDir=/etc" }),
            "option: 'EvalDir=/etc': NAME=VALUE",
        ),
        (
            json!({ "output": output("a.pack"), "option": "LogFile=x" }),
            "option: 'LogFile=x': NAME=VALUE",
        ),
        (
            json!({ "output": output("a.pack"), "games": [1, 2] }),
            "games: one value was expected",
        ),
        (
            json!({ "output": output("a.pack"), "allow-engine-errors": 1 }),
            "allow-engine-errors: true or false",
        ),
    ] {
        let request = json!({ "kind": "gensfen", "options": options });
        let told = ask(&list, "job.start", request).unwrap_err();
        assert!(told.starts_with(expected), "{told}");
    }
    let kinds = ask(&list, "job.kinds", json!({})).unwrap();
    let kinds = kinds["kinds"].as_array().unwrap();
    let kind = kinds.iter().find(|kind| kind["kind"] == "gensfen").unwrap();
    assert_eq!(
        (&kind["available"], &kind["reason"]),
        (&json!(true), &Value::Null)
    );
    let options = kind["options"].as_array().unwrap();
    let named = |name: &str| options.iter().find(|one| one["name"] == name).unwrap();
    assert_eq!(named("output")["takes"], "new_file");
    assert_eq!(named("nodes")["value"], "N");
    assert_eq!(named("option")["repeated"], true);
    assert_eq!(named("allow-engine-errors")["takes"], "switch");
    assert_eq!(named("engine")["choices"], json!(["embedded"]));
}
