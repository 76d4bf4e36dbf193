//! The sections of the page.

use report::{Bar, BarChart, Page, grouped};

use super::charts::{rate_chart, results_chart, score_chart, tally_chart};
use crate::TeacherFormat;
use crate::stats::counts::{estimate, or_dash, percent, share, tenths};
use crate::stats::{Fit, Stats, Tally};

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
    page.section(("Files", "ファイル"));
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
}

fn games(page: &mut Page, stats: &Stats) {
    let games = &stats.games;
    let count = games.count();
    let initial = games.from_initial;
    page.section(("Games", "対局"));
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
    page.markup(results_chart("Results", "games", &games.results));
}

fn reasons(page: &mut Page, stats: &Stats) {
    let games = &stats.games;
    page.section(("End reasons", "終局理由"));
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
    page.markup(BarChart {
        title: "End reasons",
        axis: "games",
        bars: &columns,
    });
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
}

fn positions(page: &mut Page, stats: &Stats) {
    let positions = &stats.positions;
    let (results, outcomes) = (&positions.results, &positions.outcomes);
    let count = positions.count();
    let repeated = stats.repeated();
    page.section(("Positions", "局面"));
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
    page.markup(results_chart(
        "Results of the positions' games",
        "positions",
        &positions.results,
    ));
}

fn tally(page: &mut Page, english: &str, japanese: &str, axis: &str, tally: &Tally) {
    page.section((english, japanese));
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
    page.markup(tally_chart(english, axis, tally));
}

fn scores(page: &mut Page, stats: &Stats) {
    let scores = &stats.scores;
    let [mated, mating] = scores.mates().map(|mates| mates.total());
    let count = stats.positions.count();
    page.section(("Scores", "評価値"));
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
    page.markup(score_chart(stats));
}

fn winning_rate(page: &mut Page, stats: &Stats) {
    page.section(("Winning rate by score", "評価値と勝率"));
    let fit = stats.scores.fit();
    let scale = |fit: Option<Fit>| tenths(fit.map(|fit| fit.scale));
    page.markup(format_args!(
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
    page.markup(rate_chart(stats));
}

fn skipped(page: &mut Page, stats: &Stats) {
    let skipped = &stats.skipped;
    if skipped.count == 0 {
        return;
    }
    page.section(("Damaged records, left out", "壊れたレコード"));
    page.paragraph(grouped(skipped.count));
    page.list(
        skipped
            .first
            .iter()
            .map(|(path, invalid)| format!("{}: {invalid}", path.display())),
    );
}
