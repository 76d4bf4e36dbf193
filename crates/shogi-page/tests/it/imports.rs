//! What people paste, and what is recognised.

use serde_json::{Value, json};
use test_support::{fixture_bytes, fixture_text};

use crate::{ask, last};

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
const PROBLEM: &str = "4k4/9/4P4/9/9/9/9/9/9 b G 1";

/// The bytes of a text in base64.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for piece in bytes.chunks(3) {
        let mut bits = 0_u32;
        for at in 0..3 {
            bits = bits << 8 | u32::from(piece.get(at).copied().unwrap_or(0));
        }
        for at in 0..=piece.len() {
            text.push(LETTERS[(bits >> (18 - 6 * at)) as usize & 63] as char);
        }
    }
    text
}

/// The text, the kind that is named, and the number of moves.
#[test]
fn thirty_texts_are_recognised() {
    let file = |name: &str| fixture_text(format!("kifu/{name}"));
    let moves_of = |name: &str| {
        let told = last("import", json!({ "text": file(name) }));
        told["items"][0]["moves"].as_array().unwrap().len()
    };
    let game = moves_of("game.kif");
    assert!(game >= 3, "{game}");
    let board = last("export", json!({ "format": "bod", "sfen": PROBLEM }));
    let board = board["text"].as_str().unwrap();
    let table: [(&str, &str, usize); 30] = [
        (&file("game.kif"), "kif", game),
        (&file("game.ki2"), "ki2", game),
        (&file("game.csa"), "csa", game),
        (&file("game.jkf"), "jkf", game),
        ("手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n", "kif", 2),
        ("1 ７六歩(77)\n2 ３四歩(33)\n3 投了\n", "kif", 2),
        ("手合割：二枚落ち\n1 ６二銀(71)\n", "kif", 1),
        ("手合割：平手\n▲７六歩 △３四歩\n", "ki2", 2),
        ("▲７六歩△３四歩▲２二角成△同銀", "ki2", 4),
        ("☗7六歩 ☖3四歩", "ki2", 2),
        ("V2.2\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n", "csa", 2),
        ("PI\n+\n+7776FU,T3\n", "csa", 1),
        (
            r#"{"header":{},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"color":0,"piece":"FU"}}]}"#,
            "jkf",
            1,
        ),
        ("position startpos moves 7g7f 3c3d", "usi", 2),
        ("startpos moves 7g7f 3c3d resign", "usi", 2),
        ("startpos moves 7g7f", "usi", 1),
        ("STARTPOS 7g7f 3c3d", "usi", 2),
        ("7g7f 3c3d 8h2b+", "usi", 3),
        (&format!("sfen {START} b - 1 moves 2g2f"), "usi", 1),
        (&format!("position sfen {START} b - 1"), "sfen", 0),
        (&format!("sfen {PROBLEM}"), "sfen", 0),
        (PROBLEM, "sfen", 0),
        (START, "sfen", 0),
        (&format!("{START}_b_-_1"), "sfen", 0),
        (board, "bod", 0),
        ("76歩34歩", "moves", 2),
        ("76歩 34歩 22角成", "moves", 3),
        ("７六歩、３四歩", "moves", 2),
        ("1. 76歩 2. 34歩", "moves", 2),
        ("76歩\n34歩\n同角成", "moves", 0),
    ];
    for (text, kind, moves) in table {
        let told = last("import", json!({ "text": text }));
        if kind == "moves" && moves == 0 {
            assert_eq!(told["items"], json!([]), "{text}");
            continue;
        }
        let item = &told["items"][0];
        assert!(item.is_object(), "{text}: {told}");
        let found = item["moves"].as_array().unwrap().len();
        assert_eq!((&item["kind"], found), (&json!(kind), moves), "{text}");
        assert!(item["kind_text"].is_string() && told["total"] == 1);
        assert_eq!(item["game"]["nodes"][0]["parent"], Value::Null);
    }
}

