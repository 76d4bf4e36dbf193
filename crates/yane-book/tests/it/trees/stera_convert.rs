//! `stera_convert` against the outputs of another program.

use std::path::PathBuf;

use tempfile::TempDir;
use yane_book::Job;
use yane_book::records::read_roots;
use yane_book::stera_convert::{SteraConvertOptions, SteraConvertReport, stera_convert};

use super::common::{check_same, fixture, moves};

/// Converts a fixture.
fn convert(name: &str) -> (SteraConvertReport, TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.db");
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
fn check(name: &str, expected: &str) -> SteraConvertReport {
    let (report, _folder, output) = convert(name);
    check_same(&output, &fixture("stera").join(expected));
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

/// The original gives a move that repeats a position the best move there as its reply; here it is the
/// move that was played there and led to the repetition.
#[test]
fn with_one_cycle() {
    let (report, _folder, output) = convert("stera_cyc.db");
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
