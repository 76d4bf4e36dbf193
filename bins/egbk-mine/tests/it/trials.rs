//! Files as people have them, from `fixtures/trials/othello`.

use std::fs;

use serde_json::Value;
use test_support::TestFolder;

use crate::program::{fixture, program, run, trial};

/// Mode 5 for the positions of a text, as JSON lines.
fn asked(book: &str, positions: &str) -> (i32, Vec<Value>) {
    let folder = TestFolder::new();
    let file = folder.path("asked.txt");
    fs::write(&file, positions).unwrap();
    let book = fixture(&format!("books/{book}"));
    let options = ["-m", "5", "-q", "--json", "--positions"];
    let (code, out, _) = run(program().arg(book).args(options).arg(&file));
    let lines = out.lines().map(|line| serde_json::from_str(line).unwrap());
    (code, lines.collect())
}

#[test]
fn missing_positions_are_findings_with_arguments_and_without() {
    let folder = TestFolder::new();
    let at = |name: &str| folder.path(name);
    fs::copy(fixture("books/dev_a.dat"), at("book.dat")).unwrap();
    for file in ["config.ini", "specified_positions.txt"] {
        fs::copy(trial(&format!("06-mode5-exit-code/{file}")), at(file)).unwrap();
    }
    let (code, classic, _) = run(program().current_dir(folder.path(".")));
    assert_eq!(code, 1);
    let (code, out, _) = run(program()
        .arg(at("book.dat"))
        .args(["-m", "5", "--positions"])
        .arg(at("specified_positions.txt")));
    assert_eq!((code, &out), (1, &classic));
    assert!(out.contains("1 2: not in the book"), "{out}");
    assert!(
        out.contains("line 3: 'zzz' is no game and no position"),
        "{out}"
    );
    // All found: 0. None asked for: an error.
    let start = "0x0000000810000000 0x0000001008000000\n";
    fs::write(at("specified_positions.txt"), start).unwrap();
    assert_eq!(run(program().current_dir(folder.path("."))).0, 0);
    fs::write(at("specified_positions.txt"), "\n").unwrap();
    let (code, _, error) = run(program().current_dir(folder.path(".")));
    assert!(
        code == 1 && error.contains("there are no positions"),
        "{error}"
    );
    fs::remove_file(at("specified_positions.txt")).unwrap();
    assert_eq!(run(program().current_dir(folder.path("."))).0, 1);
}

#[test]
fn invalid_settings_are_reported_with_their_line() {
    let folder = TestFolder::new();
    let at = |name: &str| folder.path(name);
    fs::copy(fixture("books/dev_a.dat"), at("book.dat")).unwrap();
    for (text, expected) in [
        (
            "mode=5\nmood=1\n",
            "config.ini: line 2: 'mood' is not a key",
        ),
        (
            "mode=0\n",
            "config.ini: line 1: '0': a mode from 1 to 7 was expected",
        ),
        (
            "; mine\n\nlog_level=loud\n",
            "config.ini: line 3: 'loud': none, error, ",
        ),
        (
            "mode\n",
            "config.ini: line 1: 'mode': key=value was expected",
        ),
    ] {
        fs::write(at("config.ini"), text).unwrap();
        let (code, _, error) = run(program().current_dir(folder.path(".")));
        assert!(code == 2 && error.contains(expected), "{error}");
        assert!(!at("mismatched_positions.txt").exists());
    }
}

#[test]
fn copied_positions_are_found_with_their_own_moves() {
    let read = |name: &str| fs::read_to_string(trial(name)).unwrap();
    let copied = read("08-copied-bitboards/copied.txt");
    let (code, found) = asked("dev_b.dat", &copied);
    assert_eq!((code, found.len()), (0, 1));
    let found = &found[0];
    assert_eq!(
        (&found["value"], &found["turned"]),
        (&1.into(), &true.into())
    );
    let (code, canonical) = asked("dev_b.dat", &read("08-copied-bitboards/canonical.txt"));
    let canonical = &canonical[0];
    assert_eq!(
        (code, &canonical["value"], &canonical["turned"]),
        (0, &1.into(), &false.into())
    );
    // The same position in any form has the same moves: f4 is the best.
    for text in [
        "f5d6c3d3c4",
        "------------------XO------XXX------OXX-----O-------------------- O",
        "0x000020380c000000 0x0000100010100000",
        "1. F5 D6 2. C3 D3 3. C4 33-31",
    ] {
        let (code, same) = asked("dev_b.dat", text);
        assert_eq!((code, &same[0]["links"]), (0, &found["links"]), "{text}");
        assert_eq!(same[0]["leaf"], found["leaf"], "{text}");
    }
    let options = ["-m", "5", "-q", "--positions"];
    let book = fixture("books/dev_b.dat");
    let path = trial("08-copied-bitboards/copied.txt");
    let (code, out, _) = run(program().arg(book).args(options).arg(path));
    assert_eq!(code, 0);
    assert!(
        out.contains(": value +1, links ") && out.contains("f4:+1"),
        "{out}"
    );
    assert!(
        out.contains("; stored in the book as 0x000000002c000000 0x0000081810300000"),
        "{out}"
    );
}

