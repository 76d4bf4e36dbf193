//! `build_tree` and `stera_convert` against the outputs of another program; books in other shapes: unsorted, with repeated entries, with mistakes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use test_support::TestFolder;
use yane_book::build_tree::{BuildTreeOptions, BuildTreeReport, PlyMatters, build_tree};
use yane_book::db::BadLines;
use yane_book::records::read_roots;
use yane_book::stera_convert::{SteraConvertOptions, SteraConvertReport, stera_convert};
use yane_book::{BookError, Job, Result};

use super::util::fixture;

/// A file under `fixtures/book`.
/// The `sfen` lines of a book in order.
fn positions(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| line.starts_with("sfen "));
    lines.map(str::to_owned).collect()
}

/// Fields of the move lines, by position and move.
fn moves(path: &Path) -> BTreeMap<(String, String), LineFields> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut position = "";
    let mut moves = BTreeMap::new();
    for line in text.lines() {
        if line.starts_with("sfen ") {
            position = line;
        } else if !line.starts_with('#') {
            let fields: Vec<_> = line.split(' ').collect();
            let [mv, ponder, eval, depth, count] = fields[..] else {
                panic!("{line}");
            };
            assert_eq!(count, "1");
            let fields = LineFields {
                ponder: ponder.to_owned(),
                eval: eval.parse().unwrap(),
                depth: depth.parse().unwrap(),
            };
            moves.insert((position.to_owned(), mv.to_owned()), fields);
        }
    }
    moves
}

/// Two books must be the same to the byte.
fn check_same(found: &Path, expected: &Path) {
    let [found, expected] = [found, expected].map(|path| std::fs::read_to_string(path).unwrap());
    for (at, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", at + 1);
    }
    assert!(found == expected);
}

/// Fields of a move line.
#[derive(Clone, PartialEq, Eq, Debug)]
struct LineFields {
    ponder: String,
    eval: i32,
    depth: i32,
}

/// Values in the order of the file must fall within each position.
fn check_order(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    for position in text.split("\r\nsfen ").skip(1) {
        let evals: Vec<i32> = position
            .lines()
            .skip(1)
            .map(|line| line.split(' ').nth(2).unwrap().parse().unwrap())
            .collect();
        assert!(evals.is_sorted_by(|a, b| a >= b), "{position}");
    }
}

/// Builds a tree of a fixture.
fn build_fixture(name: &str, contempt: [i32; 2]) -> (BuildTreeReport, TestFolder, PathBuf) {
    let folder = TestFolder::new();
    let output = folder.path("out.db");
    let options = BuildTreeOptions {
        black_contempt: contempt[0],
        white_contempt: contempt[1],
        ..BuildTreeOptions::default()
    };
    let input = fixture("build_tree").join(name);
    let report = build_tree(&input, &output, options, &Job::default()).unwrap();
    (report, folder, output)
}

/// Builds a tree of a fixture, which must be `expected` to the byte.
fn check_build(name: &str, expected: &str, contempt: [i32; 2]) -> BuildTreeReport {
    let (report, _folder, output) = build_fixture(name, contempt);
    check_same(&output, &fixture("build_tree").join(expected));
    report
}

#[test]
fn without_cycles() {
    let report = check_build("acyclic.db", "acyclic_bt.db", [50, 150]);
    assert_eq!((report.positions, report.cyclic), (177, 0));
    let report = check_build("ties.db", "ties_bt.db", [50, 150]);
    assert_eq!(report.positions, 100);
    let report = check_build("handicap.db", "handicap_bt.db", [50, 150]);
    assert_eq!(report.roots, 4);
}

#[test]
fn with_one_cycle() {
    for (expected, contempt) in [
        ("mini_cycle_def.db", [50, 150]),
        ("mini_cycle_zero.db", [0, 0]),
        ("mini_cycle_big.db", [500, 500]),
        ("mini_cycle_neg.db", [-500, 0]),
    ] {
        let report = check_build("mini_cycle.db", expected, contempt);
        assert_eq!((report.cyclic, report.repetitions), (4, 1));
    }
}

