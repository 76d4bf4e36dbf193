//! Bad input and bad luck.

use std::fs;

use yane_book::db::BadLines;
use yane_book::merge::{Legality, MergeInput, MergeOptions, merge};
use yane_book::{BookError, Job};

const HEAD: &str = "#YANEURAOU-DB2016 1.00\n";
const GOOD: &str = "sfen 4k4/9/9/9/9/9/9/9/4K4 b G 1\nG*5b none 1 2 3\n";

#[test]
fn a_bad_line_is_named_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.db"), folder.path().join("out.db"));
    fs::write(&output, "old").unwrap();
    for (bad, line, expected) in [
        ("sfen hello b - 1\n5a5b\n", 4, "board field"),
        (
            "sfen 4k4/9/9/9/9/9/9/9/4K4 w G 1\n5a5b\nabc\n",
            6,
            "expected a move",
        ),
        (
            "sfen 4k4/9/9/9/9/9/9/9/4K4 w G 1\n\n5a5b none x\n",
            6,
            "eval",
        ),
        (
            "sfen 4k4/9/9/9/9/9/9/9/4K4 w GGGGG 1\n",
            4,
            "pieces of kind G",
        ),
        (
            "sfen 4k4/9/9/9/9/9/9/9/4K4 w G 1\n5a5b none 1 2 3\n5i5h\n",
            6,
            "illegal move 5i5h",
        ),
        (
            "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7e\n",
            5,
            "illegal move 7g7e",
        ),
    ] {
        fs::write(&input, format!("{HEAD}{GOOD}{bad}")).unwrap();
        let inputs = [MergeInput::new(&input)];
        let error = merge(&inputs, &output, MergeOptions::default(), &Job::default()).unwrap_err();
        let BookError::Line { line: at, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(at, line, "{bad}");
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(fs::read(&output).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);

        let options = MergeOptions {
            bad_lines: BadLines::Skip,
            ..MergeOptions::default()
        };
        let second = folder.path().join("second.db");
        let report = merge(&inputs, &second, options, &Job::default()).unwrap();
        assert_eq!(report.skipped.len(), 1);
        assert_eq!(report.skipped[0].line, line);
        let written = fs::read_to_string(&second).unwrap();
        assert!(written.contains("G*5b none 1 2 3\r\n"));
        fs::remove_file(second).unwrap();
    }
}

#[test]
fn an_input_is_not_overwritten_unless_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.db");
    fs::write(&path, format!("{HEAD}{GOOD}")).unwrap();
    let inputs = [MergeInput::new(&path)];
    let error = merge(&inputs, &path, MergeOptions::default(), &Job::default()).unwrap_err();
    assert!(matches!(
        error,
        BookError::Files(yane_io::Error::OverwritesInput(_))
    ));
    let options = MergeOptions {
        overwrite: yane_book::io::Overwrite::Allow,
        ..MergeOptions::default()
    };
    merge(&inputs, &path, options, &Job::default()).unwrap();
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(written, format!("{HEAD}{GOOD}").replace('\n', "\r\n"));
}

#[test]
fn a_cancelled_job_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.db"), folder.path().join("out.db"));
    fs::write(&input, format!("{HEAD}{GOOD}")).unwrap();
    let job = Job::default();
    job.cancel();
    let inputs = [MergeInput::new(&input)];
    let error = merge(&inputs, &output, MergeOptions::default(), &job).unwrap_err();
    assert!(matches!(error, BookError::Files(yane_io::Error::Cancelled)));
    assert!(!output.exists());
}

#[test]
fn a_missing_input_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [MergeInput::new(folder.path().join("absent.db"))];
    let output = folder.path().join("out.db");
    let error = merge(&inputs, &output, MergeOptions::default(), &Job::default()).unwrap_err();
    assert!(error.to_string().contains("absent.db"), "{error}");
    assert!(!output.exists());
}

#[test]
fn files_that_are_no_books_and_empty_ones_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.db"), folder.path().join("out.db"));
    let run = |text: &str| {
        fs::write(&input, text).unwrap();
        let inputs = [MergeInput::new(&input)];
        merge(&inputs, &output, MergeOptions::default(), &Job::default())
    };
    let error = run("hello\nworld\n").unwrap_err();
    assert!(error.to_string().contains("is no .db book"), "{error}");
    assert!(!output.exists());
    fs::write(&output, "what was there").unwrap();
    for (text, word) in [
        ("", "this is an empty file"),
        (HEAD, "no position with a move"),
    ] {
        let error = run(text).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
        assert_eq!(fs::read_to_string(&output).unwrap(), "what was there");
    }
}

#[test]
fn all_rules_are_checked_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.db"), folder.path().join("out.db"));
    // The king would step next to a rook.
    let unsafe_step = "sfen 4k4/9/9/9/9/9/9/4r4/3K5 b - 1\n6i5i\n";
    fs::write(&input, format!("{HEAD}{GOOD}{unsafe_step}")).unwrap();
    let run = |legality| {
        let options = MergeOptions {
            legality,
            ..MergeOptions::default()
        };
        let inputs = [MergeInput::new(&input)];
        merge(&inputs, &output, options, &Job::default())
    };
    let error = run(Legality::Rules).unwrap_err();
    assert!(
        error.to_string().contains("line 5: illegal move 6i5i"),
        "{error}"
    );
    assert!(!output.exists());
    assert_eq!(run(Legality::Pieces).unwrap().positions, 2);
}
