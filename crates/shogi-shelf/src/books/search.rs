//! `book.search`: positions of a whole book by their values.

use std::ops::{ControlFlow, RangeInclusive};

use page_messages::{EventSink, PageFailure, PageFile, StopFlag};
use serde::{Deserialize, Serialize};
use serde_json::json;
use yane_book::edit::{
    EntryFilter, FoundPosition, OverlaidBook, search as search_all, search_behind,
};
use yane_io::Job;

use super::stream::streamed;
use crate::fields::{FindingFields, LineFields, NamesChoice, book_failure, position_of, usi};

/// Positions that are told at most.
const MOST: usize = 10_000;

/// The ends of a range, each of which may be open.
type Ends<T> = (Option<T>, Option<T>);

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct SearchRequest {
    pub(super) book: String,
    #[serde(default)]
    score: Option<Ends<i32>>,
    #[serde(default)]
    depth: Option<Ends<i32>>,
    #[serde(default)]
    ply: Option<Ends<u32>>,
    #[serde(default)]
    comment: Option<String>,
    #[serde(default)]
    behind: Option<LineFields>,
    #[serde(default = "usual_most")]
    most: usize,
    #[serde(flatten)]
    finding: FindingFields,
    #[serde(default)]
    names: NamesChoice,
}

const fn usual_most() -> usize {
    200
}

/// A position that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct FoundFields {
    sfen: String,
    ply: Option<u32>,
    #[serde(rename = "move")]
    mv: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    score: Option<i32>,
    depth: Option<i32>,
    comment: String,
}

impl FoundFields {
    fn of(found: FoundPosition, names: NamesChoice) -> Self {
        let position = position_of(&found.sfen).ok();
        let name = position.zip(found.mv);
        Self {
            name: name.and_then(|(position, mv)| names.book_name(&position, mv)),
            sfen: found.sfen,
            ply: found.ply,
            mv: found.mv.map(usi),
            score: found.score,
            depth: found.depth,
            comment: found.comment,
        }
    }
}

fn range<T>(ends: Option<Ends<T>>, least: T, most: T) -> Option<RangeInclusive<T>> {
    let (from, to) = ends?;
    Some(from.unwrap_or(least)..=to.unwrap_or(most))
}

/// Answers `book.search`.
pub(super) fn search(
    request: SearchRequest,
    book: &OverlaidBook,
    file: &PageFile,
    job: &Job,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    let filter = EntryFilter {
        score: range(request.score, i32::MIN, i32::MAX),
        depth: range(request.depth, i32::MIN, i32::MAX),
        ply: range(request.ply, 0, u32::MAX),
        comment: request.comment.filter(|text| !text.is_empty()),
    };
    let root = request.behind.as_ref().map(LineFields::game).transpose()?;
    let (names, finding) = (request.names, request.finding.into());
    let mut rest = request.most.min(MOST);
    let done = streamed(
        job,
        stop,
        sink,
        |job, results| {
            let found = |positions: Vec<FoundPosition>| {
                for position in positions {
                    if rest == 0 || !results.send(position) {
                        return ControlFlow::Break(());
                    }
                    rest -= 1;
                }
                if rest == 0 {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            };
            match &root {
                Some(root) => search_behind(book, root.position(), finding, &filter, job, found),
                None => search_all(book, &filter, job, found),
            }
        },
        |key, found| {
            let positions = found.into_iter().map(|one| FoundFields::of(one, names));
            let positions: Vec<_> = positions.collect();
            sink.event("found", json!({ "key": key, "positions": positions }));
        },
    );
    done.map(|_| ()).map_err(|error| book_failure(&error, file))
}
