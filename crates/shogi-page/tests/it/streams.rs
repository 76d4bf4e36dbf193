//! Searches of our engine: they deepen, stop, respect the game before, and choose moves.

use std::sync::Arc;

use page_messages::StopFlag;
use serde_json::{Value, json};
use shogi_core::Game;
use shogi_page::{BookAdvice, PageBooks};

use crate::{Asked, ask_of, depth, last, page};

#[test]
fn thinking_goes_on_until_it_is_stopped() {
    let asked = Asked::new(&page(), "think", json!({ "moves": ["7g7f"], "lines": 2 }));
    let first = asked.wait(|_| true);
    assert_eq!(
        (&first["side"], &first["final"]),
        (&json!("white"), &json!(false))
    );
    let early = asked.wait(|event| depth(event) >= 1);
    let deeper = asked.wait(|event| depth(event) > depth(&early) + 1);
    let lines = deeper["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["pv"][0], lines[0]["move"]);
    assert!(lines[0]["name"].as_str().unwrap().starts_with('△'));
    assert_eq!(
        lines[0]["pv"].as_array().unwrap().len(),
        lines[0]["names"].as_array().unwrap().len()
    );
    assert!(deeper["nodes"].as_str().unwrap().parse::<u64>().unwrap() > 0);
    let end = asked.stop();
    assert_eq!(end["final"], true);
    assert!(depth(&end) >= depth(&deeper));
}

#[test]
fn limits_end_a_search() {
    for limit in [
        json!({ "depth": 4 }),
        json!({ "nodes": 3_000 }),
        json!({ "nodes": "3000" }),
        json!({ "time_ms": 50 }),
    ] {
        let told = last("think", limit.clone());
        assert_eq!(told["final"], true, "{limit}");
        assert!(depth(&told) >= 1, "{limit}: {told}");
    }
}

#[test]
fn only_the_named_moves_are_searched() {
    let fields =
        json!({ "depth": 3, "lines": 5, "search_moves": ["9g9f", "1g1f"], "names": "none" });
    let told = last("think", fields);
    let lines = told["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 2);
    for line in lines {
        assert!(line["move"] == "9g9f" || line["move"] == "1g1f");
        assert_eq!((&line["name"], &line["names"]), (&Value::Null, &json!([])));
    }
}

#[test]
fn a_mated_side_has_no_lines() {
    let told = last(
        "think",
        json!({ "sfen": "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1" }),
    );
    assert_eq!((&told["lines"], &told["final"]), (&json!([]), &json!(true)));
}

#[test]
fn whoever_can_declare_gets_lines_all_the_same() {
    let entered = "LNSGKGSNL/1R5B1/PPPPPPPPP/9/9/9/9/9/4k4 b RB2P 1";
    let told = last("think", json!({ "sfen": entered, "depth": 2 }));
    assert!(depth(&told) >= 1, "{told}");
    let told = last("play", json!({ "sfen": entered, "depth": 2 }));
    assert_eq!(
        (&told["answer"], &told["move"]),
        (&json!("win"), &Value::Null)
    );
}

#[test]
fn repetition_is_known() {
    // Without the game before the kings would walk on.
    let sfen = "4k4/9/9/9/9/9/9/9/K8 b - 1";
    let moves = ["9i9h", "5a5b", "9h9i", "5b5a"].repeat(3);
    let before = &moves[..11];
    let ask = |sfen: &str, moves: &[&str]| {
        let fields = json!({ "sfen": sfen, "moves": moves, "depth": 4, "search_moves": ["5b5a"] });
        last("think", fields)["lines"][0]["end"].clone()
    };
    assert_eq!(ask(sfen, before), "repetition");
    assert_eq!(ask("9/4k4/9/9/9/9/9/9/K8 w - 12", &[]), Value::Null);
    let position = last("position", json!({ "sfen": sfen, "moves": moves }));
    assert_eq!(position["end"], "repetition");
}

#[test]
fn ends_of_lines_are_told() {
    let told = last(
        "think",
        json!({ "sfen": "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "depth": 3 }),
    );
    let line = &told["lines"][0];
    assert_eq!(
        (&line["score"], &line["end"]),
        (&json!({ "mate": 1 }), &json!("mate"))
    );
}

#[test]
fn moves_are_chosen() {
    let told = last(
        "play",
        json!({ "sfen": "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "depth": 3 }),
    );
    assert_eq!(
        (&told["answer"], &told["move"]),
        (&json!("move"), &json!("G*5b"))
    );
    assert_eq!(
        (&told["from"], &told["name"]),
        (&json!("search"), &json!("▲５二金"))
    );
    let clock = json!({ "black_ms": 0, "white_ms": 0, "byoyomi_ms": 100 });
    let told = last("play", json!({ "clock": clock, "skill_level": 3 }));
    assert_eq!(told["answer"], "move");
    // In check, with one way out.
    let only = "8k/9/9/9/9/9/9/4r4/4K2+r1 b - 1";
    let told = last("play", json!({ "sfen": only, "depth": 2 }));
    if told["from"] == "only" {
        assert_eq!(told["score"], Value::Null);
    }
}

#[test]
fn two_requests_change_no_options() {
    let page = page();
    let asked = Asked::new(&page, "think", json!({ "lines": 3 }));
    asked.wait(|event| depth(event) >= 1);
    // Options may be set while a search runs.
    ask_of(
        &page,
        "engine.set",
        json!({ "options": { "USI_Hash": "2" } }),
    )
    .unwrap();
    asked.stop();
    let told = ask_of(&page, "think", json!({ "depth": 2 }))
        .unwrap()
        .pop()
        .unwrap();
    assert_eq!(told["lines"].as_array().unwrap().len(), 1);
}

/// A book with two moves for every position where they are legal.
struct TwoMoves;

impl PageBooks for TwoMoves {
    fn moves(&self, game: &Game) -> Vec<BookAdvice> {
        let advice = |(usi, score): (&str, i32)| {
            Some(BookAdvice {
                mv: game.position().move_from_usi(usi).ok()?,
                score: Some(score),
                depth: Some(30),
                book: Some("b1".to_owned()),
            })
        };
        [("2g2f", 40), ("7g7f", 34)]
            .into_iter()
            .filter_map(advice)
            .collect()
    }

    fn choose(&self, game: &Game, random: u64) -> Option<BookAdvice> {
        let mut moves = self.moves(game);
        (!moves.is_empty()).then(|| moves.swap_remove(random as usize % moves.len()))
    }
}

#[test]
fn opened_books_are_shown_and_played() {
    let page = page().with_books(Arc::new(TwoMoves));
    let ask = |op, fields| ask_of(&page, op, fields).unwrap().pop().unwrap();
    let told = ask("think", json!({ "depth": 1 }));
    let expected = json!({ "move": "2g2f", "name": "▲２六歩", "score": { "cp": 40 }, "depth": 30, "book": "b1" });
    assert_eq!(told["book"][0], expected);
    assert_eq!(
        ask("think", json!({ "depth": 1, "book": false }))["book"],
        json!([])
    );
    let told = ask("play", json!({ "depth": 1 }));
    assert_eq!(
        (&told["from"], &told["depth"]),
        (&json!("book"), &json!(30))
    );
    let told = ask("play", json!({ "depth": 1, "book": false }));
    assert_eq!(told["from"], "search");
}

#[test]
fn a_request_that_is_stopped_at_once_ends() {
    let stop = StopFlag::default();
    stop.stop();
    let heard = crate::Heard::default();
    let request = page_messages::PageRequest::new(1, "think", json!({}));
    page_messages::PageService::answer(&page(), &request, &heard, &stop).unwrap();
}

/// A game in which black gives the bishop away.
fn bad_game() -> Value {
    let moves = ["7g7f", "3c3d", "8h3c+", "2b3c", "6i7h"];
    let mut nodes = vec![json!({ "parent": null, "move": null })];
    for (parent, mv) in moves.iter().enumerate() {
        nodes.push(json!({ "parent": parent, "move": mv }));
    }
    json!({ "info": { "black": "Ann" }, "nodes": nodes })
}

#[test]
fn each_move_of_a_game_is_judged() {
    let fields =
        json!({ "game": bad_game(), "nodes": 3000, "report": true, "lang": "en", "names": "ja" });
    let asked = Asked::new(&page(), "analyze", fields);
    let first = asked.wait(|event| event["ev"] == "analyzed");
    // From the end backwards.
    assert_eq!((&first["ply"], &first["node"]), (&json!(5), &json!(5)));
    let bad = asked.wait(|event| event["ev"] == "analyzed" && event["ply"] == 3);
    assert_eq!(
        (&bad["side"], &bad["name"]),
        (&json!("black"), &json!("▲３三角成"))
    );
    assert_eq!((&bad["judge"], &bad["key"]), (&json!("blunder"), &json!(2)));
    assert!(bad["loss_percent"].as_f64().unwrap() > 20.0, "{bad}");
    assert_eq!(
        bad["pv"].as_array().unwrap().len(),
        bad["names"].as_array().unwrap().len()
    );
    let summary = asked.wait(|event| event["ev"] == "summary");
    assert_eq!(
        (&summary["black"]["blunders"], &summary["white"]["moves"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(summary["worst"][0]["node"], 3);
    let nodes = summary["game"]["nodes"].as_array().unwrap();
    assert!(nodes.len() > 6, "a better line beside the bad move");
    assert!(nodes.iter().any(|node| node["score"].is_object()));
    let report = asked.wait(|event| event["ev"] == "report");
    assert!(report["html"].as_str().unwrap().contains("<html"));
    assert!(report["svg"].as_str().unwrap().starts_with("<svg"));
    asked.end().unwrap();
}

#[test]
fn an_analysis_can_be_stopped() {
    let asked = Asked::new(
        &page(),
        "analyze",
        json!({ "game": bad_game(), "nodes": 1_000_000_000 }),
    );
    asked.wait(|event| event["ev"] == "progress");
    asked.stop.stop();
    let events = asked.end().unwrap();
    assert!(events.iter().all(|event| event["ev"] != "summary"));
}
