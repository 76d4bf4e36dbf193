//! The engine as people and windows use it: console, hints, analysis, games.

use std::path::Path;
use std::time::Duration;

use othello_core::Game;
use serde_json::Value;
use test_support::{TestFolder, run_program};

use crate::program::{fixture, json, run, text};

const FAST: [&str; 4] = ["--threads", "1", "--hash", "4M"];

/// Runs a command with lines of input; returns exit code, standard output and standard error.
fn typed(args: &[&str], lines: &str) -> (i32, String, String) {
    let program = env!("CARGO_BIN_EXE_othello");
    let args = [args, &FAST].concat();
    let limit = Duration::from_secs(120);
    let run = run_program(
        program,
        Path::new("."),
        args,
        lines.as_bytes().to_vec(),
        limit,
    );
    (run.code.unwrap(), run.text().to_owned(), run.err)
}

fn list<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap()
}

#[test]
fn consoles_of_both_programs() {
    let lines = "play f5d6c3d3c4\nhint 2\nfoo\nlevel 61\nplay z9\nsetboard abc\nquit\nhelp\n";
    let (code, out, error) = typed(&["console", "--level", "7"], lines);
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(
        out.starts_with("  a b c d e f g h \n1 . ") && out.ends_with("> "),
        "{out}"
    );
    assert_eq!(out.matches("|         3@100%|").count(), 2, "{out}");
    for error in [
        "[ERROR] command `foo` not found",
        "[ERROR] level out of range",
        "[ERROR] invalid coordinate z9",
        "[ERROR] invalid argument got length 3 expected 65",
    ] {
        assert!(out.contains(error), "{out}");
    }
    let edax = [
        "console", "--like", "edax", "--levels", "edax", "--level", "3",
    ];
    let (code, out, _) = typed(&edax, "f5\nd6\nhint 1\ngo\nanalyze\nq\n");
    assert!(code == 0 && out.contains("yaneura plays "), "{out}");
    assert!(
        out.contains(" depth|score|") && out.contains("error rate"),
        "{out}"
    );
    // The engine plays both sides to the end.
    let (_, out, _) = typed(
        &["console", "-l", "1", "-m", "2", "-noboard"],
        "transcript\n",
    );
    let moves = out
        .lines()
        .find(|line| line.len() > 100 && !line.contains('|'));
    assert!(moves.is_some(), "{out}");
}

