//! The program as users run it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use test_support::{ProgramRun, TestFolder};

pub(crate) fn fixture(name: &str) -> PathBuf {
    test_support::fixture("othello").join(name)
}

pub(crate) fn trial(name: &str) -> PathBuf {
    test_support::fixture("trials/othello").join(name)
}

fn text(name: &str) -> String {
    test_support::fixture_text(fixture(name))
}

pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_egbk-mine"))
}

/// Runs the program; returns exit code, standard output, standard error.
pub(crate) fn run(program: &mut Command) -> (i32, String, String) {
    let run = ProgramRun::new(program.output().unwrap());
    (run.code.unwrap(), run.text().to_owned(), run.err)
}

#[test]
fn lines_go_to_a_file_or_to_standard_output() {
    let folder = TestFolder::new();
    let file = folder.path("lines.txt");
    for mode in 1..=4 {
        let book = fixture("books/pert_games_b.dat");
        let expected = text(&format!("miner/pert_games_b.seed.mode{mode}.txt"));
        let mode = mode.to_string();
        let (code, out, _) = run(program().arg(&book).args(["--mode", &mode, "--quiet"]));
        assert_eq!((code, &out), (0, &expected));
        let (code, out, _) = run(program()
            .arg(&book)
            .args(["-m", &mode, "--json", "--force", "-o"])
            .arg(&file));
        assert_eq!(code, 0);
        assert_eq!(fs::read_to_string(&file).unwrap(), expected);
        let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(summary["lines"], expected.lines().count());
        assert_eq!(summary["repeated"], 1);
    }
}

#[test]
fn lines_have_the_requested_format() {
    let book = fixture("books/pert_dev_a.dat");
    let transcripts = text("miner/pert_dev_a.seed.mode2.txt");
    let mut base = program();
    base.arg(&book).args(["-m", "2", "-q"]);
    let (_, out, _) = run(base.args(["--bom", "--crlf"]));
    assert_eq!(
        out,
        format!("\u{feff}{}", transcripts.replace('\n', "\r\n"))
    );
    let (_, csv, _) = run(program()
        .arg(&book)
        .args(["-m", "2", "-q", "--format", "csv"]));
    let first: Vec<_> = csv
        .lines()
        .map(|line| line.split(',').next().unwrap())
        .collect();
    assert_eq!(first[0], "transcript");
    assert_eq!(first[1..], transcripts.lines().collect::<Vec<_>>());
    let (_, json, _) = run(program()
        .arg(&book)
        .args(["-m", "2", "-q", "--format", "jsonl"]));
    for (line, transcript) in json.lines().zip(transcripts.lines()) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["transcript"], transcript);
        assert_ne!(line["expected"], line["found"]);
    }
}

#[test]
fn the_newer_version_has_more_modes() {
    for (book, mode) in [("dev_b", "6"), ("dev_b", "7"), ("pert_games_b", "3")] {
        let dat = fixture(&format!("books/{book}.dat"));
        let (code, out, _) = run(program()
            .arg(dat)
            .args(["-q", "--dialect", "v2", "-m", mode]));
        assert_eq!(
            (code, out),
            (0, text(&format!("miner/{book}.v2.mode{mode}.txt")))
        );
    }
    let dat = fixture("books/dev_b.dat");
    let limits = [
        "--per-move-error",
        "1",
        "--cumulative-error",
        "6",
        "--max-line",
        "8",
    ];
    let (code, out, _) = run(program().arg(dat).args(["-q", "-m", "1"]).args(limits));
    let expected = text("miner/dev_b.v2.mode1.pm1.cu6.ply8.txt");
    assert_eq!((code, out), (0, expected));
}

#[test]
fn the_older_version_has_its_own_notation() {
    for mode in ["1", "2", "3", "4"] {
        let dat = fixture("books/pert_games_b.dat");
        let (code, out, _) = run(program()
            .arg(dat)
            .args(["-q", "--dialect", "v1", "-m", mode]));
        let expected = text(&format!("miner/pert_games_b.v1.mode{mode}.txt"));
        assert_eq!((code, out), (0, expected));
    }
}

