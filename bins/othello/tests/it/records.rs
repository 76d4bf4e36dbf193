//! Records as other programs write them: names beside games, endings, boards of one match.

use std::fs;

use serde_json::Value;
use test_support::TestFolder;

use crate::program::{json, run, run_in, text};

/// The lines of a list as JSON, and what was told beside them.
fn list(folder: &TestFolder, args: &[&str]) -> (Vec<Value>, String) {
    let args = [&["games", "list", "--json"], args].concat();
    let (code, out, error) = run_in(&folder.path("."), &args);
    assert_eq!(code, 0, "{error}");
    let rows = out.lines().map(|line| serde_json::from_str(line).unwrap());
    (rows.collect(), error)
}

fn converted(folder: &TestFolder, input: &str, to: &str) -> (String, String) {
    let args = ["games", "convert", input, "-o", "-", "--to", to];
    let (code, out, error) = run_in(&folder.path("."), &args);
    assert_eq!(code, 0, "{error}");
    (out, error)
}

/// Writes a game with a player as `STEM.wtb` with its files of names.
fn tournament(folder: &TestFolder, stem: &str, player: &str) {
    let game =
        format!("(;GM[Othello]PB[{player}]CO[Event: cup of {player}]RE[+2]B[f5]W[d6]B[c3];)\n");
    folder.write("game.ggf", &game);
    let output = format!("{stem}.wtb");
    fs::create_dir_all(folder.path(&output).parent().unwrap()).unwrap();
    let args = ["games", "convert", "game.ggf", "-o", &output, "-q"];
    let (code, _, error) = run_in(&folder.path("."), &args);
    assert_eq!(code, 0, "{error}");
}

#[test]
fn names_of_wthor_belong_to_their_file() {
    let folder = TestFolder::new();
    for (stem, player) in [("one/A", "Ada"), ("one/B", "Bob"), ("two/A", "Cleo")] {
        tournament(&folder, stem, player);
    }
    let players = |args: &[&str]| {
        let (rows, _) = list(&folder, args);
        let told = rows
            .iter()
            .map(|row| format!("{} {}", row["black"], row["event"]));
        told.collect::<Vec<_>>()
    };
    let told = |player: &str| format!("\"{player}\" \"cup of {player}\"");
    assert_eq!(players(&["one"]), [told("Ada"), told("Bob")]);
    assert_eq!(
        players(&["one", "two"]),
        [told("Ada"), told("Bob"), told("Cleo")]
    );
    assert_eq!(
        players(&["two/A.wtb", "one/B.wtb"]),
        [told("Cleo"), told("Bob")]
    );
    // As a shell names all that is there.
    assert_eq!(players(&["one/*"]), [told("Ada"), told("Bob")]);
    // One year file with the names of its folder, beside a file of another program.
    fs::rename(folder.path("two/A.wtb"), folder.path("two/WTH_2001.wtb")).unwrap();
    fs::rename(folder.path("two/A.jou"), folder.path("two/WTHOR.JOU")).unwrap();
    fs::rename(folder.path("two/A.trn"), folder.path("two/wthor.trn")).unwrap();
    folder.write("two/players.jou", "of another program");
    let (rows, error) = list(&folder, &["two"]);
    assert_eq!(rows[0]["black"], "Cleo");
    assert!(
        error.contains("players.jou is no file of WTHOR's names; it is ignored"),
        "{error}"
    );
    // Names that are given come first.
    assert_eq!(
        players(&["one/A.wtb", "--names", "two/WTHOR.JOU"]),
        ["\"Cleo\" \"cup of Ada\""]
    );
}

#[test]
fn logbook_games_have_the_difference_and_a_flag() {
    let folder = TestFolder::new();
    folder.write(
        "book.txt",
        "+f5-d6+c3: +34 10\n+f5-d6+c3-d3: -06 00\nf5d6c3: +34 10\nf5d6c3 40-24\n",
    );
    let (rows, _) = list(&folder, &["book.txt"]);
    let scores: Vec<_> = rows
        .iter()
        .map(|row| row["score"].as_i64().unwrap())
        .collect();
    assert_eq!(scores, [34, -6, 34, 16]);
    assert_eq!(rows[1]["result"], "W+6");
    // A finished board is not contradicted without a word.
    folder.write(
        "over.txt",
        "e6f4e3f6g5d6e7f5c5: +60 10\ne6f4e3f6g5d6e7f5c5: +64 10\n",
    );
    let (rows, error) = list(&folder, &["over.txt"]);
    assert_eq!(
        (&rows[0]["score"], &rows[1]["score"]),
        (&60.into(), &64.into())
    );
    assert!(
        error.contains("line 1: the record says B+60, its last board B+64"),
        "{error}"
    );
    assert!(!error.contains("line 2"), "{error}");
}