#[test]
fn options_of_egaroucids_console() {
    let (code, out, _) = typed(&["console", "-linfo"], "");
    assert!(
        code == 0 && out.contains("  |   21|19 moves@74.000000%|"),
        "{out}"
    );
    assert!(out.contains("  |    2|1-2 moves@100.000000%|"), "{out}");
    // Options that do something and leave.
    let done = |words: &[&str]| {
        let (code, out, error) = typed(&[&["console"], words].concat(), "");
        assert_eq!(code, 0, "{words:?}: {error}");
        out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let is_game = |line: &str| {
        line.parse::<Game>()
            .is_ok_and(|game| game.position().board().is_over())
    };
    let games = done(&["-l", "1", "-sf", "2", "10"]);
    assert!(
        games.len() == 2 && games.iter().all(|line| is_game(line)),
        "{games:?}"
    );
    let games = done(&["-l", "1", "-sfr", "1", "-8", "8", "6"]);
    assert!(games.len() == 1 && is_game(&games[0]), "{games:?}");
    let boards = done(&["-l", "1", "-grb", "2", "-8", "8", "6"]);
    assert!(boards.iter().all(|line| line.len() == 12), "{boards:?}");
    let values = done(&["-l", "1", "-sr", "2", "12"]);
    assert!(
        values.iter().all(|line| line[65..].parse::<i32>().is_ok()),
        "{values:?}"
    );
    assert_eq!(
        done(&["-perft", "7", "1"])[0].split(" in ").next(),
        Some("perft mode 1 depth 7 55092 leaves found")
    );
    assert!(done(&["-minimax", "4"])[0].starts_with("minimax depth 4 value "));
    let folder = TestFolder::new();
    folder.write("two.txt", "f5d6c3\nf5\n");
    let file = folder.path("two.txt");
    let (code, out, _) = typed(&["console", "-l", "2", "-solve", text(&file)], "");
    assert_eq!((code, out.lines().count()), (0, 4), "{out}");
    let (_, value) = json(&[&["hint", "f5d6c3", "--level", "1"], &FAST[..]].concat());
    let after = value["board"].as_str().unwrap();
    folder.write("boards.txt", format!("{after}\n"));
    let boards = folder.path("boards.txt");
    let values = done(&["-l", "2", "-spt", text(&file)]);
    assert!(
        values.len() == 2 && values[0].starts_with("--") && values[0].contains(" X "),
        "{values:?}"
    );
    let games = done(&["-l", "1", "-sfl", text(&file)]);
    assert!(
        games.len() == 2 && games[0].starts_with("f5d6c3") && is_game(&games[0]),
        "{games:?}"
    );
    let games = done(&["-l", "1", "-sfb", text(&boards)]);
    assert!(
        games.len() == 1 && games[0].starts_with(after) && games[0].len() > 150,
        "{games:?}"
    );
    let lines = done(&["-l", "1", "-lllb", text(&boards), "8"]);
    assert!(
        !lines.is_empty() && lines.iter().all(|line| line.len() == 66 + 3),
        "{lines:?}"
    );
}

#[test]
fn settings_of_egaroucids_console() {
    let folder = TestFolder::new();
    // A depth for the first move, moves alone with their values, and a log.
    let log = folder.path("search.log");
    let words = [
        "console",
        "-q",
        "-showval",
        "-dpr",
        "1",
        "1",
        "3",
        "100",
        "-logfile",
        text(&log),
        "-noautocacheclear",
    ];
    let (code, out, error) = typed(&words, "go\nquit\n");
    let told: Vec<&str> = out.trim_start_matches("> ").split_whitespace().collect();
    assert!(
        code == 0 && told.len() == 3 && told[1].parse::<i32>().is_ok(),
        "{out} {error}"
    );
    let logged = std::fs::read_to_string(&log).unwrap();
    assert!(
        logged
            .lines()
            .last()
            .unwrap()
            .starts_with("depth 3@100% line 1 value "),
        "{logged}"
    );
    for (words, text) in [
        (&["-ggs", "me", "secret"][..], "-ggs"),
        (&["-playloss", "20", "4"], "0.0 to 1.0"),
        (&["-perft", "3", "3"], "1 or 2"),
        (&["-grb", "1", "9", "-9", "5"], "the least one first"),
        (&["-dpr", "5", "1", "3", "100"], "1,20,14,74"),
        (&["-sf", "1"], "-sf: 2 values"),
    ] {
        let (code, _, error) = typed(&[&["console"], words].concat(), "");
        assert!(code == 2 && error.contains(text), "{words:?}: {error}");
    }
    let (code, out, _) = typed(&["console", "-gtp"], "1 name\n");
    assert_eq!((code, out.as_str()), (0, "=1 yaneura othello\n\n"));
}

#[test]
fn hints_are_tables_and_json() {
    let args = [
        &["hint", "f5d6c3", "--level", "9", "--moves", "2"],
        &FAST[..],
    ]
    .concat();
    let (code, value) = json(&args);
    assert_eq!((code, list(&value, "moves").len()), (0, 2));
    let first = &list(&value, "moves")[0];
    assert_eq!(
        (&first["move"], &first["score"]),
        (&value["best"], &value["score"])
    );
    assert_eq!(
        (first["depth"].as_u64(), first["probability"].as_u64()),
        (Some(4), Some(100))
    );
    assert_eq!(
        (&first["exact"], &first["book"]),
        (&false.into(), &false.into())
    );
    assert!(
        first["pv"]
            .as_str()
            .unwrap()
            .starts_with(value["best"].as_str().unwrap())
    );
    let (_, out, _) = run(&args);
    assert_eq!(out.lines().count(), 1 + 3, "{out}");
    // With a book.
    let book = fixture("dev_a.dat");
    let args = [
        "hint",
        "f5",
        "--level",
        "1",
        "--moves",
        "all",
        "--book",
        text(&book),
    ];
    let (code, value) = json(&[&args[..], &FAST].concat());
    let moves = list(&value, "moves");
    assert!(
        code == 0 && moves.len() == 3 && moves.iter().any(|mv| mv["book"] == true),
        "{value}"
    );
    assert_eq!(run(&["hint", "f5f5"]).0, 2);
    let (code, _, error) = run(&["hint", "f5", "--book", "/absent"]);
    assert!(code == 1 && error.contains("/absent"), "{error}");
}

#[test]
fn games_are_analysed() {
    let args = [&["analyze", "f5d6c3d3c4", "--level", "4"], &FAST[..]].concat();
    let (code, value) = json(&args);
    let moves = list(&value, "moves");
    assert_eq!((code, moves.len()), (0, 5));
    assert_eq!(
        (&moves[0]["ply"], &moves[0]["side"]),
        (&1.into(), &"black".into())
    );
    assert_eq!(moves[4]["played"]["move"], "c4");
    let loss = |mv: &Value| mv["loss"].as_i64().unwrap();
    for mv in moves {
        let difference =
            mv["alternative"]["score"].as_i64().unwrap() - mv["played"]["score"].as_i64().unwrap();
        assert_eq!(loss(mv), difference.max(0));
    }
    let sums = |name: &str| {
        let sum = &value[name];
        sum["disagree_loss"].as_i64().unwrap() + sum["mistake_loss"].as_i64().unwrap()
    };
    assert_eq!(
        sums("black") + sums("white"),
        moves.iter().map(loss).sum::<i64>()
    );
    assert_eq!(
        (&value["black"]["moves"], &value["white"]["moves"]),
        (&3.into(), &2.into())
    );
    let (_, out, _) = run(&args);
    assert_eq!(out.lines().count(), 1 + 6 + 1 + 3, "{out}");
    let (_, value) = json(&[&args[..], &["--last", "2"]].concat());
    assert_eq!(list(&value, "moves").len(), 2);
}

#[test]
fn games_are_played() {
    let args = ["play", "--engine-side", "both", "--level", "1", "--json"];
    let (code, out, _) = typed(&args, "");
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0);
    let discs = value["black"].as_i64().unwrap() + value["white"].as_i64().unwrap();
    assert!(discs <= 64 && value["score"].is_i64() && value["game"].as_str().unwrap().len() > 20);
    let (code, out, _) = typed(&["play", "--level", "1"], "f5\nhint\nundo\nquit\n");
    assert!(code == 0 && out.contains("Black (X) to move"), "{out}");
    let (code, _, error) = typed(&["play", "--level", "1"], "a1\n");
    assert!(
        code == 0 && error.contains("a1 is not a legal move"),
        "{error}"
    );
}

