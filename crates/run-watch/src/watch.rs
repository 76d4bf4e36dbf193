//! All runs that are followed, and the thread that reads their events.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use farm::FarmError;
use farm::queue::{Access, QueueWatch};
use page_messages::AllPages;
use serde_json::{Value, json};

use crate::fields::{RunPlace, details, row};
use crate::queues::SharedRuns;
use crate::runs::FileRun;
use crate::sources::Source;
use crate::tail::TailTurn;

/// The time between two looks at the files: pages are told no more often.
const INTERVAL: Duration = Duration::from_millis(500);

/// Runs that a list has.
const MOST_LISTED: usize = 500;

/// The runs of files, folders, standard input and queues, and those of jobs. Answers `runs` and `run`, and broadcasts `runs_changed`.
/// Cheap to clone; clones are of the same runs. The last one that goes ends the reading.
///
/// ```no_run
/// use std::path::Path;
///
/// use page_messages::PageServices;
/// use run_watch::RunWatch;
///
/// let services = PageServices::default().with(RunWatch::new(&["farm".into()]));
/// ```
#[derive(Clone)]
pub struct RunWatch(Arc<Owner>);

pub(crate) struct Owner(pub(crate) Arc<Shared>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.state().is_over = true;
        self.0.over.notify_all();
    }
}

/// What the thread and the requests share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    state: Mutex<WatchState>,
    over: Condvar,
}

#[derive(Debug, Default)]
struct WatchState {
    sources: Vec<Source>,
    is_over: bool,
    /// What pages were told last of each run, source and book, by its name.
    told: Told,
}

#[derive(Debug, Default)]
struct Told {
    runs: HashMap<String, Value>,
    sources: Vec<Value>,
    books: Vec<Value>,
}

/// A run with its place.
struct PlacedRun<'a> {
    place: RunPlace,
    run: &'a FileRun,
}

impl RunWatch {
    /// The runs of some files and folders (of which `*.events`, `*.jsonl` and `*.ndjson` are read); `-` is standard input. What is not there
    /// yet may come.
    pub fn new(paths: &[PathBuf]) -> Self {
        let watch = Self(Arc::new(Owner(Arc::default())));
        for path in paths {
            watch.follow_path(path);
        }
        watch
    }

    /// Follows a file, a folder or standard input, too.
    pub(crate) fn follow_path(&self, path: &Path) {
        self.follow(Source::of_path(path));
    }

    /// Follows the runs that are shared over a NATS server, too: `nats://host:4222`, or one of them, `nats://host:4222/ID`.
    ///
    /// # Errors
    /// When the address is invalid, or on another machine and there is no secret.
    pub fn follow_queue(&self, url: &str, access: Access) -> Result<(), FarmError> {
        let watch = QueueWatch::new(url, access)?;
        self.follow(Source::of_queue(SharedRuns::new(watch)));
        Ok(())
    }

    /// Follows the jobs of a folder, too ([`ProgramJobs`](crate::ProgramJobs)).
    pub(crate) fn follow_jobs(&self, folder: &Path) {
        self.follow(Source::of_jobs(folder));
    }

    fn follow(&self, source: Source) {
        let mut state = self.0.0.state();
        state.sources.push(source);
        drop(state);
        self.0.0.over.notify_all();
    }

    /// Reads all that is there now, on this thread, as the thread does every half second.
    pub fn read_now(&self) {
        while self.0.0.state().read(now()) == TailTurn::More {}
    }

    pub(crate) fn begin(&self, pages: &Arc<dyn AllPages>) {
        let (shared, pages) = (Arc::clone(&self.0.0), Arc::clone(pages));
        let thread = std::thread::Builder::new().name("runs".to_owned());
        // Without the thread pages see only what they ask for, which is read then.
        let _told = thread.spawn(move || shared.run(&*pages));
    }

