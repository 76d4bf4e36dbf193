//! Where runs are followed: files, folders, standard input, and queues.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use farm::queue::WatchStatus;
use serde_json::{Value, json};
use yane_io::{BoundedLines, LineError};

use crate::books::GrowingBook;
use crate::event::MOST_BYTES;
use crate::queues::SharedRuns;
use crate::runs::FileRuns;
use crate::tail::{Tail, TailTurn};

/// Ends of the names of files of events in a folder.
const EXTENSIONS: [&str; 3] = ["events", "jsonl", "ndjson"];

/// Files of a folder that are followed.
const MOST_FILES: usize = 1000;

/// The time between two looks at the entries of a folder.
const LIST_AGAIN: Duration = Duration::from_secs(2);

/// The time after which others have their turn: requests wait no longer.
const TURN: Duration = Duration::from_millis(100);

/// Lines of standard input that wait.
const MOST_WAITING: usize = 10_000;

/// The end of the names of files of jobs: `3-events.jsonl` is of job 3.
pub(crate) const OF_JOB: &str = "-events.jsonl";

/// Something that is followed.
#[derive(Debug)]
pub(crate) struct Source {
    /// Its name, for people.
    name: String,
    kind: SourceKind,
}

#[derive(Debug)]
enum SourceKind {
    File(Box<Tail>),
    Folder(Folder),
    Input(Input),
    Queue(Box<SharedRuns>),
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    kind: FolderKind,
    tails: BTreeMap<String, Tail>,
    books: Vec<GrowingBook>,
    listed: Option<Instant>,
    /// The number of the file whose turn is next.
    next: usize,
    error: Option<String>,
}

/// Whose files are in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FolderKind {
    /// Anybody's.
    Watched,
    /// Those of the server's jobs.
    Jobs,
}

#[derive(Debug)]
struct Input {
    lines: Receiver<Vec<u8>>,
    runs: FileRuns,
}

/// The runs of a file of a source.
pub(crate) struct SourceRuns<'a> {
    /// The file, for people.
    pub(crate) name: String,
    /// The job that it is of.
    pub(crate) job: Option<u64>,
    pub(crate) runs: &'a FileRuns,
}

impl Source {
    /// A file or a folder that is there, or a file that is to come; `-` is standard input.
    pub(crate) fn of_path(path: &Path) -> Self {
        if path == Path::new("-") {
            return Self::input();
        }
        let name = path.file_name().unwrap_or(path.as_os_str());
        let name = name.to_string_lossy().into_owned();
        let kind = if path.is_dir() {
            SourceKind::Folder(Folder::new(path, FolderKind::Watched))
        } else {
            SourceKind::File(Box::new(Tail::new(path.to_owned())))
        };
        Self { name, kind }
    }

    /// The folder of the server's jobs.
    pub(crate) fn of_jobs(folder: &Path) -> Self {
        Self {
            name: "jobs".to_owned(),
            kind: SourceKind::Folder(Folder::new(folder, FolderKind::Jobs)),
        }
    }

    /// The runs that are shared over a server.
    pub(crate) fn of_queue(runs: SharedRuns) -> Self {
        Self {
            name: runs.address().to_owned(),
            kind: SourceKind::Queue(Box::new(runs)),
        }
    }

    fn input() -> Self {
        let (sender, lines) = sync_channel(MOST_WAITING);
        let reader = std::thread::Builder::new().name("events".to_owned());
        let read = move || {
            let mut lines = BoundedLines::with_limit(std::io::stdin().lock(), MOST_BYTES);
            loop {
                let line = match lines.next() {
                    Ok(Some(line)) => line.to_vec(),
                    // It is counted as damaged.
                    Err(LineError::TooLong { .. }) => b"too long".to_vec(),
                    Ok(None) | Err(_) => break,
                };
                if sender.send(line).is_err() {
                    break;
                }
            }
        };
        // Without the thread the input is over.
        reader.spawn(read).ok();
        Self {
            name: "-".to_owned(),
            kind: SourceKind::Input(Input {
                lines,
                runs: FileRuns::default(),
            }),
        }
    }

    /// Reads what is new, for a turn; returns whether there is more.
    pub(crate) fn read(&mut self, now: u64) -> TailTurn {
        match &mut self.kind {
            SourceKind::File(tail) => tail.read(now),
            SourceKind::Folder(folder) => folder.read(now),
            SourceKind::Input(input) => input.read(now),
            SourceKind::Queue(shared) => {
                shared.read();
                TailTurn::Over
            }
        }
    }

