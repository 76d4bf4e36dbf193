//! `build_tree` against the outputs of another program.

use yane_book::Job;
use yane_book::build_tree::{BuildTreeOptions, BuildTreeReport, build_tree};

use crate::common::{check_order, fixture, moves, positions};

/// Builds a tree of a fixture; how many moves have another reply or depth than in `expected`.
fn check(name: &str, expected: &str, contempt: [i32; 2]) -> (BuildTreeReport, usize) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.db");
    let options = BuildTreeOptions {
        black_contempt: contempt[0],
        white_contempt: contempt[1],
        ..BuildTreeOptions::default()
    };
    let input = fixture("build_tree").join(name);
    let report = build_tree(&input, &output, options, &Job::default()).unwrap();
    let expected = fixture("build_tree").join(expected);
    check_order(&output);
    assert_eq!(positions(&output), positions(&expected));
    let (found, expected) = (moves(&output), moves(&expected));
    assert!(found.keys().eq(expected.keys()));
    let mut different = 0;
    for (at, fields) in &found {
        assert_eq!(fields.eval, expected[at].eval, "{at:?}");
        different += usize::from(fields != &expected[at]);
    }
    (report, different)
}

#[test]
fn without_cycles() {
    let (report, different) = check("acyclic.db", "acyclic_bt.db", [50, 150]);
    assert_eq!((report.positions, report.cyclic, different), (177, 0, 0));
    let (report, different) = check("ties.db", "ties_bt.db", [50, 150]);
    assert_eq!((report.positions, different), (100, 0));
    let (report, different) = check("handicap.db", "handicap_bt.db", [50, 150]);
    assert_eq!(different, 0);
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
        let (report, different) = check("mini_cycle.db", expected, contempt);
        assert_eq!((report.cyclic, report.repetitions), (4, 1));
        assert_eq!(different, 0);
    }
}
