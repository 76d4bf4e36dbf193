//! The sections of the page.

use super::picture::{Bar, Point, bars, rates};
use super::{Escaped, Page};
use crate::TeacherFormat;
use crate::stats::counts::{estimate, grouped, or_dash, percent, share, tenths};
use crate::stats::{BINNED, Fit, ResultCounts, ScoreBin, Stats, Tally};

/// Bars of a histogram, at most.
const BARS: u32 = 80;
/// Bins of 20 centipawns that make a bar and a point.
const SCORE_BAR: usize = 5;

pub(super) fn write(page: &mut Page, stats: &Stats) {
    files(page, stats);
    if stats.has_games() {
        games(page, stats);
        reasons(page, stats);
        tally(page, "Game length", "手数", "plies", &stats.games.lengths);
        let start = &stats.games.start_plies;
        if start.count() > 0 {
            tally(page, "Ply of the start", "開始局面の手数", "ply", start);
        }
    }
    positions(page, stats);
    let plies = &stats.positions.plies;
    if plies.count() > 0 {
        tally(page, "Ply of the position", "局面の手数", "ply", plies);
    }
    let pieces = &stats.positions.pieces;
    tally(page, "Pieces on the board", "盤上の駒", "pieces", pieces);
    scores(page, stats);
    winning_rate(page, stats);
    skipped(page, stats);
}

/// A row: name in both languages, count, share.
fn row(english: &str, japanese: &str, count: u64, whole: u64) -> Vec<String> {
    vec![
        format!("{english} {japanese}"),
        grouped(count),
        share(count, whole),
    ]
}

/// A row: name in both languages, figure.
fn figure(english: &str, japanese: &str, figure: String) -> Vec<String> {
    vec![format!("{english} {japanese}"), figure]
}

fn files(page: &mut Page, stats: &Stats) {
    page.begin("Files", "ファイル");
    let mut head = vec!["", "bytes"];
    if stats.has_games() {
        head.push("games");
    }
    head.push("positions");
    let rows = stats.files.iter().map(|file| {
        let mut row = vec![file.path.display().to_string(), grouped(file.bytes)];
        if stats.has_games() {
            row.push(grouped(file.games));
        }
        row.push(grouped(file.positions));
        row
    });
    page.table(&head, rows);
    page.end();
}

fn games(page: &mut Page, stats: &Stats) {
    let games = &stats.games;
    let count = games.count();
    let initial = games.from_initial;
    page.begin("Games", "対局");
    let mut rows = vec![
        figure("games", "対局数", grouped(count)),
        row("black won", "先手勝ち", games.results.black, count),
        row("white won", "後手勝ち", games.results.white, count),
        row("drawn", "引き分け", games.results.draw, count),
        row("from the initial position", "平手から", initial, count),
        figure(
            "different starts, about",
            "開始局面の種類(推定)",
            estimate(games.starts.estimate()),
        ),
    ];
    if stats.format == TeacherFormat::Pack {
        let (english, japanese) = ("reason contradicts result", "終局理由と勝敗の矛盾");
        rows.push(row(english, japanese, games.contradictions, count));
    }
    page.table(&[], rows);
    results_chart(page, "Results", "games", &games.results);
    page.end();
}

fn reasons(page: &mut Page, stats: &Stats) {
    let games = &stats.games;
    page.begin("End reasons", "終局理由");
    let columns: Vec<_> = games
        .reasons
        .iter()
        .map(|(&number, results)| {
            let name = stats.reason_name(number);
            Bar {
                hint: format!("{number} {name}: {}", grouped(results.total())),
                label: name,
                count: results.total(),
            }
        })
        .collect();
    bars(page, "End reasons", "games", &columns);
    let rows = games.reasons.iter().map(|(&number, results)| {
        let mut row = vec![
            format!("{number} {}", stats.reason_name(number)),
            grouped(results.total()),
            share(results.total(), games.count()),
        ];
        row.extend([results.black, results.white, results.draw].map(grouped));
        row
    });
    let head = [
        "",
        "games",
        "share",
        "black 先手",
        "white 後手",
        "drawn 引分",
    ];
    page.table(&head, rows);
    page.end();
}

fn positions(page: &mut Page, stats: &Stats) {
    let positions = &stats.positions;
    let (results, outcomes) = (&positions.results, &positions.outcomes);
    let count = positions.count();
    let repeated = stats.repeated();
    page.begin("Positions", "局面");
    let rows = [
        figure("positions", "局面数", grouped(count)),
        figure(
            "different, about",
            "異なる局面(推定)",
            estimate(stats.distinct.estimate()),
        ),
        vec![
            "repeated, about 重複(推定)".to_owned(),
            estimate(repeated),
            percent(repeated / count.max(1) as f64),
        ],
        row("black won", "先手勝ち", results.black, count),
        row("white won", "後手勝ち", results.white, count),
        row("drawn", "引き分け", results.draw, count),
        row("player to move won", "手番側の勝ち", outcomes.win, count),
        row("player to move lost", "手番側の負け", outcomes.loss, count),
        row("black to move", "先手番", positions.black_to_move, count),
        row("in check", "王手", positions.in_check, count),
        row("captures", "駒を取る手", positions.captures, count),
        row("promotions", "成る手", positions.promotions, count),
        row("drops", "打つ手", positions.drops, count),
        row(
            "without a move",
            "指し手なし",
            positions.without_move,
            count,
        ),
    ];
    page.table(&[], rows);
    results_chart(
        page,
        "Results of the positions' games",
        "positions",
        &positions.results,
    );
    page.end();
}

