//! `stats`, `head`, `sample`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::util::{Folder, json_lines};

#[test]
fn stats_count_what_is_there() {
    let folder = Folder::with(&["selfplay/normal_n2000_ply320.pack"]);
    let stats = folder
        .run("stats normal_n2000_ply320.pack --json")
        .silent()
        .json();
    let games = json_lines("selfplay/normal_n2000_ply320.jsonl");
    assert_eq!(stats["format"], "pack");
    assert_eq!(stats["files"][0]["games"], 61);
    assert_eq!(stats["positions"]["count"], 7164);
    for (name, result) in [("draw", 0), ("black", 1), ("white", 2)] {
        let plies: u64 = games
            .iter()
            .filter(|game| game["result"] == result)
            .map(|game| game["plies"].as_u64().unwrap())
            .sum();
        assert_eq!(stats["positions"]["results"][name], plies, "{name}");
    }
    let text = folder.run("stats normal_n2000_ply320.pack").silent();
    for words in ["61 games", "7,164 positions", "end reasons", "0 resign"] {
        assert!(text.text().contains(words), "{words}: {text:?}");
    }
}

#[test]
fn stats_of_several_files_and_pipes() {
    let folder = Folder::with(&[
        "selfplay/declaration_n50.psv",
        "selfplay/startpos_n500_ply200.psv",
        "selfplay/declaration_n50.pack",
    ]);
    let (first, second) = ("declaration_n50.psv", "startpos_n500_ply200.psv");
    let line = format!("stats --json {first} {second}");
    let stats = folder.run(&line).silent().json();
    assert_eq!(stats["positions"]["count"], 23 + 798);
    let bytes = folder.read(second);
    let line = format!("stats --json --from psv {first} -");
    let piped = folder.run_with_input(&line, bytes).silent().json();
    assert_eq!(piped["positions"], stats["positions"]);
    let line = format!("stats {first} declaration_n50.pack");
    folder
        .run(&line)
        .failed(2, &["one format, found psv and pack"]);
}

#[test]
fn stats_as_a_page() {
    let folder = Folder::with(&["selfplay/declaration_n50.pack"]);
    let run = folder.run("stats declaration_n50.pack --html page.html");
    assert!(run.silent().text().contains("40 games"));
    let page = String::from_utf8(folder.read("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"));
    let run = folder.run("stats declaration_n50.pack --html -").silent();
    assert_eq!(run.text(), page);
    folder
        .run("stats declaration_n50.pack --html ./declaration_n50.pack")
        .failed(1, &["declaration_n50.pack is an input"]);
    folder
        .run("stats declaration_n50.pack --html - --json")
        .failed(2, &["--json"]);
}

#[test]
fn stats_as_a_picture() {
    let folder = Folder::with(&["selfplay/declaration_n50.pack"]);
    let run = folder.run("stats declaration_n50.pack --svg plots.svg");
    assert!(run.silent().text().contains("40 games"));
    let picture = String::from_utf8(folder.read("plots.svg")).unwrap();
    assert!(picture.starts_with("<svg xmlns=") && picture.ends_with("</svg>\n"));
    let run = folder.run("stats declaration_n50.pack --svg -").silent();
    assert_eq!(run.text(), picture);
    folder
        .run("stats declaration_n50.pack --svg ./declaration_n50.pack")
        .failed(1, &["declaration_n50.pack"]);
    folder
        .run("stats declaration_n50.pack --svg x --html x")
        .failed(2, &["--html and --svg both want x"]);
}

