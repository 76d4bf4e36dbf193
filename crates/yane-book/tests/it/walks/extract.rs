//! Lists of positions.

use std::fs;

use yane_book::BookError;
use yane_book::db::BadLines;
use yane_book::db::LineEnd;
use yane_book::extract::{Extract, extract_sfen_from_db, extract_sfen_from_sfen};

use super::common::{files, fixture, golden, jobs, names, output};

#[test]
fn lists_are_those_of_the_reference() {
    for job in jobs() {
        let (_folder, output) = output();
        let options = Extract::default();
        let input = fixture("extract/messy.db");
        let report = extract_sfen_from_db(&input, &output, &options, &job).unwrap();
        let expected = golden("extract/xdb.txt");
        assert_eq!(fs::read_to_string(&output).unwrap(), expected);
        assert_eq!(report.positions, expected.lines().count() as u64);

        let input = fixture("extract/games.sfen");
        let report = extract_sfen_from_sfen(&input, &output, &options, &job).unwrap();
        let expected = golden("extract/xsf.txt");
        assert_eq!(fs::read_to_string(&output).unwrap(), expected);
        assert_eq!(report.positions, expected.lines().count() as u64);
        assert_eq!((report.games, report.problems.count), (24, 1));
        assert_eq!(report.problems.first[0].line, 22);
    }
}

#[test]
fn the_last_line_needs_no_end_and_lines_may_end_with_lf() {
    let (_folder, input, output) = files("7g7f\r\n// sfen\rsfen a b - 1 \rsfen c");
    let options = Extract {
        line_end: LineEnd::Lf,
        ..Extract::default()
    };
    extract_sfen_from_db(&input, &output, &options, &jobs()[0]).unwrap();
    assert_eq!(fs::read(&output).unwrap(), b"sfen a b - 1 \nsfen c\n");
}

#[test]
fn bad_records_are_reported_or_refused() {
    let (folder, input, output) = files("startpos\nsfen x\n7g7f 7g7f\n\nstartpos moves 7g7f\n");
    let [job, ..] = jobs();
    let mut options = Extract::default();
    let report = extract_sfen_from_sfen(&input, &output, &options, &job).unwrap();
    assert_eq!((report.games, report.positions), (4, 2));
    let lines: Vec<_> = report
        .problems
        .first
        .iter()
        .map(|problem| problem.line)
        .collect();
    assert_eq!(lines, [2, 3]);
    fs::remove_file(&output).unwrap();

    options.bad_lines = BadLines::Fail;
    let error = extract_sfen_from_sfen(&input, &output, &options, &job);
    assert!(matches!(error, Err(BookError::Line { line: 2, .. })));
    let error = extract_sfen_from_db(&input, &input, &options, &job);
    assert!(matches!(
        error,
        Err(BookError::Files(yane_io::Error::OverwritesInput(_)))
    ));
    assert_eq!(names(folder.path()), ["input"]);
}
