//! What students of the game ask: names of openings, games behind moves, values that agree; and words that are typed wrong.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use test_support::{TestFolder, run_program};

use crate::program::{fixture, json, run, run_in, text};

const LIMIT: Duration = Duration::from_secs(120);
const FAST: [&str; 4] = ["--threads", "1", "--hash", "4M"];

/// Runs a command in a folder with lines of input; returns exit code, standard output and standard error.
fn typed(folder: &Path, args: &[&str], lines: &str) -> (i32, String, String) {
    let program = env!("CARGO_BIN_EXE_othello");
    let run = run_program(program, folder, args, lines.as_bytes().to_vec(), LIMIT);
    (run.code.unwrap(), run.text().to_owned(), run.err)
}

fn json_of(args: &[&str]) -> Value {
    let (code, value) = json(args);
    assert_eq!(code, 0, "{args:?}: {value}");
    value
}

/// Games whose results are known: black wins two, white wins one, one is drawn.
const GAMES: &str = "\
(;GM[Othello]PB[a]PW[b]RE[+10]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[d6]B[c3];)
(;GM[Othello]PB[a]PW[b]RE[+4]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[d6]B[c3];)
(;GM[Othello]PB[a]PW[b]RE[-8]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[d6]B[c4];)
(;GM[Othello]PB[a]PW[b]RE[+0]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[f6]B[e6];)
";

#[test]
fn games_of_a_book_are_shown_with_its_moves() {
    let folder = TestFolder::new();
    folder.write("games.ggf", GAMES);
    for book in ["games.dat", "games.egbk3"] {
        let made = run_in(
            &folder.path("."),
            &["book", "from_games", "games.ggf", "-o", book],
        );
        assert_eq!(made.0, 0, "{}", made.2);
        let path = folder.path(book);
        let book = text(&path);
        let (code, out, _) = run(&["book", "tree", book, "f5", "--json"]);
        assert_eq!(code, 0);
        let rows: Vec<Value> = out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let games = |mv: &str, depth: u64| {
            let row = rows
                .iter()
                .find(|row| row["move"] == mv && row["depth"] == depth);
            row.unwrap_or_else(|| panic!("{mv}: {out}"))["games"].clone()
        };
        // For the player who makes the move.
        assert_eq!(
            games("d6", 1),
            serde_json::json!([1, 0, 2]),
            "{book}: {out}"
        );
        assert_eq!(games("f6", 1), serde_json::json!([0, 1, 0]));
        assert_eq!(games("c3", 2), serde_json::json!([2, 0, 0]));
        let found = json_of(&["book", "lookup", book, "f5"]);
        assert_eq!(found["games"], serde_json::json!([1, 1, 2]), "{found}");
        let moves = found["moves"].as_array().unwrap();
        let d6 = moves.iter().find(|mv| mv["move"] == "d6").unwrap();
        assert_eq!(d6["games"], serde_json::json!([1, 0, 2]));
        let (_, out, _) = run(&["book", "lookup", book, "f5"]);
        assert!(
            out.contains("4 games: 1 win, 1 draw, 2 losses of White"),
            "{out}"
        );
        assert!(out.contains("Games") && out.contains("1-0-2"), "{out}");
        let line = [
            &["hint", "f5", "--moves", "2", "--level", "1", "--book", book],
            &FAST[..],
        ];
        let hints = json_of(&line.concat());
        let moves = hints["moves"].as_array().unwrap();
        let d6 = moves.iter().find(|mv| mv["move"] == "d6").unwrap();
        assert_eq!(d6["games"], serde_json::json!([1, 0, 2]), "{hints}");
        let (_, out, _) = run(&line.concat());
        assert!(out.contains("Games") && out.contains("1-0-2"), "{out}");
    }
    // A book without games shows none.
    let book = fixture("dev_b.dat");
    let (_, out, _) = run(&["book", "lookup", text(&book), "f5d6c3"]);
    assert!(!out.contains("Games"), "{out}");
}

/// A game after which the player to move must pass.
const PASS: &str =
    "f5d6c3d3c4f4f6f3e3b4c5c6e6e2e7d2f1d7a3a4b3g6a5a2a1f2g5f7b2c2b5e1b1g1c1h4g3b6d1h2h1g2h3";

#[test]
fn a_forced_pass_is_one_row() {
    let value = |moves: &str| {
        let hints = json_of(
            &[
                &["hint", PASS, "--moves", moves, "--level", "21"],
                &FAST[..],
            ]
            .concat(),
        );
        let rows = hints["moves"].as_array().unwrap().clone();
        assert_eq!(rows.len(), 1, "{hints}");
        assert_eq!(rows[0]["score"], hints["score"]);
        rows[0]["score"].as_i64().unwrap()
    };
    let passed = value("1");
    assert_eq!((value("3"), value("all")), (passed, passed));
    // The value is that of the position behind it.
    let solved = json_of(&["solve", PASS, "--moves", "all", "--threads", "1"]);
    assert_eq!(solved["moves"].as_array().unwrap().len(), 1);
    assert_eq!(solved["score"], passed);
    let (_, out, _) = run(&[&["hint", PASS, "--moves", "5"], &FAST[..]].concat());
    assert_eq!(out.matches("pass").count(), 1, "{out}");
}

