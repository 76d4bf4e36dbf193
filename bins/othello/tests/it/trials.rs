//! Games and positions as people have them, from `fixtures/trials/othello`, and what commands print given to others.

use std::fs;

use serde_json::Value;
use test_support::TestFolder;

use crate::program::{fixture, json, run, text, trial};

/// The board that a lookup found.
fn board(found: &Value) -> &str {
    found["board"].as_str().unwrap_or_else(|| panic!("{found}"))
}

const TIGER: &str = "------------------XO------XXX------OXX-----O-------------------- O";

#[test]
fn games_are_looked_up_in_every_spelling() {
    let book = fixture("dev_b.dat");
    let (_, expected) = json(&["book", "lookup", text(&book), "f5d6c3d3c4"]);
    assert_eq!(board(&expected), TIGER);
    let (_, three) = json(&["book", "lookup", text(&book), "f5d6c3"]);
    for name in ["numbered", "dashes", "commas", "fullwidth", "score", "bom"] {
        let path = trial(&format!("05-transcript-spellings/{name}.txt"));
        let argument = fs::read_to_string(&path).unwrap();
        let expected = if name == "bom" { &three } else { &expected };
        for given in [argument.as_str(), text(&path)] {
            let (code, found) = json(&["book", "lookup", text(&book), given]);
            assert_eq!((code, &found), (0, expected), "{name}");
        }
    }
}

#[test]
fn positions_are_looked_up_as_they_are_copied() {
    let book = fixture("dev_b.dat");
    let (_, expected) = json(&["book", "lookup", text(&book), "f5d6c3d3c4"]);
    let copied = fs::read_to_string(trial("08-copied-bitboards/copied.txt")).unwrap();
    for given in [
        TIGER,
        &TIGER.replace('-', "."),
        &TIGER.replace('X', "*").replace(" O", " white"),
        &copied,
        "0x000020380c000000 0x0000100010100000",
    ] {
        let (code, found) = json(&["book", "lookup", text(&book), given]);
        assert_eq!((code, &found["moves"]), (0, &expected["moves"]), "{given}");
    }
    // In another orientation, with the moves transformed likewise.
    let canonical = fs::read_to_string(trial("08-copied-bitboards/canonical.txt")).unwrap();
    let (code, turned) = json(&["book", "lookup", text(&book), &canonical]);
    assert_eq!((code, &turned["value"]), (0, &expected["value"]));
    assert_ne!(turned["moves"][0]["move"], expected["moves"][0]["move"]);
    assert_eq!(turned["moves"][0]["value"], expected["moves"][0]["value"]);
    let (_, out, _) = run(&["book", "lookup", text(&book), TIGER]);
    let numbers: Vec<_> = canonical.split_whitespace().collect();
    let remark = format!("Stored in the book as {}", numbers.join(" "));
    assert!(out.contains(&remark), "{out}");
}

#[test]
fn game_files_are_read_wherever_games_are() {
    let book = fixture("games_b.dat");
    let expected = fs::read_to_string(trial("09-game-files/edax.txt")).unwrap();
    let (code, expected) = json(&["book", "errors", text(&book), &expected]);
    assert_eq!((code, expected["moves"].as_array().unwrap().len()), (0, 60));
    for name in [
        "edax.txt",
        "game.ggf",
        "quest.json",
        "numbered.pgn",
        "one.wtb",
    ] {
        let path = trial(&format!("09-game-files/{name}"));
        let (code, errors) = json(&["book", "errors", text(&book), text(&path)]);
        assert_eq!((code, &errors), (0, &expected), "{name}");
    }
    let (_, mut expected) = json(&["book", "lookup", text(&book), "f5d6c3"]);
    // A board does not tell which opening led to it.
    expected["opening"] = serde_json::Value::Null;
    for name in ["board.ggs", "problem.obf"] {
        let path = trial(&format!("09-game-files/{name}"));
        let (_, mut found) = json(&["book", "lookup", text(&book), text(&path)]);
        found["opening"] = serde_json::Value::Null;
        assert_eq!(found, expected, "{name}");
        let (_, count) = json(&["perft", "2", "--start", text(&path)]);
        let (_, played) = json(&["perft", "2", "--start", "f5d6c3"]);
        assert_eq!(count["count"], played["count"]);
    }
}

#[test]
fn output_of_commands_is_accepted_as_input() {
    let folder = TestFolder::new();
    let file = folder.path("positions.txt");
    let book = fixture("dev_a.dat");
    let (_, expected) = json(&["book", "lookup", text(&book), "f5"]);
    for options in [&[][..], &["--json"]] {
        let command = [&["book", "lookup", text(&book), "f5"], options].concat();
        let (_, printed, _) = run(&command);
        let (code, found) = json(&["book", "lookup", text(&book), &printed]);
        assert_eq!((code, &found), (0, &expected), "{printed}");
    }
    // All positions of a dump are found, in Edax's books and in Egaroucid's.
    for name in ["dev_a.dat", "egaroucid/var_a.egbk3"] {
        let book = fixture(name);
        let count = json(&["book", "info", text(&book)]).1["positions"].clone();
        for options in [&[][..], &["--json"]] {
            let (_, dump, _) = run(&[&["book", "dump", text(&book)], options].concat());
            let is_position = |line: &&str| !line.contains("n_nodes");
            let dump: Vec<_> = dump.lines().filter(is_position).collect();
            fs::write(&file, dump.join("\n")).unwrap();
            let (code, out, _) = run(&["book", "lookup", text(&book), text(&file), "--json"]);
            assert_eq!(code, 0, "{name}: {out}");
            assert_eq!(Value::from(out.lines().count()), count, "{name}");
        }
    }
}

