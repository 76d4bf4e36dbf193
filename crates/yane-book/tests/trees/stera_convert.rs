//! `stera_convert` against the outputs of another program.

use yane_book::Job;
use yane_book::records::read_roots;
use yane_book::stera_convert::{SteraConvertOptions, SteraConvertReport, stera_convert};

use crate::common::{check_order, fixture, moves, positions};

fn check(name: &str, expected: &str) -> SteraConvertReport {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.db");
    let roots = read_roots(&fixture("stera/stera_roots.txt")).unwrap();
    let options = SteraConvertOptions {
        roots: Some(
            roots
                .iter()
                .map(|root| root.game().position().clone())
                .collect(),
        ),
        ..SteraConvertOptions::default()
    };
    let input = fixture("stera").join(name);
    let report = stera_convert(&input, &output, &options, &Job::default()).unwrap();
    let expected = fixture("stera").join(expected);
    check_order(&output);
    assert_eq!(positions(&output), positions(&expected));
    let (found, expected) = (moves(&output), moves(&expected));
    assert!(found.keys().eq(expected.keys()));
    for (at, fields) in &found {
        assert_eq!(fields, &expected[at], "{at:?}");
    }
    report
}

#[test]
fn without_cycles() {
    let report = check("stera_in.db", "stera_out.db");
    assert_eq!((report.positions, report.incomplete), (9, 0));
}

#[test]
fn positions_that_lack_a_move_are_left_out() {
    let report = check("stera_missing.db", "stera_missing_out.db");
    assert_eq!((report.positions, report.incomplete), (8, 1));
}
