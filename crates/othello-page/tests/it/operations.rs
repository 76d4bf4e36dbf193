//! Each operation, and what it refuses.

use othello_core::Game;
use page_messages::StopFlag;
use serde_json::{Value, json};

use crate::{LATE, ask, ask_of, failure, page};

fn names(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .filter_map(|event| event["ev"].as_str())
        .collect()
}

#[test]
fn hints_have_all_moves_best_first() {
    let events = ask("hint", json!({ "moves": ["f5"], "level": 4 }));
    assert_eq!(names(&events), ["hint"]);
    let hint = &events[0];
    assert_eq!(
        (&hint["side"], &hint["final"]),
        (&json!("white"), &json!(true))
    );
    let moves = hint["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 3);
    assert!(moves.is_sorted_by_key(|mv| -mv["v"].as_i64().unwrap()));
    for mv in moves {
        assert_eq!((&mv["depth"], &mv["book"]), (&json!(4), &Value::Null));
        assert_eq!(mv["pv"][0], mv["move"]);
    }
    let one = ask(
        "hint",
        json!({ "moves": ["f5"], "depth": 2, "prob": 73, "lines": 1 }),
    );
    assert_eq!(one[0]["moves"].as_array().unwrap().len(), 1);
    let exact = ask("hint", json!({ "board": LATE, "level": 10 }));
    assert_eq!(exact[0]["moves"][0]["exact"], true);
    let timed = ask("hint", json!({ "time_ms": 20 }));
    assert_eq!(timed[0]["moves"].as_array().unwrap().len(), 4);
}

#[test]
fn a_disc_is_the_advantage_of_who_would_lose_by_its_flip() {
    let start = Game::default().start().to_string();
    let corner = format!("X{}", &start[1..]);
    let events = ask("focus", json!({ "board": corner }));
    let black = events[0]["black"].as_array().unwrap();
    let number = |square: usize| black[square].as_i64().unwrap();
    assert_eq!(black.len(), 64);
    assert!(number(0) > 0, "black's corner: {black:?}");
    assert_eq!(number(63), 0, "no disc");
    // The same for white, and from the other side's view.
    let other = corner.replace('X', "x").replace('O', "X").replace('x', "O");
    let events = ask("focus", json!({ "board": other }));
    let white = events[0]["black"].as_array().unwrap();
    let turned = black.iter().map(|number| -number.as_i64().unwrap());
    assert!(
        white
            .iter()
            .map(|number| number.as_i64().unwrap())
            .eq(turned)
    );
}

#[test]
fn a_stopped_search_says_what_it_knows() {
    let stop = StopFlag::default();
    stop.stop();
    for op in ["hint", "focus", "play", "analyze", "random"] {
        let fields = json!({ "moves": ["f5", "d6"], "level": 40, "plies": 8 });
        let events = ask_of(&page(), op, fields, &stop).unwrap();
        let expected: &[&str] = match op {
            "hint" => &["hint"],
            "play" => &["play"],
            "analyze" => &["progress", "summary"],
            _ => &[],
        };
        assert_eq!(names(&events), expected, "{op}");
    }
}

#[test]
fn the_engine_plays_of_openings_or_by_search() {
    let play = |fields| ask("play", fields).pop().unwrap();
    let searched = play(json!({ "moves": ["f5"], "level": 2, "seed": "18446744073709551615" }));
    assert_eq!(
        (&searched["from"], &searched["ev"]),
        (&json!("search"), &json!("play"))
    );
    assert!(searched["v"].is_i64() && searched["depth"] == 2);
    let forced = json!([{ "moves": ["c4", "e3"], "weight": 3 }]);
    let opening = play(json!({ "moves": ["f5"], "forced": forced }));
    assert_eq!(
        (&opening["from"], &opening["move"]),
        (&json!("forced"), &json!("d6"))
    );
    assert_eq!(opening["v"], Value::Null);
    let board = "-OX------------------------XX------XX-------------------XO------ X";
    let pass = play(json!({ "board": board, "moves": ["a1"] }));
    assert_eq!(
        (&pass["from"], &pass["move"]),
        (&json!("pass"), &json!("pass"))
    );
    // Always a worse move, where there is one.
    let losses = json!([{ "most": 64, "percent": 100 }]);
    let drawn: std::collections::BTreeSet<_> = (0..20)
        .map(|seed: u32| {
            let fields =
                json!({ "moves": ["f5"], "level": 2, "losses": losses, "seed": seed.to_string() });
            play(fields)["move"].to_string()
        })
        .collect();
    assert_eq!(drawn.len(), 3);
    assert!(
        failure(
            "play",
            json!({ "losses": [{ "most": 1, "percent": 1 }, { "most": 1, "percent": 1 }] })
        )
        .contains("15")
    );
    assert!(failure("play", json!({ "seed": "x" })).contains("seed"));
    let over = ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"];
    assert_eq!(
        failure("play", json!({ "moves": over })),
        "the game is over"
    );
}

#[test]
fn an_analysis_has_every_move_and_its_sums() {
    let moves = ["f5", "d6", "c3", "d3", "c4", "f4"];
    let events = ask("analyze", json!({ "moves": moves, "level": 2 }));
    let analyzed: Vec<_> = events
        .iter()
        .filter(|event| event["ev"] == "analyzed")
        .collect();
    assert_eq!(analyzed.len(), 6);
    for event in &analyzed {
        let index = event["index"].as_u64().unwrap() as usize;
        assert_eq!(event["move"], moves[index]);
        assert_eq!(event["ply"], index + 1);
        let gain = event["alternative"]["v"]
            .as_i64()
            .map_or(0, |other| other - event["v"].as_i64().unwrap());
        assert_eq!(event["loss"], gain.max(0));
    }
    let progress = events
        .iter()
        .find(|event| event["ev"] == "progress")
        .unwrap();
    assert_eq!(
        (&progress["done"], &progress["total"]),
        (&json!(6), &json!(6))
    );
    let summary = events.last().unwrap();
    assert_eq!(summary["ev"], "summary");
    for side in ["black", "white"] {
        let own = analyzed.iter().filter(|event| event["side"] == side);
        let loss: u64 = own.map(|event| event["loss"].as_u64().unwrap()).sum();
        assert_eq!(
            (&summary[side]["moves"], &summary[side]["loss"]),
            (&json!(3), &json!(loss))
        );
        assert_eq!(summary[side]["phases"][0]["loss"], loss);
    }
    let last = ask("analyze", json!({ "moves": moves, "level": 1, "last": 2 }));
    assert_eq!(
        names(&last),
        ["analyzed", "analyzed", "progress", "summary"]
    );
}

#[test]
fn random_positions_have_so_many_moves() {
    let random = |fields| ask("random", fields).pop().unwrap();
    let once = random(json!({ "plies": 10, "seed": "7" }));
    let moves: Vec<String> = serde_json::from_value(once["moves"].clone()).unwrap();
    let squares = moves.iter().filter(|mv| *mv != "pass");
    let game: Game = squares.cloned().collect::<String>().parse().unwrap();
    assert_eq!(game.position().to_string(), once["board"]);
    assert_eq!(game.position().board().discs(), 14);
    assert_eq!(random(json!({ "plies": 10, "seed": "7" })), once);
    assert_ne!(random(json!({ "plies": 10, "seed": "8" })), once);
    assert!(failure("random", json!({ "plies": 0 })).contains("plies 0"));
}

#[test]
fn what_cannot_be_searched_says_why() {
    for (fields, told) in [
        (json!({ "level": 61 }), "level 61"),
        (json!({ "depth": 0 }), "depth 0"),
        (json!({ "depth": 5, "prob": 101 }), "prob 101"),
        (json!({ "moves": ["a1"] }), "move 1: 'a1' is not legal"),
        (json!({ "moves": 3 }), "hint: "),
        (json!({ "board": "X" }), "board: "),
    ] {
        let text = failure("hint", fields);
        assert!(text.contains(told), "{text}");
    }
}

#[test]
fn the_engine_has_settings() {
    let page = page();
    let ask = |op, fields| ask_of(&page, op, fields, &StopFlag::default());
    let told = ask("engine.set", json!({ "threads": 2, "hash_mib": 3 })).unwrap();
    assert_eq!(names(&told), ["engine"]);
    let engines = ask("engines", json!({})).unwrap();
    let own = &engines[0]["engines"][0];
    assert_eq!(
        (&own["threads"], &own["engine"]),
        (&json!(2), &json!("own"))
    );
    assert!(ask("engine.clear", json!({})).unwrap().is_empty());
    for wrong in [json!({ "threads": 0 }), json!({ "hash_mib": 1_000_000 })] {
        assert!(ask("engine.set", wrong).is_err());
    }
}
