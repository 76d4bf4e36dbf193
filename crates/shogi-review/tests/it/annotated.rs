//! The result in records.

use shogi_core::Color;
use shogi_kifu::{CommentScore, CommentWriter, CsaVersion, GameRecord, KifuFormat};
use shogi_review::{
    AnnotateOptions, CommentForm, GameReview, Language, ReviewOptions, annotate, review,
    review_chart, review_page,
};
use shogi_usi::Score;

use crate::{Scripted, record, scripted};

fn reviewed(record: &GameRecord) -> GameReview {
    review(record, ReviewOptions::default(), &mut scripted(), |_| {}).unwrap()
}

#[test]
fn a_kif_has_evaluations_and_variations() {
    let record = record();
    let annotated = annotate(&record, &reviewed(&record), AnnotateOptions::default());
    let (text, losses) = KifuFormat::Kif.write(&annotated, CsaVersion::V22);
    assert!(losses.is_empty());
    let expected = "\
*初手
*#評価値=40
*#読み筋=△８四歩(83)
*#深さ=12
*#エンジン=scripted
";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("*【悪手】最善は▲３八銀(39) (勝率-32.2%, 大局観)\n*#評価値=-900\n*#読み筋=△８四歩(83)▲８八銀(79)\n"), "{text}");
    assert!(
        text.contains("変化：5手\n   5 ３八銀(39)\n*#評価値=10\n*#読み筋=△３三銀(22)\n"),
        "{text}"
    );
}

#[test]
fn what_was_written_is_read_again() {
    let record = record();
    let review = reviewed(&record);
    for (form, format) in [
        (CommentForm::ShogiHome, KifuFormat::Kif),
        (CommentForm::ShogiHome, KifuFormat::Jkf),
        (CommentForm::ShogiHome, KifuFormat::Csa),
        (CommentForm::ShogiGui, KifuFormat::Kif),
        (CommentForm::ShogiGui, KifuFormat::Ki2),
        (CommentForm::Floodgate, KifuFormat::Csa),
    ] {
        let annotated = annotate(
            &record,
            &review,
            AnnotateOptions {
                form,
                ..AnnotateOptions::default()
            },
        );
        let (text, _) = format.write(&annotated, CsaVersion::V22);
        let again = format.read(&text).unwrap();
        for (id, mv) in again.main_line().zip(&review.moves) {
            let found = again.node(id).evaluations();
            let score = mv.score.seen_from_black(mv.side.into()).centipawns();
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].score, CommentScore::Centipawns(score), "{text}");
            let writer = match form {
                CommentForm::ShogiHome => CommentWriter::ShogiHome,
                CommentForm::ShogiGui => CommentWriter::ShogiGui,
                CommentForm::Floodgate => CommentWriter::Floodgate,
            };
            assert_eq!(found[0].writer, writer);
            let line: Vec<_> = again
                .expected_line(id, &found[0])
                .into_iter()
                .map(shogi_core::MoveText::from)
                .collect();
            assert_eq!(line, mv.reply, "{text}");
        }
        // Analysed again, nothing is there twice.
        let twice = annotate(
            &annotated,
            &review,
            AnnotateOptions {
                form,
                ..AnnotateOptions::default()
            },
        );
        if form != CommentForm::Floodgate {
            assert_eq!(twice, annotated);
        }
    }
}

#[test]
fn a_game_with_evaluations_of_its_players_keeps_them() {
    let record = KifuFormat::Csa
        .read("PI\n+\n+7776FU\n'** 30 -3334FU\n-3334FU\n'** -5\n%TORYO\n")
        .unwrap();
    let mut engine = Scripted(vec![
        (Score::Cp(1), "7g7f"),
        (Score::Cp(2), "3c3d"),
        (Score::Cp(3), "2g2f"),
    ]);
    let review = review(&record, ReviewOptions::default(), &mut engine, |_| {}).unwrap();
    let options = AnnotateOptions {
        form: CommentForm::Floodgate,
        ..AnnotateOptions::default()
    };
    let annotated = annotate(&record, &review, options);
    let first = annotated.main_line().next().unwrap();
    assert_eq!(
        (
            annotated.node(first).player_score(),
            annotated.node(first).analysis_score()
        ),
        (Some(30), Some(-2))
    );
}

#[test]
fn mates_are_told_by_who_wins() {
    let record = KifuFormat::Usi.read("startpos moves 7g7f 3c3d").unwrap();
    let mate = |plies: i32| Score::Mate(plies.try_into().unwrap());
    let mut engine = Scripted(vec![
        (mate(5), "7g7f"),
        (mate(-4), "3c3d"),
        (mate(3), "2g2f"),
    ]);
    let review = review(&record, ReviewOptions::default(), &mut engine, |_| {}).unwrap();
    let annotated = annotate(&record, &review, AnnotateOptions::default());
    let scores: Vec<_> = annotated
        .main_line()
        .map(|id| annotated.node(id).evaluations()[0].score)
        .collect();
    assert_eq!(
        scores,
        [
            CommentScore::Mate(Color::Black, Some(4)),
            CommentScore::Mate(Color::Black, Some(3))
        ]
    );
}

#[test]
fn pictures_and_pages_are_in_a_language() {
    let record = record();
    let review = reviewed(&record);
    let svg = review_chart(&review, Language::English);
    assert!(
        svg.starts_with("<svg xmlns")
            && svg.contains("Probability of winning")
            && svg.contains("太郎 - 花子")
    );
    assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
    let [english, japanese] = [Language::English, Language::Japanese]
        .map(|language| review_page(&record, &review, language));
    assert!(
        english.contains("<html lang=\"en\">")
            && english.contains("Bad moves")
            && english.contains("blunder (strategic)")
    );
    assert!(
        japanese.contains("<html lang=\"ja\">")
            && japanese.contains("悪手 (大局観)")
            && japanese.contains("消費時間")
    );
    // One board, of the one bad move, and nothing that is loaded from elsewhere.
    assert_eq!(
        japanese
            .matches("<figcaption>5 (先手): ▲５八玉(59)")
            .count(),
        1
    );
    assert!(
        !japanese.contains("http://")
            || japanese.matches("http://").count() == japanese.matches("http://www.w3.org").count()
    );
}

#[test]
fn a_review_of_another_game_writes_nothing() {
    let review = reviewed(&record());
    let other = KifuFormat::Usi.read("startpos moves 2g2f 3c3d").unwrap();
    let annotated = annotate(&other, &review, AnnotateOptions::default());
    let first = annotated.main_line().next().unwrap();
    assert!(annotated.node(first).comments.is_empty());
}
