//! What is said of each move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use shogi_core::{MoveText, Position};
use shogi_engine::Session;
use shogi_kifu::KifuFormat;
use shogi_review::{
    BookState, GameReview, Judgement, MistakeKind, ReviewBook, ReviewError, ReviewOptions,
    ReviewScore, ReviewTotals, Reviewer, WinModel, review,
};
use shogi_usi::Score;

use crate::{Scripted, record, scripted};

fn reviewed() -> GameReview {
    review(&record(), ReviewOptions::default(), &mut scripted(), |_| {}).unwrap()
}

#[test]
fn losses_are_against_the_best_move() {
    let review = reviewed();
    let model = WinModel::default();
    let moves = &review.moves;
    assert_eq!(
        moves.iter().map(|mv| mv.index).collect::<Vec<_>>(),
        [0, 1, 2, 3, 4]
    );
    // The best move loses nothing, and has the score of the position behind it.
    assert_eq!(
        (moves[0].loss_cp, moves[0].score, moves[0].best_score),
        (Some(0), ReviewScore::Cp(40), ReviewScore::Cp(40))
    );
    assert_eq!(
        (moves[1].score, moves[1].loss_cp),
        (ReviewScore::Cp(-60), Some(20))
    );
    assert_eq!((moves[2].loss_cp, moves[2].judge), (Some(40), None));
    let bad = &moves[4];
    assert_eq!(
        (bad.loss_cp, bad.judge, bad.kind),
        (
            Some(910),
            Some(Judgement::Blunder),
            Some(MistakeKind::Strategic)
        )
    );
    let expected = model.win(ReviewScore::Cp(10)) - model.win(ReviewScore::Cp(-900));
    assert!((bad.loss - expected).abs() < 1e-6);
    assert_eq!(
        (bad.best_ja.as_deref(), bad.move_ja.as_str()),
        (Some("▲３八銀(39)"), "▲５八玉(59)")
    );
    assert_eq!(
        (bad.time_ms, bad.depth, bad.nodes),
        (Some(20_000), 12, 1000)
    );
    assert_eq!(review.worst().len(), 1);
    assert_eq!(review.black_wins().len(), 6);
    let [black, white] = &review.sums;
    assert_eq!(
        (black.moves, black.blunders, black.best, black.time_ms),
        (3, 1, 1, Some(33_000))
    );
    assert_eq!(
        (
            white.moves,
            white.best,
            white.opening.moves,
            white.end.moves
        ),
        (2, 1, 2, 0)
    );
    assert!(black.accuracy < white.accuracy && black.accuracy > 0.5);
    assert_eq!(review.outcome, "black");
}

#[test]
fn mates_are_missed_and_overlooked() {
    let record = KifuFormat::Usi
        .read("startpos moves 7g7f 3c3d 2g2f 8c8d")
        .unwrap();
    let mate = |plies: i32| Score::Mate(plies.try_into().unwrap());
    let mut engine = Scripted(vec![
        (mate(5), "2g2f"),
        (Score::Cp(0), "8c8d"),
        (mate(3), "2g2f"),
        (mate(-2), "8c8d"),
        (Score::Cp(100), "7i6h"),
    ]);
    let review = review(&record, ReviewOptions::default(), &mut engine, |_| {}).unwrap();
    assert_eq!(review.moves[0].kind, Some(MistakeKind::MissedMate));
    // White was even, and is mated after the move.
    assert_eq!(
        (review.moves[1].kind, review.moves[1].score),
        (Some(MistakeKind::OverlookedMate), ReviewScore::mate(-4))
    );
    // The mate goes on.
    assert_eq!(
        (review.moves[2].judge, review.moves[2].score),
        (None, ReviewScore::mate(3))
    );
}

#[test]
fn steps_come_from_the_end() {
    let record = record();
    let mut engine = scripted();
    let stop = Arc::new(AtomicBool::new(false));
    let mut options = ReviewOptions::default();
    options.think.stop = Some(Arc::clone(&stop));
    let mut reviewer = Reviewer::new(&record, options);
    assert_eq!(reviewer.total(), 6);
    let mut known = Vec::new();
    while let Some(step) = reviewer.step(&mut engine).unwrap() {
        known.extend(step.moves.iter().map(|mv| mv.index));
        if step.done == 3 {
            // A stopped analysis goes on where it was.
            stop.store(true, Ordering::Relaxed);
            assert!(matches!(
                reviewer.step(&mut engine),
                Err(ReviewError::Stopped)
            ));
            stop.store(false, Ordering::Relaxed);
        }
    }
    assert_eq!(known, [4, 3, 2, 1, 0]);
    assert_eq!(record.node(reviewer.node(4).unwrap()).time, Some(20_000));
    assert_eq!(reviewer.finish().unwrap(), reviewed());
}

#[test]
fn an_analysis_that_is_not_done_has_no_result() {
    let record = record();
    let mut reviewer = Reviewer::new(&record, ReviewOptions::default());
    reviewer.step(&mut scripted()).unwrap();
    assert!(reviewer.finish().is_none());
}

