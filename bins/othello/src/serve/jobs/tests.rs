use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use page_messages::{PageFile, PageFiles};
use serve::jobs::JobFolder;
use test_support::TestFolder;
use yane_io::job::JobMonitor;

use super::super::context::OpenBooks;
use super::*;

/// Files of one root, and books that are open by the names of their files.
struct Root {
    folder: PathBuf,
    edited: Mutex<Vec<PathBuf>>,
    written: Mutex<Vec<PathBuf>>,
}

impl PageFiles for Root {
    fn existing(&self, file: &PageFile) -> Result<PathBuf, PageFailure> {
        let path = self.writable(file)?;
        let there = path.exists().then_some(path);
        there.ok_or_else(|| PageFailure::new(format!("{} is not there", file.path)))
    }

    fn writable(&self, file: &PageFile) -> Result<PathBuf, PageFailure> {
        let is_plain = file.root == "r" && !file.path.contains("..");
        let path = is_plain.then(|| self.folder.join(&file.path));
        path.ok_or_else(|| PageFailure::new("no such file"))
    }

    fn name_of(&self, path: &Path) -> Option<PageFile> {
        let below = path.strip_prefix(&self.folder).ok()?;
        Some(PageFile {
            root: "r".to_owned(),
            path: below.to_str()?.to_owned(),
        })
    }
}

impl OpenBooks for Root {
    fn path_of(&self, book: &str) -> Result<PathBuf, PageFailure> {
        let path = self.folder.join(book);
        let open = path.exists().then_some(path);
        open.ok_or_else(|| PageFailure::new(format!("the book '{book}' is not open")))
    }

    fn edits_of(&self, path: &Path) -> Option<usize> {
        let edited = self.edited.lock().unwrap();
        edited.iter().any(|edited| edited == path).then_some(1)
    }

    fn written(&self, path: &Path) {
        self.written.lock().unwrap().push(path.to_owned());
    }
}

fn jobs(folder: &TestFolder) -> (BookJobs, Arc<Root>) {
    let root = Arc::new(Root {
        folder: folder.path(""),
        edited: Mutex::default(),
        written: Mutex::default(),
    });
    let jobs = BookJobs {
        files: Arc::clone(&root) as Arc<dyn PageFiles>,
        books: Arc::clone(&root) as Arc<dyn OpenBooks>,
        threads: 3,
        weights: None,
        temp_dir: None,
    };
    (jobs, root)
}

/// The command of a request, without the folder of its files.
fn command(folder: &TestFolder, request: Value) -> Result<String, String> {
    let planned = planned(folder, request).map_err(|failure| failure.text)?;
    let below = format!("{}/", folder.path("").display());
    Ok(planned.command.replace(&below.replace("//", "/"), ""))
}

fn planned(folder: &TestFolder, request: Value) -> Result<JobPlan, PageFailure> {
    let (jobs, _) = jobs(folder);
    let request: JobRequest = serde_json::from_value(request).unwrap();
    jobs.plan(&request, &JobFolder::new(folder.path(""), 7))
}

/// A folder with files that no command opens.
fn with_files() -> TestFolder {
    let folder = TestFolder::new();
    for name in ["a.egbk3", "b.dat", "there.dat"] {
        folder.write(name, "");
    }
    folder
}

