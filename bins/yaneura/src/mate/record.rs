//! The result of a problem: a line of the output, and of the journal.

use serde::{Deserialize, Serialize};
use shogi_core::Move;
use shogi_mate::composer::ComposerLength;
use shogi_mate::{Answer, Reason, Solution};

/// The result in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// Mate.
    Mate,
    /// Proven that there is none.
    NoMate,
    /// Not decided.
    Unknown,
    /// The line is no problem.
    Error,
}

/// A line of the output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    /// Number of the line in the collection, from 1.
    pub(super) line: usize,
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) sfen: String,
    pub(super) result: Verdict,
    /// Plies; the shortest if `exact`, else at most this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) len: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exact: Option<bool>,
    /// Plies without futile interpositions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) composer_len: Option<u32>,
    /// That length is more than this, when it was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) composer_more_than: Option<u32>,
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) pv: String,
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) composer_pv: String,
    /// Other first moves.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) others: Vec<Other>,
    /// Why it was not decided, or what is wrong with the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    pub(super) nodes: u64,
    pub(super) ms: f64,
}

/// Another first move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Other {
    pub(super) first: String,
    pub(super) result: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) len: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exact: Option<bool>,
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub(super) pv: String,
}

/// Longest line of a table, in moves; JSON has all of them.
const TABLE_MOVES: usize = 99;

pub(super) fn reason_text(reason: Reason) -> &'static str {
    match reason {
        Reason::Time => "time",
        Reason::Nodes => "nodes",
        Reason::Stopped => "stopped",
        Reason::Memory => "memory",
    }
}

pub(super) fn line_text(moves: &[Move]) -> String {
    let words: Vec<String> = moves.iter().map(ToString::to_string).collect();
    words.join(" ")
}

fn verdict(answer: &Answer) -> (Verdict, Option<u32>, Option<bool>, String) {
    match answer {
        Answer::Mate(mate) => (
            Verdict::Mate,
            Some(mate.length.plies()),
            Some(mate.length.is_exact()),
            line_text(&mate.moves),
        ),
        Answer::NoMate => (Verdict::NoMate, None, None, String::new()),
        Answer::Unknown(_) => (Verdict::Unknown, None, None, String::new()),
    }
}

impl Record {
    /// The record of a solution.
    pub(super) fn of(line: usize, sfen: String, solution: &Solution) -> Self {
        let (result, len, exact, pv) = verdict(&solution.answer);
        let others = solution.others.iter().map(|other| {
            let (result, len, exact, pv) = verdict(&other.answer);
            Other {
                first: other.first.to_string(),
                result,
                len,
                exact,
                pv,
            }
        });
        Self {
            line,
            sfen,
            result,
            len,
            exact,
            composer_len: None,
            composer_more_than: None,
            pv,
            composer_pv: String::new(),
            others: others.collect(),
            reason: match solution.answer {
                Answer::Unknown(reason) => Some(reason_text(reason).to_owned()),
                _ => None,
            },
            nodes: solution.nodes,
            ms: (solution.elapsed.as_secs_f64() * 1e6).round() / 1e3,
        }
    }

    /// A line that cannot be read.
    pub(super) fn error(line: usize, reason: String) -> Self {
        Self {
            line,
            sfen: String::new(),
            result: Verdict::Error,
            len: None,
            exact: None,
            composer_len: None,
            composer_more_than: None,
            pv: String::new(),
            composer_pv: String::new(),
            others: Vec::new(),
            reason: Some(reason),
            nodes: 0,
            ms: 0.0,
        }
    }

    /// Adds the length without futile interpositions.
    pub(super) fn add_composer(&mut self, found: &ComposerLength) {
        match found {
            ComposerLength::Known(mate) => {
                self.composer_len = Some(mate.length.plies());
                self.composer_pv = line_text(&mate.moves);
            }
            ComposerLength::Unknown { more_than, .. } => {
                self.composer_more_than = Some(*more_than);
            }
        }
    }

    /// The head of the table.
    pub(super) const TABLE_HEAD: &'static str =
        "  line result     plies        nodes       time moves";

    /// Lines of the table.
    pub(super) fn table_rows(&self) -> Vec<String> {
        let mut plies = plies_text(self.len, self.exact);
        match (self.composer_len, self.composer_more_than) {
            (Some(len), _) => plies = format!("{plies} ({len})"),
            (None, Some(more)) => plies = format!("{plies} (>{more})"),
            (None, None) => {}
        }
        let rest = self.reason.clone().unwrap_or_else(|| shorten(&self.pv));
        let first = format!(
            "{:6} {:7} {plies:>8} {:12} {:>10} {rest}",
            self.line,
            name(self.result),
            self.nodes,
            time_text(self.ms),
        );
        let others = self.others.iter().map(|other| {
            let plies = plies_text(other.len, other.exact);
            let line = if other.pv.is_empty() {
                &other.first
            } else {
                &other.pv
            };
            format!(
                "{:6} {:7} {plies:>8} {:12} {:>10} {}",
                "",
                name(other.result),
                "",
                "",
                shorten(line)
            )
        });
        let rows = std::iter::once(first).chain(others);
        rows.map(|row| row.trim_end().to_owned()).collect()
    }
}

const fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Mate => "mate",
        Verdict::NoMate => "nomate",
        Verdict::Unknown => "unknown",
        Verdict::Error => "error",
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_from_json() {
        let mut record = Record::error(7, "bad".to_owned());
        assert_eq!(
            serde_json::to_string(&record).unwrap(),
            r#"{"line":7,"result":"error","reason":"bad","nodes":0,"ms":0.0}"#
        );
        record.others.push(Other {
            first: "G*5b".to_owned(),
            result: Verdict::Mate,
            len: Some(1),
            exact: Some(true),
            pv: "G*5b".to_owned(),
        });
        record.composer_len = Some(3);
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    }

    #[test]
    fn rows_tell_what_is_proven() {
        let mut record = Record::error(7, String::new());
        (record.result, record.reason) = (Verdict::Mate, None);
        (record.len, record.exact) = (Some(15), Some(false));
        record.pv = "G*5b 5a4a".to_owned();
        record.ms = 1.25;
        let row = |record: &Record| record.table_rows().join("|");
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
