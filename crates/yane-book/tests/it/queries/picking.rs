//! `filter`.

use std::path::Path;

use shogi_core::{Color, Position};
use yane_book::BookError;
use yane_book::filter::{Filter, FilterReport, filter};

use super::util::{AFTER_7G7F, Folder, HEADER, START, TURNED_7G7F, fixture, jobs, text};

const AFTER_2G2F: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w - 2";

fn book(folder: &Folder) -> std::path::PathBuf {
    folder.book(
        "book.db",
        &[
            (
                START,
                &[
                    "7g7f none 50 10 3",
                    "2g2f none 30 12 9",
                    "9g9f none -80 1 0",
                ],
            ),
            (TURNED_7G7F, &["2g2f none 500 3 1"]),
            (AFTER_7G7F, &["3c3d none -20 8 1"]),
            (AFTER_2G2F, &["8c8d none -900 8 1"]),
        ],
    )
}

fn run(input: &Path, options: &Filter) -> (FilterReport, Vec<String>, Vec<String>) {
    let folder = Folder::new();
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
    let folder = Folder::new();
    let book = book(&folder);
    let cases: [(Filter, &[&str]); 4] = [
        (
            Filter::default(),
            &[START, TURNED_7G7F, AFTER_7G7F, AFTER_2G2F],
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
            &[START, TURNED_7G7F],
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
        let (report, sfens, _) = run(&book, &options);
        assert_eq!(sfens, expected, "{options:?}");
        assert_eq!((report.read, report.moves_read), (4, 6));
    }
}

#[test]
fn moves_are_picked_and_positions_without_any_go() {
    let folder = Folder::new();
    let book = book(&folder);
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
        let (_, _, moves) = run(&book, &options);
        assert_eq!(moves, expected, "{options:?}");
    }
}

#[test]
fn what_can_be_reached_is_kept() {
    let folder = Folder::new();
    let book = book(&folder);
    let from = |sfen: &str| Filter {
        reachable_from: Some(vec![Position::from_sfen(sfen).unwrap()]),
        ..Filter::default()
    };
    let (report, sfens, _) = run(&book, &from(START));
    assert_eq!(sfens, [START, AFTER_7G7F, AFTER_2G2F]);
    assert_eq!(report.reachable, Some(3));
    // Whatever the ply is.
    let (_, sfens, _) = run(&book, &from(&AFTER_7G7F.replace("- 2", "- 8")));
    assert_eq!(sfens, [AFTER_7G7F]);
}

#[test]
fn a_filter_that_keeps_nothing_writes_nothing() {
    let folder = Folder::new();
    let book = book(&folder);
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
        let error = filter(&book, &output, &options, &job)
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
    let folder = Folder::new();
    let book = book(&folder);
    let job = yane_book::Job::default();
    let error = filter(&book, &book, &Filter::default(), &job).unwrap_err();
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
