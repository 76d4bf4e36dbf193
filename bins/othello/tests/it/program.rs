//! The program as users run it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use test_support::{TestFolder, run_program};

const LIMIT: Duration = Duration::from_secs(120);

pub(crate) fn fixture(name: &str) -> PathBuf {
    test_support::fixture("othello/books").join(name)
}

pub(crate) fn trial(name: &str) -> PathBuf {
    test_support::fixture("trials/othello").join(name)
}

/// Runs the program; returns exit code, standard output, standard error.
pub(crate) fn run(args: &[&str]) -> (i32, String, String) {
    run_in(Path::new("."), args)
}

/// As [`run`], in another folder.
pub(crate) fn run_in(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let program = env!("CARGO_BIN_EXE_othello");
    let run = run_program(program, folder, args, Vec::new(), LIMIT);
    (run.code.unwrap(), run.text().to_owned(), run.err)
}

/// As [`run`], with the result as JSON.
pub(crate) fn json(args: &[&str]) -> (i32, Value) {
    let (code, out, error) = run(&[args, &["--json"]].concat());
    (
        code,
        serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{error}")),
    )
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn perft_counts_in_three_ways() {
    let count = |counting: &str| json(&["perft", "9", "--counting", counting]).1["count"].clone();
    assert_eq!(count("positions"), 3_005_288);
    assert_eq!(count("moves"), 3_005_288);
    assert_eq!(count("pass-free"), 3_005_320);
    assert_eq!(json(&["perft", "1", "--start", "f5"]).1["count"], 3);
    assert_eq!(run(&["perft", "1", "--start", "f5f5"]).0, 2);
}

#[test]
fn end_games_are_solved() {
    let file = test_support::fixture("othello/ffo/fforum-1-19.obf");
    let (code, out, _) = run(&["solve", text(&file), "--threads", "1"]);
    assert_eq!(code, 0, "the scores are those of the file");
    assert_eq!(out.lines().count(), 20);
    // Two threads, every move, a board that begins with empty squares.
    let board = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
    let (code, line) = json(&["solve", board, "--moves", "all", "--threads", "2"]);
    assert_eq!(code, 0);
    assert_eq!((&line["score"], &line["best"]), (&18.into(), &"g8".into()));
    let moves = line["moves"].as_array().unwrap();
    let scores: Vec<_> = moves
        .iter()
        .map(|mv| mv["score"].as_i64().unwrap())
        .collect();
    assert_eq!(scores, [18, 12, 6, 6, 4, -4, -22, -24]);
    assert_eq!(moves[0]["pv"].as_str().unwrap().len(), 28);
    let (code, _, error) = run(&["solve", &"X".repeat(63)]);
    assert_eq!(code, 2, "{error}");
}

#[test]
fn positions_are_searched_at_levels() {
    let goal = |line: &Value| {
        let first = &line["moves"][0];
        let number = |name: &str| first[name].as_u64().unwrap();
        (
            number("depth"),
            number("probability"),
            first["exact"] == true,
        )
    };
    let (code, line) = json(&["solve", "f5d6c3", "--level", "7", "--moves", "2"]);
    assert_eq!((code, goal(&line)), (0, (3, 100, false)));
    assert_eq!(line["moves"].as_array().unwrap().len(), 2);
    let edax = ["solve", "f5d6c3", "--level", "11", "--levels", "edax"];
    assert_eq!(goal(&json(&edax).1), (11, 73, false));
    let deep = ["solve", "f5d6c3", "--depth", "5", "--probability", "90"];
    assert_eq!(goal(&json(&deep).1), (5, 93, false));
    let (code, _, error) = run(&["solve", "f5", "--level", "3", "--eval", "/absent"]);
    assert!(code == 1 && error.contains("/absent"), "{error}");
    assert_eq!(run(&["solve", "f5", "--level", "61"]).0, 2);
}

#[test]
fn windows_are_answered() {
    let program = env!("CARGO_BIN_EXE_othello");
    let speak = |protocol: &str, lines: &str| {
        let args = [protocol, "--level", "4", "--threads", "1", "--hash", "4M"];
        let lines = lines.as_bytes().to_vec();
        let run = run_program(program, Path::new("."), args, lines, LIMIT).silent();
        run.text().to_owned()
    };
    let gtp = speak(
        "gtp",
        "1 play black f5\n\n2 genmove white\n3 foo\n4 quit\nname\n",
    );
    let replies: Vec<_> = gtp.split("\n\n").collect();
    assert_eq!(
        (replies.len(), replies[0], replies[3]),
        (5, "=1", "=4"),
        "{gtp}"
    );
    assert!(replies[1].starts_with("=2 ") && replies[1].len() == 5);
    assert_eq!(replies[2], "?3 unknown command");
    let nboard = speak(
        "nboard",
        "nboard 2\nset depth 3\nmove F5\nping 1\n\u{fffd}\n",
    );
    assert_eq!(nboard, "set myname yaneura\nset myname yaneura3\npong 1\n");
}

#[test]
fn wrong_scores_and_lines_are_told() {
    let folder = TestFolder::new();
    let full = "X".repeat(60);
    folder.write(
        "wrong.obf",
        format!("{full}-OXX X; A1:+0;\n{full}XXXX O;\nnonsense\n"),
    );
    let (code, out, error) = run_in(
        folder.path(".").as_path(),
        &["solve", "wrong.obf", "--json"],
    );
    assert_eq!((code, out.lines().count()), (1, 2), "{error}");
    for told in ["line 1: the file says +0, the score is +64", "line 3: "] {
        assert!(error.contains(told), "{error}");
    }
    let (code, _, error) = run(&["solve", "f5", "--hash", "0"]);
    assert_eq!(code, 2, "{error}");
}

#[test]
fn an_evaluation_is_trained_and_measured() {
    let folder = TestFolder::new();
    let (data, weights) = (folder.path("ends.olp"), folder.path("weights.yev"));
    let play = [
        "selfplay",
        "-o",
        text(&data),
        "--eval",
        "untrained",
        "--games",
        "300",
        "--random",
        "46..50",
        "--plies",
        "50..59",
        "--depth",
        "1",
        "--exact",
        "10",
    ];
    let (code, played) = json(&play);
    assert_eq!((code, &played["games"]), (0, &300.into()));
    let positions = played["positions"].as_u64().unwrap();
    assert!((1500..3000).contains(&positions), "{positions}");
    assert_eq!(fs::metadata(&data).unwrap().len(), 8 + 20 * positions);
    let (code, _, error) = run(&play);
    assert_eq!(code, 1);
    assert!(error.contains("pass --force"), "{error}");

    let train = [
        "train",
        text(&data),
        "-o",
        text(&weights),
        "--epochs",
        "3",
        "--note",
        "a test",
    ];
    let (code, trained) = json(&train);
    assert_eq!((code, &trained["positions"]), (0, &positions.into()));
    let last = trained["main"].as_array().unwrap().last().unwrap();
    assert_eq!(last["plies"].to_string(), "[57,59]");
    assert!(last["held_out"].as_u64().unwrap() > 10);
    assert_eq!(run(&train).0, 1);
    assert_eq!(run(&["train", text(&data), "-o", "x", "--rate", "0"]).0, 2);

    let (code, info) = json(&["eval", "info", text(&weights)]);
    assert_eq!(
        (code, &info["format"], &info["note"]),
        (0, &"yaneura".into(), &"a test".into())
    );
    assert_eq!(info["main"]["places"], 64);
    let (_, out, _) = run(&["eval", "info", "untrained"]);
    assert!(out.starts_with("format: untrained"), "{out}");
    let mae = |name: &str| {
        let (code, errors) = json(&["eval", "measure", text(&data), "--eval", name]);
        assert_eq!(code, 0);
        assert_eq!(errors["all"]["positions"], positions);
        errors["all"]["mae"].as_f64().unwrap()
    };
    assert!(mae(text(&weights)) < mae("untrained"));
    // A network of the same positions, and constants for each ply of both.
    let net = folder.path("net.yev");
    let arch = ["--arch", "p30_32-16-32", "--epochs", "40", "--batch", "200"];
    let (code, trained) = json(&[&["train", text(&data), "-o", text(&net)], &arch[..]].concat());
    assert_eq!((code, &trained["positions"]), (0, &positions.into()));
    let (_, info) = json(&["eval", "info", text(&net)]);
    assert_eq!(info["format"], "yaneura network");
    assert_eq!(info["main"]["architecture"], "p30_32-16-32");
    assert!(mae(text(&net)) < mae("untrained"));
    for wrong in [
        &["--arch", "p1_1"][..],
        &["--arch", "p30_32-16-32", "--layout", "edax"],
        &["--batch", "100"],
    ] {
        let train = [&["train", text(&data), "-o", "x"], wrong].concat();
        assert_eq!(run(&train).0, 2, "{wrong:?}");
    }
    for weights in [&weights, &net] {
        let offset = [
            "eval",
            "offset",
            text(&data),
            "--eval",
            text(weights),
            "--depth",
            "1",
            "-o",
        ];
        let better = folder.path("better.yev");
        let (code, fitted) = json(&[&offset[..], &[text(&better), "--force"]].concat());
        assert_eq!((code, fitted["plies"].as_array().unwrap().len()), (0, 61));
        let (_, info) = json(&["eval", "info", text(&better)]);
        assert_eq!(info["main"]["offsets"][56], fitted["plies"][56]["offset"]);
    }
    // An option of training alone.
    assert_eq!(run(&["eval", "measure", "--solved", text(&data)]).0, 2);
}

#[test]
fn damaged_weights_and_positions_are_told_with_their_byte() {
    let folder = TestFolder::new();
    let mut edax = b"XADELAVE".to_vec();
    edax.resize(1000, 0);
    folder.write("eval.dat", &edax);
    let (code, out, error) = run_in(&folder.path("."), &["eval", "info", "eval.dat"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(
        error.contains("eval.dat: byte 1000: the file ends within the weights of ply 0"),
        "{error}"
    );
    folder.write("bad.olp", b"YANEOLP1 not a position");
    for command in [
        &["train", "bad.olp", "-o", "x"][..],
        &["eval", "measure", "bad.olp"],
    ] {
        let (code, _, error) = run_in(&folder.path("."), command);
        assert_eq!(code, 1);
        assert!(
            error.contains("bad.olp: byte 8: expected 20 bytes"),
            "{error}"
        );
    }
    let random = ["selfplay", "-o", "x", "--random", "4.."];
    assert_eq!(run_in(&folder.path("."), &random).0, 2);
}

#[test]
fn a_book_that_is_converted_twice_is_the_same() {
    let folder = TestFolder::new();
    let book = fixture("egaroucid/var_g.egbk3");
    let (dat, back) = (folder.path("g.dat"), folder.path("g.egbk3"));
    let (code, done) = json(&["book", "convert", text(&book), text(&back)]);
    assert_eq!((code, &done["damaged"]), (0, &0.into()));
    // Sorted, and otherwise as it was.
    let dump = |path: &Path| {
        let (_, out, _) = run(&["book", "dump", text(path)]);
        let mut lines: Vec<_> = out.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(dump(&back), dump(&book));
    assert_eq!(
        run(&["book", "convert", text(&book), text(&dat), "--level", "21"]).0,
        0
    );
    let (code, sound) = json(&["book", "check", text(&dat), "-q"]);
    assert_eq!(code, 1, "its values are made up");
    for what in [
        "damaged",
        "repeated",
        "not_canonical",
        "illegal",
        "twice",
        "no_leaf",
        "missing",
    ] {
        assert_eq!(sound[what], 0, "{what}");
    }
    assert_eq!(run(&["book", "convert", text(&book), text(&book)]).0, 1);
    assert_eq!(run(&["book", "convert", text(&book), "book.csv"]).0, 2);
}

#[test]
fn books_that_edax_made_are_sound_and_damaged_ones_are_not() {
    for name in ["dev_a.dat", "dev_b.dat", "games_a.dat", "games_b.dat"] {
        let (code, sound) = json(&["book", "check", text(&fixture(name)), "-q"]);
        assert_eq!(code, 0, "{name}: {sound}");
    }
    let (code, sound) = json(&["book", "check", text(&fixture("pert_games_b.dat")), "-q"]);
    assert_eq!(code, 1);
    for (what, count) in [("repeated", 1), ("positions", 622)] {
        assert_eq!(sound[what], count);
    }
    for what in ["illegal", "no_leaf", "missing", "value", "isolated"] {
        assert!(sound[what].as_u64() > Some(0), "{what}: {sound}");
    }
    // Each is listed, the counts come last.
    assert_eq!(listed(&fixture("pert_games_b.dat")).1, sound);
}

/// The lines that `check --list` gives, and the counts.
fn listed(book: &Path) -> (Vec<Value>, Value) {
    let (_, out, _) = run(&["book", "check", text(book), "-q", "--list", "--json"]);
    let lines = out.lines().map(|line| serde_json::from_str(line).unwrap());
    let mut lines: Vec<Value> = lines.collect();
    let counts = lines.pop().unwrap();
    for (what, count) in counts.as_object().unwrap() {
        if !["version", "count", "positions", "edax_searches"].contains(&what.as_str()) {
            let listed = lines.iter().filter(|line| line["what"] == **what).count();
            assert_eq!(Some(listed as u64), count.as_u64(), "{what}");
        }
    }
    (lines, counts)
}

#[test]
fn problems_of_a_book_of_egaroucid_are_listed() {
    let folder = TestFolder::new();
    let (dat, book) = (folder.path("g.dat"), folder.path("g.egbk3"));
    // A sound one.
    let sound = fixture("egaroucid/var_g.egbk3");
    run(&["book", "isolated", text(&sound), "-o", text(&dat)]);
    run(&["book", "convert", text(&dat), text(&book), "--no-side-car"]);
    let (lines, before) = listed(&book);
    assert_eq!(lines, [] as [Value; 0]);
    let mut bytes = fs::read(&book).unwrap();
    let end = bytes.len();
    let count = u32::from_le_bytes(bytes[10..14].try_into().unwrap());
    bytes[10..14].copy_from_slice(&(count + 4).to_le_bytes());
    // The first record again; a board of two discs with a leaf that is no move; that board mirrored; half a record.
    bytes.extend_from_within(14..39);
    let mut record = |opponent: u64, leaf: u8| {
        bytes.extend(1u64.to_le_bytes());
        bytes.extend(opponent.to_le_bytes());
        bytes.extend([0, 10, 1, 0, 0, 0, 0, leaf, 10]);
    };
    record(1 << 1, 63);
    record(1 << 8, 16);
    bytes.extend([0; 12]);
    fs::write(&book, bytes).unwrap();
    let (lines, after) = listed(&book);
    let expected = [
        ("illegal", end + 25),
        ("not_canonical", end + 50),
        ("damaged", end + 75),
        ("repeated", end),
        ("isolated", end + 25),
        ("repeated", end + 50),
    ];
    let found = lines.iter().map(|line| (&line["what"], &line["byte"]));
    let found: Vec<_> = found.collect();
    assert_eq!(found.len(), expected.len(), "{lines:?}");
    for ((what, byte), (expected_what, expected_byte)) in found.into_iter().zip(expected) {
        assert_eq!((what, byte), (&expected_what.into(), &expected_byte.into()));
    }
    assert!(lines[0]["reason"].as_str().unwrap().ends_with(" h8"));
    let before = before["positions"].as_u64().unwrap();
    assert_eq!(after["positions"], before + 1);
}

#[test]
fn a_dry_run_reports_and_writes_nothing() {
    let folder = TestFolder::new();
    let output = folder.path("out.egbk3");
    let (a, b) = (
        fixture("egaroucid/var_a.egbk3"),
        fixture("egaroucid/var_b.egbk3"),
    );
    let edax = fixture("games_b.dat");
    let out = text(&output);
    let commands: [&[&str]; 10] = [
        &["book", "merge", text(&a), text(&b), "-o", out],
        &["book", "fix", text(&a), "-o", out],
        &["book", "fix", text(&a), "--leaves", "-o", out],
        &[
            "book",
            "fix",
            text(&edax),
            "--edax",
            "--remove-isolated",
            "-o",
            out,
        ],
        &["book", "prune", text(&a), "--depth", "4", "-o", out],
        &["book", "prune", text(&edax), "--edax", "-o", out],
        &["book", "subtree", text(&edax), "--start", "f5d6", "-o", out],
        &["book", "lines", text(&a), "-o", out],
        &["book", "isolated", text(&edax), "-o", out],
        &["book", "convert", text(&edax), out],
    ];
    for command in commands {
        let (code, told) = json(&[command, &["--dry-run"]].concat());
        assert!(code == 0 && folder.names().is_empty());
        let (code, done) = json(command);
        assert!(code == 0 && output.exists());
        assert_eq!(told, done);
        for name in folder.names() {
            fs::remove_file(folder.path(name)).unwrap();
        }
    }
    // The book has no move there, so nothing is left to be written.
    let lost = [
        "book",
        "subtree",
        text(&edax),
        "--start",
        "f5f6e6d6",
        "-o",
        out,
    ];
    let (code, _, error) = run(&lost);
    assert!(code == 1 && !output.exists(), "{error}");
    assert!(error.contains("does not have the position"), "{error}");
}

#[test]
fn a_side_car_keeps_what_egaroucid_cannot_store() {
    let folder = TestFolder::new();
    let book = fixture("games_b.dat");
    let (there, back) = (folder.path("b.egbk3"), folder.path("b.dat"));
    let (_, done) = json(&["book", "convert", text(&book), text(&there)]);
    assert!(folder.path("b.egbk3.side.dat").exists());
    assert_eq!(done["shortened"], 0);
    let (_, done) = json(&["book", "convert", text(&there), text(&back)]);
    assert_eq!(done["positions"], done["restored"]);
    let dump = |path: &Path| {
        let (_, out, _) = run(&["book", "dump", text(path)]);
        let mut lines: Vec<_> = out.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(dump(&back), dump(&book));
    let (_, done) = json(&[
        "book",
        "convert",
        text(&book),
        text(&there),
        "--no-side-car",
    ]);
    assert_eq!(
        (&done["side_car"], &done["shortened"]),
        (&0.into(), &done["positions"])
    );
    // A fixed book of Edax is one for Edax.
    let fix = ["book", "fix", text(&book), "--edax", "-o", text(&there)];
    let (code, _) = json(&[&fix[..], &["--force"]].concat());
    assert_eq!(code, 0);
    let (code, _) = json(&[
        "book",
        "fix",
        text(&there),
        "--edax",
        "-o",
        text(&back),
        "--force",
        "-q",
    ]);
    assert_eq!(code, 0);
    assert_eq!(json(&["book", "check", text(&back), "-q"]).0, 0);
    let sorted = |path: &Path| {
        let mut lines = dump(path);
        lines.retain(|line| !line.starts_with('#'));
        lines.len()
    };
    assert_eq!(sorted(&back), sorted(&book));
}

#[test]
fn grades_and_errors_are_printed() {
    let book = fixture("egaroucid/var_g.egbk3");
    let (code, counts) = json(&["book", "accuracy", text(&book)]);
    assert_eq!(code, 0);
    let told: u64 = counts
        .as_object()
        .unwrap()
        .values()
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!(told, json(&["book", "info", text(&book)]).1["positions"]);
    let (code, start) = json(&["book", "accuracy", text(&book), "f5"]);
    assert_eq!((code, &start["found"]), (0, &true.into()));
    let (_, found) = json(&["book", "lookup", text(&book), "f5"]);
    assert_eq!(found["accuracy"], start["accuracy"]);
    let moves = found["moves"].as_array().unwrap();
    let links = moves.iter().filter(|mv| mv["leaf"] == false);
    assert!(links.clone().count() > 0 && links.clone().all(|mv| mv["accuracy"].is_string()));
    let (_, out, _) = run(&["book", "lookup", text(&book), "f5"]);
    let head = out
        .lines()
        .position(|line| line.starts_with("Move "))
        .unwrap();
    assert_eq!(out.lines().count(), head + 1 + moves.len());
    let (code, out, _) = run(&[
        "book",
        "accuracy",
        text(&book),
        "f5d6c3d3c4f4c5b3c2e3d2c6b4",
    ]);
    assert_eq!((code, out.as_str()), (1, "not in the book\n"));

    let (_, errors) = json(&["book", "errors", text(&book)]);
    assert!(errors["moves"].as_object().unwrap().len() > 1);
    let first = moves[0]["move"].as_str().unwrap();
    let line = format!("f5{first}");
    let (_, errors) = json(&["book", "errors", text(&book), &line]);
    let errors = errors["moves"].as_array().unwrap();
    assert_eq!((errors.len(), &errors[1]["side"]), (2, &"white".into()));
    assert_eq!(errors[1]["move_value"], moves[0]["value"]);
    assert_eq!(errors[1]["error"], moves[0]["error"]);
    let (_, out, _) = run(&["book", "errors", text(&book), &line]);
    // A head, two moves, the sums.
    assert_eq!(out.lines().count(), 4);
    assert!(out.contains("Black lost "), "{out}");
}

#[test]
fn positions_are_looked_up_by_their_moves() {
    let book = fixture("dev_a.dat");
    let (code, found) = json(&["book", "lookup", text(&book)]);
    assert_eq!((code, found["moves"].as_array().unwrap().len()), (0, 4));
    let (code, found) = json(&["book", "lookup", text(&book), "f5"]);
    assert_eq!(code, 0);
    assert!(found["board"].as_str().unwrap().ends_with(" O"));
    let (code, out, _) = run(&["book", "lookup", text(&book), "f5d6c3d3c4f4c5b3c2"]);
    assert_eq!((code, out.as_str()), (1, "not in the book\n"));
}

#[test]
fn dumps_hold_every_field() {
    let (_, out, _) = run(&["book", "dump", text(&fixture("games_a.dat"))]);
    let mut lines: Vec<_> = out.lines().skip(2).collect();
    lines.sort_unstable();
    let expected = fs::read_to_string(fixture("games_a.dump.txt")).unwrap();
    assert_eq!(lines, expected.lines().skip(2).collect::<Vec<_>>());
    let (_, out, _) = run(&["book", "dump", text(&fixture("games_a.dat")), "--json"]);
    assert_eq!(out.lines().count(), lines.len() + 1);
    assert!(
        out.lines()
            .all(|line| serde_json::from_str::<Value>(line).is_ok())
    );
    let (_, info) = json(&["book", "info", text(&fixture("egaroucid/var_a.egbk3"))]);
    assert_eq!(info["positions"], 342);
}
