//! The page of many games.

use report::Page;

use crate::judge::{MistakeKind, Phase};
use crate::language::Language;
use crate::model::GameReview;
use crate::totals::{LossCount, ReviewTotals};

/// The page of many analysed games: the sums, and a line for each game. `reviews` need not have moves.
pub fn totals_page(reviews: &[GameReview], totals: &ReviewTotals, language: Language) -> String {
    let mut page = Page::in_language(language.of("Analysed games", "棋譜解析"), language.code());
    let mut add = |title: &str, rows: Vec<(String, &LossCount)>| {
        if !rows.is_empty() {
            page.section(title);
            page.table(
                &head(language),
                rows.into_iter().map(|(name, counted)| row(name, counted)),
            );
        }
    };
    let sides = [language.of("black", "先手"), language.of("white", "後手")];
    let mut all = vec![(language.of("all games", "全対局").to_owned(), &totals.all)];
    all.extend(sides.map(str::to_owned).into_iter().zip(&totals.sides));
    add(language.of("All games", "全対局"), all);
    let phases = Phase::ALL
        .into_iter()
        .filter_map(|phase| Some((language.phase(phase).to_owned(), totals.phases.get(&phase)?)));
    add(language.of("Parts of the game", "局面別"), phases.collect());
    let kinds = MistakeKind::ALL
        .into_iter()
        .filter_map(|kind| Some((language.kind(kind).to_owned(), totals.kinds.get(&kind)?)));
    add(
        language.of("Bad moves by kind", "悪い手の種類別"),
        kinds.collect(),
    );
    let mut openings: Vec<(String, &LossCount)> = totals
        .openings
        .iter()
        .map(|(name, counted)| (language.opening(name).to_owned(), counted))
        .collect();
    openings.sort_by(|a, b| b.1.loss.total_cmp(&a.1.loss).then_with(|| a.0.cmp(&b.0)));
    add(
        language.of(
            "Openings, the largest losses first",
            "戦型別 (損失の大きい順)",
        ),
        openings,
    );
    page.section(language.of("Games", "対局"));
    let head = [
        "",
        language.of("black", "先手"),
        language.of("accuracy", "正確さ"),
        language.of("white", "後手"),
        language.of("accuracy", "正確さ"),
        language.of("opening", "戦型"),
    ];
    page.table(
        &head,
        reviews
            .iter()
            .enumerate()
            .map(|(index, review)| game_row(index, review, language)),
    );
    page.finish()
}

const fn head(language: Language) -> [&'static str; 7] {
    [
        "",
        language.of("games", "対局"),
        language.of("won", "勝ち"),
        language.of("moves", "手"),
        language.of("bad moves", "悪い手"),
        language.of("accuracy", "正確さ"),
        language.of("loss a game", "損失/局"),
    ]
}

fn row(name: String, counted: &LossCount) -> Vec<String> {
    vec![
        name,
        counted.games.to_string(),
        counted.wins.to_string(),
        counted.moves.to_string(),
        counted.judged.to_string(),
        format!("{:.1}%", counted.mean_accuracy() * 100.0),
        format!("{:.1}%", counted.loss_a_game() * 100.0),
    ]
}

fn game_row(index: usize, review: &GameReview, language: Language) -> Vec<String> {
    let name = |index: usize| review.players[index].clone().unwrap_or_default();
    let accuracy = |index: usize| {
        let sums = &review.sums[index];
        format!(
            "{:.1}% ({}/{}/{})",
            sums.accuracy * 100.0,
            sums.blunders,
            sums.mistakes,
            sums.inaccuracies
        )
    };
    let opening = review
        .opening
        .as_ref()
        .map_or("", |opening| language.of(&opening.en, &opening.ja));
    vec![
        (index + 1).to_string(),
        name(0),
        accuracy(0),
        name(1),
        accuracy(1),
        opening.to_owned(),
    ]
}
