//! The list of jobs over a socket: states, restarts, floods, failures.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use page_messages::{PageFailure, PageService};
use serde_json::{Value, json};
use serve::jobs::{JobEnd, JobFolder, JobLane, JobPlan, JobRequest, JobWork, PageJobs};
use tempfile::TempDir;
use yane_io::{Error, Job, Unit};

use crate::support::{TestServer, TestTab};

/// Counts to a number, as the option `to` says; kinds `panic` and `fail` do that.
#[derive(Default)]
struct Counting {
    written: Mutex<Vec<PathBuf>>,
    refusal: Mutex<Option<String>>,
}

impl JobWork for Counting {
    fn plan(&self, request: &JobRequest, folder: &JobFolder) -> Result<JobPlan, PageFailure> {
        let to = request.options.get("to").and_then(Value::as_u64);
        let to = to.ok_or_else(|| PageFailure::new("to: a number was expected"))?;
        let text = folder.write("text.txt", &to.to_string());
        let text = text.map_err(|error| PageFailure::of(&error))?;
        Ok(JobPlan {
            words: vec![request.kind.clone(), to.to_string()],
            command: format!("count {to} {}", text.display()),
            lane: JobLane::Search,
            reads: Vec::new(),
            writes: vec!["numbers".to_owned()],
            output: None,
            program: None,
        })
    }

    fn check(&self, _: &JobPlan) -> Result<(), PageFailure> {
        let refusal = self.refusal.lock().unwrap().clone();
        refusal.map_or(Ok(()), |text| Err(PageFailure::new(text)))
    }

    fn run(&self, plan: &JobPlan, job: &Job) -> JobEnd {
        let to: u64 = plan.words[1].parse().unwrap();
        match plan.words[0].as_str() {
            "panic" => panic!("on purpose"),
            "fail" => {
                return JobEnd::Failed {
                    text: "no space".to_owned(),
                };
            }
            _ => {}
        }
        job.progress.stage("counting", Some(to), Unit::Positions);
        for _ in 0..to {
            match job.check() {
                Err(Error::Cancelled) => {
                    return JobEnd::Stopped {
                        text: "counted a part".to_owned(),
                    };
                }
                checked => checked.unwrap(),
            }
            job.progress.advance(1);
            std::thread::sleep(Duration::from_millis(1));
        }
        job.progress.saved(Path::new("numbers"));
        JobEnd::Done {
            summary: format!("counted to {to}"),
            result: Some(json!({ "n": to })),
        }
    }

    fn written(&self, path: &Path) {
        self.written.lock().unwrap().push(path.to_owned());
    }
}

/// A server with jobs, and a tab.
struct JobServer {
    work: Arc<Counting>,
    jobs: PageJobs,
    _server: TestServer,
    tab: TestTab,
    id: u64,
    /// Broadcasts that came while answers were waited for.
    told: Vec<(Instant, Value)>,
}

impl JobServer {
    fn new(folder: &TempDir) -> Self {
        let work = Arc::new(Counting::default());
        let jobs = PageJobs::open(folder.path(), Arc::clone(&work) as Arc<dyn JobWork>).unwrap();
        let service = jobs.clone();
        let server = TestServer::with(|options| options.service = Arc::new(service));
        let tab = server.tab(&server.cookie());
        Self {
            work,
            jobs,
            _server: server,
            tab,
            id: 0,
            told: Vec::new(),
        }
    }

    fn next(&mut self) -> Value {
        let message = self.tab.next();
        if message["ev"] == "job" && message.get("id").is_none() {
            self.told.push((Instant::now(), message.clone()));
        }
        message
    }

    /// The answer, or the text of the error.
    fn ask(&mut self, op: &str, fields: Value) -> Result<Value, String> {
        self.id += 1;
        let mut request = fields;
        request["id"] = self.id.into();
        request["op"] = op.into();
        self.tab.send(&request);
        let mut answer = Value::Null;
        loop {
            let message = self.next();
            if message["id"] != self.id {
                continue;
            }
            if message["ev"] != "done" {
                answer = message;
            } else if message["why"] == "error" {
                return Err(message["text"].as_str().unwrap().to_owned());
            } else {
                return Ok(answer);
            }
        }
    }