#[test]
fn a_move_has_the_value_of_the_position_behind_it() {
    let game = "f5d6c3d3c4f4c5b3c2e3d2c6b4b5f2e6f3";
    for level in ["1", "2", "3", "5"] {
        let options = [&["--level", level], &FAST[..]].concat();
        let analysed = json_of(&[&["analyze", game], &options[..]].concat());
        let moves = analysed["moves"].as_array().unwrap();
        assert_eq!(moves.len(), game.len() / 2);
        for (n, mv) in moves.iter().enumerate() {
            let behind = |square: &str| {
                let line = format!("{}{square}", &game[..2 * n]);
                let hints = json_of(&[&["hint", &line, "--moves", "1"], &options[..]].concat());
                -hints["score"].as_i64().unwrap()
            };
            let played = mv["played"]["move"].as_str().unwrap();
            assert_eq!(mv["played"]["score"], behind(played), "level {level}: {mv}");
            let other = mv["alternative"]["move"].as_str();
            let Some(other) = other else { continue };
            assert_eq!(
                mv["alternative"]["score"],
                behind(other),
                "level {level}: {mv}"
            );
            // Equal effort.
            assert_eq!(mv["alternative"]["depth"], mv["played"]["depth"], "{mv}");
        }
    }
}

#[test]
fn openings_are_named_wherever_games_are_shown() {
    let here = Path::new(".");
    let tiger = "f5d6c3d3c4";
    let line = |command: &'static str| [&[command, tiger, "--level", "1"], &FAST[..]].concat();
    for command in ["hint", "analyze"] {
        assert_eq!(json_of(&line(command))["opening"], "Tiger", "{command}");
        let (_, out, _) = run(&line(command));
        assert!(out.starts_with("Opening: Tiger\n"), "{command}: {out}");
    }
    let japanese = [&line("hint")[..], &["--language", "ja"]].concat();
    assert_eq!(json_of(&japanese)["opening"], "虎定石");
    let book = fixture("dev_b.dat");
    let found = json_of(&["book", "lookup", text(&book), tiger]);
    assert_eq!(found["opening"], "Tiger");
    let (_, out, _) = run(&["book", "lookup", text(&book), tiger]);
    assert!(out.contains("\nOpening: Tiger\n"), "{out}");
    let (_, out, _) = typed(here, &line("play"), "quit\n");
    assert!(out.contains("Opening: Tiger"), "{out}");
    let played = [&line("play")[..], &["--engine-side", "both", "--json"]].concat();
    let (_, out, _) = typed(here, &played, "");
    let game: Value = serde_json::from_str(&out).unwrap();
    assert!(game["opening"].is_string(), "{out}");
    // Both consoles, beside and below the board.
    let console = [&["console", "--level", "1"], &FAST[..]].concat();
    let (_, out, _) = typed(here, &console, "play f5d6c3d3c4\nopening\nquit\n");
    assert!(
        out.contains("  Tiger\n") && out.contains("> Tiger\n"),
        "{out}"
    );
    let edax = [&console[..], &["--like", "edax"]].concat();
    let (_, out, _) = typed(here, &edax, "opening\nplay f5d6c3d3c4\nopening\nq\n");
    assert!(
        out.contains("no opening with a name") && out.contains("\n>Tiger\n"),
        "{out}"
    );
}

