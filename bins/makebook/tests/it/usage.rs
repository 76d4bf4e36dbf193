//! The command line: help, the two syntaxes, what is wrong usage, and the program `startsfens`.

use std::time::Duration;
use test_support::{ProgramRun, TestFolder, fixture_bytes, run_program};

use crate::util::{Refused, RunMakebook, fixture, folder_with};

#[test]
fn wrong_usage_is_named() {
    let folder = folder_with(&["merge/ma.db", "merge/mb.db"]);
    for (line, word) in [
        ("nonsense", "nonsense"),
        ("merge ma.db mb.db", "FILES"),
        ("merge bw ma.db mb.db ma.db out.db", "exactly two inputs"),
        ("merge bw wb ma.db mb.db out.db", "--wb"),
        ("sort ma.db", "OUT"),
        ("sort ma.db out.db what", "what"),
        (
            "from_sfen a.sfen b.sfen out.db",
            "unexpected argument out.db",
        ),
        ("from_sfen bw a.sfen out.db", "bw"),
        ("from_sfen a.sfen out.db moves", "--moves"),
        ("from_sfen a.sfen out.db moves many", "many"),
        ("from_sfen a.sfen out.db startmoves 3", "startmoves"),
        ("extend_tree a b c extend_range 1", "--extend-range"),
        ("extend_tree a b c black_eval_limit x", "x"),
        ("extract_sfen_from_db ma.db", "ma.db"),
        ("peta_shock a.db b.db shrinkage", "shrinkage"),
        ("peta_shock_next a.db b.txt", "N"),
        ("convert_to_apery ma.db out.ybb", "out.ybb"),
        ("convert_from_apery ma.db out.db", "ma.db"),
        ("check ma.db --ignore everything", "everything"),
        ("lookup ma.db", "POSITION"),
        ("lookup ma.db startpos moves 7g7e", "illegal move 7g7e"),
        ("lookup ma.db 9/9 b - 1", "ranks"),
        ("filter ma.db out.db ply 5..3", "smaller than the first"),
        ("filter ma.db out.db side x", "x"),
        ("sort ma.db out.db --memory lots", "lots"),
        ("sort ma.db out.db --lf --crlf", "--crlf"),
    ] {
        folder.run(line).refused(2, &[word]);
    }
    assert_eq!(folder.names(), ["ma.db", "mb.db"]);
}

#[test]
fn a_missing_input_is_named() {
    let folder = folder_with(&["merge/ma.db"]);
    folder.write("roots.txt", "startpos\n");
    for line in [
        "from_sfen absent.sfen out.db",
        "merge ma.db absent.db out.db",
        "sort absent.db out.db",
        "build_tree absent.db out.db",
        "stera_convert read_book absent.db write_book out.db",
        "extend_tree absent.db roots.txt out.txt",
        "extend_tree ma.db absent.txt out.txt",
        "extract_sfen_from_db read_book absent.db write_sfen out.txt",
        "extract_sfen_from_sfen read_sfen absent.sfen write_sfen out.txt",
        "startsfens absent.db out.txt",
        "peta_shock absent.db out.db",
        "peta_shock_next absent.db out.txt 3",
        "peta_shock_next2 absent.db out.txt 3",
        "peta_next absent.db",
        "convert absent.db out.ybb",
        "convert absent.ybb out.db",
        "convert absent.bin out.db",
        "info absent.db",
        "check absent.ybb",
        "diff ma.db absent.db",
        "lookup absent.db startpos",
        "unique absent.db out.db",
        "unique absent.db out.db flip",
        "filter absent.db out.db",
        "filter ma.db out.db reachable_from absent.txt",
    ] {
        folder.run(line).refused(1, &["absent."]);
    }
    assert_eq!(folder.names(), ["ma.db", "roots.txt"]);
}

#[test]
fn a_binary_book_is_sent_to_convert() {
    let folder = folder_with(&["ybb/handicap.ybb", "apery/ap.bin", "merge/ma.db"]);
    for line in [
        "merge ma.db handicap.ybb out.db",
        "merge ma.db ma.db out.ybb",
        "sort ap.bin out.db",
        "unique handicap.ybb out.db",
        "filter handicap.ybb out.db",
        "extend_tree handicap.ybb roots.txt out.txt",
        "startsfens ap.bin",
        "peta_next handicap.ybb",
        "extract_sfen_from_db read_book ap.bin write_sfen out.txt",
    ] {
        folder.run(line).refused(1, &["makebook convert"]);
    }
}