    fn start(&mut self, kind: &str, to: u64) -> u64 {
        let fields = json!({ "kind": kind, "options": { "to": to } });
        let answer = self.ask("job.start", fields).unwrap();
        answer["job"].as_u64().unwrap()
    }

    fn of(&mut self, op: &str, job: u64) -> Result<Value, String> {
        self.ask(op, json!({ "job": job }))
    }

    /// Waits for the broadcast that a job is in a state.
    fn wait_for(&mut self, job: u64, state: &str) -> Value {
        let is_it = |message: &Value| message["job"] == job && message["state"] == state;
        if let Some((_, told)) = self.told.iter().rev().find(|(_, told)| told["job"] == job)
            && told["state"] == state
        {
            return told.clone();
        }
        loop {
            let message = self.next();
            if message.get("id").is_none() && is_it(&message) {
                return message;
            }
        }
    }

    fn list(&mut self) -> Vec<Value> {
        let answer = self.ask("jobs", json!({})).unwrap();
        answer["jobs"].as_array().unwrap().clone()
    }
}

#[test]
fn a_job_is_begun_told_and_done() {
    let folder = tempfile::tempdir().unwrap();
    let mut page = JobServer::new(&folder);
    assert_eq!(page.jobs.capabilities(), ["jobs"]);
    assert!(page.list().is_empty());
    let job = page.start("count", 600);
    let done = page.wait_for(job, "done");
    assert_eq!(done["text"], "counted to 600");
    assert_eq!([&done["done"], &done["total"]], ["600", "600"]);
    assert_eq!(done["result"], json!({ "n": 600 }));
    assert_eq!(
        *page.work.written.lock().unwrap(),
        [PathBuf::from("numbers")]
    );
    let running: Vec<_> = page
        .told
        .iter()
        .filter(|(_, told)| told["state"] == "running")
        .collect();
    assert!(running.len() >= 2, "{:?}", page.told);
    // Four times a second at most, as far as this process sees it at once.
    let took = page.told[page.told.len() - 1].0 - page.told[0].0;
    let most = took.as_millis() / 150 + 2;
    assert!(page.told.len() as u128 <= most, "{:?}", page.told);
    // The first may be told before the work has said what it does.
    let last = &running[running.len() - 1].1;
    assert_eq!([&last["stage"], &last["unit"]], ["counting", "positions"]);
    assert!(last["command"].as_str().unwrap().starts_with("count 600 "));
    assert_eq!(page.list(), [json_without_event(&done)]);
}

/// The fields of a job in the list.
fn json_without_event(event: &Value) -> Value {
    let mut fields = event.clone();
    fields.as_object_mut().unwrap().remove("ev");
    fields
}

#[test]
fn jobs_pause_go_on_stop_and_begin_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut page = JobServer::new(&folder);
    let first = page.start("count", 1_000_000);
    let second = page.start("count", 1);
    page.wait_for(first, "running");
    page.of("job.pause", first).unwrap();
    let paused = page.wait_for(first, "paused");
    std::thread::sleep(Duration::from_millis(100));
    let list = page.list();
    assert_eq!([&list[0]["state"], &list[1]["state"]], ["paused", "queued"]);
    assert_eq!(list[0]["done"], paused["done"]);
    assert_eq!(
        page.of("job.pause", second).unwrap_err(),
        "job 2 does not work"
    );
    page.of("job.resume", first).unwrap();
    page.wait_for(first, "running");
    page.of("job.stop", first).unwrap();
    let stopped = page.wait_for(first, "stopped");
    assert_eq!(stopped["text"], "counted a part");
    page.wait_for(second, "done");
    page.told.clear();
    page.of("job.resume", first).unwrap();
    page.wait_for(first, "running");
    assert_eq!(page.of("job.resume", second).unwrap_err(), "job 2 is done");
    assert_eq!(page.of("job.stop", 9).unwrap_err(), "there is no job 9");
    page.of("job.stop", first).unwrap();
    page.wait_for(first, "stopped");
}