/// Two boards of a match with endings, an anti game, a game with properties that GGF does not have.
const GGF: &str = "\
2 (;GM[Othello]PC[GGS/os]PB[a]PW[b]RE[-14.000:t]TY[s8r20]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5]W[d6];)\
(;GM[Othello]PC[GGS/os]PB[b]PW[a]RE[+14.000:r]TY[s8r20]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5]W[f6];)
1 (;GM[Othello]PB[c]PW[d]RE[+2.000:s]TY[8a]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5]W[f4];)
(;GM[Othello]EV[Spring Cup]RO[3]PB[e]RE[+4.000]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[f5];)
";

#[test]
fn endings_boards_and_rules_of_ggf_are_kept() {
    let folder = TestFolder::new();
    folder.write("a.ggf", GGF);
    let (rows, _) = list(&folder, &["a.ggf"]);
    let column = |key: &str| {
        rows.iter()
            .map(|row| row[key].to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        column("result"),
        [
            "\"W+14 time\"",
            "\"B+14 resigned\"",
            "\"B+2 agreed\"",
            "\"B+4\""
        ]
    );
    assert_eq!(
        column("end"),
        ["\"time\"", "\"resigned\"", "\"agreed\"", "\"played\""]
    );
    assert_eq!(column("score"), ["-14", "14", "2", "4"]);
    assert_eq!(
        column("variant"),
        ["\"standard\"", "\"standard\"", "\"anti\"", "\"standard\""]
    );
    assert_eq!(column("board"), ["1", "2", "null", "null"]);
    let (_, text, _) = run(&["games", "list", text(&folder.path("a.ggf"))]);
    assert!(
        text.contains("W+14 time")
            && text.contains("B+2 agreed (anti)")
            && text.contains("line 1, board 2 of 2"),
        "{text}"
    );
    // As NBoard reads it: pairs are pairs, and there is no property but those of the format.
    let (ggf, error) = converted(&folder, "a.ggf", "ggf");
    let lines: Vec<_> = ggf.lines().collect();
    assert_eq!(lines.len(), 3, "{ggf}");
    assert!(
        lines[0].starts_with("2 (;GM[Othello]") && lines[0].contains(";)(;GM[Othello]"),
        "{ggf}"
    );
    assert!(
        lines[0].contains("RE[-14.00:t]")
            && lines[0].contains("TY[s8r20]")
            && lines[1].contains("TY[8a]"),
        "{ggf}"
    );
    assert!(
        lines[2].contains("CO[Event: Spring Cup]") && !ggf.contains("EV[") && !ggf.contains("RO["),
        "{ggf}"
    );
    assert!(
        error.contains("left out, as the format has no place for it: 1 names"),
        "{error}"
    );
    folder.write("b.ggf", &ggf);
    let (again, _) = list(&folder, &["b.ggf"]);
    for key in ["result", "end", "variant", "board", "moves", "event"] {
        let columns =
            [&rows, &again].map(|rows| rows.iter().map(|row| row[key].clone()).collect::<Vec<_>>());
        assert_eq!(columns[0], columns[1], "{key}");
    }
    // One board of a match is a game.
    let (_, one, _) = run_in(
        &folder.path("."),
        &[
            "games", "filter", "a.ggf", "-o", "-", "--to", "ggf", "-q", "--winner", "white",
        ],
    );
    assert!(
        one.starts_with("(;GM[Othello]") && one.lines().count() == 1,
        "{one}"
    );
    let (sgf, _) = converted(&folder, "a.ggf", "sgf");
    for property in [
        "RE[W+T]",
        "RE[B+R]",
        "RE[B+2]",
        "RU[anti]",
        "GR[-14.00:t]",
        "GR[+2.00:s]",
    ] {
        assert!(sgf.contains(property), "{property}: {sgf}");
    }
    folder.write("c.sgf", &sgf);
    let (again, _) = list(&folder, &["c.sgf"]);
    for (before, after) in rows.iter().zip(&again) {
        for key in ["result", "end", "variant", "moves"] {
            assert_eq!(before[key], after[key], "{key}");
        }
    }
}

#[test]
fn lines_of_turns_and_binary_games_of_edax_are_read() {
    let folder = TestFolder::new();
    folder.write(
        "turns.txt",
        "BLACK, e6\nWHITE, f4\nBLACK, c3\n\nBLACK, f5\nWHITE, d6\n",
    );
    let (rows, _) = list(&folder, &["turns.txt"]);
    let moves: Vec<_> = rows.iter().map(|row| row["moves"].clone()).collect();
    assert_eq!(moves, ["e6f4c3", "f5d6"]);
    let (code, told) = json(&["opening", "BLACK, e6 WHITE, f4 BLACK, c3"]);
    assert_eq!((code, &told["moves"]), (0, &"e6f4c3".into()));
    // The discs of both, a date, two names, 60 moves with none behind the third, black, a number.
    let mut game = vec![0u8; 160];
    game[..8].copy_from_slice(&0x0000_0008_1000_0000_u64.to_le_bytes());
    game[8..16].copy_from_slice(&0x0000_0010_0800_0000_u64.to_le_bytes());
    game[16..20].copy_from_slice(&[0xe8, 0x07, 5, 1]);
    game[24..27].copy_from_slice(b"Ada");
    game[56] = b'?';
    game[88..148].fill(65);
    game[88..91].copy_from_slice(&[37, 43, 18]);
    fs::write(folder.path("game.edx"), &game).unwrap();
    for input in ["game.edx", "."] {
        let (rows, _) = list(&folder, &[input]);
        let row = &rows[0];
        assert_eq!(
            (&row["moves"], &row["black"], &row["date"]),
            (&"f5d6c3".into(), &"Ada".into(), &"2024-05-01".into())
        );
    }
    assert_eq!(
        json(&["opening", text(&folder.path("game.edx"))]).1["moves"],
        "f5d6c3"
    );
    fs::write(folder.path("short.edx"), [&game[..], &game[..100]].concat()).unwrap();
    let (code, _, error) = run(&["games", "list", text(&folder.path("short.edx"))]);
    assert!(
        code == 1 && error.contains("byte 160: game 2: 160 bytes were expected, not 100"),
        "{error}"
    );
}

#[test]
fn bitboards_of_black_and_white_are_written_and_read() {
    let (code, out, _) = run(&["board", "f5d6c3", "--to", "black-white"]);
    assert_eq!(
        (code, out.as_str()),
        (
            0,
            "black 0x000020180c000000 white 0x0000000010100000 white\n"
        )
    );
    let (_, again, _) = run(&["board", out.trim(), "--to", "board"]);
    let (_, board, _) = run(&["board", "f5d6c3", "--to", "board"]);
    assert_eq!(again, board);
}

#[test]
fn bad_lines_of_games_to_learn_are_told_by_the_exit_code() {
    let folder = TestFolder::new();
    folder.write("games.txt", "f5d6c3\nf5f5\nf5f6e6\nnonsense\n");
    let learn = |more: &[&str]| {
        let args = [
            "book",
            "learn",
            "-o",
            "a.egbk3",
            "--games",
            "games.txt",
            "--level",
            "1",
            "--depth",
            "3",
            "--force",
        ];
        run_in(&folder.path("."), &[&args, more].concat())
    };
    let (code, _, error) = learn(&[]);
    assert_eq!(code, 1, "{error}");
    for told in [
        "games.txt: line 2: ",
        "games.txt: line 4: ",
        "2 lines are no game; the others were learnt.",
    ] {
        assert!(error.contains(told), "{error}");
    }
    let (code, found, _) = run_in(&folder.path("."), &["book", "lookup", "a.egbk3", "f5f6e6"]);
    assert_eq!(code, 0, "{found}");
    folder.write("games.txt", "f5d6c3\n");
    let (code, out, error) = learn(&["--json"]);
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &told["bad"]), (0, &0.into()), "{error}");
}