#[test]
fn all_cores_give_the_same_lines_in_order() {
    let book = fixture("books/pert_games_b.dat");
    let folder = TestFolder::new();
    let file = folder.path("lines.txt");
    for mode in ["1", "2", "4", "6"] {
        let (_, walked, _) = run(program().arg(&book).args(["-q", "-m", mode]));
        let mut expected: Vec<_> = walked.lines().collect();
        expected.sort_unstable();
        let sorted = ["-q", "--parallel", "--threads", "2", "-m", mode];
        let (code, out, _) = run(program().arg(&book).args(sorted));
        assert_eq!(code, 0);
        assert_eq!(out.lines().collect::<Vec<_>>(), expected);
        let to_file = ["--force", "-o", file.to_str().unwrap()];
        let (code, ..) = run(program().arg(&book).args(sorted).args(to_file));
        assert_eq!((code, fs::read_to_string(&file).unwrap()), (0, out));
    }
}

#[test]
fn a_search_that_ended_early_reports_it() {
    let (code, out, report) = run(program()
        .arg(fixture("books/pert_dev_a.dat"))
        .args(["--limit", "3"]));
    assert_eq!((code, out.lines().count()), (0, 3));
    assert!(report.contains("3 lines (stopped there)"), "{report}");
    assert!(!report.contains("not reached"), "{report}");
}

#[test]
fn books_of_egaroucid_are_mined_too() {
    let (code, out, _) = run(program()
        .arg(fixture("books/egaroucid/var_g.egbk3"))
        .arg("-q"));
    assert_eq!(code, 0);
    // Moves have the values of the positions behind them there; those differ from the best moves behind.
    assert!(out.lines().count() > 10);
    let (code, out, _) = run(program()
        .arg(fixture("books/egaroucid/var_g.egbk3"))
        .args(["-q", "-m", "3"]));
    assert_eq!((code, out.as_str()), (0, ""));
}

#[test]
fn a_damaged_book_is_one_error_with_its_byte() {
    let folder = TestFolder::new();
    let book = folder.path("book.dat");
    let bytes = fs::read(fixture("books/dev_a.dat")).unwrap();
    fs::write(&book, &bytes[..bytes.len() - 5]).unwrap();
    let output = folder.path("lines.txt");
    let (code, _, error) = run(program().arg(&book).arg("-q").arg("-o").arg(&output));
    assert_eq!(code, 1);
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains(": byte "), "{error}");
    assert!(!output.exists());
    let (code, out, _) = run(program()
        .arg(&book)
        .args(["--skip-damaged", "-q", "--json", "-o"])
        .arg(&output));
    assert_eq!(code, 0);
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&summary["damaged"], &summary["positions"]),
        (&1.into(), &182.into())
    );
    fs::write(&book, "hello").unwrap();
    let (code, _, error) = run(program().arg(&book).arg("-q"));
    assert_eq!(code, 1);
    assert!(error.contains("byte 0: not a book"), "{error}");
}

#[test]
fn a_start_must_be_a_legal_game() {
    let book = fixture("books/dev_a.dat");
    assert_eq!(
        run(program().arg(&book).args(["-q", "--start", "f5f5"])).0,
        2
    );
    assert_eq!(run(program().arg(&book).args(["-q", "--mode", "9"])).0, 2);
    let (code, _, error) = run(program()
        .arg(&book)
        .args(["-q", "--start", "f5d6c3d3c4f4c5b3c2"]));
    assert_eq!(code, 1);
    assert!(error.contains("does not have the position"), "{error}");
}

#[test]
fn positions_are_looked_up_as_they_are() {
    let book = fixture("books/dev_a.dat");
    let positions = fixture("miner/mode5.dev_a.in.txt");
    let (code, out, _) = run(program()
        .arg(&book)
        .args(["-m", "5", "-q", "--json", "--positions"])
        .arg(positions));
    assert_eq!(code, 1, "some are not in the book");
    let (code, same, _) = run(program()
        .arg(&book)
        .args(["-m", "5", "-q", "--format", "jsonl", "--positions"])
        .arg(fixture("miner/mode5.dev_a.in.txt")));
    assert_eq!((code, &same), (1, &out));
    let expected: serde_json::Value =
        serde_json::from_str(&text("miner/mode5.dev_a.json")).unwrap();
    let expected = expected.as_array().unwrap();
    assert_eq!(out.lines().count(), expected.len());
    for (line, expected) in out.lines().zip(expected) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        if expected.get("found").is_some() {
            for key in ["found", "value", "links", "leaf"] {
                assert_eq!(line.get(key), expected.get(key), "{line}");
            }
        } else {
            assert!(line.get("error").is_some(), "{line}");
        }
    }
}

