//! The lines of a game summary, as they come one by one.

use crate::summary::{CsaSummary, MOST_LINES, SummaryError};

/// Collects the lines of a summary.
#[derive(Clone, Debug, Default)]
pub(crate) struct SummaryLines {
    lines: Vec<String>,
    dropped: bool,
}

impl SummaryLines {
    /// Takes a line; the summary when it was the last.
    pub(crate) fn line(&mut self, line: &str) -> Option<Result<CsaSummary, SummaryError>> {
        let line = line.trim_end();
        if line != "END Game_Summary" {
            if self.lines.len() < MOST_LINES {
                self.lines.push(line.to_owned());
            } else {
                self.dropped = true;
            }
            return None;
        }
        if self.dropped {
            return Some(Err(SummaryError::TooLong));
        }
        Some(CsaSummary::parse(self.lines.iter().map(String::as_str)))
    }

    /// The name of the game, as far as it is known.
    pub(crate) fn game_id(&self) -> &str {
        let found = self
            .lines
            .iter()
            .find_map(|line| line.strip_prefix("Game_ID:"));
        found.unwrap_or("").trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_without_end_takes_no_more_memory() {
        let mut lines = SummaryLines::default();
        for _ in 0..MOST_LINES + 10 {
            assert!(lines.line("Game_ID:x").is_none());
        }
        assert_eq!(lines.lines.len(), MOST_LINES);
        assert_eq!(
            lines.line("END Game_Summary"),
            Some(Err(SummaryError::TooLong))
        );
    }
}
