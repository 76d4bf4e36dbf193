//! Reading what was written gives the same game.

use proptest::prelude::*;
use shogi_kifu::{
    Charset, CsaVersion, GameRecord, KifuFormat, LineEnds, LossKind, Losses, decode_record,
    encode_record, read_games,
};

use crate::generate::{Richness, game};

/// Writes, encodes, and reads again, by content.
fn through(record: &GameRecord, format: KifuFormat, charset: Charset) -> (GameRecord, Losses) {
    let (text, losses) = format.write(record, CsaVersion::V3);
    let (bytes, lost) = encode_record(&text, charset, LineEnds::CrLf);
    assert!(lost.is_empty(), "{lost}");
    let (found, mut games) = read_games(&bytes).unwrap_or_else(|error| panic!("{error}: {text}"));
    // A KI2 without a move may as well be a KIF.
    let head = record.node_count() == 1 || !text.contains(['▲', '△']);
    assert!(
        found == format || (format == KifuFormat::Ki2 && head),
        "{found}: {text}"
    );
    assert_eq!(games.len(), 1, "{text}");
    let read = games
        .remove(0)
        .unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(
        decode_record(&bytes)
            .unwrap()
            .replace("\r\n", "\n")
            .replace("SHIFT_JIS", "UTF-8"),
        text
    );
    (read.record, losses)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("SHOGI_SLOW_TESTS").is_some() { 20_000 } else { 150 }))]

    #[test]
    fn kif_and_jkf_hold_everything(seed: u64) {
        let record = game(seed, Richness::Full);
        for format in [KifuFormat::Kif, KifuFormat::Jkf] {
            let (read, losses) = through(&record, format, Charset::Utf8);
            prop_assert_eq!(losses, Losses::default());
            prop_assert!(read == record, "{}", format.write(&record, CsaVersion::V3).0);
        }
    }

    #[test]
    fn ki2_holds_everything_but_times(seed: u64) {
        let mut record = game(seed, Richness::Full);
        let (read, losses) = through(&record, KifuFormat::Ki2, Charset::Utf8Bom);
        prop_assert!(losses.iter().all(|(kind, _)| kind == LossKind::Times));
        let ids: Vec<_> = all(&record);
        for id in ids {
            record.node_mut(id).time = None;
        }
        prop_assert!(read == record, "{}", KifuFormat::Ki2.write(&record, CsaVersion::V3).0);
    }

    #[test]
    fn csa_and_usi_hold_the_game_that_was_played(seed: u64) {
        let record = game(seed, Richness::Full);
        let (read, losses) = through(&record, KifuFormat::Csa, Charset::Utf8);
        prop_assert_eq!(losses.count(LossKind::Variations), record.variations() as u64);
        prop_assert!(read.moves().eq(record.moves()));
        prop_assert_eq!(read.ending(), record.ending());
        prop_assert_eq!(read.start(), record.start());
        prop_assert!(read.headers == record.headers);
        let nodes = read.main_line().zip(record.main_line());
        for (a, b) in nodes {
            prop_assert_eq!(&read.node(a).comments, &record.node(b).comments);
            prop_assert_eq!(read.node(a).time, record.node(b).time);
        }
        let plain = game(seed, Richness::Plain);
        let (text, _) = KifuFormat::Usi.write(&plain, CsaVersion::V3);
        let read = KifuFormat::Usi.read(&text).unwrap();
        prop_assert!(read.moves().eq(plain.moves()));
        prop_assert_eq!(read.start(), plain.start());
    }

    #[test]
    fn openings_are_the_first_moves(seed: u64, plies in 0usize..50) {
        let record = game(seed, Richness::Full);
        for format in KifuFormat::ALL {
            let (text, _) = format.write(&record, CsaVersion::V3);
            let read = format.read_opening(&text, plies).unwrap();
            prop_assert!(read.moves().take(plies).eq(record.moves().take(plies)), "{}", text);
            let whole = format.read(&text).unwrap();
            prop_assert_eq!(read.start(), whole.start());
        }
    }

    #[test]
    fn what_is_written_in_shift_jis_is_read(seed: u64) {
        let record = game(seed, Richness::Full);
        let (read, _) = through(&record, KifuFormat::Kif, Charset::ShiftJis);
        prop_assert!(read == record);
    }

    #[test]
    fn writing_again_changes_nothing(seed: u64) {
        let record = game(seed, Richness::Full);
        for format in KifuFormat::ALL {
            for version in [CsaVersion::V22, CsaVersion::V3] {
                let (text, _) = format.write(&record, version);
                let read = format.read(&text).unwrap();
                prop_assert_eq!(format.write(&read, version).0, text);
            }
        }
    }

    #[test]
    fn any_text_gives_a_game_or_an_error(text in "[\\PC\n]{0,200}", lines in prop::collection::vec(0usize..24, 0..12)) {
        const LINES: [&str; 24] = [
            "手合割：平手", "手合割：その他", "先手：a", "   1 ７六歩(77)", "   2 同　歩(33)", "▲７六歩△３四歩", "変化：1手", "まで1手で後手の勝ち",
            "|v香v桂v銀v金v玉v金v銀v桂v香|一", "先手の持駒：歩十八", "PI82HI", "P1-KY * ", "P+00AL", "+", "+7776FU", "-3334FU,T5", "%TORYO", "/", "V3.0",
            "startpos moves 7g7f", "{\"moves\":[{},{\"move\":{\"piece\":\"FU\"}}]}", "[", "手数＝5", "*",
        ];
        let made = lines.iter().flat_map(|&line| [LINES[line], "\n"]).collect::<String>();
        for text in [text.as_str(), &made] {
            for format in KifuFormat::ALL {
                let _ = format.read(text);
            }
            let _ = read_games(text.as_bytes());
        }
    }
}