#[test]
fn without_arguments_it_works_on_its_folder() {
    let folder = TestFolder::new();
    let at = |name: &str| folder.path(name);
    fs::copy(fixture("books/pert_dev_a.dat"), at("book.dat")).unwrap();
    fs::write(at("config.ini"), "Mode=3\nlog_level=INFO\n").unwrap();
    let expected = text("miner/pert_dev_a.seed.mode3.txt");
    for runs in 1..=2 {
        let (code, out, _) = run(program().current_dir(folder.path(".")));
        assert_eq!(code, 0);
        assert!(out.contains("mismatches"), "{out}");
        // Appended, with one byte order mark.
        let lines = fs::read_to_string(at("mismatched_positions.txt")).unwrap();
        let lines = lines.replace("\r\n", "\n");
        assert_eq!(lines, format!("\u{feff}{}", expected.repeat(runs)));
    }
    let log = fs::read_to_string(at("debuglog.txt")).unwrap();
    assert!(
        log.starts_with('\u{feff}') && log.contains("[INFO]"),
        "{log}"
    );

    fs::write(at("config.ini"), "mode=5\n").unwrap();
    fs::copy(
        fixture("miner/mode5.dev_a.in.txt"),
        at("specified_positions.txt"),
    )
    .unwrap();
    let (code, out, _) = run(program().current_dir(folder.path(".")));
    assert_eq!(code, 1);
    assert!(out.contains("not in the book"), "{out}");

    fs::write(at("book.dat"), "hello").unwrap();
    assert_eq!(run(program().current_dir(folder.path("."))).0, 1);
    assert!(
        fs::read_to_string(at("debuglog.txt"))
            .unwrap()
            .contains("[ERROR]")
    );
    fs::write(at("config.ini"), "mode=99\n").unwrap();
    assert_eq!(run(program().current_dir(folder.path("."))).0, 2);
}

#[test]
fn a_folder_without_a_book_is_left_as_it_is() {
    let folder = TestFolder::new();
    let (code, _, error) = run(program().current_dir(folder.path(".")));
    assert_eq!(code, 2);
    assert!(error.contains("--help"), "{error}");
    assert!(folder.names().is_empty());
}

// Existing files, and JSON.

/// Runs the program in `folder`; returns exit code, standard output, standard error.
fn run_there(folder: &TestFolder, args: &[&str]) -> (i32, String, String) {
    let book = fixture("books/pert_dev_a.dat");
    run(program().current_dir(folder.path(".")).arg(book).args(args))
}

#[test]
fn a_file_that_exists_is_replaced_only_by_force() {
    let folder = TestFolder::new();
    let file = folder.path("out.txt");
    assert_eq!(run_there(&folder, &["-o", "out.txt"]).0, 0);
    let made = fs::read(&file).unwrap();
    fs::write(&file, "old").unwrap();
    let (code, _, error) = run_there(&folder, &["-o", "out.txt"]);
    let told = "out.txt exists; choose another output, or pass --force";
    assert!(code == 1 && error.contains(told), "{error}");
    assert_eq!(fs::read(&file).unwrap(), b"old");
    assert_eq!(run_there(&folder, &["-o", "out.txt", "--force"]).0, 0);
    assert!(fs::read(&file).unwrap() == made);
}

#[test]
fn standard_output_is_all_json_with_json() {
    let folder = TestFolder::new();
    let (code, out, error) = run_there(&folder, &["--json", "--quiet"]);
    assert_eq!((code, error.as_str()), (0, ""));
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (summary, found) = lines.split_last().unwrap();
    assert_eq!(summary["lines"], found.len());
    assert!(found.len() > 1 && found.iter().all(|line| line["transcript"].is_string()));
    let (code, out, error) = run_there(&folder, &["--json", "--format", "csv"]);
    assert!(
        code == 2 && out.is_empty() && error.contains("--json"),
        "{error}"
    );
}
