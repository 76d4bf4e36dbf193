//! Tables on the terminal.

use shogi_review::{
    GameReview, Judgement, Language, LossCount, MistakeKind, Phase, PlayerSums, ReviewTotals,
    ReviewedMove,
};

/// Columns of a text on a terminal: letters of Chinese and Japanese take two.
fn columns(text: &str) -> usize {
    text.chars()
        .map(|letter| if letter.is_ascii() { 1 } else { 2 })
        .sum()
}

/// `text` with blanks behind it, to so many columns.
fn left(text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(columns(text));
    format!("{text}{}", " ".repeat(blanks))
}

/// `text` with blanks before it, to so many columns.
fn right(text: &str, width: usize) -> String {
    let blanks = width.saturating_sub(columns(text));
    format!("{}{text}", " ".repeat(blanks))
}

/// The table of a game.
pub(super) fn game(review: &GameReview, language: Language) -> Vec<String> {
    let mut lines = vec![row(&[
        language.of("move", "手数"),
        language.of("played", "指し手"),
        language.of("score", "評価値"),
        language.of("loss", "損失"),
        language.of("best", "最善手"),
        language.of("depth", "深さ"),
        language.of("judgement", "判定"),
    ])];
    lines.extend(review.moves.iter().map(|mv| move_row(mv, language)));
    lines.push(String::new());
    lines.extend(players(review, language));
    lines
}

fn row(cells: &[&str; 7]) -> String {
    let [ply, played, score, loss, best, depth, judge] = cells;
    let text = format!(
        "{} {} {} {} {} {} {judge}",
        right(ply, 5),
        left(played, 14),
        right(score, 8),
        right(loss, 7),
        left(best, 14),
        right(depth, 5)
    );
    text.trim_end().to_owned()
}

fn move_row(mv: &ReviewedMove, language: Language) -> String {
    let line = if mv.line == 0 {
        String::new()
    } else {
        format!("({}) ", mv.line)
    };
    let is_best = mv.best == Some(mv.mv);
    let judge = mv.judge.map(|judge| language.judge(judge).to_owned());
    let kind = mv.kind.map(|kind| format!(" ({})", language.kind(kind)));
    row(&[
        &format!("{line}{}", mv.ply),
        &mv.move_ja,
        &mv.score.seen_from_black(mv.side.into()).to_string(),
        &if mv.loss < 0.0005 {
            String::new()
        } else {
            format!("{:.1}%", mv.loss * 100.0)
        },
        if is_best {
            "="
        } else {
            mv.best_ja.as_deref().unwrap_or("-")
        },
        &mv.depth.to_string(),
        &(judge.unwrap_or_default() + &kind.unwrap_or_default()),
    ])
}

/// The sums of both players.
fn players(review: &GameReview, language: Language) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(opening) = &review.opening {
        lines.push(format!(
            "{}: {}",
            language.of("opening", "戦型"),
            language.of(&opening.en, &opening.ja)
        ));
    }
    if let Some(ply) = review.left_book_at {
        lines.push(format!(
            "{}: {ply}",
            language.of("last move in the book", "定跡の最後の手")
        ));
    }
    for (index, sums) in review.sums.iter().enumerate() {
        let mark = if index == 0 {
            language.of("black", "先手")
        } else {
            language.of("white", "後手")
        };
        let name = review.players[index].as_deref().unwrap_or("");
        let who = if name.is_empty() {
            mark.to_owned()
        } else {
            format!("{mark} {name}")
        };
        lines.push(format!("{who}: {}", sums_text(sums, language)));
    }
    lines
}

fn sums_text(sums: &PlayerSums, language: Language) -> String {
    if sums.moves == 0 {
        return language.of("no moves", "指し手なし").to_owned();
    }
    let phases: Vec<String> = Phase::ALL
        .into_iter()
        .filter(|&phase| sums.phase(phase).moves > 0)
        .map(|phase| {
            format!(
                "{} {:.1}%",
                language.phase(phase),
                sums.phase(phase).accuracy * 100.0
            )
        })
        .collect();
    let judged: Vec<String> = Judgement::ALL
        .into_iter()
        .rev()
        .map(|judge| format!("{} {}", language.judge(judge), sums.judged(judge)))
        .collect();
    format!(
        "{} {:.1}% ({}), {} {}/{}, {}",
        language.of("accuracy", "正確さ"),
        sums.accuracy * 100.0,
        phases.join(", "),
        language.of("engine's moves", "最善手"),
        sums.best,
        sums.moves,
        judged.join(", ")
    )
}

