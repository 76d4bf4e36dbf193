//! Graphs of a game.

use report::{Bar, BarChart, LineChart, Series, Sheet};

use crate::language::Language;
use crate::model::GameReview;
use crate::moves::ReviewSide;

/// Scores beyond this are drawn at the edge, in centipawns.
const EDGE: f64 = 3000.0;

/// Black's score after each move, and black's probability of winning, as one SVG picture.
pub fn review_chart(review: &GameReview, language: Language) -> String {
    let mut sheet = Sheet::default();
    for (title, chart) in review_figures(review, language) {
        sheet.add(title, chart);
    }
    sheet.finish(&title(review, language))
}

/// The same graphs, and the time of each move where the record has times, as elements with their captions.
pub fn review_figures(review: &GameReview, language: Language) -> Vec<(&'static str, String)> {
    let scores: Vec<(f64, f64)> = (0..).map(f64::from).zip(black_scores(review)).collect();
    let wins: Vec<(f64, f64)> = (0..)
        .map(f64::from)
        .zip(review.black_wins().into_iter().map(|win| win * 100.0))
        .collect();
    let last = (scores.len().saturating_sub(1)).max(1) as f64;
    let axis = language.of("moves", "手数");
    let line = |title: &'static str, name: &str, range, mark, points: &[(f64, f64)]| {
        let series = [Series { name, points }];
        let chart = LineChart {
            title,
            axis,
            last,
            range,
            mark: Some(mark),
            series: &series,
        };
        (title, chart.to_string())
    };
    let black = language.of("black", "先手");
    let mut figures = vec![
        line(
            language.of("Score", "評価値"),
            black,
            (-EDGE, EDGE),
            0.0,
            &scores,
        ),
        line(
            language.of("Probability of winning (%)", "勝率 (%)"),
            black,
            (0.0, 100.0),
            50.0,
            &wins,
        ),
    ];
    if review.main_line().any(|mv| mv.time_ms.is_some()) {
        let bars: Vec<Bar> = review
            .main_line()
            .map(|mv| time_bar(mv.ply, mv.time_ms.unwrap_or(0)))
            .collect();
        let title = language.of("Time of each move (seconds)", "消費時間 (秒)");
        figures.push((
            title,
            BarChart {
                title,
                axis,
                bars: &bars,
            }
            .to_string(),
        ));
    }
    figures
}

fn time_bar(ply: usize, time_ms: u64) -> Bar {
    let label = if ply.is_multiple_of(10) {
        ply.to_string()
    } else {
        String::new()
    };
    Bar {
        label,
        hint: format!("{ply}: {:.1}", time_ms as f64 / 1000.0),
        count: time_ms / 1000,
    }
}

/// Black's score before the first move and after each, not beyond the edges.
fn black_scores(review: &GameReview) -> Vec<f64> {
    let clamp = |score: i32, side| {
        let score = if side == ReviewSide::Black {
            score
        } else {
            -score
        };
        f64::from(score).clamp(-EDGE, EDGE)
    };
    let mut moves = review.main_line().peekable();
    let first = moves
        .peek()
        .map(|mv| clamp(mv.best_score.centipawns(), mv.side));
    first
        .into_iter()
        .chain(moves.map(|mv| clamp(mv.score.centipawns(), mv.side)))
        .collect()
}

/// `先手の名前 - 後手の名前`.
pub(crate) fn title(review: &GameReview, language: Language) -> String {
    let unnamed = [language.of("Black", "先手"), language.of("White", "後手")];
    let names = [0, 1].map(|index| review.players[index].as_deref().unwrap_or(unnamed[index]));
    format!("{} - {}", names[0], names[1])
}
