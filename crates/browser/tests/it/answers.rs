//! What the services answer without files, sockets and threads.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use test_support::ServerNeed;

use crate::{ask, ends};

fn events<'a>(said: &'a [Value], name: &str) -> Vec<&'a Value> {
    said.iter().filter(|event| event["ev"] == name).collect()
}

/// The indices of the moves that were analysed.
fn analysed(said: &[Value]) -> BTreeSet<u64> {
    let moves = events(said, "analyzed").into_iter();
    moves.filter_map(|event| event["index"].as_u64()).collect()
}

#[test]
fn a_tab_says_what_it_can_do() {
    for (game, caps) in [
        (
            "shogi",
            ["shogi", "search", "networks", "books", "tab_files"],
        ),
        (
            "othello",
            ["othello", "search", "networks", "books", "tab_files"],
        ),
    ] {
        let said = ask(game, &[]);
        assert_eq!(said[0]["ev"], "hello");
        assert_eq!(said[0]["caps"], json!(caps));
        // Stories at the pages that say that they need a server do.
        for need in ServerNeed::ALL {
            let needed = need.capability();
            assert!(!caps.iter().any(|&cap| Some(cap) == needed), "{need:?}");
        }
    }
}

#[test]
fn the_shogi_engine_thinks_plays_and_mates() {
    let mate = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
    let said = ask(
        "shogi",
        &[
            json!({ "id": 1, "op": "think", "moves": ["7g7f"], "lines": 2, "nodes": 3000 }),
            json!({ "id": 2, "op": "play", "moves": ["7g7f"], "nodes": 2000, "names": "ja" }),
            json!({ "id": 3, "op": "mate", "sfen": mate }),
            json!({ "id": 4, "op": "engines" }),
            json!({ "id": 5, "op": "engine.set", "options": { "USI_Hash": "4" } }),
            json!({ "id": 6, "op": "think", "nodes": 500 }),
            json!({ "id": 7, "op": "jobs" }),
        ],
    );
    let thought = events(&said, "thought");
    let last = thought.iter().rfind(|event| event["id"] == 1).unwrap();
    assert_eq!(last["lines"].as_array().unwrap().len(), 2);
    assert_eq!(events(&said, "play")[0]["answer"], "move");
    let mate = events(&said, "mate");
    assert_eq!(mate.last().unwrap()["pv"], json!(["G*5b"]));
    let engine = &events(&said, "engines")[0]["engines"][0];
    assert_eq!(engine["engine"], "own");
    let expected = [
        (1, "finished"),
        (2, "finished"),
        (3, "finished"),
        (4, "finished"),
        (5, "finished"),
        (6, "finished"),
        (7, "error"),
    ];
    assert_eq!(ends(&said), expected.map(|(id, why)| (id, why.to_owned())));
}

#[test]
fn a_shogi_game_is_analysed() {
    let record = "position startpos moves 7g7f 3c3d 2g2f 8c8d";
    let said = ask(
        "shogi",
        &[json!({ "id": 1, "op": "import", "text": record })],
    );
    let game = events(&said, "import")[0]["items"][0]["game"].clone();
    let said = ask(
        "shogi",
        &[json!({ "id": 2, "op": "analyze", "game": game, "nodes": 300 })],
    );
    assert_eq!(analysed(&said).len(), 4);
    assert_eq!(events(&said, "summary")[0]["black"]["moves"], 2);
}

#[test]
fn the_othello_engine_hints_plays_and_analyses() {
    let moves = ["f5", "d6", "c3", "d3"];
    let said = ask(
        "othello",
        &[
            json!({ "id": 1, "op": "hint", "moves": moves, "depth": 6 }),
            json!({ "id": 2, "op": "play", "moves": moves, "level": 3 }),
            json!({ "id": 3, "op": "analyze", "moves": moves, "level": 1 }),
            json!({ "id": 4, "op": "export", "format": "ggf", "game": {
                "nodes": [{ "parent": null, "move": null }, { "parent": 0, "move": "f5" }] } }),
        ],
    );
    let hints = events(&said, "hint");
    let last = hints.iter().rfind(|event| event["id"] == 1).unwrap();
    assert_eq!(
        (&last["final"], &last["moves"][0]["depth"]),
        (&json!(true), &json!(6))
    );
    assert_eq!(events(&said, "play")[0]["from"], "search");
    assert_eq!(analysed(&said).len(), 4);
    let text = events(&said, "export")[0]["text"].as_str().unwrap();
    assert!(text.to_lowercase().contains("b[f5"), "{text}");
    assert!(ends(&said).iter().all(|(_, why)| why == "finished"));
}

#[test]
fn the_levels_of_othello_are_our_own() {
    let said = ask("othello", &[json!({ "id": 1, "op": "levels" })]);
    assert_eq!(events(&said, "levels")[0]["program"], "own");
}

#[test]
fn a_wrong_board_is_an_answer() {
    let said = ask(
        "othello",
        &[json!({ "id": 1, "op": "othello.bench", "boards": ["x"] })],
    );
    assert_eq!(ends(&said), [(1, "error".to_owned())]);
    let said = ask("shogi", &[json!({ "id": 1, "op": "think", "sfen": "x" })]);
    assert_eq!(ends(&said), [(1, "error".to_owned())]);
}
