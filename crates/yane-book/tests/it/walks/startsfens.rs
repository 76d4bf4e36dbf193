//! Start positions from books.

use std::fs;

use yane_book::BookError;
use yane_book::db::BadLines;
use yane_book::db::LineProblem;
use yane_book::startsfens::{StartSfens, start_sfens};

use super::common::{files, fixture, golden, jobs, names, output};

const AFTER_7G7F: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -";
const AFTER_2G2F: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w -";
const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

#[test]
fn lists_are_those_of_the_reference() {
    let names = ["a", "bad_header", "bom_crlf", "flips", "noply_ply0"];
    for name in names {
        let book = format!("startsfens/book_{name}.db");
        let expected = golden(&format!("{book}-startsfens.txt"));
        for job in jobs() {
            let (_folder, output) = output();
            let options = StartSfens::default();
            let report = start_sfens(&fixture(&book), &output, &options, &job).unwrap();
            assert_eq!(fs::read_to_string(&output).unwrap(), expected, "{name}");
            assert_eq!(report.written, expected.lines().count() as u64);
            assert_eq!(report.problems.count, 0);
        }
    }
}

#[test]
fn a_book_that_leads_nowhere_writes_nothing() {
    let (_folder, output) = output();
    fs::write(&output, "what was there").unwrap();
    let book = fixture("startsfens/book_empty.db");
    let error = start_sfens(&book, &output, &StartSfens::default(), &jobs()[0]).unwrap_err();
    assert!(error.to_string().contains("no position is in"), "{error}");
    assert_eq!(fs::read_to_string(&output).unwrap(), "what was there");
}

#[test]
fn what_cannot_be_played_is_left_out_and_told() {
    let book = format!(
        "#YANEURAOU-DB2016 1.00\nsfen {START} 5\n# a comment\n7g7f\n\nnone none 0 0 1\n\
         7g7e none 1 1 1\n2g2f none x 1 1\nhello\nsfen nonsense\n7g7f\nsfen {START}\n2g2f\n"
    );
    let (folder, input, output) = files(&book);
    let mut options = StartSfens::default();
    for job in jobs() {
        let report = start_sfens(&input, &output, &options, &job).unwrap();
        let expected = format!("{AFTER_7G7F} 6 \n{AFTER_2G2F} 2 \n");
        assert_eq!(fs::read_to_string(&output).unwrap(), expected);
        let counts = (report.positions, report.moves, report.no_moves);
        assert_eq!(counts, (3, 2, 1));
        let problems: Vec<_> = report.problems.first.iter().collect();
        let lines: Vec<_> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [7, 8, 9, 10]);
        assert_eq!(problems[0].problem, LineProblem::Illegal("7g7e".to_owned()));
    }
    fs::remove_file(&output).unwrap();
    options.bad_lines = BadLines::Fail;
    let error = start_sfens(&input, &output, &options, &jobs()[0]);
    assert!(matches!(error, Err(BookError::Line { line: 7, .. })));
    assert_eq!(names(folder.path()), ["input"]);
}

#[test]
fn tips_are_not_in_the_book() {
    // White's answer to 2g2f, seen from the other side: the same position as black's after 8c8d.
    let flipped = "lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 7";
    let book = format!("sfen {START} 1\n7g7f\n2g2f\nsfen {flipped}\n3g3f\n");
    let (_folder, input, output) = files(&book);
    let mut options = StartSfens::default();
    let read = |options: &StartSfens| {
        let report = start_sfens(&input, &output, options, &jobs()[1]).unwrap();
        let lines = fs::read_to_string(&output).unwrap().lines().count();
        (lines as u64, report.written, report.in_book)
    };
    assert_eq!(read(&options), (3, 3, 0));
    options.tips_only = true;
    assert_eq!(read(&options), (2, 2, 1));
    let tips = fs::read_to_string(&output).unwrap();
    assert!(tips.starts_with(AFTER_7G7F) && !tips.contains(AFTER_2G2F));
}