    /// The fields of the list.
    pub(crate) fn list(&self) -> Value {
        let state = self.0.0.state();
        let now = now();
        let runs = state.runs();
        let has_more = runs.len() > MOST_LISTED;
        let mut rows: Vec<Value> = runs.iter().map(|run| run.row(now)).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(order(row)));
        rows.truncate(MOST_LISTED);
        json!({
            "runs": rows,
            "sources": state.source_fields(),
            "books": state.book_fields(),
            "more": has_more,
        })
    }

    /// All fields of a run.
    pub(crate) fn details(&self, name: &str) -> Option<Value> {
        let state = self.0.0.state();
        let runs = state.runs();
        let run = runs.iter().find(|run| run.place.run == name)?;
        Some(details(&run.place, &run.run.state, now()))
    }
}

/// Those that work first, then the latest.
fn order(row: &Value) -> (bool, u64) {
    let state = row["state"].as_str().unwrap_or_default();
    let is_live = matches!(state, "running" | "pausing" | "paused");
    (is_live, row["seen"].as_u64().unwrap_or_default())
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, pages: &dyn AllPages) {
        let mut state = self.state();
        state.read(now());
        state.changes(now());
        while !state.is_over {
            let waited = self.over.wait_timeout(state, INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            // A large file is read in turns, between which requests are answered.
            let begun = Instant::now();
            while !state.is_over
                && state.read(now()) == TailTurn::More
                && begun.elapsed() < INTERVAL
            {
                drop(state);
                std::thread::yield_now();
                state = self.state();
            }
            if let Some(fields) = state.changes(now()) {
                drop(state);
                pages.broadcast("runs_changed", fields);
                state = self.state();
            }
        }
    }
}

impl WatchState {
    fn read(&mut self, now: u64) -> TailTurn {
        let turns: Vec<TailTurn> = self.sources.iter_mut().map(|one| one.read(now)).collect();
        if turns.contains(&TailTurn::More) {
            TailTurn::More
        } else {
            TailTurn::Over
        }
    }

    fn runs(&self) -> Vec<PlacedRun<'_>> {
        let mut placed = Vec::new();
        for (at, source) in self.sources.iter().enumerate() {
            for runs in source.runs() {
                for run in runs.runs.runs() {
                    let place = RunPlace {
                        // A copy of a file has the same runs.
                        run: format!("{}/{}#{}", at + 1, runs.name, run.name),
                        source: at + 1,
                        name: runs.name.clone(),
                        job: runs.job,
                    };
                    placed.push(PlacedRun { place, run });
                }
            }
        }
        placed
    }

    fn source_fields(&self) -> Vec<Value> {
        let sources = self.sources.iter().enumerate();
        sources.map(|(at, one)| one.fields(at + 1)).collect()
    }

    fn book_fields(&self) -> Vec<Value> {
        let sources = self.sources.iter().enumerate();
        sources.flat_map(|(at, one)| one.books(at + 1)).collect()
    }

    /// What pages are to be told: that which is not as they were told last.
    fn changes(&mut self, now: u64) -> Option<Value> {
        let runs = self.runs();
        let rows: Vec<(String, Value)> = runs
            .iter()
            .map(|run| (run.place.run.clone(), run.row(now)))
            .collect();
        let (sources, books) = (self.source_fields(), self.book_fields());
        let told = &mut self.told;
        let changed: Vec<Value> = rows
            .iter()
            .filter(|(name, row)| told.runs.get(name) != Some(row))
            .map(|(_, row)| row.clone())
            .collect();
        let rows: HashMap<String, Value> = rows.into_iter().collect();
        let gone = told.runs.keys().filter(|name| !rows.contains_key(*name));
        let gone: Vec<String> = gone.cloned().collect();
        let changed_sources = others_than(&told.sources, &sources);
        let changed_books = others_than(&told.books, &books);
        *told = Told {
            runs: rows,
            sources,
            books,
        };
        let is_same = changed.is_empty()
            && gone.is_empty()
            && changed_sources.is_empty()
            && changed_books.is_empty();
        (!is_same).then(|| {
            json!({
                "runs": changed,
                "gone": gone,
                "sources": changed_sources,
                "books": changed_books,
            })
        })
    }
}

/// Those that are not among the ones told.
fn others_than(told: &[Value], all: &[Value]) -> Vec<Value> {
    let others = all.iter().filter(|one| !told.contains(one));
    others.cloned().collect()
}

impl PlacedRun<'_> {
    fn row(&self, now: u64) -> Value {
        row(&self.place, &self.run.state, now)
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
