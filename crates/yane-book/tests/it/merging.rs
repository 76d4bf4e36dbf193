//! Merging and sorting: against the outputs of other programs byte for byte, against the definition, and with bad input.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use proptest::prelude::*;
use shogi_core::Color;
use test_support::TestFolder;
use yane_book::db::{BadLines, CommentPolicy, MoveLine, push_move_line};
use yane_book::merge::{Legality, MergeInput, MergeOptions, MergeReport, merge};
use yane_book::{BookError, BookMove, Job, add_move, sort_moves};

use super::util::{fixture, golden};

/// Merges fixtures with few and with many bytes of memory; both must give `expected`.
fn check_golden(inputs: &[(&str, Option<Color>)], expected: &str) -> MergeReport {
    let inputs: Vec<_> = inputs
        .iter()
        .map(|&(name, side)| MergeInput {
            path: fixture(name),
            side,
        })
        .collect();
    let folder = TestFolder::new();
    let output = folder.path("out.db");
    let mut reports = [1, 1 << 30].map(|memory| {
        let job = Job {
            memory,
            ..Job::default()
        };
        // The other programs drop comments.
        let options = MergeOptions {
            comments: CommentPolicy::LeaveOut,
            ..MergeOptions::default()
        };
        let report = merge(&inputs, &output, options, &job).unwrap();
        let written = std::fs::read_to_string(&output).unwrap();
        let expected_text = golden(expected);
        assert_eq!(written, expected_text, "{expected} with {memory} bytes");
        report
    });
    assert_eq!(reports[0], reports[1]);
    std::mem::take(&mut reports[0])
}

#[test]
fn sorting() {
    let report = check_golden(&[("sort/messy.db", None)], "sort/messy_sorted.db");
    assert_eq!((report.positions, report.larger_ply), (27, 2));
    assert_eq!(report.without_moves, 1);
    assert_eq!((report.comments.kept, report.comments.left_out), (0, 9));
    check_golden(&[("sort/ma.db", None)], "sort/ma_sorted_s.db");
    check_golden(&[("sort/messy_sorted.db", None)], "sort/messy_sorted.db");
}

#[test]
fn merging() {
    let (a, b) = (("merge/ma.db", None), ("merge/mb.db", None));
    let report = check_golden(&[a, b], "merge/mab.db");
    assert_eq!((report.common, report.alone), (12, vec![3, 5]));
    check_golden(&[a, b], "merge/mab_s.db");
    check_golden(&[b, a], "merge/mba.db");
    check_golden(&[a, b, a], "merge/mab.db");
}

#[test]
fn one_side_of_each() {
    let (black, white) = (Some(Color::Black), Some(Color::White));
    let (a, b) = ("merge/ma.db", "merge/mb.db");
    check_golden(&[(a, black), (b, white)], "merge/mab_bw.db");
    check_golden(&[(a, white), (b, black)], "merge/mab_wb.db");
}

/// Positions to choose from, in all of which the moves below can be played; the last two are one
/// position written in two ways.
const POSITIONS: [&str; 6] = [
    "k8/9/9/9/9/9/9/9/4K4 b GS",
    "9/9/9/9/9/9/9/9/4k4 w GSgs",
    "k8/9/9/9/9/9/9/9/4K4 b G",
    "9/9/9/9/9/9/9/9/4K4 b G2p",
    "k8/9/9/9/9/9/9/9/4K4 b RG2P2p",
    "k8/9/9/9/9/9/9/9/4K4 b 2pPG1RP",
];

/// A position with its ply and lines.
type PlyEntry = (usize, u32, Vec<BookMove>);

fn book_move() -> impl Strategy<Value = BookMove> {
    (0usize..4, -3i32..4, 0i32..4, 0u64..4).prop_map(|(mv, eval, depth, count)| {
        let usi = ["none", "5i4h", "5i5h", "G*5b"][mv];
        let line = format!("{usi} none {eval} {depth} {count}");
        MoveLine::parse(line.as_bytes()).unwrap().book_move
    })
}

fn book() -> impl Strategy<Value = Vec<PlyEntry>> {
    let moves = prop::collection::vec(book_move(), 0..5);
    prop::collection::vec((0..POSITIONS.len(), 8u32..13, moves), 0..40)
}

fn text(book: &[PlyEntry]) -> String {
    let mut text = String::from("#YANEURAOU-DB2016 1.00\n");
    for (position, ply, moves) in book {
        writeln!(text, "sfen {} {ply}", POSITIONS[*position]).unwrap();
        for known in moves {
            let mut line = Vec::new();
            push_move_line(&mut line, known);
            writeln!(text, "{}", String::from_utf8(line).unwrap()).unwrap();
        }
    }
    text
}