#[test]
fn settings_are_heeded() {
    let folder = folder_with(&["sort/messy.db"]);
    let golden = std::fs::read_to_string(fixture("sort/messy_sorted.db")).unwrap();
    folder.run("sort messy.db a.db").silent();
    assert_eq!(folder.read("a.db"), golden.as_bytes());
    let quiet = folder.run("sort messy.db b.db --lf --quiet --threads 1 --memory 64K");
    let normal = folder.run("--lf sort messy.db b.db --temp-dir .").silent();
    assert_eq!(quiet.silent().out, normal.out);
    assert_eq!(folder.read("b.db"), golden.replace("\r\n", "\n").as_bytes());
    folder
        .run("sort messy.db messy.db --comments drop")
        .silent();
    assert_eq!(folder.read("messy.db"), golden.as_bytes());
    folder.write("moves", &golden);
    folder.run("sort ./moves c.db").silent();
    assert_eq!(folder.read("c.db"), golden.as_bytes());
}

#[test]
fn bad_lines_stop_or_are_listed() {
    let folder = folder_with(&["extend_tree/acyclic.db"]);
    let mut text = String::from_utf8(folder.read("acyclic.db")).unwrap();
    let line = text.lines().count() + 1;
    text.push_str("this is no move\r\n");
    folder.write("bad.db", &text);
    let place = format!("bad.db: line {line}: ");
    for command in ["sort", "unique", "filter", "build_tree", "peta_shock"] {
        let run = folder.run(&format!("{command} bad.db out.db"));
        run.refused(1, &[&place]);
        assert!(!folder.path("out.db").exists(), "{command}");
        let run = folder.run(&format!("{command} bad.db out.db --skip-bad"));
        assert_eq!(run.code, Some(0), "{command}: {run:?}");
        std::fs::remove_file(folder.path("out.db")).unwrap();
    }
    let run = folder.run("sort bad.db out.db --skip-bad");
    assert!(run.err.contains(&format!("left out: {place}")), "{run:?}");
    assert!(run.err.contains("1 line left out"), "{run:?}");
}

#[test]
fn illegal_moves_of_books_are_found() {
    let folder = TestFolder::new();
    let text =
        |sfen: &str, mv: &str| format!("#YANEURAOU-DB2016 1.00\nsfen {sfen}\n{mv} none 0 0 1\n");
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    // Moves that the pieces cannot make are always found.
    for mv in ["3c3d", "7g7d", "8h2b+", "P*5e"] {
        folder.write("bad.db", text(start, mv));
        let place = format!("bad.db: line 3: illegal move {mv}");
        folder.run("sort bad.db out.db").refused(1, &[&place]);
        assert!(!folder.path("out.db").exists());
    }
    // A king that steps next to a rook is found if asked.
    folder.write("king.db", text("4k4/9/9/9/9/9/9/4r4/3K5 b - 1", "6i5i"));
    folder.run("sort king.db out.db").silent();
    let place = ["king.db: line 3: illegal move 6i5i"];
    folder
        .run("sort king.db other.db all_rules")
        .refused(1, &place);
    let line = "merge king.db king.db other.db --all-rules";
    folder.run(line).refused(1, &place);
    assert!(!folder.path("other.db").exists());
}

#[test]
fn illegal_moves_of_records_are_told_in_the_known_way() {
    let folder = folder_with(&["from_sfen/games.sfen"]);
    let run = folder.run("from_sfen games.sfen out.db");
    let told = "illegal move : line = 21 , startpos moves 2g2f 3c3d 2f2e 2b3c 7g7f 4a5b 5i5h 5a5b 5h5i , move = 5a5b";
    assert!(run.text().lines().any(|line| line == told), "{run:?}");
    folder
        .run("from_sfen games.sfen strict.db --strict")
        .refused(1, &["games.sfen: line ", "5a5b"]);
    assert!(!folder.path("strict.db").exists());
}