#[test]
fn kinds_and_options_are_words_of_the_command_line() {
    let folder = with_files();
    let r = |path: &str| json!({ "root": "r", "path": path });
    let board = "---------------------------OX------XO--------------------------- X";
    for (request, expected) in [
        (
            json!({ "kind": "learn", "book": "a.egbk3", "options": { "level": 17, "error": "inf", "start": "f5d6" } }),
            "othello book learn a.egbk3 --error inf --level 17 --start f5d6 --threads 3".to_owned(),
        ),
        (
            json!({ "kind": "learn", "book": null, "options": { "output": r("new.egbk3"), "start": board, "threads": 1 } }),
            format!("othello book learn -o new.egbk3 '--start={board}' --threads 1"),
        ),
        (
            json!({ "kind": "learn", "book": r("b.dat"), "options": { "games": ["f5d6", "f5f6"], "level": "edax9" } }),
            "othello book learn b.dat --games 7-games.txt --level edax9 --threads 3".to_owned(),
        ),
        (
            json!({ "kind": "store", "book": "a.egbk3", "options": { "moves": "f5d6", "only-line": true } }),
            "othello book store a.egbk3 --only-line --threads 3 -- f5d6".to_owned(),
        ),
        (
            json!({ "kind": "fix", "book": "a.egbk3", "options": { "remove-isolated": true, "leaves": false } }),
            "othello book fix a.egbk3 -o a.egbk3 --force --remove-isolated".to_owned(),
        ),
        (
            json!({ "kind": "fix-edax", "book": "a.egbk3", "options": { "output": r("c.egbk3") } }),
            "othello book fix a.egbk3 -o c.egbk3 --edax".to_owned(),
        ),
        (
            json!({ "kind": "reduce", "book": "a.egbk3", "options": { "depth": 20, "sum": 6 } }),
            "othello book prune a.egbk3 -o a.egbk3 --force --depth 20 --sum 6".to_owned(),
        ),
        (
            json!({ "kind": "merge", "book": "a.egbk3", "options": { "with": r("b.dat") } }),
            "othello book merge a.egbk3 b.dat -o a.egbk3 --force".to_owned(),
        ),
        (
            json!({ "kind": "export", "book": "a.egbk3", "options": { "output": r("out.dat"), "level": 12 } }),
            "othello book convert a.egbk3 -o out.dat --level 12".to_owned(),
        ),
        (
            json!({ "kind": "export-search", "book": "a.egbk3", "options": { "output": r("out.dat") } }),
            "othello book export a.egbk3 -o out.dat --search --threads 3".to_owned(),
        ),
        (
            json!({ "kind": "info", "book": "a.egbk3" }),
            "othello book info a.egbk3".to_owned(),
        ),
    ] {
        assert_eq!(command(&folder, request).unwrap(), expected);
    }
    assert_eq!(folder.read("7-games.txt"), b"f5d6\nf5f6\n");
}

#[test]
fn all_else_is_refused() {
    let folder = with_files();
    let learn = |options: Value| json!({ "kind": "learn", "book": "a.egbk3", "options": options });
    let r = |path: &str| json!({ "root": "r", "path": path });
    for (request, told) in [
        (
            json!({ "kind": "worker", "book": "a.egbk3" }),
            "'worker' is no kind of job",
        ),
        (
            json!({ "kind": "info", "book": "gone.egbk3" }),
            "the book 'gone.egbk3' is not open",
        ),
        (
            json!({ "kind": "info", "book": null }),
            "book: a book was expected",
        ),
        (
            json!({ "kind": "info", "book": r("../a.egbk3") }),
            "no such file",
        ),
        (
            json!({ "kind": "info", "book": "a.egbk3", "options": { "output": r("x.dat") } }),
            "has no option 'output'",
        ),
        (
            json!({ "kind": "merge", "book": "a.egbk3" }),
            "with: a file was expected",
        ),
        (
            json!({ "kind": "export", "book": "a.egbk3" }),
            "output: a file was expected",
        ),
        (
            json!({ "kind": "export", "book": "a.egbk3", "options": { "output": r("there.dat") } }),
            "there.dat exists: choose another name",
        ),
        (
            learn(json!({ "worker": "rm -r ." })),
            "has no option 'worker'",
        ),
        (learn(json!({ "force": true })), "has no option 'force'"),
        (learn(json!({ "with": r("b.dat") })), "has no option 'with'"),
        (
            learn(json!({ "start": "/etc/passwd" })),
            "start: moves such as f5d6",
        ),
        (
            learn(json!({ "start": "--queue=nats://a" })),
            "start: moves such as f5d6",
        ),
        (
            learn(json!({ "level": "--force" })),
            "invalid value '--force'",
        ),
        (learn(json!({ "level": 0 })), "--level"),
        (learn(json!({ "level": [1] })), "level: a number or a text"),
        (
            learn(json!({ "level": "1\u{0}" })),
            "level: a number or a text",
        ),
        (learn(json!({ "games": "f5" })), "games: a list of lines"),
        (
            learn(json!({ "games": ["f5\nf6"] })),
            "games: a number or a text of one line",
        ),
        (learn(json!({ "positions": -1 })), "--positions"),
    ] {
        let text = command(&folder, request.clone()).unwrap_err();
        assert!(text.contains(told), "{request}: {text}");
    }
}

