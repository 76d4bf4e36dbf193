//! What a command says at its end: printed by the command line, shown by the page.

use std::process::ExitCode;

use serde_json::{Map, Value, json};
use yane_cli::{FINDINGS, INTERRUPTED, Settings, print};

use crate::print::{count_lines, finding_words, words};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportEnd {
    /// All is done.
    Done,
    /// All is done, and something was found.
    Findings,
    /// A limit of the run was reached: the same command goes on.
    Limit,
    /// It was asked to stop: the same command goes on.
    Interrupted,
}

/// What a command says at its end.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    /// The text of it.
    pub(crate) lines: Vec<String>,
    /// The same for programs.
    pub(crate) json: Value,
    /// Counts by the words of the text; empty where it is no list of counts.
    pub(crate) counts: Vec<(String, u64)>,
    /// Remarks for people.
    pub(crate) notes: Vec<String>,
    pub(crate) end: ReportEnd,
}

impl Report {
    /// A text, and the same for programs.
    pub(crate) const fn new(lines: Vec<String>, json: Value) -> Self {
        Self {
            lines,
            json,
            counts: Vec::new(),
            notes: Vec::new(),
            end: ReportEnd::Done,
        }
    }

    /// Named counts of what was done.
    pub(crate) fn of_counts<N: AsRef<str>>(counts: &[(N, u64)]) -> Self {
        Self::by(counts, words)
    }

    /// Named counts of what was found.
    pub(crate) fn of_findings(counts: &[(&str, u64)]) -> Self {
        Self::by(counts, finding_words)
    }

    fn by<N: AsRef<str>>(counts: &[(N, u64)], words: impl Fn(&str) -> String) -> Self {
        let values = counts
            .iter()
            .map(|(name, n)| (name.as_ref().to_owned(), json!(n)));
        let values: Map<String, Value> = values.collect();
        let named = counts.iter().map(|(name, n)| (words(name.as_ref()), *n));
        Self {
            counts: named.collect(),
            ..Self::new(count_lines(counts, words), Value::Object(values))
        }
    }

    /// Prints it, and gives the exit code.
    pub(crate) fn print(&self, settings: &Settings) -> anyhow::Result<ExitCode> {
        if settings.json {
            print::json(&self.json)?;
        } else {
            print::lines(&self.lines)?;
        }
        if !settings.quiet {
            for note in &self.notes {
                eprintln!("{note}");
            }
        }
        Ok(match self.end {
            ReportEnd::Done | ReportEnd::Limit => ExitCode::SUCCESS,
            ReportEnd::Findings => ExitCode::from(FINDINGS),
            ReportEnd::Interrupted => ExitCode::from(INTERRUPTED),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_lines_and_an_object() {
        let report = Report::of_counts(&[("positions", 1234), ("left_out", 5)]);
        assert_eq!(
            report.lines,
            ["positions           1,234", "positions left out      5"]
        );
        assert_eq!(report.json, json!({ "positions": 1234, "left_out": 5 }));
        assert_eq!(report.counts[1], ("positions left out".to_owned(), 5));
        let found = Report::of_findings(&[("left_out", 5)]);
        assert_eq!(found.lines, ["left out  5"]);
    }
}