#[test]
fn json_everywhere() {
    let folder = folder_with(&[
        "merge/mab.db",
        "from_sfen/games.sfen",
        "ybb/acyclic_ps.ybb",
        "extend_tree/acyclic.db",
    ]);
    folder.write("roots.txt", "startpos\n");
    for (line, key) in [
        ("from_sfen games.sfen o1.db", "games"),
        ("merge mab.db mab.db o2.db", "common"),
        ("sort mab.db o3.db", "positions"),
        ("build_tree acyclic.db o4.db", "reached"),
        ("extend_tree mab.db roots.txt o6.txt", "lines"),
        (
            "extract_sfen_from_db read_book mab.db write_sfen o7.txt",
            "positions",
        ),
        (
            "extract_sfen_from_sfen read_sfen games.sfen write_sfen o8.txt",
            "games",
        ),
        ("startsfens mab.db o9.txt", "written"),
        ("peta_shock mab.db o10.db", "constant"),
        ("peta_shock_next mab.db o11.txt 2", "written"),
        ("peta_shock_next2 mab.db o12.txt 2", "written"),
        ("peta_next mab.db", "files"),
        ("convert mab.db o13.ybb", "moves"),
        ("info mab.db", "plies"),
        ("check acyclic_ps.ybb --ignore turned", "clean"),
        ("diff mab.db mab.db", "is_same"),
        ("lookup acyclic_ps.ybb startpos", "found"),
        ("unique mab.db o14.db --flip", "turned"),
        ("filter mab.db o15.db", "moves_read"),
    ] {
        let run = folder.run(&format!("{line} --json"));
        assert_eq!(run.code, Some(0), "{line}: {run:?}");
        assert!(run.json().get(key).is_some(), "{line}: {run:?}");
    }
}

const COMMANDS: [&str; 28] = [
    "from_sfen",
    "merge",
    "sort",
    "build_tree",
    "stera_convert",
    "extend_tree",
    "extract_sfen_from_db",
    "extract_sfen_from_sfen",
    "startsfens",
    "peta_shock",
    "peta_shock_next",
    "peta_shock_next2",
    "peta_next",
    "convert",
    "convert_to_apery",
    "convert_from_apery",
    "info",
    "check",
    "diff",
    "lookup",
    "unique",
    "filter",
    "analyze",
    "think",
    "endless_extend_tree",
    "s_tera",
    "mine",
    "serve",
];

#[test]
fn every_command_has_examples() {
    let folder = TestFolder::new();
    for command in COMMANDS {
        let help = folder
            .run(&format!("help {command}"))
            .silent()
            .text()
            .to_owned();
        let (_, examples) = help.split_once("Examples:\n").expect(command);
        assert!(examples.contains(command), "{command}");
        assert_eq!(
            folder.run(&format!("{command} --help")).silent().text(),
            help
        );
    }
}

#[test]
fn the_list_is_complete() {
    let folder = TestFolder::new();
    let help = folder.run("--help").silent().text().to_owned();
    let listed: Vec<_> = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| !line.starts_with("    "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    let mut listed = listed;
    let mut expected = COMMANDS.to_vec();
    listed.sort_unstable();
    expected.sort_unstable();
    assert_eq!(listed, expected);
}

#[test]
fn examples_can_be_read() {
    // A command line of an example is understood: what is missing are its files.
    let folder = TestFolder::new();
    for command in COMMANDS {
        let help = folder.run(&format!("help {command}")).text().to_owned();
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        for line in examples.lines() {
            let line = line.trim().split(" > ").next().unwrap();
            let Some(line) = line.strip_prefix("makebook ") else {
                continue;
            };
            if command == "serve" {
                // It would serve until somebody ends it.
                let words = line.split_once("  ").map_or(line, |(words, _)| words);
                folder.run(&format!("--check-usage {words}")).silent();
                continue;
            }
            let run = folder.run(line);
            assert_eq!(run.code, Some(1), "{line}: {run:?}");
            let missing = run.err.contains("No such file") || cfg!(not(unix));
            assert!(missing, "{line}: {run:?}");
        }
    }
}

fn run_startsfens(folder: &TestFolder, args: &[&str]) -> ProgramRun {
    let program = env!("CARGO_BIN_EXE_startsfens");
    run_program(
        program,
        &folder.path("."),
        args,
        Vec::new(),
        Duration::from_secs(60),
    )
}

/// The program `startsfens` does what the command of `makebook` does.
#[test]
fn startsfens_is_a_program_of_its_own() {
    let folder = folder_with(&["startsfens/book_a.db"]);
    run_startsfens(&folder, &["book_a.db"]).silent();
    let name = "book_a.db-startsfens.txt";
    assert!(folder.read(name) == fixture_bytes(fixture("startsfens").join(name)));
    let folder = TestFolder::new();
    run_startsfens(&folder, &[]).failed(2, &[]);
    run_startsfens(&folder, &["absent.db"]).failed(1, &[]);
    let help = run_startsfens(&folder, &["--help"]);
    assert!(help.text().contains("startsfens user_book1.db"));
    let usage = "Usage: startsfens [OPTIONS] <BOOK.db> [OUT.txt]";
    assert!(help.text().contains(usage), "{}", help.text());
    let version = run_startsfens(&folder, &["--version"]).succeeded();
    assert!(
        version.text().contains(env!("CARGO_PKG_VERSION")),
        "{version:?}"
    );
}