#[test]
fn a_job_is_its_command_with_counts_and_files_told() {
    let folder = TestFolder::new();
    let (jobs, root) = jobs(&folder);
    let run = |kind: &str, book: Value, options: Value| {
        let request =
            serde_json::from_value(json!({ "kind": kind, "book": book, "options": options }));
        let plan = jobs
            .plan(&request.unwrap(), &JobFolder::new(folder.path(""), 1))
            .unwrap();
        jobs.check(&plan).unwrap();
        let monitor = JobMonitor::default();
        let progress = Told(monitor.clone(), Arc::clone(&root));
        let job = Job {
            progress: Arc::new(progress),
            ..monitor.job()
        };
        (jobs.run(&plan, &job), monitor.status())
    };
    let output = json!({ "root": "r", "path": "new.egbk3" });
    let options = json!({ "output": output, "level": 1, "depth": 3, "threads": 1 });
    let (end, status) = run("learn", Value::Null, options);
    let JobEnd::Done { summary, result } = end else {
        panic!("{end:?}")
    };
    assert!(summary.contains(" positions, "), "{summary}");
    assert_eq!(result.unwrap()["counts"][0]["name"], "positions");
    assert!(status.stage.starts_with("round "), "{status:?}");
    assert_eq!(*root.written.lock().unwrap(), [folder.path("new.egbk3")]);
    let (end, _) = run("info", json!("new.egbk3"), json!({}));
    let JobEnd::Done { summary, result } = end else {
        panic!("{end:?}")
    };
    assert!(summary.ends_with(" positions"), "{summary}");
    let result = result.unwrap();
    assert_eq!(result["plies"][0], json!({ "ply": 0, "n": 1 }));
    assert!(result["levels"].as_array().unwrap().len() >= 2, "{result}");
    let (end, _) = run("check", json!("new.egbk3"), json!({}));
    let JobEnd::Done { summary, .. } = end else {
        panic!("{end:?}")
    };
    assert_eq!(summary, "no problems were found");
    folder.write("bad.egbk3", "no book");
    let (end, _) = run("fix", json!("bad.egbk3"), json!({}));
    let JobEnd::Failed { text } = end else {
        panic!("{end:?}")
    };
    assert!(text.contains("bad.egbk3"), "{text}");
}

/// Progress that tells of files, as the list of jobs does.
struct Told(JobMonitor, Arc<Root>);

impl yane_io::Progress for Told {
    fn stage(&self, name: &str, total: Option<u64>, unit: yane_io::Unit) {
        self.0.stage(name, total, unit);
    }

    fn advance(&self, amount: u64) {
        self.0.advance(amount);
    }

    fn note(&self, text: &str) {
        self.0.note(text);
    }

    fn saved(&self, path: &Path) {
        self.1.written(path);
    }
}

#[test]
fn books_with_edits_and_files_elsewhere_are_left_alone() {
    let folder = with_files();
    let (jobs, root) = jobs(&folder);
    root.edited.lock().unwrap().push(folder.path("a.egbk3"));
    let plan = planned(&folder, json!({ "kind": "fix", "book": "a.egbk3" })).unwrap();
    let told = jobs.check(&plan).unwrap_err().text;
    assert_eq!(told, "a.egbk3 has edits: save or discard the edits first");
    let reading = planned(&folder, json!({ "kind": "info", "book": "a.egbk3" })).unwrap();
    jobs.check(&reading).unwrap();
    let elsewhere = JobPlan {
        reads: vec!["/etc/passwd".to_owned()],
        ..reading
    };
    let told = jobs.check(&elsewhere).unwrap_err().text;
    assert_eq!(told, "/etc/passwd is in no folder that the page may use");
}
