//! Differences and parts of books: `diff`, `unique`, `filter`, and what must hold for any book.

use std::path::Path;

use proptest::prelude::*;
use shogi_core::{Color, Position};
use test_support::TestFolder;
use yane_book::check::{FindingKind, check};
use yane_book::diff::{DiffOptions, DiffReport, Difference, DifferenceKind, MoveChange, diff};
use yane_book::filter::{Filter, FilterReport, filter};
use yane_book::merge::{MergeInput, MergeOptions, merge};
use yane_book::unique::{Sameness, UniqueOptions, UniqueReport, unique};
use yane_book::{BookError, Job};

use super::util::{
    AFTER_7G7F, BookFolder, FLIPPED_7G7F, HEADER, START, brief, fixture, jobs, text,
};

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
    let folder = TestFolder::new();
    let text = std::fs::read_to_string(fixture("merge/mab.db")).unwrap();
    let mut records: Vec<_> = text.split("sfen ").skip(1).collect();
    records.reverse();
    let reversed = format!("sfen {}", records.join("sfen "));
    let other = folder.file("other.db", reversed.replace("\r\n", "\n"));
    let (report, found) = compare(&fixture("merge/mab.db"), &other, DiffOptions::default());
    assert!(report.is_same(), "{found:?}");
    assert_eq!(report.same, records.len() as u64);
}

