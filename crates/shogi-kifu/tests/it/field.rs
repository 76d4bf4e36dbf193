//! `fixtures/kifu/field`: records as programs of the field write them.

use shogi_core::{Color, Position};
use shogi_kifu::{
    CommentWriter, CsaVersion, Foul, GameEnding, GameOutcome, GameRecord, KifuFormat, LossKind,
    RecordBuilder, read_games,
};
use test_support::fixture_bytes;

/// The one game of a file.
fn game(name: &str) -> GameRecord {
    let bytes = fixture_bytes(format!("kifu/field/{name}"));
    let (_, mut games) = read_games(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(games.len(), 1, "{name}");
    let game = games
        .remove(0)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    game.record
}

fn moves(record: &GameRecord) -> String {
    let moves: Vec<String> = record.played_moves().map(|m| m.to_string()).collect();
    moves.join(" ")
}

fn times(record: &GameRecord) -> Vec<Option<u64>> {
    record
        .main_line()
        .map(|id| record.node(id).time.map(|ms| ms / 1000))
        .collect()
}

#[test]
fn every_drop_may_have_an_origin_of_00() {
    let record = game("01-drop-with-00.kif");
    assert_eq!(times(&record), [5, 3, 6, 4, 7, 2].map(Some));
    assert_eq!(record.ending(), Some(&GameEnding::Resign));
}

#[test]
fn comments_stand_behind_commas() {
    let record = game("02-comment-behind-a-comma.csa");
    assert_eq!(moves(&record), "7g7f 3c3d");
    assert_eq!(times(&record), [Some(1), Some(2), Some(10)]);
    assert_eq!(record.ending(), Some(&GameEnding::EnteringKing));
    assert_eq!(record.outcome(), GameOutcome::Win(Color::Black));
    let first = record.main_line().next().unwrap();
    assert_eq!(record.node(first).comments, ["* 54 -3334FU"]);
    let record = game("14-clock-behind-a-comma.csa");
    assert_eq!(times(&record), [Some(1), Some(25), None]);
    assert_eq!(record.ending(), Some(&GameEnding::Resign));
    let record = game("13-visits-behind-a-comma.csa");
    assert_eq!(moves(&record), "7g7f 3c3d");
    let first = record.main_line().next().unwrap();
    assert_eq!(
        record.node(first).remarks,
        ["v=0.545,800,7776FU,400,2726FU,200"]
    );
    assert_eq!(record.node(first).player_score(), Some(136));
    assert_eq!(record.search_visits(first).unwrap().moves.len(), 2);
}

#[test]
fn usi_lines_end_with_the_words_of_other_programs() {
    for (name, ending) in [
        ("03-usi-break.sfen", GameEnding::Interrupt),
        ("03-usi-rep_draw.sfen", GameEnding::Repetition),
    ] {
        let record = game(name);
        assert_eq!(moves(&record), "7g7f 3c3d");
        assert_eq!(record.ending(), Some(&ending));
    }
}

#[test]
fn endings_stand_where_moves_do() {
    let record = game("04-ending-as-a-move.ki2");
    assert_eq!(moves(&record), "2g2f 3c3d 7g7f");
    assert_eq!(record.outcome(), GameOutcome::Win(Color::Black));
    let record = game("06-two-endings.kif");
    assert_eq!(
        (moves(&record), record.ending()),
        ("7g7f".to_owned(), Some(&GameEnding::Resign))
    );
    let remarks: Vec<_> = record.nodes().flat_map(|node| &node.remarks).collect();
    assert_eq!(remarks, ["3 中断", "まで2手で中断"]);
}

#[test]
fn the_board_of_another_game_is_an_error() {
    let bytes = fixture_bytes("kifu/field/05-other-board.kif");
    let (_, games) = read_games(&bytes).unwrap();
    let errors: Vec<String> = games
        .iter()
        .map(|game| game.as_ref().unwrap_err().to_string())
        .collect();
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0].contains("line 2") && errors[0].contains("5 files"),
        "{}",
        errors[0]
    );
}

