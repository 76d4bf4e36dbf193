//! `diff` and `unique`.

use std::path::Path;

use yane_book::diff::{DiffOptions, DiffReport, Difference, DifferenceKind, MoveChange, diff};
use yane_book::unique::{Sameness, UniqueOptions, UniqueReport, unique};
use yane_book::{BookError, Job};

use super::util::{AFTER_7G7F, Folder, START, TURNED_7G7F, brief, fixture, jobs, text};

fn compare(a: &Path, b: &Path, options: DiffOptions) -> (DiffReport, Vec<Difference>) {
    let results = jobs().map(|job| {
        let mut found = Vec::new();
        let report = diff(a, b, options, &job, |difference| {
            found.push(difference);
            Ok(())
        });
        (report.unwrap(), found)
    });
    assert!(results.iter().all(|result| *result == results[0]));
    results[0].clone()
}

#[test]
fn order_and_line_ends_are_no_difference() {
    let folder = Folder::new();
    let text = std::fs::read_to_string(fixture("merge/mab.db")).unwrap();
    let mut records: Vec<_> = text.split("sfen ").skip(1).collect();
    records.reverse();
    let reversed = format!("sfen {}", records.join("sfen "));
    let other = folder.file("other.db", &reversed.replace("\r\n", "\n"));
    let (report, found) = compare(&fixture("merge/mab.db"), &other, DiffOptions::default());
    assert!(report.is_same(), "{found:?}");
    assert_eq!(report.same, records.len() as u64);
}

#[test]
fn every_kind_of_difference_is_told() {
    let folder = Folder::new();
    let a = folder.book(
        "a.db",
        &[
            (AFTER_7G7F, &["3c3d none 1 2 3", "8c8d 2g2f 4 5 6", "4a3b"]),
            (START, &["7g7f"]),
        ],
    );
    let b = folder.book(
        "b.db",
        &[
            (TURNED_7G7F, &["7g7f"]),
            (AFTER_7G7F, &["8c8d 2g2f 4 5 7", "3c3d none -1 2 3", "9c9d"]),
        ],
    );
    let (report, found) = compare(&a, &b, DiffOptions::default());
    let sfens: Vec<_> = found.iter().map(|found| found.sfen.as_str()).collect();
    assert_eq!(sfens, [TURNED_7G7F, AFTER_7G7F, START]);
    let DifferenceKind::Moves(changes) = &found[1].kind else {
        panic!("{found:?}");
    };
    let brief = |known| brief(&[known])[0].0.clone();
    let changes: Vec<_> = changes
        .iter()
        .map(|change| match *change {
            MoveChange::Removed(known) => format!("-{}", brief(known)),
            MoveChange::Added(known) => format!("+{}", brief(known)),
            MoveChange::Changed { after, .. } => format!("~{} {}", brief(after), after.eval),
        })
        .collect();
    assert_eq!(changes, ["~3c3d -1", "~8c8d 4", "-4a3b", "+9c9d"]);
    assert!(matches!(&found[0].kind, DifferenceKind::OnlySecond(moves) if moves.len() == 1));
    assert!(matches!(&found[2].kind, DifferenceKind::OnlyFirst(moves) if moves.len() == 1));
    let expected = DiffReport {
        only_first: 1,
        only_second: 1,
        different: 1,
        removed: 1,
        added: 1,
        eval_changed: 1,
        rest_changed: 1,
        ..DiffReport::default()
    };
    assert_eq!(report, expected);
}

#[test]
fn plies_may_be_ignored() {
    let folder = Folder::new();
    let later = AFTER_7G7F.replace("- 2", "- 4");
    let a = folder.book("a.db", &[(AFTER_7G7F, &["3c3d"])]);
    let b = folder.book("b.db", &[(&later, &["3c3d"])]);
    let (report, _) = compare(&a, &b, DiffOptions::default());
    assert_eq!((report.only_first, report.only_second), (1, 1));
    let ignoring = DiffOptions {
        ignore_ply: true,
        ..DiffOptions::default()
    };
    assert!(compare(&a, &b, ignoring).0.is_same());
}

