//! The outputs of another program, byte for byte.

use std::path::PathBuf;

use yane_book::Job;
use yane_book::db::BadLines;
use yane_book::peta_shock::{PetaShockOptions, PetaShockReport, peta_shock};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/book/peta_shock")
        .join(name)
}

fn check(name: &str, expected: &str, shrink: bool) -> PetaShockReport {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.db");
    let options = PetaShockOptions {
        shrink,
        bad_lines: BadLines::Skip,
        ..PetaShockOptions::default()
    };
    let report = peta_shock(&fixture(name), &output, options, &Job::default()).unwrap();
    let written = std::fs::read_to_string(&output).unwrap();
    let golden = std::fs::read_to_string(fixture(expected)).unwrap();
    assert_eq!(written, golden, "{expected}");
    report
}

#[test]
fn without_cycles() {
    let report = check("acyclic.db", "acyclic_ps.db", false);
    assert_eq!((report.positions, report.constant), (177, 177));
    assert_eq!(report.joined, 89);
    check("ties.db", "ties_ps.db", false);
    check("handicap.db", "handicap_ps.db", false);
    check("messy.db", "messy_ps.db", false);
}

#[test]
fn with_cycles() {
    let report = check("mini_cycle.db", "mini_cycle_ps.db", false);
    assert_eq!((report.positions, report.constant), (4, 0));
    check("cyclic.db", "cyclic_ps.db", false);
}

#[test]
fn with_perpetual_check() {
    let report = check("perpetual.db", "perpetual_ps.db", false);
    assert_eq!(
        (report.in_check, report.loops_in_check, report.loops),
        (2, 2, 4)
    );
}

#[test]
fn shrunk() {
    check("acyclic.db", "acyclic_pss.db", true);
    check("ties.db", "ties_psf.db", true);
}

#[test]
fn in_binary() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.ybb");
    let ybb = |name: &str| fixture("../ybb").join(name);
    let options = PetaShockOptions::default();
    let input = ybb("acyclic_nd.ybb");
    let report = peta_shock(&input, &output, options, &Job::default()).unwrap();
    assert_eq!(report.positions, 177);
    let written = std::fs::read(&output).unwrap();
    assert!(written == std::fs::read(ybb("acyclic_nd_ps.ybb")).unwrap());
}

#[test]
fn formats_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.ybb");
    let options = PetaShockOptions::default();
    let error = peta_shock(&fixture("acyclic.db"), &output, options, &Job::default()).unwrap_err();
    assert!(error.to_string().contains(".ybb of .ybb"), "{error}");
    assert!(!output.exists());
}
