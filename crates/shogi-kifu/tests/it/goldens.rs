//! Moves in Japanese words by the public rules, and whole games whose records are known.

use shogi_core::Position;
use shogi_kifu::{
    CsaVersion, GameEnding, GameOutcome, GameRecord, Handicap, KifuFormat, read_games, read_kif,
};
use test_support::fixture_text;

/// Every row of the file: SFEN, the move in USI, the move before it in words (with its square) or nothing, the move in KI2's words.
#[test]
fn the_official_rules_tell_pieces_apart() {
    let text = fixture_text("kifu/ki2-moves.tsv");
    let mut rows = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let (Some(sfen), Some(usi), Some(words)) = (fields.next(), fields.next(), fields.next())
        else {
            panic!("three fields in {line:?}");
        };
        let position = Position::from_sfen(sfen).unwrap();
        let m = position
            .move_from_usi(usi)
            .unwrap_or_else(|error| panic!("{sfen} {usi}: {error}"));
        let record = KifuFormat::Usi
            .read(&format!("sfen {sfen} moves {usi}"))
            .unwrap();
        let (ki2, _) = KifuFormat::Ki2.write(&record, CsaVersion::V22);
        let written = ki2.lines().last().unwrap();
        assert_eq!(&written[3..], words, "{sfen} {usi}");
        let read = KifuFormat::Ki2.read(&ki2).unwrap();
        assert_eq!(read.moves().collect::<Vec<_>>(), [m], "{words}");
        rows += 1;
    }
    assert!(rows >= 40, "{rows}");
}

#[test]
fn a_game_is_the_same_in_every_format() {
    let read = |name: &str| {
        let bytes = test_support::fixture_bytes(format!("kifu/{name}"));
        let (_, mut games) = read_games(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        games
            .remove(0)
            .unwrap_or_else(|error| panic!("{name}: {error}"))
            .record
    };
    let kif = read("game.kif");
    assert_eq!(kif.moves().count(), 9);
    assert_eq!(kif.variations(), 3);
    assert_eq!(kif.ending(), Some(&GameEnding::Resign));
    assert_eq!(kif.outcome(), GameOutcome::Win(shogi_core::Color::Black));
    assert_eq!(kif.headers.get("棋戦"), Some("例の一局"));
    assert_eq!(read("game-sjis.kif"), kif);
    let mut unmarked = kif.clone();
    let marked = unmarked
        .main_line()
        .find(|&id| kif.node(id).bookmark.is_some())
        .unwrap();
    unmarked.node_mut(marked).bookmark = None;
    assert_eq!(read("game.jkf"), unmarked);
    let without_times = {
        let (text, _) = KifuFormat::Ki2.write(&kif, CsaVersion::V22);
        read_kif(&text).unwrap()
    };
    assert_eq!(read("game.ki2"), without_times);
    let csa = read("game.csa");
    assert!(csa.moves().eq(kif.moves()));
    assert_eq!(csa.ending(), kif.ending());
    let time = |record: &GameRecord| {
        record
            .main_line()
            .map(|id| record.node(id).time)
            .collect::<Vec<_>>()
    };
    assert_eq!(time(&csa), time(&kif));
}

#[test]
fn handicaps_are_those_of_the_field() {
    let sfen = |name: &str| Handicap::from_kif(name).unwrap().position().to_sfen();
    assert_eq!(
        sfen("香落ち"),
        "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
    );
    assert_eq!(
        sfen("飛香落ち"),
        "lnsgkgsn1/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
    );
    assert_eq!(
        sfen("六枚落ち"),
        "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
    );
    assert_eq!(
        sfen("十枚落ち"),
        "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
    );
    let csa = KifuFormat::Csa.read("PI82HI22KA\n-\n-7162GI\n").unwrap();
    assert_eq!(csa.handicap(), Some(Handicap::TwoPieces));
    let kif = read_kif("手合割：二枚落ち\n   1 ６二銀(71)\n").unwrap();
    assert_eq!(csa, kif);
}