#[test]
fn files_of_positions_have_any_form() {
    let read = |name: &str| fs::read_to_string(trial(&format!("09-game-files/{name}"))).unwrap();
    let text = ["board.ggs", "problem.obf"].map(read).concat();
    let (code, found) = asked("dev_b.dat", &text);
    assert_eq!((code, found.len()), (0, 2));
    assert_eq!(found[0]["links"], found[1]["links"]);
    for name in ["game.ggf", "quest.json", "numbered.pgn", "edax.txt"] {
        let (code, found) = asked("dev_b.dat", &read(name));
        assert_eq!((code, found.len()), (1, 1), "{name}");
        assert_eq!(found[0]["found"], false, "{name}");
    }
}

#[test]
fn lines_of_the_miner_are_read_by_the_miner() {
    let folder = TestFolder::new();
    let lines = folder.path("lines.txt");
    let book = fixture("books/pert_games_b.dat");
    for format in ["text", "csv", "jsonl"] {
        let options = [
            "-q", "-m", "3", "--bom", "--format", format, "--force", "-o",
        ];
        assert_eq!(run(program().arg(&book).args(options).arg(&lines)).0, 0);
        let count =
            fs::read_to_string(&lines).unwrap().lines().count() - usize::from(format == "csv");
        assert!(count > 5);
        let options = ["-q", "-m", "5", "--json", "--positions"];
        let (_, out, _) = run(program().arg(&book).args(options).arg(&lines));
        assert_eq!(out.lines().count(), count);
        assert!(!out.contains("\"error\""), "{out}");
    }
}

#[test]
fn output_is_accepted_as_input() {
    let folder = TestFolder::new();
    let file = folder.path("asked.txt");
    let board = "------------------XO------XXX------OXX-----O-------------------- O";
    let rows: Vec<_> = (0..8).map(|n| &board[n * 8..][..8]).collect();
    let text = format!(
        "f5d6c3d3c4\n{board}\n0x0000100010100000 0x000020380c000000\n1 2\n{}\nO\n",
        rows.join("\n")
    );
    fs::write(&file, text).unwrap();
    let ask = || {
        let options = ["-m", "5", "-q", "--positions"];
        let book = fixture("books/dev_b.dat");
        run(program().arg(book).args(options).arg(&file))
    };
    let (code, first, _) = ask();
    assert_eq!((code, first.lines().count()), (1, 5), "{first}");
    fs::write(&file, &first).unwrap();
    let (code, second, _) = ask();
    let values = |text: &str| {
        let value = |line: &str| {
            line.rsplit(": value ")
                .next()
                .unwrap_or_default()
                .to_owned()
        };
        text.lines().map(value).collect::<Vec<_>>()
    };
    assert_eq!(code, 1);
    assert_eq!(values(&second)[..3], values(&first)[..3]);
    assert_eq!(second.lines().count(), 5, "{second}");
    assert!(!second.contains("is no game"), "{second}");
}

#[test]
fn lines_begin_at_the_given_start() {
    let book = fixture("books/pert_games_b.dat");
    let start = |text: &str| {
        let options = ["-q", "-m", "4", "--start", text];
        run(program().arg(&book).args(options))
    };
    let (code, played, _) = start("f5");
    assert_eq!(code, 0);
    assert!(played.lines().count() > 5 && played.lines().all(|line| line.starts_with("f5")));
    let board = "---------------------------OX------XXX-------------------------- O";
    let (code, set, _) = start(board);
    assert_eq!(code, 0);
    // The same lines; each says where it begins, and so can be read.
    let behind: Vec<_> = played
        .lines()
        .map(|line| format!("{board} {}", &line[2..]))
        .collect();
    assert_eq!(set.lines().collect::<Vec<_>>(), behind);
    let (_, of_lines) = asked("pert_games_b.dat", &set);
    let (_, of_moves) = asked("pert_games_b.dat", &played);
    let values = |found: &[Value]| {
        found
            .iter()
            .map(|line| line["value"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(values(&of_lines), values(&of_moves));
}