/// Files of the fixtures with lines and characters changed at random: an error, or a game that is written in every format and
/// read as it was written.
#[test]
fn damaged_files_give_games_or_errors() {
    let files: Vec<String> = [
        "game.kif",
        "game.ki2",
        "game.csa",
        "game.jkf",
        "spellings.txt",
    ]
    .iter()
    .flat_map(|name| {
        let text = test_support::fixture_text(format!("kifu/{name}"));
        text.split("=== ").map(str::to_owned).collect::<Vec<_>>()
    })
    .collect();
    let letters: Vec<char> = files.iter().flat_map(|text| text.chars()).collect();
    let mut random = test_support::SplitMix64::new(3);
    let rounds = if std::env::var_os("SHOGI_SLOW_TESTS").is_some() {
        200_000
    } else {
        4000
    };
    for _ in 0..rounds {
        let mut text: Vec<char> = random.choose(&files).chars().collect();
        for _ in 0..random.below(6) {
            let at = random.remainder(text.len().max(1)).min(text.len());
            let end = (at + random.remainder(6)).min(text.len());
            match random.below(3) {
                0 => drop(text.drain(at..end)),
                1 => text.insert(at, *random.choose(&letters)),
                _ => {
                    let piece = text[at..end].to_vec();
                    let to = random.remainder(text.len() + 1);
                    text.splice(to..to, piece);
                }
            }
        }
        let text: String = text.into_iter().collect();
        for format in KifuFormat::ALL {
            if let Ok(record) = format.read(&text) {
                check(&record);
            }
        }
        let _ = read_games(text.as_bytes());
    }
}

/// Records whose parts one format holds and another takes for something else.
#[test]
fn odd_records_are_written_as_they_are_read() {
    for (format, text) in [
        // An ending that reads as a move.
        (
            KifuFormat::Kif,
            "手合割：平手\n   1 ７六歩(77)\nまで７六歩1手で千日手\n",
        ),
        // An ending with the word of another format.
        (KifuFormat::Csa, "PI\n+\n%投了図\n"),
        (KifuFormat::Kif, "手合割：平手\n   1 error\n"),
        (
            KifuFormat::Jkf,
            r#"{"header":{},"moves":[{},{"special":"error"}]}"#,
        ),
        // A time without a move.
        (
            KifuFormat::Jkf,
            r#"{"header":{},"moves":[{},{"time":{"now":{"m":0,"s":5}}}]}"#,
        ),
        // A promotion that is not allowed.
        (KifuFormat::Usi, "startpos moves 7g7f 3c2b+"),
        // A line end in a comment.
        (
            KifuFormat::Jkf,
            r#"{"header":{},"moves":[{"comments":["a\rb"]}]}"#,
        ),
    ] {
        let record = format
            .read(text)
            .unwrap_or_else(|error| panic!("{error}: {text}"));
        check(&record);
    }
    let mut builder = shogi_kifu::RecordBuilder::new(shogi_core::Position::startpos());
    builder.node_mut().comments.push("two\nlines".to_owned());
    builder.node_mut().remarks.push("two\r\nmore".to_owned());
    builder.node_mut().bookmark = Some("a\nname".to_owned());
    check(&builder.finish());
}

fn check(record: &GameRecord) {
    for format in KifuFormat::ALL {
        for version in [CsaVersion::V22, CsaVersion::V3] {
            let (text, losses) = format.write(record, version);
            let read = format
                .read(&text)
                .unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(format.write(&read, version).0, text);
            if losses.is_empty() && matches!(format, KifuFormat::Kif | KifuFormat::Jkf) {
                assert!(read == *record, "{text}");
            }
        }
    }
}

fn all(record: &GameRecord) -> Vec<shogi_kifu::GameNodeId> {
    let mut found = vec![GameRecord::ROOT];
    let mut next = 0;
    while next < found.len() {
        found.extend_from_slice(record.node(found[next]).children());
        next += 1;
    }
    found
}