/// Black plays 5i5h and back, white 5a5b and back: a cycle that can be entered with 5i5h first or with
/// 5a5b after another move. So the last move of it repeats a position in some games only. The original
/// came by way of the start of the cycle and takes the move for a repetition in any game; here it has
/// the value of going on. Everything else is the same.
#[test]
fn with_a_cycle_that_has_two_entries() {
    let last = (
        "sfen lnsg1gsnl/1r2k2b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 6".to_owned(),
        "5b5a".to_owned(),
    );
    for (expected, contempt) in [
        ("cyclic_bt.db", [50, 150]),
        ("cyclic_bt_c.db", [0, 300]),
        ("cyclic_bt_c2.db", [-40, -60]),
    ] {
        let (report, _folder, output) = build_fixture("cyclic.db", contempt);
        assert_eq!((report.cyclic, report.repetitions), (4, 0));
        check_order(&output);
        let expected = fixture("build_tree").join(expected);
        assert_eq!(positions(&output), positions(&expected));
        let (found, expected) = (moves(&output), moves(&expected));
        assert!(found.keys().eq(expected.keys()));
        for (at, fields) in &found {
            if *at == last {
                assert_eq!((fields.eval, expected[at].eval), (-4, -contempt[1]));
            } else {
                assert_eq!(fields, &expected[at], "{at:?}");
            }
        }
    }
}

/// Converts a fixture.
fn convert_fixture(name: &str) -> (SteraConvertReport, TestFolder, PathBuf) {
    let folder = TestFolder::new();
    let output = folder.path("out.db");
    let roots = read_roots(&fixture("stera/stera_roots.txt")).unwrap();
    let roots = roots.iter().map(|root| root.game().position().clone());
    let options = SteraConvertOptions {
        roots: Some(roots.collect()),
        ..SteraConvertOptions::default()
    };
    let input = fixture("stera").join(name);
    let report = stera_convert(&input, &output, &options, &Job::default()).unwrap();
    (report, folder, output)
}

/// Converts a fixture, which must give `expected` to the byte.
fn check_convert(name: &str, expected: &str) -> SteraConvertReport {
    let (report, _folder, output) = convert_fixture(name);
    check_same(&output, &fixture("stera").join(expected));
    report
}

#[test]
fn stera_without_cycles() {
    let report = check_convert("stera_in.db", "stera_out.db");
    assert_eq!((report.positions, report.incomplete), (9, 0));
}

#[test]
fn positions_that_lack_a_move_are_left_out() {
    let report = check_convert("stera_missing.db", "stera_missing_out.db");
    assert_eq!((report.positions, report.incomplete), (8, 1));
}

/// The original gives a move that repeats a position the best move there as its reply; here it is the
/// move that was played there and led to the repetition.
#[test]
fn stera_with_one_cycle() {
    let (report, _folder, output) = convert_fixture("stera_cyc.db");
    assert_eq!((report.cyclic, report.repetitions), (4, 1));
    let (found, expected) = (moves(&output), moves(&fixture("stera/stera_cyc_out.db")));
    assert!(found.keys().eq(expected.keys()));
    for (at, fields) in &found {
        let mut expected = expected[at].clone();
        if expected.eval == 0 && at.1 == "5b5a" {
            assert_eq!(expected.ponder, "6i7h");
            expected.ponder = "5i5h".to_owned();
        }
        assert_eq!(fields, &expected, "{at:?}");
    }
}

/// The tree of the book with this text.
struct Built {
    _folder: TestFolder,
    output: PathBuf,
    report: Result<BuildTreeReport>,
}

fn build(text: &str, options: BuildTreeOptions, threads: usize) -> Built {
    let folder = TestFolder::new();
    let input = folder.path("in.db");
    std::fs::write(&input, text).unwrap();
    let output = folder.path("out.db");
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
    let folder = TestFolder::new();
    let path = folder.path("book.db");
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
    let folder = TestFolder::new();
    let output = folder.path("out.db");
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