/// Merges as the module documentation of `yane_book::merge` defines it, word for word.
fn defined(books: &[Vec<PlyEntry>], ignore_ply: bool) -> String {
    let mut merged: BTreeMap<(usize, u32), (u32, Vec<BookMove>)> = BTreeMap::new();
    for book in books {
        let mut own: BTreeMap<(usize, u32), (u32, Vec<BookMove>)> = BTreeMap::new();
        for (position, ply, moves) in book {
            let position = (*position).min(4);
            let entry = own
                .entry((position, if ignore_ply { 0 } else { *ply }))
                .or_insert((*ply, Vec::new()));
            entry.0 = entry.0.min(*ply);
            for known in moves {
                add_move(&mut entry.1, *known);
            }
        }
        for (key, (ply, moves)) in own {
            let Some(earlier) = merged.get_mut(&key) else {
                merged.insert(key, (ply, moves));
                continue;
            };
            earlier.0 = earlier.0.min(ply);
            let rank = |moves: &[BookMove]| (moves[0].depth, moves.len());
            if earlier.1.is_empty() || (!moves.is_empty() && rank(&moves) > rank(&earlier.1)) {
                earlier.1 = moves;
            }
        }
    }
    let mut smallest: BTreeMap<usize, (u32, Vec<BookMove>)> = BTreeMap::new();
    for ((position, _), (ply, moves)) in merged {
        if !moves.is_empty() {
            smallest.entry(position).or_insert((ply, moves));
        }
    }
    let mut entries: Vec<PlyEntry> = smallest
        .into_iter()
        .map(|(position, (ply, mut moves))| {
            sort_moves(&mut moves);
            (position, ply, moves)
        })
        .collect();
    entries.sort_by_key(|(position, ply, _)| format!("{} {ply}", POSITIONS[*position]));
    text(&entries)
}

fn run(texts: &[String], ignore_ply: bool, job: &Job) -> String {
    let folder = TestFolder::new();
    let inputs: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(number, text)| {
            let path = folder.path(format!("{number}.db"));
            std::fs::write(&path, text).unwrap();
            MergeInput::new(path)
        })
        .collect();
    let options = MergeOptions {
        ignore_ply,
        line_end: yane_book::db::LineEnd::Lf,
        ..MergeOptions::default()
    };
    let output = folder.path("out.db");
    match merge(&inputs, &output, options, job) {
        // Nothing but the header is not written.
        Err(BookError::NothingToWrite { .. }) if !output.exists() => {
            "#YANEURAOU-DB2016 1.00\n".to_owned()
        }
        result => {
            result.unwrap();
            std::fs::read_to_string(output).unwrap()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn agrees_with_the_definition_for_any_memory(
        books in prop::collection::vec(book(), 1..4),
        ignore_ply: bool,
        memory in 1u64..20_000,
        threads in 1usize..4,
    ) {
        let texts: Vec<_> = books.iter().map(|book| text(book)).collect();
        let job = Job { memory, threads, ..Job::default() };
        let expected = defined(&books, ignore_ply);
        let written = run(&texts, ignore_ply, &job);
        prop_assert_eq!(&written, &expected);
        // A canonical book is not changed by reading and writing it, nor by merging it with itself.
        prop_assert_eq!(&run(std::slice::from_ref(&written), ignore_ply, &job), &written);
        prop_assert_eq!(&run(&[written.clone(), written.clone()], ignore_ply, &job), &written);
    }
}

const HEAD: &str = "#YANEURAOU-DB2016 1.00\n";
const GOOD: &str = "sfen 4k4/9/9/9/9/9/9/9/4K4 b G 1\nG*5b none 1 2 3\n";

#[test]
fn a_bad_line_is_named_and_nothing_is_written() {
    let folder = TestFolder::new();
    let (input, output) = (folder.path("in.db"), folder.path("out.db"));
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
        assert_eq!(folder.names().len(), 2);

        let options = MergeOptions {
            bad_lines: BadLines::Skip,
            ..MergeOptions::default()
        };
        let second = folder.path("second.db");
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
    let folder = TestFolder::new();
    let path = folder.path("book.db");
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
    let folder = TestFolder::new();
    let (input, output) = (folder.path("in.db"), folder.path("out.db"));
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
    let folder = TestFolder::new();
    let inputs = [MergeInput::new(folder.path("absent.db"))];
    let output = folder.path("out.db");
    let error = merge(&inputs, &output, MergeOptions::default(), &Job::default()).unwrap_err();
    assert!(error.to_string().contains("absent.db"), "{error}");
    assert!(!output.exists());
}

#[test]
fn files_that_are_no_books_and_empty_ones_are_errors() {
    let folder = TestFolder::new();
    let (input, output) = (folder.path("in.db"), folder.path("out.db"));
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
    let folder = TestFolder::new();
    let (input, output) = (folder.path("in.db"), folder.path("out.db"));
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
