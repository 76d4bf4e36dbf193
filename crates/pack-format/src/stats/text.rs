//! Statistics as text.

use std::fmt::Write as _;

use report::grouped;

use super::counts::{estimate, or_dash, percent, share, tenths};
use super::{Fit, GameStats, PositionStats, ScoreBin, ScoreStats, Stats, Tally};

/// Columns of the longest bar.
const BAR: usize = 30;
/// Rows of a histogram, at most.
const ROWS: u32 = 24;
/// Bins of 20 centipawns that make a row of the scores.
const SCORE_ROW: usize = 10;

impl Stats {
    /// The stats as lines of text, with bars; no line is wider than 100 columns but for long file
    /// names.
    pub fn to_text(&self) -> String {
        let mut text = StatsText(String::new());
        text.files(self);
        if self.has_games() {
            text.games(self);
            text.tally("game length (plies)", &self.games.lengths);
            if self.games.start_plies.count() > 0 {
                text.tally("ply of the start position", &self.games.start_plies);
            }
        }
        text.positions(self);
        if self.positions.plies.count() > 0 {
            text.tally("ply of the position", &self.positions.plies);
        }
        text.tally("pieces on the board", &self.positions.pieces);
        text.scores(&self.scores);
        text.skipped(self);
        text.0
    }
}

struct StatsText(String);

impl StatsText {
    fn line(&mut self, line: impl AsRef<str>) {
        self.0.push_str(line.as_ref().trim_end());
        self.0.push('\n');
    }

    fn heading(&mut self, heading: &str) {
        if !self.0.is_empty() {
            self.line("");
        }
        self.line(heading);
    }

    /// `name`, a count and its share of `whole`.
    fn count(&mut self, name: &str, count: u64, whole: u64) {
        let (count, share) = (grouped(count), share(count, whole));
        self.line(format!("  {name:<28}{count:>16}{share:>10}"));
    }

    fn figure(&mut self, name: &str, figure: impl AsRef<str>) {
        self.line(format!("  {name:<28}{:>16}", figure.as_ref()));
    }

    fn files(&mut self, stats: &Stats) {
        self.heading(&format!("files ({})", stats.format));
        let unit = if stats.has_games() { "games" } else { "" };
        for file in &stats.files {
            let games = if stats.has_games() {
                format!("{:>12} {unit}", grouped(file.games))
            } else {
                String::new()
            };
            self.line(format!(
                "  {:>16} bytes{games}{:>14} positions  {}",
                grouped(file.bytes),
                grouped(file.positions),
                file.path.display()
            ));
        }
        if stats.files.len() > 1 {
            self.figure("bytes in all", grouped(stats.bytes()));
        }
    }

    fn games(&mut self, stats: &Stats) {
        let games: &GameStats = &stats.games;
        let count = games.count();
        self.heading("games");
        self.figure("games", grouped(count));
        self.count("black won", games.results.black, count);
        self.count("white won", games.results.white, count);
        self.count("drawn", games.results.draw, count);
        self.count("from the initial position", games.from_initial, count);
        self.figure("different starts, about", estimate(games.starts.estimate()));
        if stats.format == crate::TeacherFormat::Pack {
            self.count("reason contradicts result", games.contradictions, count);
        }
        self.heading(
            "end reasons                        games     share     black     white     drawn",
        );
        for (&number, results) in &games.reasons {
            self.line(format!(
                "  {:<22}{:>16}{:>10}{:>10}{:>10}{:>10}",
                format!("{number} {}", stats.reason_name(number)),
                grouped(results.total()),
                share(results.total(), count),
                grouped(results.black),
                grouped(results.white),
                grouped(results.draw),
            ));
        }
    }

    fn positions(&mut self, stats: &Stats) {
        let positions: &PositionStats = &stats.positions;
        let count = positions.count();
        self.heading("positions");
        self.figure("positions", grouped(count));
        self.figure("different, about", estimate(stats.distinct.estimate()));
        let repeated = stats.repeated();
        let ratio = repeated / (count.max(1)) as f64;
        self.line(format!(
            "  {:<28}{:>16}{:>10}",
            "repeated, about",
            estimate(repeated),
            percent(ratio)
        ));
        self.count("black won", positions.results.black, count);
        self.count("white won", positions.results.white, count);
        self.count("drawn", positions.results.draw, count);
        self.count("player to move won", positions.outcomes.win, count);
        self.count("player to move lost", positions.outcomes.loss, count);
        self.count("black to move", positions.black_to_move, count);
        self.count("in check", positions.in_check, count);
        self.count("captures", positions.captures, count);
        self.count("promotions", positions.promotions, count);
        self.count("drops", positions.drops, count);
        if positions.without_move > 0 {
            self.count("without a move", positions.without_move, count);
        }
        self.count(
            "without a ply number",
            count - positions.plies.count(),
            count,
        );
    }

