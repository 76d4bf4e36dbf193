//! The charts of the page and of the picture.

use report::{Bar, BarChart, RateChart, RatePoint, grouped};

use crate::stats::counts::{percent, share};
use crate::stats::{BINNED, ResultCounts, ScoreBin, Stats, Tally};

/// Bars of a histogram, at most.
const BARS: u32 = 80;
/// Bins of 20 centipawns that make a bar and a point.
const SCORE_BAR: usize = 5;

/// Chart of the results of games.
pub(super) fn results_chart(title: &str, axis: &str, results: &ResultCounts) -> String {
    let columns = [
        ("black won 先手勝ち", results.black),
        ("white won 後手勝ち", results.white),
        ("drawn 引き分け", results.draw),
    ]
    .map(|(label, count)| Bar {
        label: label.to_owned(),
        hint: format!("{}, {}", grouped(count), share(count, results.total())),
        count,
    });
    chart(title, axis, &columns)
}

/// Histogram of numbers.
pub(super) fn tally_chart(title: &str, axis: &str, tally: &Tally) -> String {
    let width = tally.width_for(BARS);
    let bins = tally.bins(width).into_iter();
    let columns: Vec<_> = bins
        .map(|(from, count)| Bar {
            label: from.to_string(),
            hint: format!("{}: {}", Tally::bin_name(from, width), grouped(count)),
            count,
        })
        .collect();
    chart(title, axis, &columns)
}

/// Histogram of scores.
pub(super) fn score_chart(stats: &Stats) -> String {
    let columns: Vec<_> = stats
        .scores
        .bins(SCORE_BAR)
        .iter()
        .map(|bin| Bar {
            label: if bin.is_evaluation() {
                bin.from.to_string()
            } else {
                String::new()
            },
            hint: format!("{}: {}", bin.name(), grouped(bin.outcomes.total())),
            count: bin.outcomes.total(),
        })
        .collect();
    let axis = "centipawns for the player to move; the outer bars: beyond ±3000, mates";
    chart("Scores", axis, &columns)
}

/// Plot of the winning rate by score, with the curve that fits best.
pub(super) fn rate_chart(stats: &Stats) -> String {
    let fit = stats.scores.fit();
    let bins = stats.scores.bins(SCORE_BAR);
    let inner = || bins.iter().filter(|bin| bin.is_evaluation());
    let most = inner().map(|bin| bin.outcomes.total()).max().unwrap_or(0);
    let point = |bin: &ScoreBin| {
        let (x, y) = (bin.mean?, bin.outcomes.expectation()?);
        let total = bin.outcomes.total();
        Some(RatePoint {
            x,
            y,
            weight: total as f64 / most as f64,
            hint: format!("{}: {} of {}", bin.name(), percent(y), grouped(total)),
        })
    };
    let points: Vec<_> = inner().filter_map(point).collect();
    let curve = fit.map(|fit| move |score: f64| fit.expectation(score));
    RateChart {
        title: "Winning rate by score",
        axis: "centipawns for the player to move",
        range: f64::from(BINNED),
        points: &points,
        curve: curve.as_ref().map(|curve| curve as &dyn Fn(f64) -> f64),
    }
    .to_string()
}

fn chart(title: &str, axis: &str, bars: &[Bar]) -> String {
    BarChart { title, axis, bars }.to_string()
}
