//! The jobs of the page: each is a command of `othello book`, carried out in this process.
//!
//! The words of the command are parsed as those of a command line are, and carried out by the same functions: the bytes of its
//! result are those of the command that the page shows.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use othello_shelf::BookShelf;
use page_messages::{PageFailure, PageFiles};
use serde_json::{Value, json};
use serve::jobs::{JobEnd, JobFolder, JobLane, JobPlan, JobRequest, JobWork};
use yane_cli::{is_cancelled, with_causes};
use yane_io::{Job, path_of_text, text_of_name};

use super::words;
use crate::args::{Book, Cli, Command};
use crate::book::{self, BookOutcome};
use crate::print::count;
use crate::report::{Report, ReportEnd};

/// The books that are open on the page.
pub(crate) trait OpenBooks: Send + Sync {
    /// The file of an open book, by the name that requests have for it.
    ///
    /// # Errors
    ///
    /// A book that is not open.
    fn path_of(&self, book: &str) -> Result<PathBuf, PageFailure>;

    /// The number of edits of the book of a file that are not saved; `None` if it is not open.
    fn edits_of(&self, path: &Path) -> Option<usize>;

    /// A file was written anew; it may be one that is open.
    fn written(&self, path: &Path);
}

impl OpenBooks for BookShelf {
    fn path_of(&self, book: &str) -> Result<PathBuf, PageFailure> {
        Self::path_of(self, book)
    }

    fn edits_of(&self, path: &Path) -> Option<usize> {
        Self::edits_of(self, path)
    }

    fn written(&self, path: &Path) {
        // A book that cannot be opened again says so whenever it is asked.
        let _told_later = Self::written(self, path);
    }
}

/// What jobs on books stand on.
pub(crate) struct BookJobs {
    pub(crate) files: Arc<dyn PageFiles>,
    pub(crate) books: Arc<dyn OpenBooks>,
    /// Threads of jobs that search, unless a page says otherwise.
    pub(crate) threads: usize,
    /// Weights of jobs that search; those built in if there are none.
    pub(crate) weights: Option<PathBuf>,
    /// The folder for temporary files, if not beside the output.
    pub(crate) temp_dir: Option<PathBuf>,
}

impl BookJobs {
    /// Words that the server's own settings add to a command.
    pub(super) fn own_words(&self, lane: JobLane, command: &str, has_threads: bool) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |name: &str, value: String| words.extend([name.to_owned(), value]);
        if lane == JobLane::Search {
            if !has_threads {
                add("--threads", self.threads.to_string());
            }
            if let Some(weights) = &self.weights {
                add("--eval", text_of_name(weights.as_os_str()));
            }
        }
        if let Some(folder) = self.temp_dir.as_ref().filter(|_| command != "info") {
            add("--temp-dir", text_of_name(folder.as_os_str()));
        }
        words
    }
}

impl JobWork for BookJobs {
    fn plan(&self, request: &JobRequest, folder: &JobFolder) -> Result<JobPlan, PageFailure> {
        let plan = words::plan(self, request, folder)?;
        parsed(&plan.words).map_err(PageFailure::new)?;
        Ok(plan)
    }

    fn check(&self, plan: &JobPlan) -> Result<(), PageFailure> {
        for file in plan.reads.iter().chain(&plan.writes) {
            let path = path_of_text(file);
            let edits = self.books.edits_of(&path);
            if self.files.name_of(&path).is_none() && edits.is_none() {
                let text = format!("{} is in no folder that the page may use", path.display());
                return Err(PageFailure::new(text));
            }
            if !plan.writes.is_empty() && edits.is_some_and(|edits| edits > 0) {
                let name = path.file_name().unwrap_or_default().display();
                let text = format!("{name} has edits: save or discard the edits first");
                return Err(PageFailure::new(text));
            }
        }
        Ok(())
    }

    fn run(&self, plan: &JobPlan, job: &Job) -> JobEnd {
        let failed = |text| JobEnd::Failed { text };
        let (command, mut settings) = match parsed(&plan.words) {
            Ok(parsed) => parsed,
            Err(text) => return failed(text),
        };
        settings.quiet = true;
        settings.watched = Some(job.clone());
        match book::carry_out(&command, &settings) {
            Ok(BookOutcome::Reported(report)) => end_of(&command, &report),
            Ok(BookOutcome::Printed(_)) => failed("it is no command of jobs".to_owned()),
            Err(error) if is_cancelled(error.as_ref()) => JobEnd::Stopped {
                text: "nothing was written".to_owned(),
            },
            Err(error) => failed(with_causes(&error)),
        }
    }

    fn written(&self, path: &Path) {
        self.books.written(path);
    }
}

/// The command of some words, as the command line has it.
fn parsed(words: &[String]) -> Result<(Book, yane_cli::Settings), String> {
    let words = words.iter().map(|word| path_of_text(word).into_os_string());
    let words: Vec<OsString> = std::iter::once("othello".into()).chain(words).collect();
    let Cli {
        command, settings, ..
    } = crate::parsing::try_parsed(words).map_err(|error| {
        let text = error.render().to_string();
        let first = text.split("\n\n").next().unwrap_or_default();
        first.trim_start_matches("error: ").to_owned()
    })?;
    match command {
        Some(Command::Book(command)) => Ok((command, settings)),
        _ => Err("it is no command for books".to_owned()),
    }
}

/// How a job ended, by what its command said.
fn end_of(command: &Book, report: &Report) -> JobEnd {
    let mut summary = summary(command, report);
    for note in &report.notes {
        summary = format!("{summary}. {note}");
    }
    match report.end {
        ReportEnd::Interrupted | ReportEnd::Limit => JobEnd::Stopped { text: summary },
        ReportEnd::Done | ReportEnd::Findings => JobEnd::Done {
            summary,
            result: Some(result(command, report)),
        },
    }
}

/// What a command did, in a line.
fn summary(command: &Book, report: &Report) -> String {
    if matches!(command, Book::Check(_)) {
        let text = match report.end {
            ReportEnd::Findings => "problems were found",
            _ => "no problems were found",
        };
        return text.to_owned();
    }
    let counts = report.counts.iter().filter(|(_, n)| *n > 0);
    let counts: Vec<_> = counts
        .map(|(words, n)| format!("{} {words}", count(*n)))
        .collect();
    match (counts.is_empty(), report.lines.first()) {
        (false, _) => counts.join(", "),
        (true, Some(line)) if report.counts.is_empty() => line.clone(),
        _ => "nothing changed".to_owned(),
    }
}

/// What the page shows of a result: positions by level and by ply, or named counts.
fn result(command: &Book, report: &Report) -> Value {
    let rows = |name: &str, key: &str| {
        let counts = report.json.get(name).and_then(Value::as_object);
        let mut rows: Vec<(i64, &Value)> = counts
            .into_iter()
            .flatten()
            .filter_map(|(number, n)| Some((number.parse().ok()?, n)))
            .collect();
        rows.sort_unstable_by_key(|(number, _)| *number);
        let rows = rows
            .into_iter()
            .map(|(number, n)| json!({ key: number, "n": n }));
        Value::Array(rows.collect())
    };
    if matches!(command, Book::Info(_)) {
        return json!({ "levels": rows("levels", "level"), "plies": rows("plies", "ply") });
    }
    let counts = report.counts.iter();
    let counts: Vec<_> = counts
        .map(|(words, n)| json!({ "name": words, "n": n }))
        .collect();
    json!({ "counts": counts })
}

#[cfg(test)]
mod tests;
