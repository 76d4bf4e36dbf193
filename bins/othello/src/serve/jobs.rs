//! The jobs of the page: each is a command of `othello book`, carried out in this process.
//!
//! The words of the command are parsed as those of a command line are, and carried out by the same functions: the bytes of its
//! result are those of the command that the page shows.

use std::ffi::OsString;
use std::path::Path;

use page_messages::PageFailure;
use serde_json::{Value, json};
use serve::jobs::{JobEnd, JobFolder, JobKindInfo, JobPlan, JobRequest, JobWork};
use yane_cli::{is_cancelled, with_causes};
use yane_io::{Job, path_of_text};

use super::context::BookJobs;
use super::{kinds, words};
use crate::args::{Book, Cli, Command};
use crate::book::{self, BookOutcome};
use crate::print::count;
use crate::report::{Report, ReportEnd};

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

    fn knows(&self, kind: &str) -> bool {
        kinds::JobKind::of(kind).is_ok()
    }

    fn kinds(&self) -> Vec<JobKindInfo> {
        let described = yane_cli::shell::description(crate::parsing::command());
        let described = serde_json::from_value(described).unwrap_or_default();
        kinds::infos(&described)
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
