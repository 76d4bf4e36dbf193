//! `build_tree` against the outputs of another program.

use std::path::PathBuf;

use tempfile::TempDir;
use yane_book::Job;
use yane_book::build_tree::{BuildTreeOptions, BuildTreeReport, build_tree};

use super::common::{check_order, check_same, fixture, moves, positions};

/// Builds a tree of a fixture.
fn build(name: &str, contempt: [i32; 2]) -> (BuildTreeReport, TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.db");
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
fn check(name: &str, expected: &str, contempt: [i32; 2]) -> BuildTreeReport {
    let (report, _folder, output) = build(name, contempt);
    check_same(&output, &fixture("build_tree").join(expected));
    report
}

#[test]
fn without_cycles() {
    let report = check("acyclic.db", "acyclic_bt.db", [50, 150]);
    assert_eq!((report.positions, report.cyclic), (177, 0));
    let report = check("ties.db", "ties_bt.db", [50, 150]);
    assert_eq!(report.positions, 100);
    let report = check("handicap.db", "handicap_bt.db", [50, 150]);
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
        let report = check("mini_cycle.db", expected, contempt);
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
        let (report, _folder, output) = build("cyclic.db", contempt);
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
