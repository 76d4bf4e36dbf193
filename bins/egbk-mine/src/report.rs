//! The summary of a search, as text and JSON.

use othello_book::miner::MinerSummary;
use othello_book::store::EdaxIndex;
use yane_cli::HumanCount;

use crate::book::Source;

/// The summary of a search and its book.
pub(crate) struct Report<'a> {
    pub(crate) summary: &'a MinerSummary,
    pub(crate) positions: u64,
    pub(crate) repeated: u64,
    pub(crate) damaged: u64,
}

impl<'a> Report<'a> {
    pub(crate) fn new(summary: &'a MinerSummary, source: &Source, index: &EdaxIndex<'_>) -> Self {
        Self {
            summary,
            positions: index.len(),
            repeated: index.repeated(),
            damaged: source.damaged(index),
        }
    }

    /// The summary as text. Problems are listed only if there are some.
    pub(crate) fn lines(&self) -> Vec<String> {
        let summary = self.summary;
        let mut lines = vec![format!(
            "{} positions, {} moves judged, {} mismatches, {} lines{}",
            HumanCount(self.positions),
            HumanCount(summary.judged),
            HumanCount(summary.mismatches),
            HumanCount(summary.lines),
            if summary.cut_short {
                " (stopped there)"
            } else {
                ""
            },
        )];
        for (name, counts) in [("ply", &summary.by_ply), ("discs", &summary.by_size)] {
            let counts = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            let counts: Vec<_> = counts
                .map(|(n, count)| format!("{n}: {}", HumanCount(*count)))
                .collect();
            if !counts.is_empty() {
                lines.push(format!("mismatches by {name}: {}", counts.join(", ")));
            }
        }
        // A search that ended early has not reached all.
        let isolated = if summary.cut_short {
            0
        } else {
            summary.isolated
        };
        let oddities = [
            (self.damaged, "damaged records left out"),
            (self.repeated, "repeated records left out"),
            (summary.missing, "links to positions that are missing"),
            (summary.illegal, "illegal links and leaves"),
            (isolated, "positions that were not reached"),
        ];
        let oddities = oddities.iter().filter(|(count, _)| *count > 0);
        lines.extend(oddities.map(|(count, what)| format!("{} {what}", HumanCount(*count))));
        lines
    }

    /// The summary as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        let summary = self.summary;
        serde_json::json!({
            "positions": self.positions,
            "entered": summary.entered,
            "judged": summary.judged,
            "mismatches": summary.mismatches,
            "lines": summary.lines,
            "by_ply": summary.by_ply,
            "by_size": summary.by_size,
            "damaged": self.damaged,
            "repeated": self.repeated,
            "missing": summary.missing,
            "illegal": summary.illegal,
            "isolated": summary.isolated,
            "cut_short": summary.cut_short,
        })
    }
}
