//! The outputs of another program.

use std::path::{Path, PathBuf};

use yane_book::Job;
use yane_book::graph::OnFault;
use yane_book::peta_shock::{PetaShockOptions, PetaShockReport, peta_shock};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/book/peta_shock")
        .join(name)
}

/// The lines of a book, moves with equal value and depth in one order.
fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines: Vec<String> = text.split("\r\n").map(str::to_owned).collect();
    let outcome = |line: &String| {
        let fields: Vec<_> = line.split(' ').skip(2).map(str::to_owned).collect();
        (!line.starts_with("sfen ")).then_some(fields)
    };
    for group in lines.chunk_by_mut(|a, b| outcome(a).is_some() && outcome(a) == outcome(b)) {
        group.sort();
    }
    lines
}

fn check(name: &str, expected: &str, shrink: bool) -> PetaShockReport {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.db");
    let options = PetaShockOptions {
        shrink,
        on_fault: OnFault::Skip,
        ..PetaShockOptions::default()
    };
    let report = peta_shock(&fixture(name), &output, options, &Job::default()).unwrap();
    assert_eq!(lines(&output), lines(&fixture(expected)), "{expected}");
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
    assert_eq!((report.in_check, report.loops_in_check, report.loops), (2, 2, 4));
}

#[test]
fn shrunk() {
    check("acyclic.db", "acyclic_pss.db", true);
    check("ties.db", "ties_psf.db", true);
}
