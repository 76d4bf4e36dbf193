//! Conversions between the formats: those of the field's tools byte for byte, what is written and read again, and the rules beyond.

use std::fs;
use std::path::Path;

use shogi_core::{AperyMove16, MoveText, Position};
use test_support::TestFolder;
use yane_book::convert::{ConvertOptions, ConvertReport, OtherPlies, OutOfRange, convert};
use yane_book::db::{BadLines, LineEnd};
use yane_book::io::Overwrite;
use yane_book::ybb::{MoveDepths, Ybb};
use yane_book::{BookError, Job, apery};

use super::util::{BookFolder, fixture};

#[test]
fn db_to_ybb() {
    same(
        "ybb/acyclic_ps.db",
        "ybb/acyclic_ps.ybb",
        MoveDepths::Stored,
    );
    same("ybb/acyclic.db", "ybb/acyclic_nd.ybb", MoveDepths::Omitted);
    same("ybb/handicap.db", "ybb/handicap.ybb", MoveDepths::Stored);
}

#[test]
fn ybb_to_db() {
    same(
        "ybb/handicap.ybb",
        "ybb/handicap_back.db",
        MoveDepths::Stored,
    );
    same(
        "ybb/acyclic_nd.ybb",
        "ybb/acyclic_nd_back.db",
        MoveDepths::Stored,
    );
}

#[test]
fn db_to_apery() {
    let report = same("apery/ap_src.db", "apery/ap.bin", MoveDepths::Stored);
    assert_eq!(report.positions, 161);
    same("apery/messy_sorted.db", "apery/ap2.bin", MoveDepths::Stored);
}

#[test]
fn apery_to_db() {
    let report = same("apery/ap.bin", "apery/ap_back.db", MoveDepths::Stored);
    assert_eq!((report.positions, report.collisions), (122, 0));
    assert_eq!(report.unreached, 161 - 122);
}

#[test]
fn apery_keys() {
    let text = fs::read_to_string(fixture("apery/keys.jsonl")).unwrap();
    let mut lines = 0;
    for line in text.lines() {
        let field = |name: &str| {
            let start = line.find(name).unwrap() + name.len();
            line[start..].split('"').next().unwrap()
        };
        let position = Position::from_sfen(field("\"sfen\": \"")).unwrap();
        let key = u64::from_str_radix(field("\"key\": \""), 16).unwrap();
        assert_eq!(apery::key(&position), key, "{line}");
        lines += 1;
    }
    assert_eq!(lines, 68);
}

/// Converts with little memory and several threads, and with one thread: the result is `to` each
/// time.
fn same(from: &str, to: &str, depths: MoveDepths) -> ConvertReport {
    let options = ConvertOptions {
        depths,
        ..ConvertOptions::default()
    };
    let run = |job: &Job| {
        let folder = TestFolder::new();
        let name = Path::new(to).file_name().unwrap().to_str().unwrap();
        let report = convert(&fixture(from), &folder.path(name), &options, job).unwrap();
        assert!(folder.read(name) == fs::read(fixture(to)).unwrap(), "{to}");
        report
    };
    run(&Job {
        threads: 3,
        memory: 1,
        ..Job::default()
    });
    run(&Job {
        threads: 1,
        ..Job::default()
    })
}

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
const AFTER_7G7F: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -";

#[test]
fn illegal_and_garbled_input_is_refused_with_its_line_or_left_out() {
    let folder = TestFolder::new();
    let text = format!(
        "#YANEURAOU-DB2016 1.00\nsfen {START} 1\n7g7f\n# comment\n7g7e none 5 5 1\nP*5e\n\
         sfen 9/9 b - 1\n7g7f\nsfen {AFTER_7G7F} 2\n7g7f\nsfen 9/9/9/9/9/9/9/9/4K4 b - 1\n5i5h\n\
         sfen 4k4/9/9/9/9/9/9/9/4K4 b - 3\n5i5h x\n"
    );
    folder.write("book.db", &text);
    for to in ["out.ybb", "out.bin"] {
        let error = folder.refusal("book.db", to, &ConvertOptions::default());
        assert!(
            error.contains("book.db: line 5: illegal move 7g7e"),
            "{error}"
        );
    }
    let options = ConvertOptions {
        bad_lines: BadLines::Skip,
        ..ConvertOptions::default()
    };
    let report = folder.convert("book.db", "out.ybb", &options).unwrap();
    assert_eq!((report.positions, report.moves), (1, 1));
    assert_eq!((report.bad_positions, report.bad_moves), (2, 4));
    assert_eq!(report.without_moves, 0);
    let told: Vec<_> = report.left_out.iter().map(BookError::to_string).collect();
    for (line, text) in [
        (5, "illegal"),
        (6, "P*5e"),
        (7, "SFEN"),
        (10, "illegal"),
        (11, "both kings"),
        (14, "\"x\""),
    ] {
        let place = format!("line {line}: ");
        assert!(
            told.iter()
                .any(|told| told.contains(&place) && told.contains(text)),
            "{told:?}"
        );
    }
    assert_eq!(told.len(), 6);
    // Apery's format has room for a position without a king.
    let report = folder.convert("book.db", "out.bin", &options).unwrap();
    assert_eq!((report.positions, report.bad_positions), (2, 1));
}

