//! The table of results, and the summary below it.

use std::fmt::Write as _;
use std::time::Duration;

use shogi_mate::collection::{ProblemResult, SolvedProblem};
use yane_cli::HumanCount;

/// Longest line of a table, in moves; JSON has all of them.
const TABLE_MOVES: usize = 99;

/// The head of the table.
pub(super) const TABLE_HEAD: &str = "  line result     plies        nodes       time moves";

/// The rows of a result: one, and one for each other first move.
pub(super) fn table_rows(record: &SolvedProblem) -> Vec<String> {
    let mut plies = plies_text(record.len, record.exact);
    match (record.composer_len, record.composer_more_than) {
        (Some(len), _) => plies = format!("{plies} ({len})"),
        (None, Some(more)) => plies = format!("{plies} (>{more})"),
        (None, None) => {}
    }
    let reason = record.reason.clone();
    let first = format!(
        "{:6} {:7} {plies:>8} {:12} {:>10} {}",
        record.line,
        record.result.name(),
        record.nodes,
        time_text(record.ms),
        reason.unwrap_or_else(|| shorten(&record.pv)),
    );
    let others = record.others.iter().map(|other| {
        let plies = plies_text(other.len, other.exact);
        let line = if other.pv.is_empty() {
            &other.first
        } else {
            &other.pv
        };
        format!(
            "{:6} {:7} {plies:>8} {:12} {:>10} {}",
            "",
            other.result.name(),
            "",
            "",
            shorten(line)
        )
    });
    let rows = std::iter::once(first).chain(others);
    rows.map(|row| row.trim_end().to_owned()).collect()
}

/// A number that is not proven shortest has a sign before it.
fn plies_text(len: Option<u32>, exact: Option<bool>) -> String {
    match (len, exact) {
        (Some(len), Some(true)) => len.to_string(),
        (Some(len), _) => format!("<={len}"),
        (None, _) => "-".to_owned(),
    }
}

fn time_text(ms: f64) -> String {
    if ms < 10_000.0 {
        format!("{ms:.1} ms")
    } else {
        format!("{:.1} s", ms / 1000.0)
    }
}

fn shorten(line: &str) -> String {
    let mut spaces = line.match_indices(' ').map(|(at, _)| at);
    match spaces.nth(TABLE_MOVES - 1) {
        Some(end) => format!("{} ...", &line[..end]),
        None => line.to_owned(),
    }
}

/// The counts of the summary.
#[derive(Default)]
pub(super) struct Counts {
    mates: u64,
    no_mates: u64,
    unknown: u64,
    errors: u64,
    nodes: u64,
}

impl Counts {
    pub(super) fn add(&mut self, record: &SolvedProblem) {
        self.nodes += record.nodes;
        *match record.result {
            ProblemResult::Mate => &mut self.mates,
            ProblemResult::NoMate => &mut self.no_mates,
            ProblemResult::Unknown => &mut self.unknown,
            ProblemResult::Error => &mut self.errors,
        } += 1;
    }

    pub(super) const fn all_are_decided(&self) -> bool {
        self.unknown + self.errors == 0
    }

    const fn all(&self) -> u64 {
        self.mates + self.no_mates + self.unknown + self.errors
    }

    pub(super) fn to_json(&self, elapsed: Duration) -> serde_json::Value {
        serde_json::json!({
            "problems": self.all(),
            "mates": self.mates,
            "no_mates": self.no_mates,
            "unknown": self.unknown,
            "errors": self.errors,
            "nodes": self.nodes,
            "seconds": elapsed.as_secs_f64(),
        })
    }

    pub(super) fn summary(&self, elapsed: Duration) -> String {
        let mut text = format!(
            "{} problems: {} mates, {} without, {} unknown",
            HumanCount(self.all()),
            HumanCount(self.mates),
            HumanCount(self.no_mates),
            HumanCount(self.unknown)
        );
        if self.errors > 0 {
            // Writing to a string does not fail.
            let _ = write!(text, ", {} unreadable", HumanCount(self.errors));
        }
        let _ = write!(
            text,
            "; {} nodes, {:.2} s",
            HumanCount(self.nodes),
            elapsed.as_secs_f64()
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_show_what_is_proven() {
        let json = r#"{"line":7,"result":"mate","len":15,"exact":false,"pv":"G*5b 5a4a","nodes":0,"ms":1.25}"#;
        let mut record: SolvedProblem = serde_json::from_str(json).unwrap();
        let row = |record: &SolvedProblem| table_rows(record).join("|");
        assert_eq!(
            row(&record),
            "     7 mate        <=15            0     1.2 ms G*5b 5a4a"
        );
        (record.exact, record.composer_len) = (Some(true), Some(3));
        assert!(row(&record).contains("   15 (3) "));
        record.pv = vec!["G*5b"; 150].join(" ");
        assert!(row(&record).ends_with("G*5b ..."));
        assert_eq!(row(&record).matches("G*5b").count(), TABLE_MOVES);
    }
}
