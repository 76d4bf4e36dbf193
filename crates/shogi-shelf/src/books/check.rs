//! `book.check`: what is wrong in a book, as `makebook check` lists it.

use page_messages::{EventSink, PageFailure, PageFile, StopFlag};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use yane_book::check::{CheckReport, Finding, FindingPlace, check as check_book, places};
use yane_io::Job;

use super::stream::streamed;
use crate::fields::{book_failure, usi};

/// Findings of a kind that are told at most.
const MOST: usize = 10_000;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct CheckRequest {
    pub(super) book: String,
    #[serde(default = "usual_most")]
    most: usize,
}

const fn usual_most() -> usize {
    1_000
}

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct FindingFields {
    code: &'static str,
    line: Option<u64>,
    text: String,
    sfen: Option<String>,
    #[serde(rename = "move")]
    mv: Option<String>,
    /// The line, or byte, of the position that this one repeats.
    repeats: Option<u64>,
}

impl FindingFields {
    fn of(finding: &Finding, place: FindingPlace) -> Self {
        Self {
            code: finding.kind.name(),
            line: finding.line,
            text: finding.text.clone(),
            sfen: place.sfen,
            mv: place.mv.map(usi),
            repeats: finding.repeats,
        }
    }
}

/// Answers `book.check` for the file of a book.
pub(super) fn check(
    request: &CheckRequest,
    path: &std::path::Path,
    file: &PageFile,
    job: &Job,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    let most = request.most.min(MOST);
    let done = streamed(
        job,
        stop,
        sink,
        |job, results| {
            let report = check_book(path, most, job)?;
            let places = places(path, &report.findings)?;
            for (finding, place) in report.findings.iter().zip(places) {
                if !results.send(FindingFields::of(finding, place)) {
                    break;
                }
            }
            Ok(report)
        },
        |key, findings| sink.event("finding", json!({ "key": key, "findings": findings })),
    );
    if let Some(report) = done.map_err(|error| book_failure(&error, file))? {
        sink.event("counts", json!({ "counts": counts(&report) }));
    }
    Ok(())
}

fn counts(report: &CheckReport) -> Vec<Value> {
    let whole = [
        ("positions", report.positions),
        ("moves", report.moves),
        ("without_value", report.without_value),
    ];
    let found = report
        .counts
        .iter()
        .map(|(kind, &count)| (kind.name(), count));
    let all = whole.into_iter().chain(found);
    all.map(|(name, count)| json!({ "name": name, "n": count.to_string() }))
        .collect()
}