#[test]
fn numbers_that_do_not_fit_are_refused_or_clamped() {
    let folder = TestFolder::new();
    let clamp = ConvertOptions {
        out_of_range: OutOfRange::Clamp,
        ..ConvertOptions::default()
    };
    for (line, told, written) in [
        ("7g7f none 32768 0", "a value of", "7g7f none 32767 0"),
        ("7g7f none -32769 9", "a value of", "7g7f none -32768 9"),
        ("7g7f none 0 65536", "a depth of", "7g7f none 0 65535"),
        ("7g7f none 0 -1", "a depth of", "7g7f none 0 0"),
    ] {
        folder.write("book.db", format!("sfen {START} 1\n{line}\n"));
        let error = folder.refusal("book.db", "out.ybb", &ConvertOptions::default());
        assert!(error.contains("line 2") && error.contains(told), "{error}");
        let report = folder.convert("book.db", "clamped.ybb", &clamp).unwrap();
        assert_eq!(report.bad_moves, 0);
        folder.convert("clamped.ybb", "back.db", &clamp).unwrap();
        assert!(folder.text("back.db").ends_with(&format!("{written}\n")));
    }
    folder.write("book.db", format!("sfen {START} 65536\n7g7f none 0 -1\n"));
    let no_depth = ConvertOptions {
        depths: MoveDepths::Omitted,
        ..ConvertOptions::default()
    };
    let error = folder.refusal("book.db", "out.ybb", &no_depth);
    assert!(
        error.contains("line 1: expected a ply of 0 to 65535"),
        "{error}"
    );
}

#[test]
fn positions_that_differ_in_their_ply_only() {
    let folder = TestFolder::new();
    let text = format!(
        "sfen {START} 7\n2g2f\nsfen {START} 3\n7g7f none 0 0 2\nsfen {START} 3\n7g7f none 5 0 3\n5g5f\n"
    );
    folder.write("book.db", &text);
    let error = folder.refusal("book.db", "out.ybb", &ConvertOptions::default());
    assert!(
        error.contains("line 3: ") && error.contains("ply 3 after ply 7"),
        "{error}"
    );
    let options = ConvertOptions {
        other_plies: OtherPlies::SmallestOnly,
        ..ConvertOptions::default()
    };
    let report = folder.convert("book.db", "out.ybb", &options).unwrap();
    assert_eq!((report.positions, report.other_plies), (1, 1));
    folder.convert("out.ybb", "back.db", &options).unwrap();
    let expected =
        format!("#YANEURAOU-DB2016 1.00\n# NOE:1\nsfen {START} 3\n7g7f none 5 0\n5g5f none 0 0\n");
    assert_eq!(folder.text("back.db"), expected);
    // The counts of both lines add up where there are counts.
    folder.convert("book.db", "out.bin", &options).unwrap();
    folder.convert("out.bin", "back.db", &options).unwrap();
    assert!(
        folder
            .text("back.db")
            .contains("7g7f none 5 256 5\r\n5g5f none 0 256 1\r\n")
    );
}

#[test]
fn between_the_binary_formats() {
    let folder = TestFolder::new();
    let options = ConvertOptions::default();
    let to = |name: &str| folder.path(name);
    let job = Job::default();
    convert(&fixture("apery/ap.bin"), &to("a.ybb"), &options, &job).unwrap();
    convert(&fixture("apery/ap.bin"), &to("a.db"), &options, &job).unwrap();
    folder.convert("a.db", "b.ybb", &options).unwrap();
    assert!(folder.read("a.ybb") == folder.read("b.ybb"));
    folder.convert("a.ybb", "a.bin", &options).unwrap();
    folder.convert("a.bin", "c.ybb", &options).unwrap();
    assert!(folder.read("a.ybb") == folder.read("c.ybb"));

    let omit = ConvertOptions {
        depths: MoveDepths::Omitted,
        ..ConvertOptions::default()
    };
    folder.convert("a.ybb", "d.ybb", &omit).unwrap();
    let (with, without) = (
        Ybb::open(&to("a.ybb")).unwrap(),
        Ybb::open(&to("d.ybb")).unwrap(),
    );
    assert_eq!(with.len(), without.len());
    for (with, without) in with.entries().zip(without.entries()) {
        let (with, without) = (with.unwrap(), without.unwrap());
        assert_eq!((with.packed, with.ply), (without.packed, without.ply));
        let evals = |entry: &yane_book::ybb::YbbEntry<'_>| -> Vec<_> {
            entry.moves().map(|m| (m.mv, m.eval)).collect()
        };
        assert_eq!(evals(&with), evals(&without));
    }
}