#[test]
fn every_kind_of_difference_is_told() {
    let folder = TestFolder::new();
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
            (FLIPPED_7G7F, &["7g7f"]),
            (AFTER_7G7F, &["8c8d 2g2f 4 5 7", "3c3d none -1 2 3", "9c9d"]),
        ],
    );
    let (report, found) = compare(&a, &b, DiffOptions::default());
    let sfens: Vec<_> = found.iter().map(|found| found.sfen.as_str()).collect();
    assert_eq!(sfens, [FLIPPED_7G7F, AFTER_7G7F, START]);
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
    let folder = TestFolder::new();
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
    let folder = TestFolder::new();
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
    let folder = TestFolder::new();
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
    let folder = TestFolder::new();
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
            (FLIPPED_7G7F, &["2g2f none 7 8 1"]),
            (after_2g2f, &["3c3d none 1 1 1"]),
        ],
    );
    let (report, written) = run_unique(&book, turned);
    let expected = text(&[
        (FLIPPED_7G7F, &["2g2f 8c8d 5 9 1", "7g7f none 4 9 1"]),
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
    let folder = TestFolder::new();
    let book = folder.book(
        "book.db",
        &[
            (AFTER_7G7F, &["3c3d none 4 9 1"]),
            (FLIPPED_7G7F, &["2g2f none 7 9 1"]),
        ],
    );
    let options = UniqueOptions {
        sameness: Sameness::Flipped,
        ..UniqueOptions::default()
    };
    let (_, written) = run_unique(&book, options);
    assert_eq!(written, text(&[(FLIPPED_7G7F, &["2g2f none 7 9 1"])]));
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

const AFTER_2G2F: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w - 2";

fn small_book(folder: &TestFolder) -> std::path::PathBuf {
    folder.book(
        "small_book.db",
        &[
            (
                START,
                &[
                    "7g7f none 50 10 3",
                    "2g2f none 30 12 9",
                    "9g9f none -80 1 0",
                ],
            ),
            (FLIPPED_7G7F, &["2g2f none 500 3 1"]),
            (AFTER_7G7F, &["3c3d none -20 8 1"]),
            (AFTER_2G2F, &["8c8d none -900 8 1"]),
        ],
    )
}

fn run(input: &Path, options: &Filter) -> (FilterReport, Vec<String>, Vec<String>) {
    let folder = TestFolder::new();
    let out = folder.path("out.db");
    let results = jobs().map(|job| {
        let report = filter(input, &out, options, &job).unwrap();
        (report, std::fs::read_to_string(&out).unwrap())
    });
    assert!(results.iter().all(|result| *result == results[0]));
    let (report, text) = results[0].clone();
    let lines = text.strip_prefix(HEADER).unwrap().lines();
    let (sfens, moves): (Vec<_>, Vec<_>) = lines.partition(|line| line.starts_with("sfen "));
    assert_eq!(report.positions, sfens.len() as u64);
    assert_eq!(report.moves, moves.len() as u64);
    let sfens = sfens.iter().map(|line| line[5..].to_owned()).collect();
    let first = |line: &&str| line.split(' ').next().unwrap().to_owned();
    (report, sfens, moves.iter().map(first).collect())
}

#[test]
fn positions_are_picked() {
    let folder = TestFolder::new();
    let small_book = small_book(&folder);
    let cases: [(Filter, &[&str]); 4] = [
        (
            Filter::default(),
            &[START, FLIPPED_7G7F, AFTER_7G7F, AFTER_2G2F],
        ),
        (
            Filter {
                plies: Some(2..=2),
                ..Filter::default()
            },
            &[AFTER_7G7F, AFTER_2G2F],
        ),
        (
            Filter {
                side: Some(Color::Black),
                ..Filter::default()
            },
            &[START, FLIPPED_7G7F],
        ),
        (
            Filter {
                evals: Some(-20..=50),
                ..Filter::default()
            },
            &[START, AFTER_7G7F],
        ),
    ];
    for (options, expected) in cases {
        let (report, sfens, _) = run(&small_book, &options);
        assert_eq!(sfens, expected, "{options:?}");
        assert_eq!((report.read, report.moves_read), (4, 6));
    }
}

#[test]
fn moves_are_picked_and_positions_without_any_go() {
    let folder = TestFolder::new();
    let small_book = small_book(&folder);
    let cases: [(Filter, &[&str]); 4] = [
        (
            Filter {
                move_evals: Some(0..=100),
                ..Filter::default()
            },
            &["7g7f", "2g2f"],
        ),
        (
            Filter {
                min_count: 2,
                ..Filter::default()
            },
            &["7g7f", "2g2f"],
        ),
        (
            Filter {
                min_depth: Some(8),
                ..Filter::default()
            },
            &["7g7f", "2g2f", "3c3d", "8c8d"],
        ),
        (
            Filter {
                max_moves: Some(1),
                ..Filter::default()
            },
            &["2g2f", "2g2f", "3c3d", "8c8d"],
        ),
    ];
    for (options, expected) in cases {
        let (_, _, moves) = run(&small_book, &options);
        assert_eq!(moves, expected, "{options:?}");
    }
}

#[test]
fn what_can_be_reached_is_kept() {
    let folder = TestFolder::new();
    let small_book = small_book(&folder);
    let from = |sfen: &str| Filter {
        reachable_from: Some(vec![Position::from_sfen(sfen).unwrap()]),
        ..Filter::default()
    };
    let (report, sfens, _) = run(&small_book, &from(START));
    assert_eq!(sfens, [START, AFTER_7G7F, AFTER_2G2F]);
    assert_eq!(report.reachable, Some(3));
    // Whatever the ply is.
    let (_, sfens, _) = run(&small_book, &from(&AFTER_7G7F.replace("- 2", "- 8")));
    assert_eq!(sfens, [AFTER_7G7F]);
}

#[test]
fn a_filter_that_keeps_nothing_writes_nothing() {
    let folder = TestFolder::new();
    let small_book = small_book(&folder);
    let output = folder.file("out.db", "what was there");
    for options in [
        Filter {
            plies: Some(0..=1),
            side: Some(Color::White),
            ..Filter::default()
        },
        Filter {
            reachable_from: Some(vec![
                Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b - 1").unwrap(),
            ]),
            ..Filter::default()
        },
    ] {
        let job = yane_book::Job::default();
        let error = filter(&small_book, &output, &options, &job)
            .unwrap_err()
            .to_string();
        assert!(error.contains("keeps none of the 4 positions"), "{error}");
        assert_eq!(std::fs::read_to_string(&output).unwrap(), "what was there");
    }
}

#[test]
fn reaching_ends_in_cycles() {
    let (report, sfens, _) = run(
        &fixture("extend_tree/cyclic.db"),
        &Filter {
            reachable_from: Some(vec![Position::startpos()]),
            ..Filter::default()
        },
    );
    assert!(!sfens.is_empty());
    assert!(report.positions <= report.read);
}

#[test]
fn trouble_leaves_the_old_file() {
    let folder = TestFolder::new();
    let small_book = small_book(&folder);
    let job = yane_book::Job::default();
    let error = filter(&small_book, &small_book, &Filter::default(), &job).unwrap_err();
    assert!(matches!(
        error,
        BookError::Files(yane_io::Error::OverwritesInput(_))
    ));
    let bad = folder.file("bad.db", &(text(&[(START, &["7g7f"])]) + "what\r\n"));
    let out = folder.file("out.db", "old");
    let error = filter(&bad, &out, &Filter::default(), &job).unwrap_err();
    assert!(matches!(error, BookError::Line { line: 4, .. }));
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "old");
}

/// Positions with two of their moves. The second is the first turned, the fourth the third.
const POSITIONS: [(&str, [&str; 2]); 5] = [
    ("4k4/9/9/9/9/9/9/4G4/4K4 b S", ["5h5g", "S*5e"]),
    ("4k4/4g4/9/9/9/9/9/9/4K4 w s", ["5b5c", "S*5e"]),
    ("4k4/9/9/9/9/9/9/9/4K4 w Gs", ["5a5b", "S*5e"]),
    ("4k4/9/9/9/9/9/9/9/4K4 b Sg", ["5i5h", "S*5e"]),
    ("4k4/9/9/9/9/9/9/9/4K4 b R2P2p", ["5i5h", "P*5e"]),
];

fn record() -> impl Strategy<Value = String> {
    let line = (0usize..2, -9i32..10, 0i32..3, 0u64..3);
    let lines = prop::collection::vec(line, 0..4);
    (0..POSITIONS.len(), 8u32..12, lines).prop_map(|(position, ply, lines)| {
        let (sfen, moves) = POSITIONS[position];
        let lines = lines.into_iter().map(|(mv, eval, depth, count)| {
            format!("{} none {eval} {depth} {count}\r\n", moves[mv])
        });
        format!("sfen {sfen} {ply}\r\n{}", lines.collect::<String>())
    })
}

fn book() -> impl Strategy<Value = String> {
    let records = prop::collection::vec(record(), 0..30);
    records.prop_map(|records| HEADER.to_owned() + &records.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn a_unique_book_is_clean_and_stays(random in book(), memory in 1u64..10_000, turned: bool) {
        let folder = TestFolder::new();
        let path = folder.file("book.db", &random);
        let (once, twice) = (folder.path("once.db"), folder.path("twice.db"));
        let job = Job { memory, threads: 2, ..Job::default() };
        let sameness = if turned { Sameness::Flipped } else { Sameness::Plain };
        let options = UniqueOptions { sameness, ..UniqueOptions::default() };
        let made = unique(&path, &once, options, &job);
        prop_assert_eq!(made.is_ok(), once.exists());
        prop_assume!(!matches!(made, Err(BookError::NothingToWrite { .. })));
        made.unwrap();
        unique(&once, &twice, options, &job).unwrap();
        prop_assert_eq!(std::fs::read(&once).unwrap(), std::fs::read(&twice).unwrap());
        let report = check(&once, 10, &job).unwrap();
        let allowed = |kind: &FindingKind| *kind == FindingKind::Flipped && !turned;
        prop_assert!(report.counts.keys().all(allowed), "{:?}", report.findings);
    }

    #[test]
    fn a_filter_without_conditions_changes_nothing(random in book(), memory in 1u64..10_000) {
        let folder = TestFolder::new();
        let path = folder.file("book.db", &random);
        let (sorted, kept) = (folder.path("sorted.db"), folder.path("kept.db"));
        let job = Job { memory, threads: 2, ..Job::default() };
        let made = merge(&[MergeInput::new(&path)], &sorted, MergeOptions::default(), &job);
        prop_assume!(!matches!(made, Err(BookError::NothingToWrite { .. })));
        made.unwrap();
        filter(&sorted, &kept, &Filter::default(), &job).unwrap();
        prop_assert_eq!(std::fs::read(&sorted).unwrap(), std::fs::read(&kept).unwrap());
    }

    #[test]
    fn a_difference_is_one_from_both_sides(a in book(), b in book(), ignore_ply: bool) {
        let folder = TestFolder::new();
        let (a, b) = (folder.file("a.db", &a), folder.file("b.db", &b));
        let job = Job { threads: 2, ..Job::default() };
        let options = DiffOptions { ignore_ply, ..DiffOptions::default() };
        let compare = |a, b| diff(a, b, options, &job, |_| Ok(())).unwrap();
        let (forth, back) = (compare(&a, &b), compare(&b, &a));
        prop_assert_eq!(forth.same, back.same);
        prop_assert_eq!(forth.different, back.different);
        prop_assert_eq!((forth.only_first, forth.added), (back.only_second, back.removed));
        prop_assert_eq!((forth.only_second, forth.removed), (back.only_first, back.added));
        prop_assert_eq!(forth.eval_changed, back.eval_changed);
        prop_assert_eq!(forth.rest_changed, back.rest_changed);
        prop_assert!(compare(&a, &a).is_same());
    }
}