#[test]
fn edaxs_console_saves_by_extension() {
    let folder = TestFolder::new();
    let there = folder.path(".");
    let line = [&["console", "--like", "edax", "--level", "1"], &FAST[..]].concat();
    let names = ["x.pgn", "x.ggf", "x.sgf", "x.wtb", "x.edx", "x.txt"];
    let saves = names.map(|name| format!("save {name}\n")).concat();
    let (code, out, error) = typed(
        &there,
        &line,
        &format!("play f5d6c3\n{saves}save x.foo\nq\n"),
    );
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(out.contains("x.wtb: the game is not over"), "{out}");
    assert_eq!(out.matches("WARNING").count(), 1, "{out}");
    assert!(out.contains("save: x.foo: a name that ends in"), "{out}");
    let begin = |name: &str| String::from_utf8_lossy(&folder.read(name)).into_owned();
    assert!(begin("x.pgn").starts_with("[Event"), "{}", begin("x.pgn"));
    assert!(
        begin("x.ggf").starts_with("(;GM[Othello]"),
        "{}",
        begin("x.ggf")
    );
    assert!(begin("x.sgf").starts_with("(;"), "{}", begin("x.sgf"));
    assert_eq!(folder.read("x.edx").len(), 160);
    assert_eq!(folder.read("x.wtb").len(), 16 + 68);
    assert!(folder.path("x.jou").exists() && folder.path("x.trn").exists());
    for name in names {
        let (code, board) = json(&["board", text(&folder.path(name))]);
        assert_eq!((code, &board["moves"]), (0, &"f5d6c3".into()), "{name}");
        let (_, out, _) = typed(&there, &line, &format!("load {name}\nq\n"));
        assert!(out.contains("ply  4"), "{name}: {out}");
    }
    // Names of other games stay.
    std::fs::remove_file(folder.path("x.wtb")).unwrap();
    let (_, out, _) = typed(&there, &line, "play f5\nsave x.wtb\nq\n");
    assert!(
        out.contains("names of other games") && !folder.path("x.wtb").exists(),
        "{out}"
    );
}

#[test]
fn long_values_of_options_are_no_boards() {
    let folder = TestFolder::new();
    let deep = folder.path("a".repeat(80));
    std::fs::create_dir(&deep).unwrap();
    let output = format!("--output={}", text(&deep.join("out.txt")));
    assert!(output.len() > 100);
    let line = [
        "xot", "--count", "1", "--plies", "2", "--depth", "1", "--hash", "1M",
    ];
    let (code, _, error) = run(&[&line[..], &[&output]].concat());
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(deep.join("out.txt").exists());
    let short = format!("-o{}", text(&deep.join("short.txt")));
    assert_eq!(run(&[&line[..], &[&short]].concat()).0, 0);
    // A board that begins with empty squares is one.
    let board = format!("{}XO------OX{} X", "-".repeat(27), "-".repeat(27));
    assert_eq!(run(&["perft", "1", "--start", &board]).0, 0);
    assert_eq!(run(&["board", &board]).0, 0);
}

#[test]
fn options_that_do_nothing_are_refused() {
    for line in [
        "perft 3 --temp-dir x",
        "perft 3 --threads 2",
        "--memory 1G perft 3",
        "perft 3 --force",
        "xot --threads 2 --count 1",
        "eval info --force",
        "board f5 --memory 1G",
        "hint f5 --ponder",
        "hint f5 --play-loss 10,2",
        "analyze f5 --book-variation 2",
        "cassio --book x",
        "book info x --threads 2",
        "opening f5 --force",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let (code, _, error) = run(&words);
        assert!(
            code == 2 && error.contains("unexpected argument"),
            "{line}: {error}"
        );
    }
    let (_, help, _) = run(&["perft", "--help"]);
    assert!(
        !help.contains("--temp-dir") && help.contains("--json"),
        "{help}"
    );
    assert_eq!(run(&["--json", "perft", "3"]).0, 0);
}

#[test]
fn typing_errors_do_not_end_a_game() {
    let here = Path::new(".");
    let line = [&["play", "--level", "1", "--seed", "1"], &FAST[..]].concat();
    let (code, out, error) = typed(here, &line, "z9\na1\nhnit\nf5\nquit\n");
    assert_eq!(code, 0, "{error}");
    assert!(error.contains("'z9': a move such as f5") && error.contains("a1 is not a legal move"));
    assert!(error.contains("did you mean hint?"), "{error}");
    assert!(out.contains("\nf5"), "{out}");
    let console = [&["console", "--level", "1"], &FAST[..]].concat();
    let (code, out, _) = typed(here, &console, "hnit\nquit\n");
    assert!(
        code == 0 && out.contains("command `hnit` not found; did you mean hint?"),
        "{out}"
    );
    let edax = [&console[..], &["--like", "edax"]].concat();
    let (code, out, _) = typed(here, &edax, "anlyze\nq\n");
    assert!(code == 0 && out.contains("did you mean analyze?"), "{out}");
    // Values with `=`, as Edax has them.
    let (_, out, _) = typed(here, &edax, "level=7\nhash-table-size = 12\noptions\nq\n");
    assert!(
        out.contains("level: 7\n") && out.contains("98304 bytes"),
        "{out}"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_at_a_prompt_ends_with_one_line() {
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    let mut edax = vec!["console", "--like", "edax"];
    edax.extend(FAST);
    let mut play = vec!["play"];
    play.extend(FAST);
    for args in [edax, play] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_othello"))
            .args(&args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _stdin = child.stdin.take();
        // The first board is there: it waits.
        let mut first = [0; 64];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut first)
            .unwrap();
        std::thread::sleep(Duration::from_millis(300));
        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &id])
                .status()
                .unwrap()
                .success()
        );
        let begun = std::time::Instant::now();
        let status = child.wait().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(10));
        let mut error = String::new();
        child.stderr.unwrap().read_to_string(&mut error).unwrap();
        assert_eq!(status.code(), Some(130), "{args:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{args:?}: {error}");
    }
}

