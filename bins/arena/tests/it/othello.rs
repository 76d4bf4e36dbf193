//! Matches of othello, with engines that speak GTP or NBoard, and openings.

use std::path::PathBuf;

use test_support::TestFolder;

use crate::engine::{arena, lines, program};

/// The shortest game: black takes all discs with the ninth move.
const GAME: &str = "f5 d6 c5 f4 e7 f6 g5 e6 e3";

/// The text of a file of a folder.
fn text(folder: &TestFolder, name: &str) -> String {
    String::from_utf8(folder.read(name)).expect("text")
}

/// A GTP engine that plays the moves of [`GAME`], or what `genmove` says instead.
fn gtp(folder: &TestFolder, name: &str, genmove: &str) -> PathBuf {
    let script = format!(
        r#"#!/bin/sh
plies=0
echo "something that is no reply"
while read -r command rest; do
  text=""
  case "$command" in
    name) text="{name}" ;;
    version) text="1" ;;
    clear_board) plies=0 ;;
    play) plies=$((plies + 1)) ;;
    level|time_settings|time_left) echo "$command $rest" >> {name}.log ;;
    genmove) set -- {GAME}; shift $plies; text="$1"; plies=$((plies + 1)); {genmove} ;;
    *) printf '? unknown command\n\n'; continue ;;
  esac
  printf '= %s\n\n' "$text"
done
"#
    );
    program(folder, name, &script)
}

/// An NBoard engine that plays the moves of [`GAME`].
fn nboard(folder: &TestFolder, name: &str) -> PathBuf {
    let script = format!(
        r#"#!/bin/sh
while read -r command rest; do
  case "$command $rest" in
    "set depth"*) echo "$rest" >> {name}.log; echo "set myname {name}" ;;
    "set game"*) plies=$(echo "$rest" | grep -o '[BW]\[[A-H][1-8]\]' | wc -l) ;;
    "ping "*) echo "pong $rest" ;;
    "go "*) set -- {GAME}; shift $plies; echo "nodestats 7 0.01"; echo "=== $1/1.50/0.01" ;;
  esac
done
"#
    );
    program(folder, name, &script)
}

#[test]
fn engines_of_both_protocols_play_each_other() {
    let folder = TestFolder::new();
    gtp(&folder, "a", "");
    nboard(&folder, "b");
    let args = [
        "match",
        "--game",
        "othello",
        "./a,level=5",
        "./b,protocol=nboard,depth=3",
        "--own-limits",
        "--random-plies",
        "0",
        "--games",
        "4",
        "--log",
        "match.jsonl",
        "--json",
    ];
    let json = arena(&folder, &args).succeeded().json();
    // Black wins each, by all discs.
    assert_eq!(
        (json["wins"].as_u64(), json["losses"].as_u64()),
        (Some(2), Some(2))
    );
    assert_eq!(json["endings"], serde_json::json!({"counted": 4}));
    assert_eq!(json["leads"]["games"], 4);
    assert_eq!(json["leads"]["mean"], 0.0);
    assert_eq!(json["engines"][1]["usage"]["nodes"], 7 * 2 * (4 + 5));
    assert_eq!(text(&folder, "a.log").trim(), "level 5\nlevel 5");
    let log = text(&folder, "match.jsonl");
    assert!(
        log.contains(r#""game":"othello""#) && log.contains(r#""lead":64"#),
        "{log}"
    );
    assert!(
        log.contains("startpos moves f5 d6 c5 f4 e7 f6 g5 e6 e3"),
        "{log}"
    );
    // Complete: nothing is played again.
    assert_eq!(arena(&folder, &args).succeeded().json(), json);
    assert_eq!(lines(&folder.path("match.jsonl")), 5);
}

#[test]
fn clocks_are_told_by_gtp() {
    let folder = TestFolder::new();
    gtp(&folder, "a", "");
    gtp(&folder, "b", "");
    folder.write("openings", "f5d6c5f4e7f6\n");
    let args = [
        "match",
        "--game",
        "othello",
        "./a",
        "./b",
        "--time",
        "20000",
        "--openings",
        "openings",
        "--games",
        "2",
    ];
    let run = arena(&folder, &args).succeeded();
    assert!(run.text().contains("A +0.00"), "{}", run.text());
    let told = text(&folder, "a.log");
    assert!(
        told.starts_with("time_settings 20 0 0\ntime_left black 20 0\ntime_left black "),
        "{told}"
    );
    assert!(told.contains("time_left white 20 0"), "{told}");
}

#[test]
fn misbehaviour_loses() {
    let folder = TestFolder::new();
    gtp(&folder, "good", "");
    for (genmove, kind) in [
        ("text=a1", "illegal_moves"),
        ("text=pass", "illegal_moves"),
        ("printf '? no\\n\\n'; continue", "illegal_moves"),
        ("exit 1", "crashes"),
    ] {
        gtp(&folder, "bad", genmove);
        let args = [
            "match",
            "--game",
            "othello",
            "./bad",
            "./good",
            "--own-limits",
            "--games",
            "2",
            "--random-plies",
            "0",
            "--json",
        ];
        let json = arena(&folder, &args).failed(1, &[]).json();
        assert_eq!(
            json["engines"][0]["violations"][kind], 2,
            "{genmove}: {json}"
        );
        assert_eq!(json["leads"], serde_json::Value::Null);
    }
}

#[test]
fn what_cannot_be_played_is_refused() {
    let folder = TestFolder::new();
    gtp(&folder, "a", "");
    nboard(&folder, "b");
    let othello = |arguments: &[&str], told: &str| {
        let all = [&["match", "--game", "othello"], arguments].concat();
        arena(&folder, &all).failed(1, &[told]);
    };
    othello(&["./a", "./a", "--nodes", "5"], "--own-limits");
    othello(&["./b,protocol=nboard", "./a", "--time", "5000"], "--depth");
    othello(&["./a,colour=5", "./a", "--own-limits"], "colour 5");
    othello(
        &["./a,protocol=usi", "./a", "--own-limits"],
        "gtp or nboard",
    );
    arena(
        &folder,
        &["match", "./a,protocol=gtp", "./a", "--nodes", "5"],
    )
    .failed(1, &["usi"]);
    let wrong = ["match", "--game", "go", "./a", "./a", "--own-limits"];
    arena(&folder, &wrong).failed(2, &["shogi or othello"]);
}

#[test]
fn openings_are_made_and_read() {
    let folder = TestFolder::new();
    let make = |more: &[&str]| {
        let all = [
            &[
                "othello-openings",
                "-o",
                "xot.txt",
                "--count",
                "5",
                "--depth",
                "4",
            ],
            more,
        ];
        arena(&folder, &all.concat())
    };
    make(&[]).succeeded();
    let first = text(&folder, "xot.txt");
    assert_eq!(first.lines().count(), 5);
    assert!(
        first
            .lines()
            .all(|line| line.len() == 16 && line.starts_with("f5")),
        "{first}"
    );
    make(&[]).failed(1, &["--force"]);
    make(&["--force"]).succeeded();
    assert_eq!(text(&folder, "xot.txt"), first);
    make(&["--force", "--seed", "2"]).succeeded();
    assert_ne!(text(&folder, "xot.txt"), first);
}
