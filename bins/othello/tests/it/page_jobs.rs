//! Jobs of the page: what they write is what the command line writes.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use test_support::{PageClient, TestFolder, TooQuick};

use crate::program::{fixture, json as run_json, run_in};

const PROGRAM: &str = env!("CARGO_BIN_EXE_othello");

/// A server with a folder of books, and a tab.
struct Served {
    folder: TestFolder,
    settings: TestFolder,
    child: Child,
    tab: PageClient,
    /// The name of the folder of books.
    root: String,
}

impl Served {
    fn new() -> Self {
        let folder = TestFolder::new();
        book(&folder);
        Self::in_folder(folder, TestFolder::new(), "")
    }

    /// `before` is what the shell does before it becomes the server.
    fn in_folder(folder: TestFolder, settings: TestFolder, before: &str) -> Self {
        let line = format!("{before} exec \"$0\" serve --port 0 --hash 16M --threads 2 --level 4");
        let mut child = Command::new("sh")
            .args(["-c", &line, PROGRAM])
            .current_dir(folder.path(""))
            .env("OTHELLO_SETTINGS", settings.path("othello.json5"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut url).unwrap();
        let mut tab = PageClient::connect(url.trim());
        let roots = tab.ask("files.roots", json!({})).unwrap();
        Self {
            folder,
            settings,
            child,
            tab,
            root: roots["roots"][0]["root"].as_str().unwrap().to_owned(),
        }
    }

    /// The server as it is after a crash, started again.
    fn crash(mut self) -> Self {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let empty = || TestFolder::new();
        let folder = std::mem::replace(&mut self.folder, empty());
        let settings = std::mem::replace(&mut self.settings, empty());
        Self::in_folder(folder, settings, "")
    }

    fn file(&self, path: &str) -> Value {
        json!({ "root": self.root, "path": path })
    }

    fn start(&mut self, kind: &str, book: &Value, options: &Value) -> Result<u64, String> {
        let fields = json!({ "kind": kind, "book": book, "options": options });
        let answer = self.tab.ask("job.start", fields);
        let answer = answer.map_err(|refusal| refusal.0)?;
        Ok(answer["job"].as_u64().unwrap())
    }

    fn wait_for(&mut self, job: u64, state: &str) -> Value {
        let is_it =
            |event: &Value| event["ev"] == "job" && event["job"] == job && event["state"] == state;
        self.tab.wait_for(state, is_it)
    }

    /// Waits for an event of a job that is not done yet.
    fn reach(&mut self, job: u64, is_it: impl Fn(&Value) -> bool) -> Result<(), TooQuick> {
        let of_job = |event: &Value| event["ev"] == "job" && event["job"] == job;
        let event = self.tab.wait_for("progress", |event| {
            of_job(event) && (event["state"] == "done" || is_it(event))
        });
        is_it(&event).then_some(()).ok_or(TooQuick)
    }

    /// Asks something of a job that may be done, and only then may refuse it. It is the only job.
    fn request(&mut self, name: &str, job: u64) -> Result<(), TooQuick> {
        let Err(refusal) = self.tab.ask(name, json!({ "job": job })) else {
            return Ok(());
        };
        let list = self.tab.ask("jobs", json!({})).unwrap();
        assert_eq!(list["jobs"][0]["state"], "done", "{refusal:?}");
        Err(TooQuick)
    }

    /// Runs the command that the page shows for a job, in another folder.
    fn run_command(job: &Value) {
        let command = job["command"].as_str().unwrap();
        let line = format!("othello() {{ '{PROGRAM}' \"$@\"; }}; {command} -q");
        let elsewhere = TestFolder::new();
        let run = Command::new("sh")
            .args(["-c", &line])
            .current_dir(elsewhere.path(""))
            .output();
        let run = run.unwrap();
        let error = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{command}: {error}");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        self.folder.read(name)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// Makes `book.egbk3`.
fn book(folder: &TestFolder) {
    let from = fixture("games_a.dat");
    let line = ["book", "convert", from.to_str().unwrap(), "book.egbk3"];
    let (code, out, error) = run_in(&folder.path(""), &[&line[..], &["--no-side-car"]].concat());
    assert_eq!(code, 0, "{out}{error}");
}

/// Learning that takes some seconds.
fn learning() -> Value {
    json!({ "level": 5, "depth": 11, "error": 6, "sum": 12, "leaf-error": 6, "save-interval": 0.01 })
}

#[test]
fn a_job_writes_what_its_command_writes() {
    let mut served = Served::new();
    let before = served.read("book.egbk3");
    let file = served.file("book.egbk3");
    let opened = served.tab.ask("book.open", file).unwrap();
    let book = opened["book"].clone();
    let options = json!({ "level": 3, "depth": 7, "start": "f5d6" });
    let job = served.start("learn", &book, &options).unwrap();
    let changed = |event: &Value| event["ev"] == "book_changed" && event["book"] == book;
    let running = served.wait_for(job, "running");
    assert_eq!(running["output"]["path"], "book.egbk3");
    served.tab.wait_for("book_changed", changed);
    let done = served.wait_for(job, "done");
    let learnt = served.read("book.egbk3");
    assert_ne!(learnt, before);
    let text = done["text"].as_str().unwrap();
    assert!(text.contains("added"), "{text}");
    // The page sees the new book.
    let list = served.tab.ask("book.list", json!({})).unwrap();
    let (_, info) = run_json(&[
        "book",
        "info",
        served.folder.path("book.egbk3").to_str().unwrap(),
    ]);
    assert_eq!(list["books"][0]["positions"], info["positions"].to_string());
    served.folder.write("book.egbk3", &before);
    Served::run_command(&done);
    assert_eq!(served.read("book.egbk3"), learnt);
}

#[test]
fn jobs_that_were_stopped_or_killed_go_on_to_the_same_bytes() {
    let mut served = Served::new();
    let before = served.read("book.egbk3");
    let job = served
        .start("learn", &served.file("book.egbk3"), &learning())
        .unwrap();
    let is_well_begun = |event: &Value| {
        assert_ne!(event["state"], "done", "learning was too quick");
        let done = event["done"].as_str().and_then(|done| done.parse().ok());
        event["ev"] == "job"
            && event["state"] == "running"
            && done.is_some_and(|done: u64| done > 3)
    };
    served.tab.wait_for("progress", is_well_begun);
    served.tab.ask("job.stop", json!({ "job": job })).unwrap();
    let stopped = served.wait_for(job, "stopped");
    let text = stopped["text"].as_str().unwrap();
    assert!(text.contains("Run the same command to continue"), "{text}");
    served.tab.ask("job.resume", json!({ "job": job })).unwrap();
    served.tab.wait_for("progress", is_well_begun);
    let mut served = served.crash();
    let list = served.tab.ask("jobs", json!({})).unwrap();
    assert_eq!(list["jobs"][0]["state"], "stopped");
    served.tab.ask("job.resume", json!({ "job": job })).unwrap();
    let done = served.wait_for(job, "done");
    let learnt = served.read("book.egbk3");
    served.folder.write("book.egbk3", &before);
    Served::run_command(&done);
    assert_eq!(served.read("book.egbk3"), learnt);
    assert_eq!(served.folder.names(), ["book.egbk3"]);
}

#[test]
fn edits_that_are_not_saved_are_in_the_way() {
    let mut served = Served::new();
    let file = served.file("book.egbk3");
    let opened = served.tab.ask("book.open", file).unwrap();
    let name = opened["book"].clone();
    let start = "---------------------------OX------XO--------------------------- X";
    let rev = opened["books"][0]["rev"].clone();
    let edit = json!({ "book": name, "rev": rev, "board": start, "value": 3 });
    served.tab.ask("book.edit", edit).unwrap();
    let refused = served.start("fix", &name, &json!({})).unwrap_err();
    assert_eq!(
        refused,
        "book.egbk3 has edits: save or discard the edits first"
    );
    let rev = served.tab.ask("book.list", json!({})).unwrap()["books"][0]["rev"].clone();
    served
        .tab
        .ask("book.discard", json!({ "book": name, "rev": rev }))
        .unwrap();
    let job = served.start("fix", &name, &json!({})).unwrap();
    let done = served.wait_for(job, "done");
    let fixed = served.read("book.egbk3");
    std::fs::remove_file(served.folder.path("book.egbk3")).unwrap();
    book(&served.folder);
    Served::run_command(&done);
    assert_eq!(served.read("book.egbk3"), fixed);
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_fails_the_job_and_damages_nothing() {
    let folder = TestFolder::new();
    book(&folder);
    std::fs::copy(fixture("dev_b.dat"), folder.path("large.dat")).unwrap();
    // No file may be larger than some kilobytes.
    let mut served = Served::in_folder(folder, TestFolder::new(), "ulimit -f 40;");
    let before = served.read("book.egbk3");
    let (target, options) = (
        served.file("book.egbk3"),
        json!({ "with": served.file("large.dat") }),
    );
    let job = served.start("merge", &target, &options).unwrap();
    let failed = served.wait_for(job, "failed");
    let text = failed["text"].as_str().unwrap();
    assert!(
        text.contains("book.egbk3") && text.contains("too large"),
        "{text}"
    );
    assert_eq!(served.read("book.egbk3"), before);
    assert_eq!(served.folder.names(), ["book.egbk3", "large.dat"]);
    let outside = served.file("../x.egbk3");
    assert!(served.start("fix", &outside, &json!({})).is_err());
}

/// The run of a job, as the server shows it.
fn run_of(served: &mut Served, job: u64) -> Value {
    let told = served.tab.ask("runs", json!({})).unwrap();
    let runs = told["runs"].as_array().unwrap();
    let of_job = runs.iter().find(|run| run["job"] == job);
    of_job.cloned().unwrap_or_default()
}

/// Programs that the server starts end with it, and go on with the next one.
#[cfg(unix)]
#[test]
fn a_program_stops_when_its_server_is_killed_and_goes_on() {
    test_support::with_longer_runs(3000, games_without_their_server);
}

#[cfg(unix)]
fn games_without_their_server(games: u64) -> Result<(), TooQuick> {
    let mut served = Served::new();
    let output = served.file("games.data");
    let options = json!({ "games": games, "depth": 2, "exact": 8, "threads": 1, "output": output });
    let job = served
        .start("othello.selfplay", &Value::Null, &options)
        .unwrap();
    let is_well_begun = |event: &Value| {
        let done = event["done"].as_str().and_then(|done| done.parse().ok());
        event["state"] == "running" && done.is_some_and(|done: u64| done > 100)
    };
    served.reach(job, is_well_begun)?;
    served.request("job.pause", job)?;
    served.reach(job, |event| event["state"] == "paused")?;
    served.request("job.resume", job)?;
    served.reach(job, |event| event["state"] == "running")?;
    let mut served = served.crash();
    let mut state = Value::Null;
    let has_ended = || {
        state = run_of(&mut served, job)["state"].clone();
        state == "stopped" || state == "done"
    };
    test_support::wait_until(has_ended, "the program goes on without its server");
    if state == "done" {
        return Err(TooQuick);
    }
    served.tab.ask("job.resume", json!({ "job": job })).unwrap();
    let done = served.wait_for(job, "done");
    assert_eq!(done["result"]["report"]["games"], games);
    let command = done["command"].as_str().unwrap();
    assert!(command.starts_with("othello selfplay "), "{command}");
    let played = served.read("games.data");
    std::fs::remove_file(served.folder.path("games.data")).unwrap();
    Served::run_command(&done);
    assert_eq!(served.read("games.data"), played);
    Ok(())
}

#[test]
fn the_kinds_of_programs_fit_the_command_line() {
    let described = yane_cli::shell::description(othello::command().name("othello"));
    let described = serde_json::from_value(described).unwrap();
    let problems = run_watch::ProgramJobs::problems(&described);
    assert!(problems.is_empty(), "{problems:#?}");
    let mut served = Served::new();
    let told = served.tab.ask("job.kinds", json!({})).unwrap();
    let kinds = told["kinds"].as_array().unwrap();
    let named = |name: &str| kinds.iter().find(|kind| kind["kind"] == name).unwrap();
    assert_eq!(named("othello.train")["available"], true);
    let learn = named("learn");
    let options = learn["options"].as_array().unwrap();
    let level = options.iter().find(|one| one["name"] == "level").unwrap();
    assert!(!level["help"].as_str().unwrap().is_empty());
    assert_eq!(options[0]["takes"], "book");
}