#[test]
fn saved_games_have_names_a_memo_and_values() {
    let folder = TestFolder::new();
    folder.write("a.txt", "f5d6c3\nf5f6\n");
    let names = [
        "--black-name",
        "Ada",
        "--white-name",
        "ボブ",
        "--memo",
        "first round",
        "--date",
        "2024-05-01",
        "--level",
        "2",
    ];
    let convert = |more: &[&str]| {
        run_in(
            &folder.path("."),
            &[&["games", "convert", "a.txt", "-q"], more, &names].concat(),
        )
    };
    let (code, _, error) = convert(&["--to", "egaroucid", "--out-dir", "eg"]);
    assert_eq!(code, 0, "{error}");
    let saved: Value =
        serde_json::from_str(&fs::read_to_string(folder.path("eg/a-000001.json")).unwrap())
            .unwrap();
    assert_eq!(
        (
            &saved["black_player"],
            &saved["white_player"],
            &saved["memo"]
        ),
        (&"Ada".into(), &"ボブ".into(), &"first round".into())
    );
    for discs in ["4", "5", "6", "7"] {
        let value = saved[discs]["value"].as_i64().unwrap();
        assert!(
            value.abs() <= 64 && saved[discs]["level"] == 2,
            "{discs}: {saved}"
        );
    }
    let summary = fs::read_to_string(folder.path("eg/summary.csv")).unwrap();
    assert_eq!(
        summary.lines().next(),
        Some("a-000001,Ada,ボブ,first round,-1,-1,2024-05-01")
    );
    // Values that are there stay; the same in SGF.
    let (code, sgf, error) = convert(&["--to", "sgf", "-o", "-"]);
    assert_eq!(code, 0, "{error}");
    assert!(
        sgf.contains("PB[Ada]PW[ボブ]DT[2024-05-01]GC[first round]")
            && sgf.matches("LE[2]").count() == 7,
        "{sgf}"
    );
    let (code, _, error) = run_in(
        &folder.path("."),
        &[
            "games",
            "convert",
            "a.txt",
            "-o",
            "-",
            "--to",
            "sgf",
            "--date",
            "yesterday",
        ],
    );
    assert!(code == 2 && error.contains("--date yesterday"), "{error}");
}