#[test]
fn variation_stays_in_the_book() {
    let book = fixture("dev_a.dat");
    let found = json_of(&["book", "lookup", text(&book), "f5d6c3"]);
    let of_kind = |leaf: bool| {
        let moves = found["moves"].as_array().unwrap().iter();
        let moves = moves.filter(move |mv| mv["leaf"] == leaf);
        let names = moves.map(|mv| mv["move"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let (registered, leaves) = (of_kind(false), of_kind(true));
    assert!(registered.len() > 1 && !leaves.is_empty(), "{found}");
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let seed = seed.to_string();
        let line = [
            "play",
            "f5d6c3",
            "--engine-side",
            "both",
            "--level",
            "1",
            "--book",
            text(&book),
            "--book-variation",
            "10",
            "--seed",
            &seed,
            "--json",
        ];
        let (_, out, error) = typed(Path::new("."), &[&line[..], &FAST[..]].concat(), "");
        let game: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{error}"));
        seen.insert(game["game"].as_str().unwrap()[6..8].to_owned());
    }
    assert!(
        seen.len() > 1 && seen.iter().all(|mv| registered.contains(mv)),
        "{seen:?} {found}"
    );
}

#[test]
fn two_words_are_one_position() {
    let book = fixture("dev_b.dat");
    let expected = json_of(&["book", "lookup", text(&book), "f5d6c3d3c4"]);
    let numbers = ["0x000020380c000000", "0x0000100010100000"];
    for (first, second) in [(numbers[0], numbers[1]), (numbers[1], numbers[0])] {
        let found = json_of(&["book", "lookup", text(&book), first, second]);
        assert_eq!(found["moves"], expected["moves"], "{first} {second}");
    }
}

#[test]
fn boards_are_pictures() {
    let folder = TestFolder::new();
    let there = folder.path(".");
    let line = ["board", "f5d6c3", "--svg", "board.svg"];
    let (code, out, _) = run_in(&there, &line);
    assert!(code == 0 && out.contains("White (O) to move"), "{out}");
    let picture = folder.read("board.svg");
    assert!(picture.starts_with(b"<svg xmlns=") && picture.ends_with(b"</svg>\n"));
    let (code, _, error) = run_in(&there, &line);
    assert!(code == 1 && error.contains("board.svg exists"), "{error}");
    let (_, out, _) = run_in(&there, &["board", "f5d6c3", "--svg", "-"]);
    assert!(out.as_bytes() == picture);
    let (code, ..) = run_in(&there, &[&line[..], &["--numbers", "--force"]].concat());
    assert!(code == 0 && folder.read("board.svg") != picture);
}

#[test]
fn an_analysis_is_a_picture() {
    let folder = TestFolder::new();
    let there = folder.path(".");
    let line = ["analyze", "f5f6e6f4", "--level", "2", "--threads", "1"];
    let with = |more: &[&str]| run_in(&there, &[&line[..], more].concat());
    let (code, out, _) = with(&["--svg", "game.svg"]);
    assert!(code == 0 && out.contains("Average error"), "{out}");
    let picture = String::from_utf8(folder.read("game.svg")).unwrap();
    assert!(picture.starts_with("<svg xmlns=") && picture.ends_with("</svg>\n"));
    assert_eq!(picture.matches("<polyline").count(), 3);
    assert_eq!(with(&["--svg", "-"]).1, picture);
    let (code, _, error) = with(&["--svg", "game.svg"]);
    assert!(code == 1 && error.contains("game.svg exists"), "{error}");
    let (code, _, error) = with(&["d3", "--svg", "two.svg"]);
    assert!(
        code == 2 && error.contains("one game, not 2 games"),
        "{error}"
    );
}

#[test]
fn limits_may_be_inf() {
    let folder = TestFolder::new();
    folder.write(
        "a.dat",
        test_support::fixture_bytes("othello/books/games_a.dat"),
    );
    let there = folder.path(".");
    let prune = |output: &str, more: &[&str]| {
        let line = ["book", "prune", "a.dat", "-o", output, "--no-side-car"];
        let (code, _, error) = run_in(&there, &[&line[..], more].concat());
        assert_eq!(code, 0, "{error}");
        folder.read(output)
    };
    let whole = prune("whole.dat", &[]);
    let inf = ["--depth", "inf", "--error", "Inf", "--sum", "INF"];
    assert!(prune("inf.dat", &inf) == whole);
    assert!(prune("some.dat", &["--depth", "5", "--error", "inf"]).len() < whole.len());
}