#[test]
fn damage_stops_stats_or_is_counted() {
    let folder = Folder::with(&[
        "selfplay/declaration_n50.psv",
        "edge/bad/truncated_in_hcp.pack",
    ]);
    let mut psv = folder.read("declaration_n50.psv");
    psv[40 * 3 + 34] = 0xff;
    folder.write("x.psv", &psv);
    let place = "x.psv: byte 154: record 4";
    let run = folder
        .run("stats x.psv --html page.html")
        .failed(1, &[place]);
    assert!(run.out.is_empty() && !folder.path("page.html").exists());
    let stats = folder.run("stats x.psv --skip-bad --json").silent().json();
    assert_eq!(stats["positions"]["count"], 22);
    assert_eq!(stats["skipped"]["count"], 1);
    let line = "stats truncated_in_hcp.pack --skip-bad";
    folder.run(line).failed(2, &["repair"]);
}

/// The value of a line without what a list of records cannot know.
fn plain(mut value: Value) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.remove("bytes");
    }
    value
}

#[test]
fn the_first_games_are_those_of_the_file() {
    let folder = Folder::with(&["selfplay/startpos_n500_ply200.pack"]);
    let run = folder
        .run("head startpos_n500_ply200.pack -n 3 --json")
        .silent();
    let lines: Vec<Value> = run
        .text()
        .lines()
        .map(|line| plain(serde_json::from_str(line).unwrap()))
        .collect();
    let golden = json_lines("selfplay/startpos_n500_ply200.jsonl");
    let golden: Vec<_> = golden.into_iter().take(3).map(plain).collect();
    assert_eq!(json!(lines), json!(golden));
    // All of them when there are not that many.
    let run = folder.run("head startpos_n500_ply200.pack").silent();
    let games = run.text().lines().filter(|line| line.starts_with("game "));
    assert_eq!(games.count(), 6);
}

#[test]
fn positions_are_lines_with_boards_if_asked_for() {
    let folder = Folder::with(&["selfplay/startpos_n500_ply200.hcpe"]);
    let run = folder.run("head startpos_n500_ply200.hcpe -n 3").silent();
    let lines: Vec<_> = run.text().lines().collect();
    assert_eq!(lines.len(), 3, "{run:?}");
    assert!(lines[0].contains("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"));
    let run = folder
        .run("head startpos_n500_ply200.hcpe -n 1 --board")
        .silent();
    assert!(
        run.text().contains("| 香 桂 銀 金 玉 金 銀 桂 香|九"),
        "{run:?}"
    );
    let run = folder.run("head -n 1 startpos_n500_ply200.hcpe startpos_n500_ply200.hcpe");
    let names = run
        .text()
        .lines()
        .filter(|line| *line == "startpos_n500_ply200.hcpe:");
    assert_eq!(names.count(), 2, "{run:?}");
}

#[test]
fn samples_are_repeatable_and_different() {
    for file in [
        "selfplay/short_n100_ply80.psv",
        "selfplay/short_n100_ply80.pack",
    ] {
        let folder = Folder::with(&[file]);
        let (_, name) = file.split_once('/').unwrap();
        let sample = |seed: u64| {
            let line = format!("sample {name} -n 7 --seed {seed} --json");
            let run = folder.run(&line).silent();
            let lines: BTreeSet<_> = run.text().lines().map(str::to_owned).collect();
            assert_eq!(lines.len(), 7, "{run:?}");
            lines
        };
        assert_eq!(sample(1), sample(1));
        assert_ne!(sample(1), sample(2));
        let all = folder
            .run(&format!("head {name} -n 100000 --json"))
            .silent();
        let all: BTreeSet<_> = all.text().lines().map(str::to_owned).collect();
        assert!(sample(1).is_subset(&all));
    }
}

#[test]
fn damage_is_told_after_what_is_before() {
    let folder = Folder::with(&["edge/bad/illegal_move_in_middle_game.pack"]);
    let name = "illegal_move_in_middle_game.pack";
    let run = folder
        .run(&format!("head {name}"))
        .failed(1, &["byte 17: game 2"]);
    assert_eq!(
        run.text()
            .lines()
            .filter(|line| line.starts_with("game "))
            .count(),
        1
    );
    folder.run(&format!("head {name} -n 1")).silent();
}