#[test]
fn bytes_of_files_are_decoded() {
    let bytes = fixture_bytes("kifu/game-sjis.kif");
    let told = last("import", json!({ "bytes": base64(&bytes) }));
    let text = last("import", json!({ "text": fixture_text("kifu/game.kif") }));
    assert_eq!(told["items"][0]["moves"], text["items"][0]["moves"]);
    assert_eq!(told["items"][0]["kind"], "kif");
}

#[test]
fn what_is_nothing_says_why() {
    for (text, told) in [
        ("", "there is no game record"),
        ("hello world", "there is no game record"),
        ("手合割：平手\n1 ７六歩(77)\n2 ５五玉(59)\n", ""),
        ("手合割：平手\n▲５五玉\n", "cannot be played"),
        ("{\"moves\":", ""),
        ("V2.2\nPI\n+\n+7775XX\n", "expected"),
        ("sfen 9/9 b - 1", ""),
    ] {
        let answer = last("import", json!({ "text": text }));
        let failures = answer["failures"].as_array().unwrap();
        let items = answer["items"].as_array().unwrap();
        if items.is_empty() {
            let error = failures[0]["error"].as_str().unwrap();
            assert!(error.contains(told) && !error.is_empty(), "{text}: {error}");
        } else {
            // A move against the rules is told beside the game.
            assert!(items[0]["note"].is_string(), "{text}: {answer}");
        }
    }
}

#[test]
fn moves_go_on_from_the_line() {
    let ask = |text: &str, moves: &[&str]| {
        last(
            "import",
            json!({ "text": text, "line": { "moves": moves } }),
        )
    };
    let told = ask("22角成 同銀", &["7g7f", "3c3d"]);
    let item = &told["items"][0];
    assert_eq!(
        (&item["kind"], &item["moves"]),
        (&json!("moves"), &json!(["8h2b+", "3a2b"]))
    );
    assert!(item["sfen"].as_str().unwrap().ends_with(" b - 3"));
    assert!(item["note"].is_string());
    assert_eq!(
        ask("8h2b+ 3a2b", &["7g7f", "3c3d"])["items"][0]["moves"][0],
        "8h2b+"
    );
    assert_eq!(
        ask("▲２二角成", &["7g7f", "3c3d"])["items"][0]["kind"],
        "moves"
    );
    assert_eq!(ask("22角成", &[])["items"], json!([]));
    // What fits the start is from there.
    assert!(ask("76歩", &["7g7f"])["items"][0]["note"].is_null());
}

#[test]
fn several_games_are_several_items() {
    let text = "startpos moves 7g7f\nstartpos moves 2g2f 8c8d\n";
    let told = last("import", json!({ "text": text }));
    assert_eq!(
        (&told["total"], &told["items"][1]["line"]),
        (&json!(2), &json!(2))
    );
    let csa = "PI\n+\n+7776FU\n/\nPI\n+\n+2726FU\n";
    assert_eq!(last("import", json!({ "text": csa }))["total"], 2);
    // What does not fit into a message is counted.
    let many = "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e\n".repeat(3_000);
    let told = last("import", json!({ "text": many }));
    assert_eq!(told["total"], 3_000);
    assert!(told.to_string().len() < 1 << 20);
    assert!(told["items"].as_array().unwrap().len() > 100);
}

#[test]
fn all_formats_go_there_and_back() {
    let told = last("import", json!({ "text": fixture_text("kifu/game.kif") }));
    let game = &told["items"][0]["game"];
    for format in ["kif", "ki2", "csa", "jkf", "usi"] {
        let text = last("export", json!({ "format": format, "game": game }));
        let again = ask("import", json!({ "text": text["text"] }))
            .pop()
            .unwrap();
        assert_eq!(again["items"][0]["kind"], format);
        assert_eq!(
            again["items"][0]["moves"], told["items"][0]["moves"],
            "{format}"
        );
    }
    let kif = last("export", json!({ "format": "kif", "game": game }));
    let again = last("import", json!({ "text": kif["text"] }));
    assert_eq!(&again["items"][0]["game"], game);
}
