//! `check`.

use std::collections::BTreeMap;

use yane_book::Job;
use yane_book::check::{CheckReport, FindingKind, check};

use super::util::{AFTER_7G7F, Folder, HEADER, START, TURNED_7G7F, fixture, jobs};

/// Kinds with the lines where they were found.
fn places(report: &CheckReport) -> Vec<(FindingKind, u64)> {
    let findings = report.findings.iter();
    findings
        .map(|finding| (finding.kind, finding.line.unwrap()))
        .collect()
}

fn check_text(text: &str) -> CheckReport {
    let folder = Folder::new();
    let path = folder.file("book.db", text);
    let reports = jobs().map(|job| check(&path, 20, &job).unwrap());
    assert!(reports.iter().all(|report| *report == reports[0]));
    reports[0].clone()
}

#[test]
fn what_tools_write_is_clean() {
    for name in ["merge/mab.db", "sort/ma_sorted_s.db", "ybb/acyclic_ps.ybb"] {
        let report = check(&fixture(name), 20, &Job::default()).unwrap();
        let rest: Vec<_> = report
            .counts
            .keys()
            .filter(|kind| **kind != FindingKind::Flipped)
            .collect();
        assert!(rest.is_empty(), "{name}: {report:?}");
        assert!(report.positions > 0 && report.moves > 0);
    }
}

#[test]
fn everything_wrong_is_found_with_its_line() {
    let long_line = format!("7g7f none 0 0 1 {}", "x".repeat(9000));
    let text = [
        "#YANEURAOU-DB2016 1.01",
        "7g7f none 0 0 1",
        &format!("sfen {START}"),
        "7g7f 3c3d 0 0 1",
        "7g7f 3c3d 1 0 1",
        "7g7f  3c3d",
        "2g2f",
        "5i5a none 0 0 1",
        "2g2f 2g2f 0 0 1",
        "hello",
        "7g7f none x",
        &format!("sfen {AFTER_7G7F}"),
        &format!("sfen {}", AFTER_7G7F.replace("- 2", "- 4")),
        "3c3d none 0 0 1",
        &format!("sfen {}", AFTER_7G7F.replace("- 2", "- 04")),
        &long_line.replace("7g7f", "3c3d"),
        &format!("sfen {TURNED_7G7F}"),
        "7g7f none 0 0 1",
        "sfen 9/9/9/9/9/9/9/9/9 b - 1",
        "none none 0 0 1",
        "sfen rubbish b - 1",
        "7g7f none 0 0 1",
    ]
    .join("\n");
    let report = check_text(&text);
    let expected = [
        (FindingKind::Header, 1),
        (FindingKind::Format, 2),
        (FindingKind::RepeatedMove, 5),
        (FindingKind::Spelling, 6),
        (FindingKind::RepeatedMove, 6),
        (FindingKind::Spelling, 7),
        (FindingKind::Move, 8),
        (FindingKind::Reply, 9),
        (FindingKind::RepeatedMove, 9),
        (FindingKind::Format, 10),
        (FindingKind::Format, 11),
        (FindingKind::Order, 12),
        (FindingKind::Empty, 12),
        (FindingKind::OtherPly, 13),
        (FindingKind::Order, 15),
        (FindingKind::Spelling, 15),
        (FindingKind::TooLong, 15),
        (FindingKind::Duplicate, 15),
        (FindingKind::Flipped, 17),
        (FindingKind::Position, 19),
        (FindingKind::Position, 19),
        (FindingKind::Position, 21),
    ];
    let mut found = places(&report);
    let mut wanted = expected.to_vec();
    found.sort_by_key(|(kind, line)| (*line, *kind));
    wanted.sort_by_key(|(kind, line)| (*line, *kind));
    // The order of SFENs differs by their text alone; both must be told.
    found.retain(|(kind, _)| *kind != FindingKind::Order);
    wanted.retain(|(kind, _)| *kind != FindingKind::Order);
    assert_eq!(found, wanted);
    assert!(report.counts[&FindingKind::Order] >= 1);
    let turned = report
        .findings
        .iter()
        .find(|f| f.kind == FindingKind::Flipped);
    assert_eq!(turned.unwrap().repeats, Some(12));
    assert_eq!(report.positions, 7);
    let of_kind = |kind| wanted.iter().filter(|(k, _)| *k == kind).count() as u64;
    for (kind, count) in &report.counts {
        assert!(
            *kind == FindingKind::Order || *count == of_kind(*kind),
            "{kind}"
        );
    }
}

#[test]
fn many_findings_are_counted_and_few_listed() {
    let folder = Folder::new();
    let position = &START[..START.len() - 2];
    let record = |ply| format!("sfen {position} {ply}\r\n5i5a none 0 0 1\r\n");
    let text = HEADER.to_owned() + &(0..3000).map(record).collect::<String>();
    let path = folder.file("book.db", &text);
    for job in jobs() {
        let report = check(&path, 5, &job).unwrap();
        assert_eq!(report.counts[&FindingKind::Move], 3000);
        assert_eq!(report.counts[&FindingKind::OtherPly], 2999);
        let mut listed: BTreeMap<FindingKind, Vec<u64>> = BTreeMap::new();
        for (kind, line) in places(&report) {
            listed.entry(kind).or_default().push(line);
        }
        assert_eq!(listed[&FindingKind::Move], [3, 5, 7, 9, 11]);
        assert!(listed.values().all(|lines| lines.len() <= 5));
    }
}

#[test]
fn broken_binary_books_are_told_where() {
    let folder = Folder::new();
    let bytes = std::fs::read(fixture("ybb/acyclic_ps.ybb")).unwrap();
    let path = folder.path("book.ybb");
    // Two index records change places: one of them is out of order.
    let mut swapped = bytes.clone();
    let (a, b) = (32, 32 + 44);
    for i in 0..44 {
        swapped.swap(a + i, b + i);
    }
    std::fs::write(&path, &swapped).unwrap();
    let report = check(&path, 20, &Job::default()).unwrap();
    assert_eq!(report.counts[&FindingKind::Order], 1);
    let order = report
        .findings
        .iter()
        .find(|f| f.kind == FindingKind::Order);
    assert_eq!(order.unwrap().offset, b as u64);
    // A move that cannot be played, and moves outside of the file.
    let mut broken = bytes.clone();
    broken[32 + 32..32 + 40].copy_from_slice(&u64::MAX.to_le_bytes());
    let last = broken.len() - 6;
    broken[last..last + 2].copy_from_slice(&0x3fffu16.to_le_bytes());
    std::fs::write(&path, &broken).unwrap();
    let report = check(&path, 20, &Job::default()).unwrap();
    assert_eq!(report.counts[&FindingKind::Format], 1);
    assert_eq!(report.counts[&FindingKind::Move], 1);
    // A header that makes no sense.
    std::fs::write(&path, &bytes[..20]).unwrap();
    assert!(check(&path, 20, &Job::default()).is_err());
}
