//! The summary of a run, as lines and as an event.

use bookwork::BookSummary;
use serde_json::json;

/// The fate of positions at which engines failed again and again.
pub(crate) const FATE: &str = "left for another run";

/// A run in numbers, as lines.
pub(crate) fn lines(summary: &BookSummary) -> Vec<String> {
    let mut lines = vec![
        format!("positions = {}", summary.totals.counts.found),
        format!("known     = {}", summary.totals.counts.known),
    ];
    lines.extend(work_lines(summary, FATE));
    lines
}

/// The searches of a run, as lines. `fate` is the fate of positions at which engines failed.
pub(crate) fn work_lines(summary: &BookSummary, fate: &str) -> [String; 5] {
    [
        format!("thought   = {}", summary.finished),
        format!("moves     = {}", summary.totals.moves),
        format!("nodes     = {}", summary.totals.nodes),
        format!(
            "failures  = {} of engines, {} positions {fate}",
            summary.failures, summary.given_up
        ),
        format!(
            "speed     = {:.2} positions and {:.0} nodes a second in {:.1} s",
            summary.per_second(summary.finished),
            summary.per_second(summary.totals.nodes),
            summary.elapsed.as_secs_f64()
        ),
    ]
}

/// A run in numbers, as an event.
pub(crate) fn end(summary: &BookSummary) -> serde_json::Value {
    json!({
        "event": "end",
        "complete": summary.is_complete,
        "found": summary.totals.counts.found,
        "share": summary.totals.counts.share,
        "known": summary.totals.counts.known,
        "ended": summary.totals.counts.ended,
        "to_do": summary.totals.counts.to_do,
        "recovered": summary.totals.counts.recovered,
        "thought": summary.finished,
        "moves": summary.totals.moves,
        "nodes": summary.totals.nodes,
        "failures": summary.failures,
        "given_up": summary.given_up,
        "saves": summary.saves,
        "seconds": summary.elapsed.as_secs_f64(),
    })
}
