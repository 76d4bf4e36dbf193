//! The outputs of other programs, byte for byte.

use std::path::PathBuf;

use shogi_core::Color;
use yane_book::Job;
use yane_book::merge::{MergeInput, MergeOptions, MergeReport, merge};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/book")
        .join(name)
}

/// Merges fixtures with few and with many bytes of memory; both must give `expected`.
fn check(inputs: &[(&str, Option<Color>)], expected: &str) -> MergeReport {
    let inputs: Vec<_> = inputs
        .iter()
        .map(|&(name, side)| MergeInput {
            path: fixture(name),
            side,
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.db");
    let mut reports = [1, 1 << 30].map(|memory| {
        let job = Job {
            memory,
            ..Job::default()
        };
        let report = merge(&inputs, &output, MergeOptions::default(), &job).unwrap();
        let written = std::fs::read_to_string(&output).unwrap();
        let golden = std::fs::read_to_string(fixture(expected)).unwrap();
        assert_eq!(written, golden, "{expected} with {memory} bytes");
        report
    });
    assert_eq!(reports[0], reports[1]);
    std::mem::take(&mut reports[0])
}

#[test]
fn sorting() {
    let report = check(&[("sort/messy.db", None)], "sort/messy_sorted.db");
    assert_eq!((report.positions, report.larger_ply), (27, 2));
    assert_eq!(report.without_moves, 1);
    check(&[("sort/ma.db", None)], "sort/ma_sorted_s.db");
    check(&[("sort/messy_sorted.db", None)], "sort/messy_sorted.db");
}

#[test]
fn merging() {
    let (a, b) = (("merge/ma.db", None), ("merge/mb.db", None));
    let report = check(&[a, b], "merge/mab.db");
    assert_eq!((report.common, report.alone), (12, vec![3, 5]));
    check(&[a, b], "merge/mab_s.db");
    check(&[b, a], "merge/mba.db");
    check(&[a, b, a], "merge/mab.db");
}

#[test]
fn one_side_of_each() {
    let (black, white) = (Some(Color::Black), Some(Color::White));
    let (a, b) = ("merge/ma.db", "merge/mb.db");
    check(&[(a, black), (b, white)], "merge/mab_bw.db");
    check(&[(a, white), (b, black)], "merge/mab_wb.db");
}
