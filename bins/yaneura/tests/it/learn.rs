//! `yaneura learn`: from teacher data to a network that the engine plays with.

use std::time::Duration;

use serde_json::Value;
use test_support::{TestFolder, fixture, run_program};

use crate::util::PROGRAM;

/// Longest time of a run, on a busy machine.
const RUN_TIME: Duration = Duration::from_secs(600);

/// Runs `yaneura learn` with `line` in `folder`; exit code, standard output, standard error.
fn learn(folder: &TestFolder, line: &str) -> (Option<i32>, String, String) {
    let words: Vec<_> = std::iter::once("learn")
        .chain(line.split_whitespace())
        .collect();
    let run = run_program(PROGRAM, &folder.path(""), words, Vec::new(), RUN_TIME);
    (run.code, run.text().to_owned(), run.err)
}

/// A folder with 5,000 positions in `teacher.psv`.
fn data() -> TestFolder {
    let folder = TestFolder::new();
    std::fs::copy(fixture("learning/valid5k.psv"), folder.path("teacher.psv")).expect("a copy");
    folder
}

const SMALL: &str =
    "--train teacher.psv --valid 10% --arch kp_32x2-8-8 --batch 256 --mirror 0 --quiet";

#[test]
fn a_network_that_the_engine_reads() {
    let folder = data();
    let line = format!("{SMALL} --epochs 3 --json --html curves.html -o net");
    let (code, out, err) = learn(&folder, &line);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let lines: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    assert_eq!(lines[0]["data"]["read"], 5000, "{out}");
    let losses: Vec<_> = lines[1..]
        .iter()
        .map(|line| line["valid_excess"].as_f64().expect("a loss"))
        .collect();
    assert_eq!(losses.len(), 4, "{out}");
    assert!(losses[3] < losses[0] && losses[3] < 0.2, "{out}");
    assert!(
        lines[4]["positions_per_second"].as_f64() > Some(0.0),
        "{out}"
    );
    let page = String::from_utf8(folder.read("curves.html")).expect("text");
    assert!(
        page.contains("kp_32x2-8-8") && page.contains("<svg"),
        "{page}"
    );

    let words = [
        "setoption",
        "name",
        "EvalDir",
        "value",
        "net/final",
        ",",
        "isready",
        ",",
        "e",
        ",",
        "quit",
    ];
    let run = run_program(PROGRAM, &folder.path(""), words, Vec::new(), RUN_TIME);
    assert!(run.text().contains("net/final"), "{}", run.text());
    assert!(!run.text().contains("Error"), "{}", run.text());
}

#[test]
fn the_same_bytes_with_any_number_of_threads() {
    let folder = data();
    for threads in ["1", "3"] {
        let (code, _, err) = learn(
            &folder,
            &format!("{SMALL} --epochs 2 --threads {threads} -o net{threads}"),
        );
        assert_eq!((code, err.as_str()), (Some(0), ""));
    }
    assert!(folder.read("net1/final/nn.bin") == folder.read("net3/final/nn.bin"));
}

#[test]
fn a_finished_training_is_not_done_again_and_force_begins_anew() {
    let folder = data();
    let line = format!("{SMALL} --epochs 2 --json -o net");
    let first = learn(&folder, &line);
    assert_eq!(first.0, Some(0));
    let network = folder.read("net/final/nn.bin");
    // The data alone are told again.
    let again = learn(&folder, &line);
    assert_eq!(
        (again.0, again.1.lines().count()),
        (Some(0), 1),
        "{again:?}"
    );
    let forced = learn(&folder, &format!("{line} --force"));
    assert_eq!(forced.1.lines().count(), first.1.lines().count());
    assert!(folder.read("net/final/nn.bin") == network);
}

#[test]
fn wrong_data_is_one_error() {
    let folder = data();
    folder.write("short.psv", &folder.read("teacher.psv")[..100]);
    folder.write("empty.psv", "");
    folder.write("text.txt", "hello");
    for (file, words) in [
        ("short.psv", "short.psv: "),
        ("empty.psv", "empty.psv: "),
        ("missing.psv", "missing.psv: "),
        ("text.txt", "text.txt: "),
    ] {
        let (code, out, err) = learn(&folder, &format!("--train {file} --quiet -o net"));
        assert_eq!((code, out.as_str()), (Some(1), ""), "{file}: {err}");
        assert!(
            err.contains(words) && err.lines().count() == 1,
            "{file}: {err}"
        );
    }
    let (code, _, err) = learn(&folder, "--train teacher.psv --valid 100% -o net");
    assert_eq!(code, Some(2), "{err}");
    assert!(!folder.path("net/final").exists());
}
