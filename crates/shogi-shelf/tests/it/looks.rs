//! What books say of positions and lines.

use serde_json::{Value, json};
use test_support::TestFolder;

use crate::support::{AFTER_7G7F, FLIPPED_7G7F, START, Server, book, folder, small};

#[test]
fn an_entry_has_all_that_the_book_says() {
    let folder = small();
    let server = Server::new(&folder);
    let book = server.open("a.db");
    let entry = server.at(&book, START);
    assert_eq!(
        (
            &entry["matched"],
            &entry["entry"],
            &entry["ply"],
            &entry["comment"],
            &entry["error"]
        ),
        (
            &json!("exact"),
            &json!(START),
            &json!(1),
            &json!("start"),
            &Value::Null
        )
    );
    let moves = &entry["moves"];
    assert_eq!(
        moves[0],
        json!({ "move": "7g7f", "name": "▲７六歩", "reply": "3c3d", "reply_name": "△３四歩", "score": 30, "depth": 22,
                "count": "9", "share": 9.0 / 13.0, "comment": "", "loss": 69, "legal": true, "repetition": null,
                "child": "in", "edited": false })
    );
    // Columns that are missing.
    assert_eq!(
        (&moves[3]["move"], &moves[3]["score"], &moves[3]["count"]),
        (&json!("9g9f"), &Value::Null, &Value::Null)
    );
    assert_eq!(
        (&moves[3]["loss"], &moves[3]["share"], &moves[3]["child"]),
        (&Value::Null, &Value::Null, &json!("missing"))
    );
    // A move that is not legal.
    assert_eq!(
        (&moves[2]["legal"], &moves[2]["name"], &moves[2]["child"]),
        (&json!(false), &Value::Null, &json!("missing"))
    );
    assert_eq!(moves[1]["child"], "leaf");
    let entry = server.at(&book, AFTER_7G7F);
    assert_eq!(entry["moves"][1]["comment"], "居飛車\nlike this");
    let info = server.info(&book);
    let file = json!({ "root": "r", "path": "a.db" });
    let expected = json!({ "book": book, "name": "a.db", "file": file, "format": "db", "positions": "5", "rev": 1, "edits": 0, "redos": 0,
        "bytes": folder.read("a.db").len().to_string(), "can_edit": true, "note": null, "order": "sorted", "unsorted_line": null,
        "complete": true, "columns": ["reply", "score", "depth", "count", "comment"], "engine": true });
    assert_eq!(info, expected);
}

#[test]
fn positions_are_found_turned_and_at_other_plies() {
    let folder = small();
    let server = Server::new(&folder);
    server.open("a.db");
    let later = AFTER_7G7F.replace(" 2", " 8");
    let at = |sfen: &str, flipped: bool, ignore_ply: bool| {
        let fields = json!({ "positions": [sfen], "flipped": flipped, "ignore_ply": ignore_ply, "names": "en" });
        server.ask("book.at", fields)["positions"][0]["books"][0].clone()
    };
    for (sfen, flipped, ignore_ply, matched) in [
        (AFTER_7G7F, true, true, "exact"),
        (&later, true, true, "other_ply"),
        (FLIPPED_7G7F, true, true, "flipped_other_ply"),
        (&FLIPPED_7G7F.replace(" 1", " 2"), true, false, "flipped"),
    ] {
        let entry = at(sfen, flipped, ignore_ply);
        assert_eq!(
            (&entry["matched"], &entry["entry"]),
            (&json!(matched), &json!(AFTER_7G7F)),
            "{sfen}"
        );
        let turned = matched.starts_with("flipped");
        let expected = if turned {
            ("7g7f", "P-7f")
        } else {
            ("3c3d", "P-3d")
        };
        assert_eq!(
            (
                entry["moves"][0]["move"].as_str(),
                entry["moves"][0]["name"].as_str()
            ),
            (Some(expected.0), Some(expected.1))
        );
        assert_eq!(entry["moves"][0]["child"], "in");
    }
    for (sfen, flipped, ignore_ply) in [
        (later.as_str(), true, false),
        (FLIPPED_7G7F, false, true),
        (FLIPPED_7G7F, true, false),
    ] {
        assert!(at(sfen, flipped, ignore_ply).is_null(), "{sfen}");
    }
}

#[test]
fn all_formats_say_what_they_have() {
    for (fixture, name, columns, positions) in [
        (
            "ybb/acyclic_ps.ybb",
            "a.ybb",
            json!(["score", "depth"]),
            true,
        ),
        ("ybb/acyclic_nd.ybb", "b.ybb", json!(["score"]), true),
        ("apery/ap.bin", "book.bin", json!(["score", "count"]), true),
        (
            "peta_shock/acyclic_ps.db",
            "c.db",
            json!(["reply", "score", "depth", "count", "comment"]),
            true,
        ),
    ] {
        let folder = folder(fixture, name);
        let server = Server::new(&folder);
        let book = server.open(name);
        let info = server.info(&book);
        assert_eq!(
            (&info["columns"], info["positions"].is_string()),
            (&columns, positions),
            "{name}"
        );
        assert_eq!(
            (&info["can_edit"], &info["order"]),
            (&json!(true), &json!("sorted")),
            "{name}"
        );
        let entry = server.at(&book, START);
        let first = &entry["moves"][0];
        assert!(
            first["score"].is_number() && first["name"].is_string(),
            "{name}: {entry}"
        );
        let has = |column: &str| columns.as_array().unwrap().contains(&json!(column));
        assert_eq!(first["depth"].is_null(), !has("depth"), "{name}");
        assert!(first["count"].is_null() || has("count"), "{name}");
        assert_eq!(entry["ply"].is_null(), name == "book.bin", "{name}");
    }
}