#[test]
fn what_fails_says_why_and_the_next_begins() {
    let folder = tempfile::tempdir().unwrap();
    let mut page = JobServer::new(&folder);
    let panicking = page.start("panic", 1);
    let failed = page.wait_for(panicking, "failed");
    let text = failed["text"].as_str().unwrap();
    assert_eq!(text, "this is an error of the program itself: on purpose");
    let failing = page.start("fail", 1);
    assert_eq!(page.wait_for(failing, "failed")["text"], "no space");
    let after = page.start("count", 1);
    page.wait_for(after, "done");
    let fields = json!({ "kind": "count", "options": {} });
    let told = page.ask("job.start", fields.clone()).unwrap_err();
    assert_eq!(told, "to: a number was expected");
    *page.work.refusal.lock().unwrap() = Some("save the edits first".to_owned());
    let fields = json!({ "kind": "count", "options": { "to": 1 } });
    assert_eq!(
        page.ask("job.start", fields).unwrap_err(),
        "save the edits first"
    );
    assert_eq!(
        page.of("job.resume", failing).unwrap_err(),
        "save the edits first"
    );
    assert_eq!(page.list().len(), 3);
    // Texts of jobs that are not in the list are gone.
    let texts = std::fs::read_dir(folder.path().join("jobs")).unwrap();
    let texts = texts.filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|e| e == "txt")
    });
    assert_eq!(texts.count(), 3);
}

#[test]
fn a_flood_of_starts_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let mut page = JobServer::new(&folder);
    page.start("count", 1_000_000);
    let mut refused = 0;
    for _ in 0..120 {
        let fields = json!({ "kind": "count", "options": { "to": 1 } });
        if let Err(text) = page.ask("job.start", fields) {
            assert!(text.contains("100 jobs are waiting"), "{text}");
            refused += 1;
        }
    }
    assert_eq!((refused, page.list().len()), (20, 101));
    page.jobs.shut_down(Duration::from_secs(20));
    let fields = json!({ "kind": "count", "options": { "to": 1 } });
    assert_eq!(
        page.ask("job.start", fields).unwrap_err(),
        "the server ends: no job begins any more"
    );
    assert!(page.list().iter().all(|job| job["state"] == "stopped"));
}

#[test]
fn jobs_that_a_crash_ended_are_stopped_ones_that_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut page = JobServer::new(&folder);
    let long = page.start("count", 1_000_000);
    let waiting = page.start("count", 20);
    page.wait_for(long, "running");
    // What a crash leaves: the list as it is at this moment, in a folder that nobody uses.
    let left = tempfile::tempdir().unwrap();
    std::fs::create_dir(left.path().join("jobs")).unwrap();
    let list = std::fs::read(folder.path().join("jobs/list.json")).unwrap();
    std::fs::write(left.path().join("jobs/list.json"), list).unwrap();
    std::fs::write(left.path().join("jobs/77-games.txt"), "of no job").unwrap();
    // A server beside it has a list of its own.
    let mut other = JobServer::new(&folder);
    assert!(other.list().is_empty() && folder.path().join("jobs-2").is_dir());
    drop(page);
    let mut again = JobServer::new(&left);
    let list = again.list();
    assert_eq!(list.len(), 2);
    for job in &list {
        assert_eq!(job["state"], "stopped");
        assert_eq!(job["text"], "the program ended before the job did");
    }
    assert!(!left.path().join("jobs/77-games.txt").exists());
    again.of("job.resume", waiting).unwrap();
    assert_eq!(again.wait_for(waiting, "done")["text"], "counted to 20");
    assert_eq!(again.start("count", 1), waiting + 1);
    let damaged = tempfile::tempdir().unwrap();
    std::fs::create_dir(damaged.path().join("jobs")).unwrap();
    std::fs::write(damaged.path().join("jobs/list.json"), "[").unwrap();
    let error = PageJobs::open(damaged.path(), Arc::new(Counting::default()));
    let error = error.err().unwrap().to_string();
    assert!(error.contains("no list of jobs"), "{error}");
}
