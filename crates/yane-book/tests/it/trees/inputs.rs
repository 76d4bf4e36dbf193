//! Books in other shapes: unsorted, with repeated entries, with mistakes.

use std::path::{Path, PathBuf};

use yane_book::build_tree::{BuildTreeOptions, BuildTreeReport, PlyMatters, build_tree};
use yane_book::db::BadLines;
use yane_book::{BookError, Job, Result};

use super::common::{check_same, fixture, moves, positions};

/// The tree of the book with this text.
struct Built {
    _folder: tempfile::TempDir,
    output: PathBuf,
    report: Result<BuildTreeReport>,
}

fn build(text: &str, options: BuildTreeOptions, threads: usize) -> Built {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.db");
    std::fs::write(&input, text).unwrap();
    let output = folder.path().join("out.db");
    let job = Job {
        threads,
        ..Job::default()
    };
    Built {
        report: build_tree(&input, &output, options, &job),
        _folder: folder,
        output,
    }
}

/// The entries of a book.
fn entries(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let (_, entries) = text.split_once("sfen ").unwrap();
    entries
        .split("sfen ")
        .map(|entry| format!("sfen {entry}"))
        .collect()
}

#[test]
fn neither_order_nor_threads_matter() {
    for name in ["acyclic", "ties"] {
        let mut entries = entries(&fixture(&format!("build_tree/{name}.db")));
        let len = entries.len();
        for turn in 0..3 {
            entries.rotate_left(len / 3);
            entries.swap(turn, len - 1);
            let built = build(&entries.concat(), BuildTreeOptions::default(), turn + 1);
            let report = built.report.unwrap();
            assert_eq!(report.positions, len as u64);
            check_same(&built.output, &fixture(&format!("build_tree/{name}_bt.db")));
        }
    }
}

#[test]
fn entries_of_one_position_are_joined() {
    // Each entry in two: the first move under another ply, the others at the end of the book.
    let mut text = String::new();
    let mut rest = String::new();
    let entries = entries(&fixture("build_tree/acyclic.db"));
    let mut split = 0;
    for entry in &entries {
        let mut lines = entry.lines();
        let (sfen, first) = (lines.next().unwrap(), lines.next().unwrap());
        let (position, _) = sfen.rsplit_once(' ').unwrap();
        text.extend([position, " 99\n", first, "\n"]);
        let others: Vec<_> = lines.collect();
        if !others.is_empty() {
            split += 1;
            rest.extend([sfen, "\n", &others.join("\n"), "\n"]);
        }
    }
    text.push_str(&rest);
    let built = build(&text, BuildTreeOptions::default(), 2);
    let report = built.report.unwrap();
    assert_eq!(report.links.repeated, split);
    assert_eq!(report.links.nodes, entries.len() as u64);
    check_same(&built.output, &fixture("build_tree/acyclic_bt.db"));
}

#[test]
fn plies_may_matter() {
    let options = BuildTreeOptions {
        ply: PlyMatters::Yes,
        ..BuildTreeOptions::default()
    };
    // The fixture's plies are those of the lines that lead there, so nothing changes but what is
    // reached by lines of different lengths.
    let text = std::fs::read_to_string(fixture("build_tree/mini_cycle.db")).unwrap();
    let built = build(&text, options, 2);
    let report = built.report.unwrap();
    // The fourth ply would lead to the first position at ply 5, which is not in the book.
    assert_eq!(
        (report.positions, report.links.linked, report.cyclic),
        (4, 3, 0)
    );
    // Without the root nothing can be reached.
    let other = text.replace("LNSGKGSNL b - 1", "LNSGKGSNL b - 3");
    let built = build(&other, options, 2);
    let error = built.report.unwrap_err().to_string();
    assert!(error.contains("no position of the book is left"), "{error}");
    assert!(!built.output.exists());
}

#[test]
fn mistakes_are_told_and_leave_nothing_behind() {
    let text = std::fs::read_to_string(fixture("build_tree/mini_cycle.db")).unwrap();
    let text = text.replace("\r\n", "\n");
    for (from, to, error) in [
        (
            "2g2f none -70",
            "2g2e none -70",
            "line 4: illegal move 2g2e",
        ),
        ("3c3d none -60", "3c3x none -60", "line 10: expected a move"),
        ("LNSGKGSNL b - 1", "LNSGKGSN b - 1", "line 11: bad SFEN"),
        (
            "1B5R1/LNSGKGSNL b",
            "1B5R1/LNSGRGSNL b",
            "line 11: bad SFEN",
        ),
    ] {
        let wrong = text.replace(from, to);
        assert_ne!(wrong, text);
        let built = build(&wrong, BuildTreeOptions::default(), 2);
        let message = built.report.unwrap_err().to_string();
        assert!(message.contains(error), "{message}");
        assert!(!built.output.exists());

        let options = BuildTreeOptions {
            bad_lines: BadLines::Skip,
            ..BuildTreeOptions::default()
        };
        let report = match build(&wrong, options, 2).report {
            // Without its root the book has nothing that is reached.
            Err(BookError::NothingToWrite { .. }) if from.contains(" b") => continue,
            report => report.unwrap(),
        };
        let links = report.links;
        assert_eq!(links.bad_moves + links.bad_positions, 1, "{from}");
    }
}

#[test]
fn the_input_is_not_overwritten_by_accident() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.db");
    std::fs::copy(fixture("build_tree/ties.db"), &path).unwrap();
    let mut options = BuildTreeOptions::default();
    assert!(build_tree(&path, &path, options, &Job::default()).is_err());
    check_same(&path, &fixture("build_tree/ties.db"));
    options.overwrite = yane_book::io::Overwrite::Allow;
    build_tree(&path, &path, options, &Job::default()).unwrap();
    check_same(&path, &fixture("build_tree/ties_bt.db"));
}

#[test]
fn binary_books_have_trees_too() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.db");
    let input = fixture("ybb/acyclic_nd.ybb");
    let options = BuildTreeOptions::default();
    let report = build_tree(&input, &output, options, &Job::default()).unwrap();
    assert_eq!(report.positions, 177);
    let expected = fixture("build_tree/acyclic_bt.db");
    assert_eq!(positions(&output), positions(&expected));
    let (found, expected) = (moves(&output), moves(&expected));
    assert!(found.keys().eq(expected.keys()));
    for (at, fields) in &found {
        let mut expected = expected[at].clone();
        if expected.depth == 0 {
            // A binary book has no replies.
            expected.ponder = "none".to_owned();
        }
        assert_eq!(*fields, expected, "{at:?}");
    }
}