#[test]
fn apery_books_are_searched_from_the_roots() {
    let folder = TestFolder::new();
    let gap = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL w -";
    folder.write(
        "book.db",
        format!("sfen {START} 1\n7g7f none 10 0 3\n2g2f none 9 0 3\nsfen {AFTER_7G7F} 2\n3c3d none -5 0 9\n8c8d none 5 0 9\nsfen {gap} 4\n8c8d\n"),
    );
    let options = ConvertOptions::default();
    folder.convert("book.db", "book.bin", &options).unwrap();
    let report = folder.convert("book.bin", "all.db", &options).unwrap();
    assert_eq!((report.positions, report.unreached), (3, 0));
    // The reply is the best by count, then value; the third position is reached through one that
    // the book lacks.
    let text = folder.text("all.db");
    assert!(
        text.contains("7g7f 8c8d 10 256 3\r\n2g2f none 9 256 3\r\n"),
        "{text}"
    );
    assert!(
        text.contains(&format!("sfen {gap} 4\r\n8c8d none 0 256 1\r\n")),
        "{text}"
    );

    let from = |sfen: &str| ConvertOptions {
        roots: vec![Position::from_sfen(sfen).unwrap()],
        line_end: Some(LineEnd::Lf),
        ..ConvertOptions::default()
    };
    let report = folder
        .convert("book.bin", "some.db", &from(&format!("{gap} 40")))
        .unwrap();
    assert_eq!((report.positions, report.unreached), (1, 2));
    let expected = format!("#YANEURAOU-DB2016 1.00\nsfen {gap} 40\n8c8d none 0 256 1\n");
    assert_eq!(folder.text("some.db"), expected);
    let error = folder.refusal("book.bin", "none.db", &from("4k4/9/9/9/9/9/9/9/9 b - 1"));
    assert!(error.contains("lacks a king"), "{error}");

    // A root that the book lacks is searched from as well.
    let before = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B2K2R1/LNSG1GSNL b - 1";
    let error = folder.refusal("book.bin", "far.db", &from(before));
    let told = "no position with a move can be taken from";
    assert!(error.contains(told) && error.contains("key 0x"), "{error}");
    assert!(!folder.path("far.db").exists());
}

#[test]
fn a_position_with_an_illegal_move_is_a_collision() {
    let folder = TestFolder::new();
    let options = ConvertOptions::default();
    folder.write(
        "book.db",
        format!("sfen {START} 1\n7g7f\nsfen {AFTER_7G7F} 2\n3c3d\n"),
    );
    folder.convert("book.db", "book.bin", &options).unwrap();
    let mut bytes = folder.read("book.bin");
    let key = yane_book::apery::key(&Position::from_sfen(AFTER_7G7F).unwrap()).to_le_bytes();
    let record = bytes
        .chunks_mut(16)
        .find(|record| record[..8] == key)
        .unwrap();
    let nothing_there = MoveText::from_usi("5e5d").unwrap();
    let code = AperyMove16::encode(nothing_there).0;
    record[8..10].copy_from_slice(&code.to_le_bytes());
    folder.write("book.bin", &bytes);
    let report = folder.convert("book.bin", "back.db", &options).unwrap();
    assert_eq!((report.positions, report.collisions), (1, 1));
    assert!(folder.text("back.db").ends_with("7g7f none 0 256 1\r\n"));
}

#[test]
fn what_cannot_be_converted() {
    let folder = TestFolder::new();
    let options = ConvertOptions::default();
    let text = format!("sfen {START} 1\n7g7f\nsfen {AFTER_7G7F} 2\n");
    folder.write("book.db", &text);
    folder.write("book.txt", &text);
    let job = Job::default();
    let try_it =
        |from: &str, to: &str| convert(&folder.path(from), &folder.path(to), &options, &job);
    for (from, to, told) in [
        ("book.txt", "out.ybb", ".ybb"),
        ("book.db", "out.xyz", ".bin"),
        ("book.db", "copy.db", "another format"),
        ("absent.db", "out.ybb", "absent.db"),
    ] {
        let error = try_it(from, to).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
        assert!(!folder.path(to).exists());
    }
    assert_eq!(try_it("book.db", "book.ybb").unwrap().without_moves, 1);
    let error = try_it("book.ybb", "book.ybb").unwrap_err();
    assert!(matches!(
        error,
        BookError::Files(yane_io::Error::OverwritesInput(_))
    ));
    let allow = ConvertOptions {
        overwrite: Overwrite::Allow,
        depths: MoveDepths::Omitted,
        ..ConvertOptions::default()
    };
    folder.convert("book.ybb", "book.ybb", &allow).unwrap();
    assert_eq!(
        Ybb::open(&folder.path("book.ybb")).unwrap().depths(),
        MoveDepths::Omitted
    );

    job.cancel();
    for (from, to) in [("book.db", "late.ybb"), ("book.ybb", "late.db")] {
        assert!(matches!(
            convert(&folder.path(from), &folder.path(to), &options, &job),
            Err(BookError::Files(yane_io::Error::Cancelled))
        ));
        assert!(!folder.path(to).exists());
    }
}