#[test]
fn a_binary_book_is_compared_by_what_it_holds() {
    let (report, found) = compare(
        &fixture("ybb/acyclic_ps.db"),
        &fixture("ybb/acyclic_ps.ybb"),
        DiffOptions::default(),
    );
    assert!(report.is_same(), "{found:?}");
    // That file has no depths.
    let (report, found) = compare(
        &fixture("ybb/acyclic.db"),
        &fixture("ybb/acyclic_nd.ybb"),
        DiffOptions::default(),
    );
    assert!(report.is_same(), "{found:?}");
}

#[test]
fn an_error_of_the_listener_ends_it() {
    let folder = Folder::new();
    let a = folder.book("a.db", &[(START, &["7g7f"])]);
    let b = folder.book("b.db", &[]);
    let result = diff(&a, &b, DiffOptions::default(), &Job::default(), |_| {
        Err(BookError::Files(yane_io::Error::Cancelled))
    });
    assert!(matches!(
        result,
        Err(BookError::Files(yane_io::Error::Cancelled))
    ));
}

fn run_unique(book: &Path, options: UniqueOptions) -> (UniqueReport, String) {
    let folder = Folder::new();
    let out = folder.path("out.db");
    let results = jobs().map(|job| {
        let report = unique(book, &out, options, &job).unwrap();
        (report, std::fs::read_to_string(&out).unwrap())
    });
    assert!(results.iter().all(|result| *result == results[0]));
    results[0].clone()
}

#[test]
fn turned_positions_become_one() {
    let folder = Folder::new();
    let turned = UniqueOptions {
        sameness: Sameness::Flipped,
        ..UniqueOptions::default()
    };
    // White's moves were searched deeper: they are turned and kept. White's only position stays.
    let after_2g2f = "lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w - 2";
    let book = folder.book(
        "book.db",
        &[
            (AFTER_7G7F, &["8c8d 2g2f 5 9 1", "3c3d none 4 9 1"]),
            (&AFTER_7G7F.replace("- 2", "- 4"), &["4a3b none 0 99 1"]),
            (TURNED_7G7F, &["2g2f none 7 8 1"]),
            (after_2g2f, &["3c3d none 1 1 1"]),
        ],
    );
    let (report, written) = run_unique(&book, turned);
    let expected = text(&[
        (TURNED_7G7F, &["2g2f 8c8d 5 9 1", "7g7f none 4 9 1"]),
        (after_2g2f, &["3c3d none 1 1 1"]),
    ]);
    assert_eq!(written, expected);
    let counts = (
        report.read,
        report.positions,
        report.repeated,
        report.flipped,
    );
    assert_eq!(counts, (4, 2, 1, 1));
    assert_eq!(report.moves, 3);
    // Plainly, only the later ply goes.
    let (report, written) = run_unique(&book, UniqueOptions::default());
    let counts = (
        report.read,
        report.positions,
        report.repeated,
        report.flipped,
    );
    assert_eq!(counts, (4, 3, 1, 0));
    assert!(!written.contains("4a3b"));
    // Ignoring plies, the moves of both are joined.
    let joined = UniqueOptions {
        ignore_ply: true,
        ..turned
    };
    let (report, written) = run_unique(&book, joined);
    assert_eq!((report.positions, report.moves), (2, 4));
    assert!(written.contains("6i7h none 0 99 1"));
}

#[test]
fn black_wins_a_tie() {
    let folder = Folder::new();
    let book = folder.book(
        "book.db",
        &[
            (AFTER_7G7F, &["3c3d none 4 9 1"]),
            (TURNED_7G7F, &["2g2f none 7 9 1"]),
        ],
    );
    let options = UniqueOptions {
        sameness: Sameness::Flipped,
        ..UniqueOptions::default()
    };
    let (_, written) = run_unique(&book, options);
    assert_eq!(written, text(&[(TURNED_7G7F, &["2g2f none 7 9 1"])]));
}

#[test]
fn nothing_unique_is_lost() {
    let options = UniqueOptions {
        sameness: Sameness::Flipped,
        ..UniqueOptions::default()
    };
    let (report, _) = run_unique(&fixture("startsfens/book_flips.db"), options);
    assert!(report.flipped > 0);
    assert_eq!(
        report.read,
        report.positions + report.flipped + report.repeated
    );
}