    /// The runs, by file.
    pub(crate) fn runs(&self) -> Vec<SourceRuns<'_>> {
        let of = |name: &str, runs| SourceRuns {
            name: name.to_owned(),
            job: None,
            runs,
        };
        match &self.kind {
            SourceKind::File(tail) => vec![of(&self.name, tail.runs())],
            SourceKind::Input(input) => vec![of(&self.name, &input.runs)],
            SourceKind::Queue(shared) => shared.runs().map(|runs| of(&self.name, runs)).collect(),
            SourceKind::Folder(folder) => {
                let tails = folder.tails.iter();
                let runs = tails.map(|(file, tail)| SourceRuns {
                    name: format!("{}/{file}", self.name),
                    job: folder.job_of(file),
                    runs: tail.runs(),
                });
                runs.collect()
            }
        }
    }

    /// The fields of messages.
    pub(crate) fn fields(&self, number: usize) -> Value {
        let mut status = WatchStatus::default();
        let (kind, error, reading) = match &self.kind {
            SourceKind::File(tail) => ("file", tail.error(), tail.reading()),
            SourceKind::Input(_) => ("input", None, None),
            SourceKind::Queue(shared) => {
                status = shared.status();
                ("queue", status.text.as_deref(), None)
            }
            SourceKind::Folder(folder) => {
                let kind = match folder.kind {
                    FolderKind::Jobs => "jobs",
                    FolderKind::Watched => "folder",
                };
                let tails = || folder.tails.values();
                let error = folder.error.as_deref();
                let error = error.or_else(|| tails().find_map(Tail::error));
                let reading = tails().filter_map(Tail::reading).reduce(f64::min);
                (kind, error, reading)
            }
        };
        let runs = self.runs();
        let sum =
            |count: fn(&FileRuns) -> u64| runs.iter().map(|file| count(file.runs)).sum::<u64>();
        json!({
            "source": number,
            "name": self.name,
            "kind": kind,
            "reading": reading,
            "lines": (sum(|runs| runs.lines) + status.messages).to_string(),
            "damaged": (sum(|runs| runs.damaged) + status.refused).to_string(),
            "text": error,
        })
    }

    /// The fields of messages about books that grow.
    pub(crate) fn books(&self, number: usize) -> Vec<Value> {
        let SourceKind::Folder(folder) = &self.kind else {
            return Vec::new();
        };
        let books = folder.books.iter();
        books.map(|book| book.fields(&self.name, number)).collect()
    }
}

impl Folder {
    fn new(path: &Path, kind: FolderKind) -> Self {
        Self {
            path: path.to_owned(),
            kind,
            tails: BTreeMap::new(),
            books: Vec::new(),
            listed: None,
            next: 0,
            error: None,
        }
    }

    fn is_of_jobs(&self) -> bool {
        self.kind == FolderKind::Jobs
    }

    fn job_of(&self, file: &str) -> Option<u64> {
        let number = file.strip_suffix(OF_JOB)?;
        number.parse().ok().filter(|_| self.is_of_jobs())
    }

    fn read(&mut self, now: u64) -> TailTurn {
        if self
            .listed
            .is_none_or(|listed| listed.elapsed() >= LIST_AGAIN)
        {
            self.listed = Some(Instant::now());
            self.error = self.list().err().map(|error| error.to_string());
        }
        let begun = Instant::now();
        let mut tails: Vec<&mut Tail> = self.tails.values_mut().collect();
        let count = tails.len();
        // Every file has its turn.
        tails.rotate_left(self.next.min(count));
        let mut turn = TailTurn::Over;
        for (at, tail) in tails.into_iter().enumerate() {
            if begun.elapsed() > TURN {
                self.next = (self.next + at) % count.max(1);
                return TailTurn::More;
            }
            if tail.read(now) == TailTurn::More {
                turn = TailTurn::More;
            }
        }
        turn
    }

    /// Looks for new files and books, and forgets files that are gone.
    fn list(&mut self) -> std::io::Result<()> {
        let mut books = Vec::new();
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let path = entry?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
                continue;
            };
            let extension = path.extension().and_then(|extension| extension.to_str());
            let is_of_events = extension.is_some_and(|it| EXTENSIONS.contains(&it));
            let is_wanted = is_of_events && (!self.is_of_jobs() || self.job_of(name).is_some());
            if is_wanted && path.is_file() {
                files.push(name.to_owned());
            } else if !self.is_of_jobs() {
                books.extend(GrowingBook::of_state(&path));
            }
        }
        books.sort_by(|a, b| a.name.cmp(&b.name));
        self.books = books;
        self.tails.retain(|name, _| files.contains(name));
        for name in files {
            if self.tails.len() >= MOST_FILES {
                break;
            }
            let path = self.path.join(&name);
            self.tails.entry(name).or_insert_with(|| Tail::new(path));
        }
        Ok(())
    }
}

impl Input {
    fn read(&mut self, now: u64) -> TailTurn {
        for _ in 0..MOST_WAITING {
            match self.lines.try_recv() {
                Ok(line) => self.runs.take(&line, Some(now)),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return TailTurn::Over,
            }
        }
        TailTurn::More
    }
}
