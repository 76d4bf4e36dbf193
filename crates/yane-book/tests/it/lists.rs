//! Lists of positions and lines: `extract`, `startsfens`, `extend_tree`.

use std::collections::BTreeSet;
use std::fs;

use shogi_core::ByColor;
use yane_book::BookError;
use yane_book::db::{BadLines, LineEnd, LineProblem};
use yane_book::extend_tree::{ExtendTree, ExtendTreeReport, extend_tree};
use yane_book::extract::{Extract, extract_sfen_from_db, extract_sfen_from_sfen};
use yane_book::startsfens::{StartSfens, start_sfens};

use super::util::{files, fixture, golden, jobs, output};

#[test]
fn extracted_lists_are_those_of_the_reference() {
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
    assert_eq!(folder.names(), ["input"]);
}

const AFTER_PAWN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -";
const AFTER_2G2F: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w -";
const EVEN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

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
        "#YANEURAOU-DB2016 1.00\nsfen {EVEN} 5\n# a comment\n7g7f\n\nnone none 0 0 1\n\
         7g7e none 1 1 1\n2g2f none x 1 1\nhello\nsfen nonsense\n7g7f\nsfen {EVEN}\n2g2f\n"
    );
    let (folder, input, output) = files(&book);
    let mut options = StartSfens::default();
    for job in jobs() {
        let report = start_sfens(&input, &output, &options, &job).unwrap();
        let expected = format!("{AFTER_PAWN} 6 \n{AFTER_2G2F} 2 \n");
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
    assert_eq!(folder.names(), ["input"]);
}

#[test]
fn tips_are_not_in_the_book() {
    // White's answer to 2g2f, seen from the other side: the same position as black's after 8c8d.
    let flipped = "lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 7";
    let book = format!("sfen {EVEN} 1\n7g7f\n2g2f\nsfen {flipped}\n3g3f\n");
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
    assert!(tips.starts_with(AFTER_PAWN) && !tips.contains(AFTER_2G2F));
}

fn run(book: &str, roots: &str, options: &ExtendTree) -> (String, ExtendTreeReport) {
    let (_folder, output) = output();
    let [book, roots] = [book, roots].map(|name| fixture(&format!("extend_tree/{name}")));
    let report = extend_tree(&book, &roots, &output, options, &jobs()[1]).unwrap();
    (fs::read_to_string(&output).unwrap(), report)
}

fn lines(text: &str) -> BTreeSet<&str> {
    text.lines().collect()
}

#[test]
fn lines_are_those_of_the_reference() {
    let limits = |black, white| ExtendTree {
        eval_limit: ByColor([black, white]),
        ..ExtendTree::default()
    };
    let range = ExtendTree {
        extend_range: Some((-20, 30)),
        ..limits(-200, -200)
    };
    let max_ply = ExtendTree {
        max_game_ply: 4,
        ..limits(-200, -200)
    };
    let start = "ex_startpos.txt";
    let default = ExtendTree::default();
    for (book, roots, options, expected) in [
        ("acyclic_bt.db", start, &default, "ex_default.out"),
        ("acyclic.db", start, &default, "ex_raw.out"),
        ("acyclic.db", start, &limits(-200, -300), "ex_limits.out"),
        ("acyclic.db", start, &limits(20, 20), "ex_tight.out"),
        ("acyclic.db", start, &range, "ex_range.out"),
        ("acyclic.db", "ex_multi.txt", &default, "ex_multi.out"),
        ("acyclic.db", start, &max_ply, "ex_maxply.out"),
        ("cyclic.db", start, &limits(-999, -999), "ex_cyclic.out"),
    ] {
        let (text, report) = run(book, roots, options);
        let expected = golden(&format!("extend_tree/{expected}"));
        let (found, wanted) = (lines(&text), lines(&expected));
        let more: Vec<_> = found.difference(&wanted).collect();
        let less: Vec<_> = wanted.difference(&found).collect();
        assert!(
            more.is_empty() && less.is_empty(),
            "{book} {roots}: unexpected {more:#?}, missing {less:#?}"
        );
        assert_eq!(report.lines, expected.lines().count() as u64);
    }
}

#[test]
fn leaves_met_by_unknown_moves_are_kept_on_demand() {
    let all = ExtendTree {
        all_leaves: true,
        ..ExtendTree::default()
    };
    let (text, report) = run("acyclic_bt.db", "ex_startpos.txt", &all);
    let golden = golden("extend_tree/ex_default.out");
    let (text, reference) = (lines(&text), lines(&golden));
    assert!(text.is_superset(&reference));
    assert_eq!((text.len(), reference.len()), (88, 85));
    assert_eq!(report.lines, 88);
}