/// Chart of the results of games.
pub(super) fn results_chart(page: &mut Page, title: &str, axis: &str, results: &ResultCounts) {
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
    bars(page, title, axis, &columns);
}

fn tally(page: &mut Page, english: &str, japanese: &str, axis: &str, tally: &Tally) {
    page.begin(english, japanese);
    let mut rows = vec![
        figure("smallest", "最小", or_dash(tally.min())),
        figure("mean", "平均", tenths(tally.mean())),
        figure("median", "中央値", or_dash(tally.percentile(50))),
        figure("largest", "最大", or_dash(tally.max())),
    ];
    rows.extend([5, 25, 75, 95].map(|percent| {
        let value = or_dash(tally.percentile(percent));
        vec![format!("{percent} %"), value]
    }));
    page.table(&[], rows);
    let columns = tally_bars(tally);
    bars(page, english, axis, &columns);
    page.end();
}

/// A bar for each range of numbers.
pub(super) fn tally_bars(tally: &Tally) -> Vec<Bar> {
    let width = tally.width_for(BARS);
    let bins = tally.bins(width).into_iter();
    bins.map(|(from, count)| Bar {
        label: from.to_string(),
        hint: format!("{}: {}", Tally::bin_name(from, width), grouped(count)),
        count,
    })
    .collect()
}

fn scores(page: &mut Page, stats: &Stats) {
    let scores = &stats.scores;
    let [mated, mating] = scores.mates().map(|mates| mates.total());
    let count = stats.positions.count();
    page.begin("Scores", "評価値");
    let (least, most) = scores.range.unzip();
    let deviation = tenths(scores.deviation());
    let rows = [
        figure("smallest", "最小", or_dash(least)),
        figure("largest", "最大", or_dash(most)),
        figure(
            "mean without mates",
            "平均(詰みを除く)",
            tenths(scores.mean()),
        ),
        figure("standard deviation", "標準偏差", deviation),
        row("exactly 0", "ちょうど0", scores.zeros, count),
        row("mates", "詰み", mated + mating, count),
    ];
    page.table(&[], rows);
    score_chart(page, stats);
    page.end();
}

/// Histogram of scores.
pub(super) fn score_chart(page: &mut Page, stats: &Stats) {
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
    bars(page, "Scores", axis, &columns);
}

fn winning_rate(page: &mut Page, stats: &Stats) {
    page.begin("Winning rate by score", "評価値と勝率");
    let fit = stats.scores.fit();
    let scale = |fit: Option<Fit>| tenths(fit.map(|fit| fit.scale));
    page.put(format_args!(
        "<p>1 / (1 + e<sup>−score / scale</sup>), draws as half a win; scale 600 by custom.</p>\n"
    ));
    let rows = [
        figure("scale", "ポナンザ定数", scale(fit)),
        figure(
            "scale without drawn games",
            "引き分けを除く",
            scale(stats.scores.fit_without_draws()),
        ),
    ];
    page.table(&[], rows);
    rate_chart(page, stats);
    page.end();
}

/// Plot of the winning rate by score, with the curve that fits best.
pub(super) fn rate_chart(page: &mut Page, stats: &Stats) {
    let fit = stats.scores.fit();
    let bins = stats.scores.bins(SCORE_BAR);
    let inner = || bins.iter().filter(|bin| bin.is_evaluation());
    let most = inner().map(|bin| bin.outcomes.total()).max().unwrap_or(0);
    let point = |bin: &ScoreBin| {
        let (x, y) = (bin.mean?, bin.outcomes.expectation()?);
        let total = bin.outcomes.total();
        Some(Point {
            x,
            y,
            weight: total as f64 / most as f64,
            hint: format!("{}: {} of {}", bin.name(), percent(y), grouped(total)),
        })
    };
    let points: Vec<_> = inner().filter_map(point).collect();
    let curve = fit.map(|fit| move |score: f64| fit.expectation(score));
    rates(
        page,
        "Winning rate by score",
        "centipawns for the player to move",
        f64::from(BINNED),
        &points,
        curve.as_ref().map(|curve| curve as &dyn Fn(f64) -> f64),
    );
}

fn skipped(page: &mut Page, stats: &Stats) {
    let skipped = &stats.skipped;
    if skipped.count == 0 {
        return;
    }
    page.begin("Damaged records, left out", "壊れたレコード");
    page.put(format_args!("<p>{}</p>\n<ul>\n", grouped(skipped.count)));
    for (path, invalid) in &skipped.first {
        page.put(format_args!(
            "<li>{}: {}</li>\n",
            Escaped(&path.to_string_lossy()),
            Escaped(&invalid.to_string())
        ));
    }
    page.put(format_args!("</ul>\n"));
    page.end();
}
