//! Game records, openings and boards on the command line.

use std::fs;

use serde_json::Value;
use test_support::TestFolder;

use crate::program::{json, run, run_in, text, trial};

const GAME: &str = "d3e3f4g5f5f6g6c3f7g7d2c4h6e6c5g4b3e2h5a3a2h4f3h7a4b2d1e8c1b5d6e1d7a1g8e7b1h3f2a5f1c6b4g3c7b7f8h8c8c2a6b6h2a8a7g1h1g2b8d8";

/// The lines of a list as JSON.
fn list(args: &[&str]) -> Vec<Value> {
    let (code, out, error) = run(&[&["games", "list", "--json"], args].concat());
    assert_eq!(code, 0, "{error}");
    out.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_game_goes_through_all_formats_and_back() {
    let folder = TestFolder::new();
    let ggf = trial("09-game-files/game.ggf");
    for (format, extension) in [
        ("transcript", "txt"),
        ("ggf", "ggf"),
        ("sgf", "sgf"),
        ("pgn", "pgn"),
        ("wthor", "wtb"),
        ("quest", "json"),
        ("egaroucid", "json"),
    ] {
        let out = folder.path(format!("{format}.{extension}"));
        let args = [
            "games",
            "convert",
            text(&ggf),
            "--to",
            format,
            "-o",
            text(&out),
        ];
        let (code, _, error) = run(&args);
        assert_eq!(code, 0, "{format}: {error}");
        assert!(error.contains("games: 1 read, 1 written, 0 bad"), "{error}");
        let rows = list(&[text(&out)]);
        assert_eq!(
            (rows.len(), &rows[0]["moves"]),
            (1, &GAME.into()),
            "{format}"
        );
        assert_eq!(rows[0]["score"], -44, "{format}");
        let has_names = format != "transcript";
        assert_eq!(rows[0]["black"] == "one", has_names, "{format}");
        let (code, error) = {
            let (code, _, error) = run(&args);
            (code, error)
        };
        assert!(
            code == 1 && error.contains("pass --force"),
            "{format}: {error}"
        );
    }
    // What a format cannot hold is told.
    let out = folder.path("x.txt");
    let (_, told) = json(&["games", "convert", text(&ggf), "-o", text(&out)]);
    assert_eq!(
        (&told["written"], &told["losses"]["names"]),
        (&1.into(), &3.into())
    );
    assert!(folder.path("wthor.jou").exists() && folder.path("wthor.trn").exists());
    let (code, board, _) = run(&[
        "games",
        "convert",
        text(&ggf),
        "-o",
        "-",
        "--to",
        "ggs",
        "-q",
    ]);
    assert!(code == 0 && board.starts_with("[8 O"), "{board}");
}

#[test]
fn folders_become_one_file_one_tree_or_a_file_for_each_game() {
    let folder = TestFolder::new();
    folder.write("a.txt", "f5d6c3d3c4\nf5d6c3g5\nf5f6\n");
    fs::create_dir_all(folder.path("more")).unwrap();
    folder.write("more/b.ggf", "(;GM[Othello]PB[x]B[f5]W[d6];)");
    let run_there = |args: &[&str]| run_in(&folder.path("."), args);
    let (code, out, error) = run_there(&["games", "convert", ".", "--to", "transcript", "-o", "-"]);
    assert_eq!(
        (code, out.as_str()),
        (0, "f5d6c3d3c4\nf5d6c3g5\nf5f6\nf5d6\n"),
        "{error}"
    );
    let (code, _, error) = run_there(&["games", "convert", ".", "-o", "tree.sgf", "--tree"]);
    assert_eq!(code, 0, "{error}");
    let tree = list(&[text(&folder.path("tree.sgf"))]);
    assert_eq!((tree.len(), &tree[0]["variations"]), (1, &2.into()));
    let (code, _, error) = run_there(&[
        "games",
        "convert",
        "*.txt",
        "--to",
        "egaroucid",
        "--out-dir",
        "eg",
    ]);
    assert_eq!(code, 0, "{error}");
    let summary = fs::read_to_string(folder.path("eg/summary.csv")).unwrap();
    assert_eq!(summary.lines().next(), Some("a-000001,,,,-1,-1,"));
    let rows = list(&[text(&folder.path("eg"))]);
    assert_eq!(
        rows.iter()
            .map(|row| row["moves"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["f5d6c3d3c4", "f5d6c3g5", "f5f6"]
    );
    // Two games do not fit into one of these files.
    let (code, _, error) =
        run_there(&["games", "convert", "a.txt", "-o", "x.json", "--to", "quest"]);
    assert!(code == 2 && error.contains("--out-dir"), "{error}");
    assert!(!folder.path("x.json").exists());
}

#[test]
fn games_that_cannot_be_read_stop_a_command_or_are_counted() {
    let folder = TestFolder::new();
    folder.write("a.txt", "f5d6\nf5f5\nf5f6\n");
    let run_there = |args: &[&str]| run_in(&folder.path("."), args);
    let (code, _, error) = run_there(&["games", "convert", "a.txt", "-o", "a.ggf"]);
    assert!(code == 1 && error.contains("a.txt: line 2: "), "{error}");
    assert!(!folder.path("a.ggf").exists());
    let (code, out, error) = run_there(&[
        "games",
        "convert",
        "a.txt",
        "-o",
        "a.ggf",
        "--skip-bad",
        "--json",
    ]);
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &told["written"], &told["bad"]),
        (1, &2.into(), &1.into()),
        "{error}"
    );
    assert_eq!(told["problems"][0]["place"], "line 2");
    // A tournament needs the discs at the end.
    let (code, _, error) = run_there(&["games", "convert", "a.ggf", "-o", "a.wtb"]);
    assert!(code == 1 && error.contains("discs at the end"), "{error}");
    for (args, expected) in [
        (&["games", "list", "no*.txt"][..], "no file is named"),
        (
            &["games", "convert", "a.txt", "-o", "x.unknown"],
            "tells no format",
        ),
        (
            &["games", "convert", "a.txt", "-o", "x.ggf", "--tree"],
            "has no variations",
        ),
        (
            &["games", "filter", "a.txt", "-o", "x.ggf", "--since", "May"],
            "--since May",
        ),
    ] {
        let (code, _, error) = run_there(args);
        assert!(code == 2 && error.contains(expected), "{error}");
    }
}

#[test]
fn games_are_filtered_and_counted() {
    let folder = TestFolder::new();
    folder.write(
        "a.ggf",
        "(;GM[Othello]PB[Ada]PW[Bob]DT[2024.05.01]RE[+10]B[f5]W[d6]B[c3]W[d3]B[c4];)\n\
         (;GM[Othello]PB[Cy]PW[Ada]DT[2023.01.01]RE[-2]B[f5]W[f6];)\n\
         (;GM[Othello]PB[Bob]PW[Cy]B[c4]W[e3]B[f6]W[e6]B[f5];)\n",
    );
    let filter = |more: &[&str]| {
        let args = [
            &[
                "games",
                "filter",
                "a.ggf",
                "-o",
                "-",
                "--to",
                "transcript",
                "-q",
            ],
            more,
        ]
        .concat();
        let (code, out, error) = run_in(&folder.path("."), &args);
        assert!(code == 0 || error.contains("no game is left"), "{error}");
        out.lines().count()
    };
    for (args, count) in [
        (&["--player", "ada"][..], 2),
        (&["--black", "Ada"], 1),
        (&["--winner", "white"], 1),
        (&["--min-score", "-5", "--max-score", "5"], 1),
        (&["--since", "2024"], 1),
        (&["--until", "2023"], 1),
        (&["--opening", "tiger"], 2),
        (&["--opening", "虎", "--unique"], 1),
        (&["--through", "f5d6c3d3c4"], 2),
        (&["--min-moves", "6"], 0),
    ] {
        assert_eq!(filter(args), count, "{args:?}");
    }
    let (code, stats) = json(&["games", "stats", text(&folder.path("a.ggf"))]);
    assert_eq!(
        (code, &stats["games"], &stats["repeated"]),
        (0, &3.into(), &1.into())
    );
    assert_eq!(stats["players"]["Ada"]["wins"], 2);
    assert_eq!(stats["openings"]["Tiger"], 2);
    let (_, out, _) = run(&[
        "games",
        "stats",
        text(&folder.path("a.ggf")),
        "--language",
        "ja",
    ]);
    assert!(out.contains("虎"), "{out}");
}

#[test]
fn openings_have_names_in_all_orientations() {
    let (code, out, _) = run(&["opening", "c4e3f6e6f5"]);
    assert_eq!(code, 0);
    assert_eq!(out.lines().last(), Some("  5  Tiger  c4e3f6e6f5"));
    let (_, told) = json(&["opening", "f5d6c4d3c3f4", "--language", "ja"]);
    assert_eq!((&told["name"], &told["ply"]), (&"虎定石".into(), &5.into()));
    assert_eq!(told["english"], "Tiger");
    // Each language has its own lines.
    assert_eq!(run(&["opening", "--all"]).1.lines().count(), 88);
    let (_, all, _) = run(&["opening", "--all", "--language", "ja"]);
    assert_eq!(all.lines().count(), 131);
    assert!(all.contains("f5d6c3d3c5\tザリガニ定石"), "{all}");
    let (_, told) = json(&["opening", "f5d6c3d3c5"]);
    assert_eq!(
        (&told["name"], &told["japanese"]),
        (&"Perpendicular".into(), &"ザリガニ定石".into())
    );
    let folder = TestFolder::new();
    folder.write("names.txt", "f5d6 縦\nf5d6c3 x y\n");
    let (_, told) = json(&[
        "opening",
        "f5d6c3d3",
        "--openings",
        text(&folder.path("names.txt")),
    ]);
    assert_eq!(told["name"], "x y");
    folder.write("names.txt", "f5d6 縦\nf5f5 x\n");
    let (code, _, error) = run(&[
        "opening",
        "f5",
        "--openings",
        text(&folder.path("names.txt")),
    ]);
    assert!(code == 1 && error.contains("line 2"), "{error}");
}

#[test]
fn lists_of_egaroucid_and_zebra_name_openings() {
    let folder = TestFolder::new();
    let named = |list: &str, moves: &str| {
        folder.write("names.txt", list);
        let path = folder.path("names.txt");
        json(&["opening", moves, "--openings", text(&path)])
    };
    let boards = "...........................10......010.......1.................. Diagonal Opening\n\
                  ...........................10......100.....1.................... Perpendicular Opening\n";
    let (code, told) = named(boards, "c4e3f6");
    assert_eq!(
        (code, &told["name"], &told["ply"]),
        (0, &"Perpendicular Opening".into(), &2.into())
    );
    let zebra = "2\nC4c3                 Diagonal Opening\nC4c3D3c5B3           Snake / Peasant\n";
    assert_eq!(named(zebra, "f5f6e6f4g6").1["name"], "Snake / Peasant");
    // A list that is cut short.
    folder.write("names.txt", "3\nC4c3                 Diagonal Opening\n");
    let (code, _, error) = run(&[
        "opening",
        "c4c3",
        "--openings",
        text(&folder.path("names.txt")),
    ]);
    assert!(
        code == 1 && error.contains("3 openings are announced, 1 follow"),
        "{error}"
    );
}

#[test]
fn an_opening_is_filtered_by_its_whole_name_or_by_a_beginning() {
    let folder = TestFolder::new();
    folder.write(
        "a.txt",
        "f5d6c5f4e3c6d3f6e6d7\nf5f6e6f4e3c5c4\nf5d6c3d3c4f4c5b3c2\nf5d6c5f4e3c6d3f6e6d7g4\nf5f4\n",
    );
    let run_there = |option: &[&str]| {
        let args = [
            &[
                "games",
                "filter",
                "a.txt",
                "-o",
                "-",
                "--to",
                "transcript",
                "-q",
            ],
            option,
        ]
        .concat();
        run_in(&folder.path("."), &args)
    };
    let count = |option: &[&str]| run_there(option).1.lines().count();
    // The Rose, and the Flat that goes on from there; not the Rose v. Toth, nor the Rose-Bill.
    let (_, roses, _) = run_there(&["--opening", "Rose"]);
    assert_eq!(roses, "f5d6c5f4e3c6d3f6e6d7\nf5d6c5f4e3c6d3f6e6d7g4\n");
    assert_eq!(count(&["--opening", "rose-v-toth"]), 1);
    assert_eq!(count(&["--opening", "ローズ"]), 2);
    assert_eq!(count(&["--opening-prefix", "rose"]), 4);
    assert_eq!(
        count(&["--opening-prefix", "rose", "--opening", "Perpendicular"]),
        3
    );
    let (code, _, error) = run_there(&["--opening", "Ros"]);
    assert!(
        code == 2 && error.contains("no opening is called 'Ros'") && error.contains("Rose-Bill"),
        "{error}"
    );
}

#[test]
fn balanced_openings_are_the_same_each_time() {
    let made = |more: &[&str]| {
        let (code, out, error) =
            run(&[&["xot", "--depth", "4", "-q", "--hash", "1M"], more].concat());
        assert_eq!(code, 0, "{error}");
        out
    };
    let some = made(&["--count", "5"]);
    assert_eq!(some.lines().map(str::len).collect::<Vec<_>>(), [16; 5]);
    assert_eq!(some, made(&["--count", "5"]));
    let all = made(&["--plies", "3", "--max-score", "64", "--json"]);
    // There are 14 positions of three plies.
    assert_eq!(all.lines().count(), 14);
    let (code, _, error) = run(&["xot", "--plies", "10"]);
    assert!(code == 2 && error.contains("add --count"), "{error}");
}

#[test]
fn boards_are_turned_and_marked() {
    let plain = |args: &[&str]| run(&[&["board"], args].concat()).1;
    assert_eq!(
        plain(&["c4e3f6", "--transform", "f5", "--to", "transcript"]),
        "f5d6c3\n"
    );
    assert!(plain(&["f5d6c3", "--numbers"]).contains("6   -  -  -  2  -  -  -  - 6"));
    assert!(plain(&["f5d6c3", "--ply", "1"]).ends_with("White (O) to move\n"));
    let (_, told) = json(&[
        "board",
        &trial("09-game-files/game.ggf").display().to_string(),
    ]);
    // Nothing can be flipped on a full board.
    let stable = told["stable_black"].as_array().unwrap().len()
        + told["stable_white"].as_array().unwrap().len();
    assert_eq!(stable, 64);
    for how in [
        "horizontal",
        "vertical",
        "rotate180",
        "diagonal",
        "rotate90",
        "rotate270",
        "antidiagonal",
        "canonical",
    ] {
        let turned = plain(&["f5d6c3", "--transform", how, "--to", "board"]);
        let (_, back) = json(&["board", turned.trim()]);
        let (_, canonical) = json(&["board", "f5d6c3", "--transform", "canonical"]);
        let (_, again) = json(&["board", turned.trim(), "--transform", "canonical"]);
        assert_eq!(again["board"], canonical["board"], "{how}");
        assert_eq!(back["black"], 5);
    }
    // a1 goes to h1.
    let corner = format!("X{}O{} X", "-".repeat(10), "-".repeat(52));
    assert!(plain(&[&corner, "--transform", "rotate90", "--to", "board"]).starts_with("-------X"));
    assert_eq!(run(&["board", "f5", "--ply", "2"]).0, 2);
}

#[test]
fn books_are_made_of_games() {
    let folder = TestFolder::new();
    folder.write("a.txt", "f5d6c3d3c4f4 B+10\nc4e3f6e6f5 W+4\nf5f6 W+2\n");
    let run_there = |args: &[&str]| run_in(&folder.path("."), args);
    let made = |args: &[&str]| {
        let (code, out, error) =
            run_there(&[&["book", "from_games", "a.txt", "--json", "-q"], args].concat());
        assert_eq!(code, 0, "{error}");
        serde_json::from_str::<Value>(&out).unwrap()
    };
    let told = made(&["-o", "a.egbk3", "--plies", "4"]);
    assert_eq!((&told["games"], &told["positions"]), (&3.into(), &6.into()));
    let lookup = |book: &str| json(&["book", "lookup", text(&folder.path(book)), "f5d6c3"]).1;
    // White's mean of -10 and 4.
    assert_eq!(lookup("a.egbk3")["value"], -3);
    let told = made(&[
        "-o",
        "b.egbk3",
        "--level",
        "2",
        "--min-games",
        "2",
        "--plies",
        "4",
    ]);
    assert_eq!(
        (&told["positions"], &told["searched"]),
        (&5.into(), &1.into())
    );
    assert!(!folder.path("b.egbk3.journal").exists());
    // The values along a line are those of its end, for each side.
    let value = |moves: &str| {
        json(&["book", "lookup", text(&folder.path("b.egbk3")), moves]).1["value"]
            .as_i64()
            .unwrap()
    };
    assert_eq!(value("f5d6c3"), -value("f5d6c3d3"));
    assert_eq!(value("f5"), -value("f5d6"));
    let same = made(&[
        "-o",
        "c.egbk3",
        "--level",
        "2",
        "--min-games",
        "2",
        "--plies",
        "4",
    ]);
    assert_eq!(same["positions"], 5);
    assert_eq!(folder.read("b.egbk3"), folder.read("c.egbk3"));
    let edax = made(&["-o", "a.dat"]);
    assert!(edax["positions"].as_u64().unwrap() >= 6);
    let (_, out, _) = run_there(&["book", "dump", "a.dat", "--json"]);
    assert!(out.contains("\"wins\":1"), "{out}");
    assert_eq!(
        run_there(&["book", "from_games", "a.txt", "-o", "a.dat"]).0,
        1
    );
}
