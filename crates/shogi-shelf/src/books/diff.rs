//! `book.diff`: what two books say differently, as `makebook diff` lists it.

use std::path::Path;

use page_messages::{EventSink, PageFailure, PageFile, StopFlag};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shogi_core::{Move16, Position};
use yane_book::BookMove;
use yane_book::diff::{
    DiffOptions, DiffReport, Difference, DifferenceKind, MoveChange, diff as diff_books,
};
use yane_io::Job;

use super::stream::streamed;
use crate::fields::{NamesChoice, book_failure, position_of, usi};

/// Differences that are told at most.
const MOST: usize = 10_000;

/// The fields of the request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct DiffRequest {
    pub(super) books: [String; 2],
    #[serde(default = "usual_most")]
    most: usize,
    #[serde(default)]
    ignore_ply: bool,
    #[serde(default)]
    names: NamesChoice,
}

const fn usual_most() -> usize {
    1_000
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct DifferenceFields {
    sfen: String,
    #[serde(rename = "move")]
    mv: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    what: &'static str,
    first: Value,
    second: Value,
}

/// Answers `book.diff` for the files of two books.
pub(super) fn diff(
    request: &DiffRequest,
    paths: [&Path; 2],
    file: &PageFile,
    job: &Job,
    sink: &dyn EventSink,
    stop: &StopFlag,
) -> Result<(), PageFailure> {
    let options = DiffOptions {
        ignore_ply: request.ignore_ply,
        ..DiffOptions::default()
    };
    let mut rest = request.most.min(MOST);
    let done = streamed(
        job,
        stop,
        sink,
        |job, results| {
            diff_books(paths[0], paths[1], options, job, |difference| {
                for fields in fields(difference, request.names) {
                    if rest > 0 && results.send(fields) {
                        rest -= 1;
                    }
                }
                Ok(())
            })
        },
        |key, differences| {
            sink.event(
                "difference",
                json!({ "key": key, "differences": differences }),
            );
        },
    );
    if let Some(report) = done.map_err(|error| book_failure(&error, file))? {
        sink.event("counts", json!({ "counts": counts(&report) }));
    }
    Ok(())
}

fn counts(report: &DiffReport) -> Vec<Value> {
    let both = report.same + report.different;
    let all = [
        ("both", both),
        ("same", report.same),
        ("different", report.different),
        ("only_first", report.only_first),
        ("only_second", report.only_second),
        ("moves_removed", report.removed),
        ("moves_added", report.added),
        ("scores_changed", report.eval_changed),
        ("rest_changed", report.rest_changed),
    ];
    let count = |(name, n): (&str, u64)| json!({ "name": name, "n": n.to_string() });
    all.map(count).to_vec()
}

/// A difference as entries of a list.
fn fields(difference: Difference, names: NamesChoice) -> Vec<DifferenceFields> {
    let position = position_of(&difference.sfen).ok();
    let sfen = difference.sfen;
    let entry = |mv: Option<Move16>, what, first, second| DifferenceFields {
        sfen: sfen.clone(),
        mv: mv.map(usi),
        name: name(position.as_ref(), mv, names),
        what,
        first,
        second,
    };
    match difference.kind {
        DifferenceKind::OnlyFirst(moves) => {
            vec![entry(None, "position", json!(moves.len()), Value::Null)]
        }
        DifferenceKind::OnlySecond(moves) => {
            vec![entry(None, "position", Value::Null, json!(moves.len()))]
        }
        DifferenceKind::Moves(changes) => {
            let mut all = Vec::new();
            for change in changes {
                match change {
                    MoveChange::Removed(known) => {
                        all.push(entry(known.mv, "move", json!(known.eval), Value::Null));
                    }
                    MoveChange::Added(known) => {
                        all.push(entry(known.mv, "move", Value::Null, json!(known.eval)));
                    }
                    MoveChange::Changed { before, after } => {
                        for (what, first, second) in changed(&before, &after) {
                            all.push(entry(before.mv, what, first, second));
                        }
                    }
                }
            }
            all
        }
    }
}

fn name(position: Option<&Position>, mv: Option<Move16>, names: NamesChoice) -> Option<String> {
    names.book_name(position?, mv?)
}

/// The fields in which a move differs.
fn changed(before: &BookMove, after: &BookMove) -> Vec<(&'static str, Value, Value)> {
    let reply = |known: &BookMove| json!(known.ponder.map(usi));
    let fields = [
        ("score", json!(before.eval), json!(after.eval)),
        ("depth", json!(before.depth), json!(after.depth)),
        (
            "count",
            json!(before.count.to_string()),
            json!(after.count.to_string()),
        ),
        ("reply", reply(before), reply(after)),
    ];
    let differ = fields
        .into_iter()
        .filter(|(_, first, second)| first != second);
    differ.collect()
}
