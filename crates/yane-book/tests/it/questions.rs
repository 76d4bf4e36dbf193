//! Questions about books: `info`, `lookup`, `check`.

use std::collections::BTreeMap;

use shogi_core::{Color, Position};
use test_support::TestFolder;
use yane_book::check::{CheckReport, FindingKind, check};
use yane_book::db::BadLines;
use yane_book::info::info;
use yane_book::lookup::{Match, lookup};
use yane_book::memory::{Book, ReadOptions};
use yane_book::{Format, Job};

use super::util::{AFTER_7G7F, BookFolder, FLIPPED_7G7F, HEADER, START, brief, fixture, jobs};

#[test]
fn a_messy_book_is_described() {
    for job in jobs() {
        let info = info(&fixture("sort/messy.db"), BadLines::Fail, &job).unwrap();
        let text = std::fs::read(fixture("sort/messy.db")).unwrap();
        let count = |pattern: &[u8]| {
            text.windows(pattern.len())
                .filter(|window| *window == pattern)
                .count() as u64
        };
        let file = info.text.as_ref().unwrap();
        assert_eq!(info.format, Format::Db);
        assert_eq!(info.bytes, text.len() as u64);
        assert_eq!(info.positions, count(b"\nsfen "));
        assert_eq!(file.crlf, count(b"\r\n"));
        assert_eq!(file.lf, count(b"\n") - count(b"\r\n"));
        assert_eq!(file.cr, count(b"\r") - count(b"\r\n"));
        assert!(file.byte_order_mark && file.lf > 0 && file.crlf > 0);
        assert!(!info.sorted);
        assert!(info.unusual > 0);
        assert_eq!(info.plies.values().sum::<u64>(), info.positions);
        assert_eq!(info.move_counts.values().sum::<u64>(), info.positions);
        assert_eq!(info.sides.0.iter().sum::<u64>(), info.positions);
        let with_moves = info.positions - info.move_counts.get(&0).copied().unwrap_or(0);
        assert_eq!(info.evals.values().sum::<u64>(), with_moves);
        let moves = info.move_counts.iter().map(|(n, count)| *n as u64 * count);
        assert_eq!(info.moves, moves.sum::<u64>());
    }
}

#[test]
fn a_sorted_book_is_known_as_such() {
    let path = fixture("sort/messy_sorted.db");
    let info = info(&path, BadLines::Fail, &Job::default()).unwrap();
    assert!(info.sorted);
    assert_eq!(info.unusual, 0);
    let book = Book::read(&path, ReadOptions::default(), &Job::default()).unwrap();
    assert_eq!(info.positions, book.len() as u64);
    assert_eq!(info.memory, book.memory() as u64);
}

#[test]
fn a_binary_book_says_the_same_of_its_positions() {
    let job = Job::default();
    let binary = info(&fixture("ybb/acyclic_ps.ybb"), BadLines::Fail, &job).unwrap();
    let text = info(&fixture("ybb/acyclic_ps.db"), BadLines::Fail, &job).unwrap();
    assert_eq!(binary.format, Format::Ybb);
    assert_eq!(binary.positions, text.positions);
    assert_eq!(binary.moves, text.moves);
    assert_eq!(binary.plies, text.plies);
    assert_eq!(binary.eval_range, text.eval_range);
    assert_eq!(binary.depth_range, text.depth_range);
    assert_eq!(binary.sides[Color::Black], text.sides[Color::Black]);
    assert_eq!(binary.count_range, None);
    assert!(binary.sorted);
    assert_eq!(text.text.unwrap().announced, Some(text.positions));
}

#[test]
fn a_bad_line_stops_unless_it_may_be_left_out() {
    let folder = TestFolder::new();
    let path = folder.book("book.db", &[(START, &["7g7f", "7g7x"]), ("no", &["7g7f"])]);
    let job = Job::default();
    let error = info(&path, BadLines::Fail, &job).unwrap_err().to_string();
    assert!(error.contains("line 4: "), "{error}");
    let info = info(&path, BadLines::Skip, &job).unwrap();
    assert_eq!((info.positions, info.moves), (1, 1));
    let lines: Vec<_> = info.skipped.iter().map(|skipped| skipped.line).collect();
    assert_eq!(lines, [4, 5]);
}

#[test]
fn positions_are_found_at_any_ply_and_turned() {
    let folder = TestFolder::new();
    let white = Position::from_sfen(AFTER_7G7F).unwrap();
    let other_ply = FLIPPED_7G7F.replace("b - 1", "b - 7");
    for (name, sfen, line, matched, mv) in [
        ("a.db", AFTER_7G7F, "3c3d", Match::Exact, "3c3d"),
        (
            "b.db",
            &AFTER_7G7F.replace("- 2", "- 9"),
            "3c3d",
            Match::OtherPly,
            "3c3d",
        ),
        (
            "c.db",
            &FLIPPED_7G7F.replace("- 1", "- 2"),
            "7g7f",
            Match::Flipped,
            "3c3d",
        ),
        ("d.db", &other_ply, "7g7f", Match::FlippedOtherPly, "3c3d"),
    ] {
        // The last position breaks the order, so that one of them is only found by reading all.
        for extra in [&[][..], &[(START, &["2g2f"][..])]] {
            let line = format!("{line} none 12 34 5");
            let lines = [line.as_str()];
            let mut positions = vec![(sfen, &lines[..])];
            positions.splice(0..0, extra.iter().copied());
            let path = folder.book(name, &positions);
            let found = lookup(&path, &white, &Job::default()).unwrap().unwrap();
            assert_eq!(found.matched, matched, "{name}");
            assert_eq!(brief(&found.moves), [(mv.to_owned(), 12, 34)]);
        }
    }
    let path = folder.book("e.db", &[(START, &["2g2f"])]);
    assert_eq!(lookup(&path, &white, &Job::default()).unwrap(), None);
}

#[test]
fn a_binary_book_is_searched_too() {
    let text = std::fs::read_to_string(fixture("ybb/acyclic_ps.db")).unwrap();
    let mut found_some = 0;
    for sfen in text
        .lines()
        .filter_map(|line| line.strip_prefix("sfen "))
        .take(50)
    {
        let position = Position::from_sfen(sfen.trim_end()).unwrap();
        let job = Job::default();
        let a = lookup(&fixture("ybb/acyclic_ps.ybb"), &position, &job).unwrap();
        let b = lookup(&fixture("ybb/acyclic_ps.db"), &position, &job).unwrap();
        let (a, b) = (a.unwrap(), b.unwrap());
        assert_eq!(a.matched, Match::Exact);
        let mut of_text = brief(&b.moves);
        let mut of_binary = brief(&a.moves);
        of_text.sort();
        of_binary.sort();
        assert_eq!(of_binary, of_text);
        found_some += 1;
    }
    assert_eq!(found_some, 50);
}

/// Kinds with the lines where they were found.
fn places(report: &CheckReport) -> Vec<(FindingKind, u64)> {
    let findings = report.findings.iter();
    findings
        .map(|finding| (finding.kind, finding.line.unwrap()))
        .collect()
}

fn check_text(text: &str) -> CheckReport {
    let folder = TestFolder::new();
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
        &format!("sfen {FLIPPED_7G7F}"),
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
    let folder = TestFolder::new();
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
    let folder = TestFolder::new();
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