#[test]
fn files_with_many_games_are_read_line_by_line() {
    let folder = TestFolder::new();
    let file = folder.path("games.txt");
    let book = fixture("dev_a.dat");
    fs::write(
        &file,
        "\u{feff}# games\nf5d6\r\n\r\nf5f6\r\nf5f5\r\nf5d6c3d3c4f4c5b3c2\r\n",
    )
    .unwrap();
    let (code, out, _) = run(&["book", "lookup", text(&book), text(&file), "--json"]);
    assert_eq!(code, 1);
    let lines = out.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    let of = |name: &str| {
        lines
            .iter()
            .map(|line| line[name].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("line"), [2, 4, 5, 6]);
    assert_eq!(lines[0]["found"], true);
    assert_eq!(lines[2]["error"], "move 2: 'f5' is not legal");
    assert_eq!(lines[3]["found"], false);
    let (code, out, _) = run(&["book", "accuracy", text(&book), text(&file)]);
    assert_eq!((code, out.lines().count()), (1, 4));
    assert!(out.contains("line 5: move 2: 'f5' is not legal"), "{out}");
    // A file in UTF-16, as Windows writes it.
    let utf16 = "\u{feff}f5d6\r\n".encode_utf16().flat_map(u16::to_le_bytes);
    fs::write(&file, utf16.collect::<Vec<_>>()).unwrap();
    let (code, found) = json(&["book", "lookup", text(&book), text(&file)]);
    assert_eq!((code, &found["found"]), (0, &true.into()));
}

#[test]
fn invalid_games_are_reported_with_their_place() {
    let book = fixture("dev_a.dat");
    for (given, expected) in [
        ("f5d6 99-1", "move 3: '99' is neither a square nor a pass"),
        ("f5f5", "move 2: 'f5' is not legal"),
        ("hello", "'hello' is no game and no position"),
        ("3 1", "both players have a disc on h8"),
    ] {
        let (code, _, error) = run(&["book", "lookup", text(&book), given]);
        assert!(code == 2 && error.contains(expected), "{error}");
    }
    let (code, _, error) = run(&["book", "lookup", text(&book), text(&book)]);
    assert!(
        code == 1 && error.contains("this is a book of Edax"),
        "{error}"
    );
}

#[test]
fn only_existing_levels_are_accepted() {
    let book = fixture("egaroucid/old.egbk");
    for option in ["--level", "--egbk-level"] {
        let (code, _, error) = run(&["book", "convert", text(&book), "x.dat", option, "0"]);
        assert!(code == 2 && error.contains(option), "{error}");
    }
}

#[test]
fn people_see_a_board_and_tables() {
    let book = fixture("dev_a.dat");
    let (_, out, _) = run(&["book", "lookup", text(&book), "f5"]);
    assert!(out.starts_with("  a b c d e f g h\n1 - - - "), "{out}");
    assert!(out.contains("White (O) to move, 5 discs"), "{out}");
    assert!(out.contains(" disc for White, accuracy "), "{out}");
    let (_, out, _) = run(&["book", "info", text(&fixture("dev_b.dat"))]);
    assert!(
        out.starts_with("2,471 positions\n\nLevel  Positions  Leaves\n"),
        "{out}"
    );
    let (_, out, _) = run(&["perft", "9"]);
    assert!(out.starts_with("perft 9: 3,005,288 positions in "), "{out}");
    let (_, out, _) = run(&["book", "accuracy", text(&book)]);
    assert!(out.starts_with("Accuracy  Positions\n"), "{out}");
    let (_, out, _) = run(&["book", "convert", text(&book), "x.egbk3", "--dry-run"]);
    assert!(out.contains("\npositions in the side-car "), "{out}");
    let (_, out, _) = run(&["book", "errors", text(&book)]);
    assert!(out.starts_with("Discs lost  Moves"), "{out}");
}

#[test]
fn every_help_has_examples() {
    let book = [
        "info", "convert", "merge", "fix", "prune", "lines", "isolated", "subtree", "accuracy",
        "errors", "dump", "lookup", "check",
    ];
    let commands = book.map(|name| vec!["book", name, "--help"]);
    let others = [
        vec!["--help"],
        vec!["book", "--help"],
        vec!["perft", "--help"],
        vec!["games", "--help"],
        vec!["games", "convert", "--help"],
        vec!["games", "list", "--help"],
        vec!["games", "filter", "--help"],
        vec!["games", "stats", "--help"],
        vec!["opening", "--help"],
        vec!["xot", "--help"],
        vec!["board", "--help"],
    ];
    for command in commands.iter().chain(&others) {
        let (code, out, _) = run(command);
        assert!(code == 0 && out.contains("Examples:\n  othello "), "{out}");
    }
}
