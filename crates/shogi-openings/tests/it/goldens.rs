//! Lines of every kind, written by hand, with the names that they should have.

use crate::{found, game, try_game};

/// The beginning of the exchange of bishops.
const EXCHANGE: &str = "7g7f 8c8d 2g2f 4a3b 6i7h 8d8e 8h7g 3c3d 7i6h 2b7g+ 6h7g";
/// White exchanges bishops and loses a move by it.
const TEMPO_LOSS: &str = "7g7f 3c3d 2g2f 8c8d 6i7h 4a3b 2f2e 2b8h+ 7i8h";
/// Black takes the side pawn.
const SIDE_PAWN: &str =
    "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d";
/// Both castle in a Yagura.
const YAGURA: &str =
    "7g7f 8c8d 7i6h 3c3d 6h7g 7a6b 5g5f 5c5d 3i4h 3a4b 4i5h 4a3b 6g6f 5a4a 6i7h 6a5b 5i6i 4b3c";
/// Both push the rook's pawn.
const WINGS: &str = "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b";
/// White exchanges bishops before its rook goes over.
const OPEN_RANGING: &str = "7g7f 3c3d 2g2f 9c9d 2f2e 2b8h+ 7i8h 3a2b";

/// A name, the beginning of a line, and its rest.
type Line = (&'static str, &'static str, &'static str);

#[rustfmt::skip]
const LINES: &[Line] = &[
    ("四間飛車", "", "7g7f 3c3d 2g2f 8b4b"),
    ("三間飛車", "", "7g7f 3c3d 2g2f 4c4d 2f2e 2b3c 3i4h 8b3b"),
    ("向かい飛車", "", "7g7f 3c3d 2g2f 4c4d 2f2e 2b3c 3i4h 8b2b"),
    ("ゴキゲン中飛車", "", "7g7f 3c3d 2g2f 5c5d 2f2e 8b5b"),
    ("先手中飛車", "", "5g5f 3c3d 7g7f 8c8d 2h5h"),
    ("中飛車", "", "7g7f 3c3d 6g6f 8c8d 2h5h"),
    ("原始中飛車", "", "5g5f 3c3d 5f5e 8c8d 2h5h 8d8e 7i6h 4a3b 6h5g"),
    ("早石田", "", "7g7f 3c3d 7f7e 8c8d 2h7h"),
    ("石田流", "", "7g7f 8c8d 2h7h 8d8e 8h7g 3c3d 6g6f 7a6b 7f7e"),
    ("石田流本組み", "", "7g7f 3c3d 6g6f 8c8d 7f7e 7a6b 2h7h 5a4b 7h7f 4b3b 9g9f 6a5b 8h9g 3a4b 8i7g"),
    ("升田式石田流", "", "7g7f 3c3d 7f7e 8c8d 2h7h 8d8e 5i4h 2b8h+ 7i8h"),
    ("角交換四間飛車", OPEN_RANGING, "3i4h 8b4b"),
    ("ダイレクト向かい飛車", OPEN_RANGING, "3i3h 2b3c 5i6h 8b2b"),
    ("角交換向かい飛車", OPEN_RANGING, "3i4h 8b4b 5i6h 2b3c 6h7h 4b2b"),
    ("角交換三間飛車", OPEN_RANGING, "3i4h 8b3b"),
    ("レグスペ", OPEN_RANGING, "3i4h 8b4b 5i6h 5a6b 6h7h 6b7b 4i5h 7b8b 3g3f 9a9b 4g4f 8b9a"),
    ("藤井システム", "", "7g7f 8c8d 6g6f 3c3d 2h6h 7a6b 3i3h 5a4b 1g1f 4b3b 1f1e 6a5b 7i7h 5c5d 6i5h 2b3c 7h6g"),
    ("立石流", "", "7g7f 3c3d 6g6f 8c8d 2h6h 7a6b 6f6e 2b8h+ 7i8h 5a4b 6h6f 4b3b 7f7e 3b2b 6f7f"),
    ("四間飛車穴熊", "", "7g7f 3c3d 6g6f 8c8d 2h6h 7a6b 5i4h 5a4b 4h3h 4b3b 3h2h 6a5b 1i1h 5c5d 2h1i"),
    ("四間飛車対居飛車穴熊", "", "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 5a6b 6h7h 6b7b 5g5f 7b8b 8h7g 9c9d 7h8h 7a7b 9i9h 4a5b 8h9i"),
    ("四間飛車対左美濃", "", "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 5a6b 6h7h 6b7b 5g5f 7b8b 8h7g 9c9d 7h8h 7a7b 7i7h"),
    ("四間飛車対棒銀", "", "7g7f 3c3d 2g2f 4c4d 2f2e 2b3c 3i3h 8b4b 3h2g"),
    ("四間飛車対斜め棒銀", "", "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 3g3f 5a6b 4h3g 6b7b 3g4f"),
    ("四間飛車対４五歩早仕掛け", "", "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5g5f 5a6b 4h5g 6b7b 4g4f 7b8b 4f4e"),
    ("四間飛車対右四間飛車", "", "7g7f 3c3d 2g2f 4c4d 4g4f 8b4b 2h4h"),
    ("三間飛車穴熊", "", "7g7f 3c3d 6g6f 8c8d 2h7h 7a6b 5i4h 5a4b 4h3h 4b3b 3h2h 6a5b 1i1h 5c5d 2h1i"),
    ("トマホーク", "", "7g7f 3c3d 6g6f 8c8d 2h7h 7a6b 1g1f 5a4b 2i1g"),
    ("ツノ銀中飛車", "", "7g7f 3c3d 6g6f 8c8d 2h5h 7a6b 7i7h 5a4b 7h6g 4b3b 4g4f 6a5b 3i3h 5c5d 3h4g"),
    ("風車", "", "7g7f 3c3d 6g6f 8c8d 2h5h 7a6b 7i7h 5a4b 7h6g 4b3b 4g4f 6a5b 3i3h 5c5d 3h4g 8d8e 8h7g 7c7d 5i4h 6b7c 5h5i"),
    ("端角中飛車", "", "5g5f 8c8d 7g7f 3c3d 2h5h 7a6b 9g9f 8d8e 8h9g"),
    ("中飛車穴熊", "", "7g7f 3c3d 5g5f 8c8d 2h5h 7a6b 5i4h 5a4b 4h3h 4b3b 3h2h 6a5b 1i1h 7c7d 2h1i"),
    ("ゴキゲン中飛車対超速", "", "7g7f 3c3d 2g2f 5c5d 2f2e 8b5b 3i4h 5d5e 5i6h 2b3c 3g3f 5a6b 4h3g"),
    ("ゴキゲン中飛車対丸山ワクチン", "", "7g7f 3c3d 2g2f 5c5d 2f2e 8b5b 8h2b+ 3a2b"),
    ("ゴキゲン中飛車対５八金右", "", "7g7f 3c3d 2g2f 5c5d 2f2e 8b5b 4i5h"),
    ("阪田流向かい飛車", "", "7g7f 3c3d 2g2f 4a3b 2f2e 2b8h+ 7i8h 3b3c 3i4h 8b2b"),
    ("陽動振り飛車", "", "7g7f 8c8d 2g2f 4a3b 6g6f 8d8e 8h7g 3c3d 2h6h"),
    ("対振りポンポン桂", "", "7g7f 3c3d 2g2f 4c4d 2f2e 2b3c 3g3f 8b3b 2i3g 5a6b 3g4e"),
    ("相三間飛車", "", "7g7f 3c3d 7f7e 3d3e 2h7h 8b3b"),
    ("相中飛車", "", "5g5f 5c5d 2h5h 8b5b"),
    ("相四間飛車", "", "7g7f 3c3d 6g6f 4c4d 2h6h 8b4b"),
    ("相向かい飛車", "", "7g7f 3c3d 6g6f 4c4d 8h7g 2b3c 2h8h 8b2b"),
    ("相振り飛車", "", "7g7f 3c3d 6g6f 8b3b 2h6h"),
    ("矢倉", "", "7g7f 8c8d 7i6h"),
    ("相矢倉", YAGURA, ""),
    ("矢倉３七銀", YAGURA, "3g3f 4c4d 4h3g"),
    ("脇システム", YAGURA, "8h7i 4c4d 7i4f 2b3a 3g3f 3a6d"),
    ("矢倉棒銀", "", "7g7f 8c8d 7i6h 3c3d 6h7g 7a6b 2g2f 3a4b 3i3h 4a3b 3h2g 5c5d 6i7h 5a4a 6g6f"),
    ("急戦矢倉", "", "7g7f 8c8d 7i6h 3c3d 6h7g 7a6b 2g2f 5c5d 6i7h 5d5e 6g6f"),
    ("矢倉早囲い", "", "7g7f 8c8d 7i6h 3c3d 6h7g 7a6b 5g5f 5c5d 5i6h 3a4b 6h7h 4a3b 4i5h"),
    ("矢倉中飛車", "", "7g7f 8c8d 7i6h 3c3d 6h7g 7a6b 2g2f 5c5d 6i7h 6b5c 5g5f 8b5b"),
    ("雁木", "", "7g7f 8c8d 6g6f 8d8e 8h7g 3c3d 7i6h 7a6b 6h6g 4a3b 6i7h"),
    ("相雁木", "", "7g7f 3c3d 6g6f 8c8d 7i6h 3a4b 6h6g 4c4d 6i7h 4b4c 5g5f 4a3b"),
    ("角換わり", EXCHANGE, ""),
    ("角換わり", "", "7g7f 8c8d 2g2f 4a3b 6i7h 8d8e 8h7g 3c3d 7i6h"),
    ("角換わり棒銀", EXCHANGE, "3a2b 3i3h 2b3c 3h2g"),
    ("角換わり早繰り銀", EXCHANGE, "3a2b 3i4h 2b3c 3g3f 7a6b 4h3g 6a5b 3g4f"),
    ("角換わり腰掛け銀", EXCHANGE, "3a2b 3i4h 2b3c 4g4f 7a6b 4h4g 7c7d 4g5f"),
    ("角換わり相腰掛け銀", EXCHANGE, "3a2b 3i4h 2b3c 4g4f 7a6b 4h4g 6c6d 4g5f 6b6c 5i6h 6c5d"),
    ("角換わり右玉", EXCHANGE, "3a2b 3i4h 2b3c 4g4f 7a6b 4h4g 6c6d 3g3f 9c9d 2i3g 6b6c 2h2i 1c1d 5i4h"),
    ("一手損角換わり", TEMPO_LOSS, ""),
    ("一手損角換わり棒銀", TEMPO_LOSS, "3a2b 3i3h 2b3c 3h2g"),
    ("一手損角換わり早繰り銀", TEMPO_LOSS, "3a2b 3i4h 2b3c 3g3f 7a6b 4h3g 6c6d 3g4f"),
    ("一手損角換わり腰掛け銀", TEMPO_LOSS, "3a2b 3i4h 2b3c 4g4f 7a6b 4h4g 6c6d 4g5f"),
    ("筋違い角", "", "7g7f 3c3d 8h2b+ 3a2b B*4e"),
    ("横歩取り", SIDE_PAWN, ""),
    ("横歩取り３三角", SIDE_PAWN, "2b3c"),
    ("横歩取り８五飛", SIDE_PAWN, "2b3c 3d3f 3a2b P*8g 8f8e"),
    ("横歩取り３三桂", SIDE_PAWN, "2a3c"),
    ("横歩取り４五角", SIDE_PAWN, "2b8h+ 7i8h P*2h 3i2h B*4e"),
    ("相横歩取り", SIDE_PAWN, "2b8h+ 7i8h 8f7f"),
    ("青野流", SIDE_PAWN, "2b3c 5i5h 5a5b 3g3f 8f8d 2i3g"),
    ("勇気流", SIDE_PAWN, "2b3c 5i6h"),
    ("相掛かり", WINGS, ""),
    ("相掛かり棒銀", WINGS, "3i3h 7a7b 3h2g"),
    ("相掛かり浮き飛車", WINGS, "2e2d 2c2d 2h2d P*2c 2d2f"),
    ("相掛かり早繰り銀", WINGS, "3g3f 7a7b 3i4h 1c1d 4h3g 9c9d 3g4f"),
    ("相掛かり腰掛け銀", WINGS, "4g4f 7a7b 3i4h 1c1d 4h4g 9c9d 4g5f"),
    ("ひねり飛車", WINGS, "2e2d 2c2d 2h2d P*2c 2d2f 7a7b 7g7f 6c6d 7f7e 3c3d 2f7f"),
    ("右四間飛車", "", "7g7f 8c8d 4g4f 3c3d 2h4h"),
    ("袖飛車", "", "2g2f 8c8d 3g3f 3c3d 2h3h"),
    ("棒銀", "", "2g2f 3c3d 3i3h 4c4d 3h2g"),
    ("早繰り銀", "", "2g2f 3c3d 7g7f 4c4d 3i4h 3a4b 3g3f 4b4c 4h3g 8c8d 3g4f"),
    ("腰掛け銀", "", "2g2f 3c3d 7g7f 4c4d 4g4f 3a4b 3i4h 4b4c 4h4g 8c8d 4g5f"),
    ("右玉", "", "2g2f 8c8d 4g4f 8d8e 7g7f 4a3b 8h7g 7a7b 3i4h 1c1d 4h4g 9c9d 5i4h 6c6d 4h3h"),
    ("地下鉄飛車", "", "2g2f 8c8d 3g3f 8d8e 2i3g 7a7b 3i3h 9c9d 4i4h 1c1d 5i6h 4a3b 2h2i 6a5b 2i5i"),
    ("嬉野流", "", "7i6h 3c3d 5g5f 8c8d 8h7i"),
    ("パックマン戦法", "", "7g7f 4c4d"),
    ("新米長玉", "", "7g7f 5a6b"),
    ("角頭歩戦法", "", "7g7f 3c3d 8g8f"),
    ("鬼殺し", "", "7g7f 3c3d 8i7g"),
];

#[test]
fn lines_have_their_names() {
    let mut wrong = Vec::new();
    for (name, begin, rest) in LINES {
        let line = format!("startpos moves {begin} {rest}");
        let opening = match try_game(&line) {
            Ok(game) => found(&game).map(|opening| opening.name.ja.to_owned()),
            Err(error) => Some(error),
        };
        if opening.as_deref() != Some(*name) {
            wrong.push(format!("{line}: expected {name}, found {opening:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn handicaps_have_their_names() {
    let lines = [
        ("香落ち", "lnsgkgsn1/1r5b1", "3c3d"),
        ("右香落ち", "1nsgkgsnl/1r5b1", "3c3d"),
        ("角落ち", "lnsgkgsnl/1r7", "8c8d"),
        ("角落ち中飛車", "lnsgkgsnl/1r7", "8c8d 5g5f 8d8e 2h5h"),
        ("角落ち三間飛車", "lnsgkgsnl/1r7", "8c8d 7g7f 8d8e 2h7h"),
        (
            "角落ち矢倉",
            "lnsgkgsnl/1r7",
            "8c8d 7g7f 8d8e 8h6f 7a6b 7i6h 6a5b 6h7g 4a3b 6i7h",
        ),
        ("飛車落ち", "lnsgkgsnl/7b1", "3c3d"),
        ("飛車落ち右四間飛車", "lnsgkgsnl/7b1", "3c3d 4g4f 4c4d 2h4h"),
        ("飛車落ち中飛車", "lnsgkgsnl/7b1", "3c3d 5g5f 4c4d 2h5h"),
        ("飛香落ち", "lnsgkgsn1/7b1", "3c3d"),
        ("二枚落ち", "lnsgkgsnl/9", "6a5b 7g7f"),
        (
            "二枚落ち二歩突っ切り",
            "lnsgkgsnl/9",
            "6a5b 7g7f 5a6b 4g4f 7a7b 4f4e 7c7d 3g3f 6c6d 3f3e",
        ),
        (
            "二枚落ち銀多伝",
            "lnsgkgsnl/9",
            "6a5b 7g7f 5a6b 5g5f 7a7b 2h5h 7c7d 5f5e 6c6d 7i6h 6b6c 6h5g 9c9d 5g5f",
        ),
        ("三枚落ち", "lnsgkgsn1/9", "6a5b"),
        ("四枚落ち", "1nsgkgsn1/9", "6a5b"),
        ("五枚落ち", "2sgkgsn1/9", "6a5b"),
        ("左五枚落ち", "1nsgkgs2/9", "6a5b"),
        ("六枚落ち", "2sgkgs2/9", "6a5b"),
        ("六枚落ち９筋攻め", "2sgkgs2/9", "6a5b 9g9f 5a6b 9f9e"),
        ("左七枚落ち", "2sgkg3/9", "6a5b"),
        ("右七枚落ち", "3gkgs2/9", "6a5b"),
        ("八枚落ち", "3gkg3/9", "6a5b"),
        ("十枚落ち", "4k4/9", "5a5b"),
        ("駒落ち", "ln1gkgsnl/1r5b1", "3c3d"),
    ];
    for (name, pieces, moves) in lines {
        let line =
            format!("sfen {pieces}/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 moves {moves}");
        let opening = found(&game(&line)).map(|opening| opening.name.ja);
        assert_eq!(opening, Some(name), "{line}");
    }
}

/// The beginning of a line, its rest, and the castles of black and white.
type CastleLine = (&'static str, &'static str, [&'static [&'static str]; 2]);

#[test]
fn castles_have_their_names() {
    let lines: [CastleLine; 5] = [
        (
            "",
            "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 5a6b 6h7h 6b7b 5g5f 7b8b 8h7g 9c9d 7h8h 7a7b 9i9h 4a5b 8h9i",
            [&["船囲い", "居飛車穴熊"], &["片美濃囲い", "美濃囲い"]],
        ),
        (
            YAGURA,
            "8h7i 2b3a 7i6h 3a4b 6i7i 4a3a 7i8h 3a2b",
            [&["矢倉囲い"], &["カニ囲い", "矢倉囲い"]],
        ),
        (
            SIDE_PAWN,
            "2b3c 5i5h 5a5b 3i3h 3a4b 3d3f",
            [&["中住まい"], &[]],
        ),
        (
            "",
            "2g2f 3c3d 7g7f 4c4d 3i4h 8b4b 5i6h 5a6b 6h7h 6b7b 4i5h",
            [&["船囲い"], &[]],
        ),
        (
            "",
            "5g5f 8c8d 2h5h 8d8e 3i4h 3c3d 7i6h",
            [&["無敵囲い"], &[]],
        ),
    ];
    let mut wrong = Vec::new();
    for (begin, rest, expected) in lines {
        let game = game(&format!("startpos moves {begin} {rest}"));
        let castles = shogi_openings::castles_of(&crate::start_of(&game), game.moves());
        let names = castles
            .0
            .map(|list| list.iter().map(|castle| castle.name.ja).collect::<Vec<_>>());
        if names != expected.map(<[_]>::to_vec) {
            wrong.push(format!("{begin} {rest}: {names:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_change_as_the_game_goes_on() {
    let game = game(&format!(
        "startpos moves {EXCHANGE} 3a2b 3i4h 2b3c 4g4f 7a6b 4h4g 7c7d 4g5f"
    ));
    let along = shogi_openings::openings_along(&crate::start_of(&game), game.moves());
    assert_eq!(along.len(), game.len() + 1);
    let mut names: Vec<_> = along
        .iter()
        .map(|found| found.map(|found| (found.ply, found.name.ja)))
        .collect();
    names.dedup();
    assert_eq!(
        names,
        [None, Some((9, "角換わり")), Some((19, "角換わり腰掛け銀"))]
    );
}