#[test]
fn random_positions_and_speed() {
    let args = [
        "random", "--count", "3", "--moves", "12", "--seed", "5", "--json",
    ];
    let (code, out, _) = typed(&args, "");
    assert_eq!((code, out.lines().count()), (0, 3));
    for line in out.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["moves"].as_str().unwrap().len(), 24);
    }
    assert_eq!(typed(&args, "").1, out);
    let (code, value) = json(&[&["bench", "--level", "4"], &FAST[..]].concat());
    assert_eq!((code, list(&value, "positions").len()), (0, 9));
    let nodes: u64 = list(&value, "positions")
        .iter()
        .map(|one| one["nodes"].as_u64().unwrap())
        .sum();
    assert_eq!(value["nodes"], nodes);
}

#[test]
fn windows_of_xboard_and_cassio() {
    let (code, out, _) = typed(
        &["xboard", "--level", "1"],
        "xboard\nprotover 2\nusermove a1\nping 3\nquit\n",
    );
    let lines: Vec<_> = out.lines().collect();
    assert!(
        code == 0 && lines[0].starts_with("feature setboard=1 "),
        "{out}"
    );
    assert_eq!(lines[1..3], ["Illegal move a1", "pong 3"]);
    let (code, out, _) = typed(&["cassio"], "ENGINE-PROTOCOL init\nENGINE-PROTOCOL quit\n");
    assert_eq!((code, out.as_str()), (0, "ready.\nbye bye.\n"));
}

#[test]
fn an_empty_file_has_no_positions() {
    let folder = TestFolder::new();
    let path = folder.path("empty.obf");
    std::fs::write(&path, "\n").unwrap();
    let path = path.to_str().unwrap();
    for command in ["solve", "hint", "analyze"] {
        let (code, out, error) = run(&[command, path]);
        assert_eq!((code, out.as_str()), (1, ""), "{command}: {error}");
        assert!(error.contains("empty.obf: no positions"), "{error}");
    }
}

#[test]
fn nonsense_is_one_error() {
    let impossible = "---------------------------OX------X---------------------------- X";
    let wrong: [(&[&str], &str); 12] = [
        (&["gtp", "--threads", "0"], "--threads 0"),
        (&["solve", "f5", "--threads", "0"], "--threads 0"),
        (&["bench", "--hash", "999999T"], "--hash"),
        (&["hint", "f5", "--level", "61"], "61"),
        (&["play", "f5", "--play-loss", "200,4"], "20,4"),
        (&["gtp", "--move-time", "-1"], "-1"),
        (&["hint", "------X"], ""),
        (&["hint", impossible], "e5 is empty"),
        (&["solve", impossible], "e5 is empty"),
        (&["analyze", impossible], "e5 is empty"),
        (&["play", impossible], "e5 is empty"),
        (&[], "a command was expected"),
    ];
    for (args, words) in wrong {
        let (code, out, error) = run(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {error}");
        assert!(error.contains(words), "{args:?}: {error}");
    }
}
