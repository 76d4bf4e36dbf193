//! `info` and `lookup`.

use shogi_core::{Color, Position};
use yane_book::db::BadLines;
use yane_book::info::info;
use yane_book::lookup::{Match, lookup};
use yane_book::memory::{Book, ReadOptions};
use yane_book::{Format, Job};

use super::util::{AFTER_7G7F, Folder, START, TURNED_7G7F, brief, fixture, jobs};

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
    let folder = Folder::new();
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
    let folder = Folder::new();
    let white = Position::from_sfen(AFTER_7G7F).unwrap();
    let other_ply = TURNED_7G7F.replace("b - 1", "b - 7");
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
            &TURNED_7G7F.replace("- 1", "- 2"),
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