    fn tally(&mut self, name: &str, tally: &Tally) {
        self.heading(name);
        if tally.count() == 0 {
            self.line("  none");
            return;
        }
        let percentiles: Vec<_> = [5, 25, 50, 75, 95]
            .iter()
            .map(|&percent| format!("{percent} %: {}", or_dash(tally.percentile(percent))))
            .collect();
        self.line(format!(
            "  min {}  mean {}  max {}  ({})",
            or_dash(tally.min()),
            tenths(tally.mean()),
            or_dash(tally.max()),
            percentiles.join("  ")
        ));
        let width = tally.width_for(ROWS);
        let bins = tally.bins(width);
        let most = bins.iter().map(|&(_, count)| count).max().unwrap_or(0);
        for (from, count) in bins {
            self.line(format!(
                "  {:>13} {:>14}{:>9}  {}",
                Tally::bin_name(from, width),
                grouped(count),
                share(count, tally.count()),
                bar(count, most)
            ));
        }
    }

    fn scores(&mut self, scores: &ScoreStats) {
        let [mated, mating] = scores.mates().map(|mates| mates.total());
        let all = scores.without_mates() + mated + mating;
        self.heading("scores (centipawns, for the player to move)");
        let (least, most) = scores.range.unzip();
        self.figure("smallest", or_dash(least));
        self.figure("largest", or_dash(most));
        self.figure("mean without mates", tenths(scores.mean()));
        self.figure("standard deviation", tenths(scores.deviation()));
        self.count("exactly 0", scores.zeros, all);
        self.count("mates (30000 or beyond)", mated + mating, all);
        let fit = scores.fit();
        let scale = |fit: Option<Fit>| tenths(fit.map(|fit| fit.scale));
        self.figure("scale of the winning rate", scale(fit));
        self.figure("the same without draws", scale(scores.fit_without_draws()));
        self.line("  (winning rate = 1 / (1 + exp(-score / scale)), draws as half; 600 by custom)");
        self.heading("scores                    positions    share  rate  curve");
        let bins = scores.bins(SCORE_ROW);
        let total = |bin: &ScoreBin| bin.outcomes.total();
        let most = bins.iter().map(total).max().unwrap_or(0);
        let first = bins.iter().position(|bin| total(bin) > 0);
        let last = bins.iter().rposition(|bin| total(bin) > 0);
        if let (Some(first), Some(last)) = (first, last) {
            for bin in &bins[first..=last] {
                self.score_bin(bin, fit, all, most);
            }
        }
    }

    fn score_bin(&mut self, bin: &ScoreBin, fit: Option<Fit>, all: u64, most: u64) {
        let rate = |rate: Option<f64>| or_dash(rate.map(|rate| format!("{:.0} %", rate * 100.0)));
        let curve = fit
            .zip(bin.mean)
            .filter(|_| bin.is_evaluation())
            .map(|(fit, mean)| fit.expectation(mean));
        self.line(format!(
            "  {:>16}{:>16}{:>9}{:>6}{:>7}  {}",
            bin.name(),
            grouped(bin.outcomes.total()),
            share(bin.outcomes.total(), all),
            rate(bin.outcomes.expectation()),
            rate(curve),
            bar(bin.outcomes.total(), most)
        ));
    }

    fn skipped(&mut self, stats: &Stats) {
        if stats.skipped.count == 0 {
            return;
        }
        self.heading("damaged records, left out");
        self.figure("records", grouped(stats.skipped.count));
        for (path, invalid) in &stats.skipped.first {
            self.line(format!("  {}: {invalid}", path.display()));
        }
        if stats.skipped.count > stats.skipped.first.len() as u64 {
            self.line("  …");
        }
    }
}

/// A bar of blocks, eight to a column.
fn bar(count: u64, most: u64) -> String {
    if most == 0 {
        return String::new();
    }
    let eighths = (u128::from(count) * (BAR * 8) as u128).div_ceil(u128::from(most)) as usize;
    let mut bar = "█".repeat(eighths / 8);
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    write!(bar, "{rest}").expect("a String takes everything");
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_counts() {
        assert_eq!(bar(0, 8), "");
        assert_eq!(bar(240, 240).chars().count(), BAR);
        assert_eq!(bar(17, 240), "██▏");
        assert_eq!(bar(1, 1_000_000), "▏");
        assert_eq!(bar(0, 0), "");
    }
}