#[test]
fn variations_are_lines_of_their_own() {
    let mut record = record();
    let first = record.main_line().next().unwrap();
    let mut position = record.start().clone();
    let _ = position
        .try_do_move(record.moves().next().unwrap())
        .unwrap();
    let other = position.move_from_usi("8c8d").unwrap();
    record.add_line(first, &[other]).unwrap();
    let lines = |variations| {
        let options = ReviewOptions {
            variations,
            ..ReviewOptions::default()
        };
        let mut engine = scripted();
        engine.0[2] = (Score::Cp(60), "2g2f");
        let review = review(&record, options, &mut engine, |_| {}).unwrap();
        review
            .moves
            .iter()
            .map(|mv| (mv.index, mv.line, mv.ply, mv.mv.to_string()))
            .skip(4)
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(false), [(4, 0, 5, "5i5h".to_owned())]);
    assert_eq!(
        lines(true),
        [(4, 0, 5, "5i5h".to_owned()), (5, 1, 2, "8c8d".to_owned())]
    );
}

struct OneLine(Vec<&'static str>);

impl ReviewBook for OneLine {
    fn moves(&self, position: &Position) -> Vec<MoveText> {
        let text = self.0.get(position.ply() as usize - 1);
        text.and_then(|text| MoveText::from_usi(text))
            .into_iter()
            .collect()
    }
}

#[test]
fn the_book_is_left() {
    let record = record();
    let book = OneLine(vec!["7g7f", "3c3d", "2g2f"]);
    let options = ReviewOptions {
        book: Some(&book),
        ..ReviewOptions::default()
    };
    let review = review(&record, options, &mut scripted(), |_| {}).unwrap();
    let states: Vec<_> = review.moves.iter().filter_map(|mv| mv.book).collect();
    assert_eq!(
        states,
        [
            BookState::In,
            BookState::In,
            BookState::Left,
            BookState::Out,
            BookState::Out
        ]
    );
    assert_eq!((review.left_book_at, review.sums[0].book), (Some(2), 1));
}

#[test]
fn json_has_names_that_stay() {
    let review = reviewed();
    let json = serde_json::to_value(&review).unwrap();
    let expected = serde_json::json!({
        "index": 4, "ply": 5, "line": 0, "side": "black", "move": "5i5h", "move_ja": "▲５八玉(59)",
        "score": {"cp": -900}, "best_score": {"cp": 10}, "best": "3i3h", "best_ja": "▲３八銀(39)",
        "pv": ["3i3h", "2b3c"], "reply": ["8c8d", "7i8h"], "depth": 12, "nodes": 1000,
        "win": 0.182426, "best_win": 0.504167, "loss": 0.321741, "loss_cp": 910,
        "judge": "blunder", "kind": "strategic", "phase": "opening", "book": null, "time_ms": 20000
    });
    assert_eq!(json["moves"][4], expected);
    let keys: Vec<_> = json.as_object().unwrap().keys().cloned().collect();
    let expected = [
        "castles",
        "engine",
        "last",
        "left_book_at",
        "model",
        "moves",
        "opening",
        "outcome",
        "players",
        "start",
        "sums",
    ];
    assert_eq!(
        {
            let mut keys = keys;
            keys.sort();
            keys
        },
        expected
    );
    assert_eq!(serde_json::from_value::<GameReview>(json).unwrap(), review);
}

#[test]
fn totals_are_of_a_player() {
    let review = reviewed();
    let (mut mine, mut all) = (ReviewTotals::default(), ReviewTotals::default());
    mine.add(&review, |name| name.contains("太"));
    all.add(&review, |_| true);
    assert_eq!(
        (mine.all.games, mine.all.wins, mine.all.moves, all.all.moves),
        (1, 1, 3, 5)
    );
    assert_eq!(mine.kinds[&MistakeKind::Strategic].judged, 1);
    assert!(mine.kinds.len() == 1 && mine.openings.len() == 1);
    assert!(mine.all.mean_accuracy() < all.all.mean_accuracy());
    let json = serde_json::to_value(&mine).unwrap();
    assert_eq!(serde_json::from_value::<ReviewTotals>(json).unwrap(), mine);
}

#[test]
fn the_real_engine_finds_a_blunder() {
    // The rook goes where a pawn takes it.
    let record = KifuFormat::Usi
        .read("startpos moves 2g2f 3c3d 2f2e 8c8d 2h2f 8d8e 2f8f 8e8f")
        .unwrap();
    let mut engine = Session::new().thinker(1, 1);
    let mut options = ReviewOptions::default();
    options.think.depth = Some(6);
    options.think.lines = 2;
    let result = review(&record, options, &mut *engine, |_| {}).unwrap();
    assert!(result.moves.iter().all(|mv| mv.candidates.len() == 2));
    let worst = result.worst();
    assert_eq!(worst[0].mv.to_string(), "2f8f", "{worst:?}");
    assert_eq!(worst[0].kind, Some(MistakeKind::HangingPiece));
}