#[test]
fn words_of_endings_stay_as_they_are() {
    let record = game("07-sealed-move.kif");
    let (kif, losses) = KifuFormat::Kif.write(&record, CsaVersion::V22);
    assert!(
        kif.contains("   3 封じ手\n") && losses.is_empty(),
        "{kif}{losses}"
    );
    for format in [KifuFormat::Csa, KifuFormat::Usi] {
        let (_, losses) = format.write(&record, CsaVersion::V22);
        assert_eq!(losses.count(LossKind::Endings), 1, "{format}");
    }
    let record = game("08-ending-with-a-digit.kif");
    assert_eq!(
        (moves(&record), record.ending()),
        ("7g7f".to_owned(), Some(&GameEnding::Mate))
    );
    let (kif, losses) = KifuFormat::Kif.write(&record, CsaVersion::V22);
    assert!(kif.contains("   2 61手詰\n") && losses.is_empty(), "{kif}");
    let (ki2, losses) = KifuFormat::Ki2.write(&record, CsaVersion::V22);
    assert!(
        ki2.contains("まで1手で61手詰") && losses.is_empty(),
        "{ki2}"
    );
    let (csa, losses) = KifuFormat::Csa.write(&record, CsaVersion::V22);
    assert!(
        csa.ends_with("%TSUMI\n") && losses.count(LossKind::EndingWords) == 1,
        "{csa}"
    );
}

#[test]
fn numbers_are_decoration() {
    let record = game("09-numbers-that-repeat.kif");
    assert_eq!(
        (moves(&record), record.ending()),
        ("7g7f 3c3d 2g2f".to_owned(), Some(&GameEnding::Resign))
    );
    assert_eq!(record.variations(), 0);
    let record = game("10-no-numbers.kif");
    assert_eq!(
        (moves(&record), record.ending()),
        ("7g7f 3c3d".to_owned(), Some(&GameEnding::Resign))
    );
}

#[test]
fn games_go_on_behind_fouls() {
    let record = game("11-foul-in-the-middle.kif");
    assert_eq!(record.played_moves().count(), 13);
    assert_eq!(record.moves().count(), 10);
    let fouls: Vec<_> = record
        .fouls()
        .into_iter()
        .map(|(number, m, foul)| (number, m.to_string(), foul))
        .collect();
    assert_eq!(fouls, [(11, "P*7e".to_owned(), Foul::TwoPawns)]);
    assert_eq!(record.ending(), Some(&GameEnding::Resign));
    assert_eq!(record.outcome(), GameOutcome::Win(Color::Black));
    // All formats hold the whole game.
    for format in KifuFormat::ALL {
        let (text, losses) = format.write(&record, CsaVersion::V22);
        assert!(losses.is_empty(), "{format}: {losses}");
        let read = format
            .read(&text)
            .unwrap_or_else(|error| panic!("{format}: {error}: {text}"));
        assert!(read.played_moves().eq(record.played_moves()), "{format}");
        assert_eq!(read.fouls(), record.fouls(), "{format}");
        assert_eq!(read.ending(), record.ending(), "{format}");
    }
}

#[test]
fn evaluations_of_servers_are_seen() {
    let record = game("12-evaluation-in-a-comment.kif");
    let first = record.main_line().next().unwrap();
    let found = record.node(first).evaluations();
    assert_eq!((found.len(), found[0].writer), (1, CommentWriter::ShogiGui));
    assert_eq!(record.node(first).player_score(), Some(-186));
    assert_eq!(record.expected_line(first, &found[0]).len(), 1);
}

/// A game whose lines fork at each move, each fork in the one before.
fn nested(depth: usize) -> GameRecord {
    let mut builder = RecordBuilder::new(Position::startpos());
    let mut play = |text: &str, stays: bool| {
        let m = builder.position().move_from_usi(text).unwrap();
        assert!(builder.play(m));
        if !stays {
            builder.back_to(builder.depth() - 1);
        }
    };
    for level in 0..depth {
        play(["6i6h", "6a6b"][level % 2], false);
        play(["4i4h", "4a4b", "4h4i", "4b4a"][level % 4], true);
    }
    builder.finish()
}

#[test]
fn variations_nest_as_deep_as_they_like() {
    let record = nested(1500);
    for format in [KifuFormat::Kif, KifuFormat::Ki2, KifuFormat::Jkf] {
        let (text, losses) = format.write(&record, CsaVersion::V22);
        assert!(losses.is_empty(), "{format}: {losses}");
        assert!(format.read(&text).unwrap() == record, "{format}");
    }
    // JKF has a limit, which is told.
    let (text, losses) = KifuFormat::Jkf.write(&nested(4200), CsaVersion::V22);
    assert!(losses.count(LossKind::Variations) > 0);
    KifuFormat::Jkf.read(&text).unwrap();
    let fork = text.find("\"forks\":[[").unwrap();
    let open = text[fork..].split_once('{').unwrap().0.to_owned();
    let deeper = format!(
        r#"{{"moves":[{{}},{}{{}}{}]}}"#,
        format!("{{{open}").repeat(5000),
        "]]}".repeat(5000)
    );
    let error = KifuFormat::Jkf.read(&deeper).unwrap_err().to_string();
    assert!(error.contains("deeper than 4096"), "{error}");
}