#[test]
fn several_books_are_asked_side_by_side() {
    let folder = small();
    folder.write("b.db", book(&[(START, &["2g2f none 5 1 1"])]));
    folder.write("c.db", book(&[(AFTER_7G7F, &["3c3d"])]));
    let server = Server::new(&folder);
    let (a, b) = (server.open("a.db"), server.open("b.db"));
    server.open("c.db");
    assert_eq!(server.open("a.db"), a, "it is open already");
    let names = |answer: &Value| {
        let books = answer["positions"][0]["books"].as_array().unwrap().clone();
        books
            .iter()
            .map(|one| one["book"].clone())
            .collect::<Vec<_>>()
    };
    let all = server.ask("book.at", json!({ "positions": [START] }));
    assert_eq!(names(&all), [json!(a), json!(b)]);
    server.ask("book.move", json!({ "book": b, "to": 0 }));
    let all = server.ask("book.at", json!({ "positions": [START] }));
    assert_eq!(names(&all), [json!(b), json!(a)]);
    // The engine asks them in this order.
    let start = shogi_core::Position::startpos();
    let first = || {
        let books = server.playing.lock().unwrap().clone();
        let answer = books.find(&start).unwrap();
        (answer.book, answer.moves[0].mv.to_string())
    };
    assert_eq!(first(), (b.clone(), "2g2f".to_owned()));
    server.ask("book.engine", json!({ "book": b, "on": false }));
    assert_eq!(first(), (a, "7g7f".to_owned()));
    assert_eq!(server.info(&b)["engine"], false);
    let probed = server.playing.lock().unwrap().to_probe();
    assert_eq!(probed.find(&start).unwrap().len(), 4);
    let too_many = vec![START; 201];
    assert!(
        server
            .try_ask("book.at", json!({ "positions": too_many }))
            .is_err()
    );
    assert!(
        server
            .try_ask("book.at", json!({ "positions": ["?"] }))
            .is_err()
    );
}

#[test]
fn repetitions_are_told_along_a_line() {
    let folder = TestFolder::new();
    let sfen = "lnsgkgsnl/5r1b1/ppppppppp/9/9/9/PPPPPPPPP/1B3R3/LNSGKGSNL b - 3";
    let before = "lnsgkgsnl/5r1b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 4";
    folder.write("a.db", book(&[(before, &["4b8b"]), (sfen, &["4h2h"])]));
    let server = Server::new(&folder);
    server.open("a.db");
    let moves = ["2h4h", "8b4b", "4h2h"];
    let fields = json!({ "positions": [before, sfen], "line": { "moves": moves } });
    let answer = server.ask("book.at", fields);
    let repetition =
        |n: usize| answer["positions"][n]["books"][0]["moves"][0]["repetition"].clone();
    assert_eq!(repetition(0), json!({ "kind": "draw", "times": 2 }));
    assert_eq!(repetition(1), Value::Null);
    let wrong = json!({ "positions": [before], "line": { "moves": ["2h4h", "2h4h"] } });
    let failure = server.try_ask("book.at", wrong).unwrap_err();
    assert_eq!(failure.place.mv, Some(1));
}

#[test]
fn a_line_loses_what_its_moves_lose() {
    let folder = small();
    let server = Server::new(&folder);
    let book = server.open("a.db");
    let fields = json!({ "book": book, "moves": ["7g7f", "8c8d", "2g2f"] });
    let path = server.ask("book.path", fields);
    let plies = path["plies"].as_array().unwrap();
    let brief: Vec<_> = plies
        .iter()
        .map(|ply| {
            (
                ply["in_book"].as_bool().unwrap(),
                ply["loss"].as_i64(),
                ply["black_sum"].as_i64(),
                ply["white_sum"].as_i64(),
            )
        })
        .collect();
    assert_eq!(
        brief,
        [
            (true, Some(69), Some(69), Some(0)),
            (true, Some(15), Some(69), Some(15)),
            (false, None, Some(69), Some(15)),
        ]
    );
    assert_eq!(
        (
            &plies[1]["best"],
            &plies[1]["best_name"],
            &plies[1]["best_score"]
        ),
        (&json!("3c3d"), &json!("△３四歩"), &json!(-30))
    );
    assert_eq!(path["end"], "missing");
}

#[test]
fn a_tree_has_each_position_once() {
    let folder = small();
    let server = Server::new(&folder);
    let book = server.open("a.db");
    let tree = |mut fields: Value| {
        fields["book"] = json!(book);
        let answer = server.ask("book.tree", fields);
        let nodes = answer["nodes"].as_array().unwrap().clone();
        let brief: Vec<_> = nodes
            .iter()
            .map(|node| {
                (
                    node["parent"].as_u64(),
                    node["move"].as_str().unwrap_or("").to_owned(),
                    node["child"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        (brief, answer["more"].as_bool().unwrap())
    };
    let node =
        |parent: Option<u64>, mv: &str, child: &str| (parent, mv.to_owned(), child.to_owned());
    let (nodes, more) = tree(json!({ "depth": 2 }));
    assert!(!more);
    assert_eq!(
        nodes,
        [
            node(None, "", "in"),
            node(Some(0), "7g7f", "in"),
            node(Some(0), "2g2f", "leaf"),
            node(Some(0), "9g9f", "missing"),
            node(Some(1), "3c3d", "in"),
            node(Some(1), "8c8d", "missing"),
            node(Some(2), "8c8d", "missing"),
        ]
    );
    let (nodes, more) = tree(json!({ "depth": 9, "most": 2 }));
    assert_eq!((nodes.len(), more), (3, true));
    let (nodes, _) = tree(json!({ "depth": 1, "share": 0.5 }));
    assert_eq!(nodes.len(), 3, "one is too rare, and one has no count");
}
