//! What opened books say.

use othello_book::files::{BookInput, BookReadOptions, open_for_lookup};
use othello_book::ops::{Accuracies, TreeLimits, Umigame, UmigameRule, book_tree};
use othello_book::store::PositionLookup as _;
use othello_core::{Board, Position};
use serde_json::json;
use test_support::{fixture, fixture_bytes};
use yane_io::{Job, TempFolder};

use crate::support::{Server, board, folder, game};

const BOOKS: [&str; 6] = [
    "egaroucid/var_a.egbk3",
    "egaroucid/var_g.egbk3",
    "egaroucid/old.egbk",
    "egaroucid/old.egbk2",
    "dev_a.dat",
    "games_b.dat",
];

#[test]
fn books_say_what_the_library_knows() {
    for path in BOOKS {
        let name = path.rsplit('/').next().unwrap();
        let folder = folder(path, name);
        let server = Server::new(&folder);
        let book = server.open(name);
        let input = BookInput::open(&fixture(format!("othello/books/{path}"))).unwrap();
        let temp = TempFolder::from(&std::env::temp_dir());
        let job = Job::default();
        let lookup = open_for_lookup(&input, BookReadOptions::default(), temp, &job).unwrap();
        let mut grades = Accuracies::new(&lookup);
        let mut umigame = Umigame::new(&lookup, UmigameRule::default());
        let fields = json!({ "boards": [board("")], "accuracy": true, "umigame": 60 });
        let answer = server.ask("book.at", fields);
        let entry = &answer["positions"][0]["books"][0];
        let known = lookup.look_up(Board::START).unwrap();
        assert_eq!(entry["book"], book.as_str(), "{path}");
        assert_eq!(entry["value"], known.value, "{path}");
        assert_eq!(entry["level"], known.level, "{path}");
        assert_eq!(entry["lines"], known.lines, "{path}");
        assert_eq!(
            entry["accuracy"],
            grades.of(Board::START).unwrap().to_string()
        );
        let numbers = umigame.of(Position::START);
        assert_eq!(entry["umigame"]["black"], numbers.black.to_string());
        assert_eq!(entry["umigame"]["white"], numbers.white.to_string());
        let moves = entry["moves"].as_array().unwrap();
        assert!(!moves.is_empty() && moves[0]["loss"] == 0, "{path}");
        for mv in moves {
            let name = mv["move"].as_str().unwrap();
            let child = game(name).position().board();
            let value = lookup.value_of_move(child).map(i64::from);
            if mv["leaf"] == false {
                assert_eq!(mv["v"].as_i64(), value, "{path} {name}");
            }
            let loss = moves[0]["v"].as_i64().unwrap() - mv["v"].as_i64().unwrap();
            assert_eq!(mv["loss"], loss, "{path} {name}");
        }
    }
}

#[test]
fn books_stand_side_by_side_in_the_order_in_which_they_were_opened() {
    let folder = folder("egaroucid/var_a.egbk3", "a.egbk3");
    folder.write("b.dat", fixture_bytes("othello/books/dev_a.dat"));
    let server = Server::new(&folder);
    let (b, a) = (server.open("b.dat"), server.open("a.egbk3"));
    let list = server.ask("book.list", json!({}));
    assert_eq!(list["books"][0]["book"], b.as_str());
    assert_eq!(list["books"][0]["format"], "edax");
    assert_eq!(
        list["books"][1]["file"],
        json!({ "root": "r", "path": "a.egbk3" })
    );
    assert_eq!(list["books"][1]["can_edit"], true);
    let answer = server.ask("book.at", json!({ "boards": [board(""), board("f5")] }));
    let names = answer["positions"][0]["books"].as_array().unwrap();
    let names: Vec<_> = names.iter().map(|entry| entry["book"].clone()).collect();
    assert_eq!(names, [b.clone(), a.clone()]);
    // The one that was opened first is played from first.
    let value = |server: &Server| server.playing.lock().unwrap().as_ref()?.value(Board::START);
    let of = |book: &str| {
        server.at(book, "")["value"]
            .as_i64()
            .map(|value| value as i32)
    };
    assert_eq!(value(&server), of(&b));
    assert_eq!(server.open("b.dat"), b, "it is open already");
    let of_a = of(&a);
    server.ask("book.close", json!({ "book": b }));
    assert_eq!(value(&server), of_a);
    assert!(server.try_ask("book.close", json!({ "book": b })).is_err());
    server.ask("book.close", json!({ "book": a }));
    assert!(server.playing.lock().unwrap().is_none());
}

#[test]
fn the_tree_has_the_moves_of_the_book() {
    let folder = folder("egaroucid/var_a.egbk3", "a.egbk3");
    let server = Server::new(&folder);
    let book = server.open("a.egbk3");
    let ask = |depth: u32, most: usize| {
        let fields = json!({ "book": book, "moves": [], "depth": depth, "most": most, "error": 4 });
        server.ask("book.tree", fields)
    };
    let input = BookInput::open(&folder.path("a.egbk3")).unwrap();
    let temp = TempFolder::from(&std::env::temp_dir());
    let job = Job::default();
    let lookup = open_for_lookup(&input, BookReadOptions::default(), temp, &job).unwrap();
    let limits = TreeLimits {
        depth: 2,
        error: 4,
        leaves: true,
    };
    let rows = book_tree(&lookup, Position::START, limits);
    let answer = ask(2, 1_000);
    let nodes = answer["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), rows.len() + 1);
    assert_eq!(answer["more"], false);
    assert_eq!(
        (&nodes[0]["parent"], &nodes[0]["move"]),
        (&json!(null), &json!(null))
    );
    for (n, node) in nodes.iter().enumerate().skip(1) {
        assert_eq!(node["node"], n);
        assert!(node["parent"].as_u64().unwrap() < n as u64);
        assert!(node["again"].as_u64().is_none_or(|again| again < n as u64));
    }
    let cut = ask(6, 10);
    assert_eq!(cut["nodes"].as_array().unwrap().len(), 11);
    assert_eq!(cut["more"], true);
}

#[test]
fn what_is_no_book_or_no_board_is_refused() {
    let folder = folder("egaroucid/var_a.egbk3", "a.egbk3");
    folder.write("text.dat", "no book");
    let mut cut = fixture_bytes("othello/books/dev_a.dat");
    cut.truncate(cut.len() - 3);
    folder.write("cut.dat", cut);
    let server = Server::new(&folder);
    for path in ["text.dat", "cut.dat", "absent.dat", ""] {
        let fields = json!({ "root": "r", "path": path });
        let failure = server.try_ask("book.open", fields).unwrap_err();
        assert!(!failure.text.is_empty(), "{path}");
    }
    assert_eq!(server.ask("book.list", json!({}))["books"], json!([]));
    let book = server.open("a.egbk3");
    for fields in [
        json!({}),
        json!({ "boards": ["X"] }),
        json!({ "boards": 1 }),
        json!({ "boards": vec![board(""); 201] }),
    ] {
        assert!(
            server.try_ask("book.at", fields.clone()).is_err(),
            "{fields}"
        );
    }
    for fields in [
        json!({ "book": "b99" }),
        json!({ "book": book, "moves": ["a1"] }),
        json!({ "book": book, "board": "-" }),
    ] {
        assert!(
            server.try_ask("book.tree", fields.clone()).is_err(),
            "{fields}"
        );
    }
    // Nothing is left on the disk by opening.
    assert_eq!(folder.names(), ["a.egbk3", "cut.dat", "text.dat"]);
}
