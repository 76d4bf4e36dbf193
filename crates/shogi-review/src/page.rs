//! The result as an HTML page: graphs, sums, and the board before each bad move.

use std::fmt::Write as _;

use report::Page;
use shogi_core::{Color, Move};
use shogi_kifu::{BoardSvg, GameRecord};

use crate::chart::{review_figures, title};
use crate::judge::{Judgement, MistakeKind, Phase};
use crate::language::Language;
use crate::model::GameReview;
use crate::moves::{ReviewSide, ReviewedMove};
use crate::score::ReviewScore;
use crate::sums::{PhaseSums, PlayerSums};

/// Boards on a page, at most.
const BOARDS: usize = 12;

/// The page of an analysed game: one file that loads nothing.
pub fn review_page(record: &GameRecord, review: &GameReview, language: Language) -> String {
    let title = title(review, language);
    let mut page = Page::in_language(title.as_str(), language.code());
    page.paragraph(subtitle(review, language));
    page.section(language.of("Graph", "グラフ"));
    let mut figures = review_figures(review, language).into_iter();
    page.figures(figures.next());
    page.figures(figures);
    page.section(language.of("Players", "対局者"));
    let head = [
        "",
        language.of("black", "先手"),
        language.of("white", "後手"),
    ];
    page.table(&head, player_rows(review, language));
    let worst = review.worst();
    if !worst.is_empty() {
        page.section(language.of(
            "Bad moves, the largest losses first",
            "悪手 (損失の大きい順)",
        ));
        page.table(
            &head_of_moves(language),
            worst.iter().map(|mv| row(mv, language)),
        );
        let boards: Vec<(String, String)> = worst
            .iter()
            .take(BOARDS)
            .filter_map(|mv| board(record, mv, language))
            .collect();
        page.figures(boards.iter().map(|(caption, svg)| (caption.as_str(), svg)));
    }
    page.section(language.of("All moves", "全ての指し手"));
    page.table(
        &head_of_moves(language),
        review.main_line().map(|mv| row(mv, language)),
    );
    page.finish()
}

/// Opening, castles, engine.
fn subtitle(review: &GameReview, language: Language) -> String {
    let mut parts = Vec::new();
    if let Some(opening) = &review.opening {
        parts.push(language.of(&opening.en, &opening.ja).to_owned());
    }
    let castles = review.castles.iter().flatten();
    let castles: Vec<&str> = castles
        .map(|castle| language.of(&castle.en, &castle.ja))
        .collect();
    if !castles.is_empty() {
        parts.push(castles.join(language.of(" / ", "・")));
    }
    parts.push(format!(
        "{}: {}",
        language.of("engine", "エンジン"),
        review.engine
    ));
    if let Some(ply) = review.left_book_at {
        parts.push(format!(
            "{}: {ply}",
            language.of("last move in the book", "定跡の最後の手")
        ));
    }
    parts.join(language.of(", ", "、"))
}

fn player_rows(review: &GameReview, language: Language) -> Vec<Vec<String>> {
    let row = |name: &str, of: &dyn Fn(&PlayerSums) -> String| {
        vec![name.to_owned(), of(&review.sums[0]), of(&review.sums[1])]
    };
    let percent = |value: f64| format!("{:.1}%", value * 100.0);
    let phase = |sums: &PhaseSums| {
        if sums.moves == 0 {
            "-".to_owned()
        } else {
            format!("{:.1}% ({})", sums.accuracy * 100.0, sums.moves)
        }
    };
    let names = [0, 1].map(|index| review.players[index].clone().unwrap_or_default());
    let mut rows = vec![
        vec![
            language.of("name", "名前").to_owned(),
            names[0].clone(),
            names[1].clone(),
        ],
        row(language.of("accuracy", "正確さ"), &|sums| {
            percent(sums.accuracy)
        }),
    ];
    for of in Phase::ALL {
        let name = format!(
            "{} ({})",
            language.of("accuracy", "正確さ"),
            language.phase(of)
        );
        rows.push(row(&name, &|sums| phase(sums.phase(of))));
    }
    rows.push(row(language.of("engine's moves", "最善手"), &|sums| {
        format!("{} / {}", sums.best, sums.moves)
    }));
    for judge in Judgement::ALL.into_iter().rev() {
        rows.push(row(language.judge(judge), &|sums| {
            sums.judged(judge).to_string()
        }));
    }
    for kind in MistakeKind::ALL {
        rows.push(row(language.kind(kind), &|sums| {
            sums.kind(kind).to_string()
        }));
    }
    if review.sums.iter().any(|sums| sums.time_ms.is_some()) {
        rows.push(row(language.of("time", "消費時間"), &|sums| {
            sums.time_ms.map_or_else(|| "-".to_owned(), clock)
        }));
    }
    rows
}

/// `1:02:03` of milliseconds.
fn clock(time_ms: u64) -> String {
    let seconds = time_ms / 1000;
    format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

const fn head_of_moves(language: Language) -> [&'static str; 7] {
    [
        "",
        language.of("played", "指し手"),
        language.of("score", "評価値"),
        language.of("best", "最善手"),
        language.of("its score", "最善手の評価値"),
        language.of("loss", "損失"),
        language.of("judgement", "判定"),
    ]
}

fn row(mv: &ReviewedMove, language: Language) -> Vec<String> {
    let is_best = mv.best == Some(mv.mv);
    let judge = mv.judge.map(|judge| language.judge(judge).to_owned());
    let judge = judge.map(|judge| {
        mv.kind.map_or_else(
            || judge.clone(),
            |kind| format!("{judge} ({})", language.kind(kind)),
        )
    });
    vec![
        mv.ply.to_string(),
        mv.move_ja.clone(),
        of_black(mv.score, mv.side),
        if is_best {
            "=".to_owned()
        } else {
            mv.best_ja.clone().unwrap_or_default()
        },
        if is_best {
            String::new()
        } else {
            of_black(mv.best_score, mv.side)
        },
        if mv.loss >= 0.0005 {
            format!("{:.1}%", mv.loss * 100.0)
        } else {
            String::new()
        },
        judge.unwrap_or_default(),
    ]
}

/// A score from black's side.
fn of_black(score: ReviewScore, side: ReviewSide) -> String {
    score.seen_from_black(side.into()).to_string()
}

/// The board before a move: the move that was played in red, the best one in blue.
fn board(record: &GameRecord, mv: &ReviewedMove, language: Language) -> Option<(String, String)> {
    let (position, last) = record.position_at(mv.ply - 1);
    let played = position.move_from_text(mv.mv)?;
    let best = mv
        .best
        .filter(|&best| best != mv.mv)
        .and_then(|best| position.move_from_text(best));
    let arrows: Vec<Move> = std::iter::once(played).chain(best).collect();
    let mark = if Color::from(mv.side) == Color::Black {
        language.of("black", "先手")
    } else {
        language.of("white", "後手")
    };
    let mut caption = format!("{} ({mark}): {}", mv.ply, mv.move_ja);
    if let Some(judge) = mv.judge {
        let _ = write!(
            caption,
            " {} -{:.1}%",
            language.judge(judge),
            mv.loss * 100.0
        );
    }
    if let Some(best) = &mv.best_ja {
        let _ = write!(caption, ", {}{best}", language.of("best: ", "最善は"));
    }
    let svg = BoardSvg::new(&position)
        .last_move(last)
        .arrows(&arrows)
        .to_string();
    Some((caption, svg))
}