/// A line for one of many games.
pub(super) fn row_of_many(
    place: &str,
    game: usize,
    review: &GameReview,
    language: Language,
) -> Vec<String> {
    let names = [0, 1].map(|index| review.players[index].as_deref().unwrap_or("-"));
    let opening = review
        .opening
        .as_ref()
        .map_or("-", |opening| language.of(&opening.en, &opening.ja));
    let side = |sums: &PlayerSums| {
        format!(
            "{:5.1}% {}/{}/{}",
            sums.accuracy * 100.0,
            sums.blunders,
            sums.mistakes,
            sums.inaccuracies
        )
    };
    let head = if game == 0 {
        vec![language.of(
            "game  black: accuracy, blunders/mistakes/inaccuracies  white: the same  opening  file",
            "番号  先手: 正確さ 悪手/疑問手/緩手  後手: 同じ  戦型  ファイル",
        ).to_owned()]
    } else {
        Vec::new()
    };
    let line = format!(
        "{:4}  {} {}  {} {}  {opening}  {place}",
        game + 1,
        left(names[0], 12),
        side(&review.sums[0]),
        left(names[1], 12),
        side(&review.sums[1]),
    );
    head.into_iter().chain([line]).collect()
}

/// The sums over all games.
pub(super) fn totals(totals: &ReviewTotals, language: Language) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        head(language.of("all games", "全対局"), language),
        count("", &totals.all),
    ];
    let mut add = |title: &str, rows: Vec<(String, &LossCount)>| {
        let rows: Vec<_> = rows
            .into_iter()
            .filter(|(_, counted)| counted.moves > 0)
            .collect();
        if !rows.is_empty() {
            lines.push(String::new());
            lines.push(head(title, language));
            lines.extend(rows.iter().map(|(name, counted)| count(name, counted)));
        }
    };
    let sides = [language.of("black", "先手"), language.of("white", "後手")];
    add(
        language.of("by side", "手番別"),
        sides
            .map(str::to_owned)
            .into_iter()
            .zip(&totals.sides)
            .collect(),
    );
    let phases = Phase::ALL
        .into_iter()
        .filter_map(|phase| Some((language.phase(phase).to_owned(), totals.phases.get(&phase)?)));
    add(
        language.of("by part of the game", "局面別"),
        phases.collect(),
    );
    let kinds = MistakeKind::ALL
        .into_iter()
        .filter_map(|kind| Some((language.kind(kind).to_owned(), totals.kinds.get(&kind)?)));
    add(
        language.of("bad moves by kind", "悪い手の種類別"),
        kinds.collect(),
    );
    let mut openings: Vec<(String, &LossCount)> = totals
        .openings
        .iter()
        .map(|(name, counted)| (language.opening(name).to_owned(), counted))
        .collect();
    openings.sort_by(|a, b| b.1.loss.total_cmp(&a.1.loss).then_with(|| a.0.cmp(&b.0)));
    add(language.of("by opening", "戦型別"), openings);
    lines
}

fn head(title: &str, language: Language) -> String {
    format!(
        "{} {} {} {} {} {} {}",
        left(title, 28),
        right(language.of("games", "対局"), 6),
        right(language.of("won", "勝ち"), 6),
        right(language.of("moves", "手"), 7),
        right(language.of("bad", "悪い手"), 6),
        right(language.of("accuracy", "正確さ"), 8),
        right(language.of("loss a game", "損失/局"), 11)
    )
}

fn count(name: &str, counted: &LossCount) -> String {
    format!(
        "{} {:6} {:6} {:7} {:6} {:7.1}% {:10.1}%",
        left(name, 28),
        counted.games,
        counted.wins,
        counted.moves,
        counted.judged,
        counted.mean_accuracy() * 100.0,
        counted.loss_a_game() * 100.0
    )
}

#[cfg(test)]
mod tests {
    use test_support::{assert_golden, fixture_text};

    use super::*;

    #[test]
    fn tables_are_aligned() {
        let review: GameReview = serde_json::from_str(&fixture_text("review/game.json")).unwrap();
        let mut sums = ReviewTotals::default();
        sums.add(&review, |_| true);
        for (language, name) in [(Language::English, "en"), (Language::Japanese, "ja")] {
            let mut lines = game(&review, language);
            lines.extend(row_of_many("games/a.kif:1", 0, &review, language));
            lines.extend(totals(&sums, language));
            assert_golden(
                &format!("review/table.{name}.txt"),
                (lines.join("\n") + "\n").as_bytes(),
            );
        }
    }
}
