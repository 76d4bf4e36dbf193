//! Cases of the field, `fixtures/trials/othello`, as people run them.

use std::fs;
use std::path::Path;

use test_support::TestFolder;

use crate::program::{fixture, json, run, text, trial};

/// The lines of a dump in order, but for the head.
fn dump(book: &Path) -> Vec<String> {
    let (code, out, error) = run(&["book", "dump", text(book), "--no-side-car"]);
    assert_eq!(code, 0, "{error}");
    let lines = out.lines().filter(|line| !line.starts_with('#'));
    let mut lines: Vec<_> = lines.map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// True if a table of results has a count.
fn tells(out: &str, name: &str, count: &str) -> bool {
    let is = |line: &str| line.starts_with(name) && line.split_whitespace().last() == Some(count);
    out.lines().any(is)
}

#[test]
fn case_01_positions_without_moves_are_left_out_and_counted() {
    let folder = TestFolder::new();
    let output = folder.path("o.dat");
    let (code, done) = json(&[
        "book",
        "convert",
        text(&trial("01-made-up-leaf/ends.egbk2")),
        text(&output),
    ]);
    assert_eq!(
        (code, &done["positions"], &done["left_out"]),
        (0, &0.into(), &3.into())
    );
    assert!(dump(&output).is_empty());
    let output = folder.path("line.dat");
    let (code, done) = json(&[
        "book",
        "convert",
        text(&trial("01-made-up-leaf/line.egbk3")),
        text(&output),
    ]);
    assert_eq!(
        (code, &done["positions"], &done["left_out"]),
        (0, &3.into(), &1.into())
    );
    assert_eq!(
        (&done["made_leaves"], &done["edax_searches"]),
        (&2.into(), &1.into())
    );
    // f5d6, whose leaf c3 is worth +1.
    let is_c3 = |line: &String| line.contains("| - | 1:");
    assert!(dump(&output).iter().any(is_c3));
    let (_, info) = json(&["book", "info", text(&output)]);
    assert_eq!(info["edax_searches"], 1);
    let (_, sound) = json(&["book", "check", text(&output), "-q"]);
    assert_eq!(sound["edax_searches"], 1);
}

#[test]
fn case_02_grades_are_those_of_the_manual() {
    let moves = fs::read_to_string(trial("02-grade-e/moves.txt")).unwrap();
    for (name, grade) in [("end_only", "C"), ("end_and_mid", "E")] {
        let book = trial(&format!("02-grade-e/{name}.egbk3"));
        let (code, found) = json(&["book", "accuracy", text(&book), moves.trim()]);
        assert_eq!((code, &found["accuracy"]), (0, &grade.into()));
    }
    let (_, counts) = json(&["book", "accuracy", text(&fixture("egaroucid/var_g.egbk3"))]);
    assert!(counts["E"].as_u64() >= Some(12), "{counts}");
}

#[test]
fn case_03_a_side_car_of_another_book_is_noted() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    run(&[
        "book",
        "convert",
        text(&fixture("games_b.dat")),
        text(&path("b.egbk3")),
    ]);
    fs::copy(fixture("egaroucid/var_a.egbk3"), path("b.egbk3")).unwrap();
    let (code, out, remarks) = run(&[
        "book",
        "convert",
        text(&path("b.egbk3")),
        text(&path("c.egbk3")),
    ]);
    assert_eq!(code, 0);
    assert!(
        tells(&out, "positions ", "342") && tells(&out, "positions restored", "0"),
        "{out}"
    );
    assert!(
        remarks.contains("b.egbk3.side.dat") && remarks.contains("skipped"),
        "{remarks}"
    );
}

#[test]
fn case_04_a_truncated_side_car_is_an_error_with_remedies() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    for name in ["b.egbk3", "b.egbk3.side.dat"] {
        fs::copy(trial(&format!("04-cut-side-car/{name}")), path(name)).unwrap();
    }
    let book = path("b.egbk3");
    let convert = |output: &Path, more: &[&str]| {
        run(&[&["book", "convert", text(&book), text(output)], more].concat())
    };
    let (code, _, error) = convert(&path("c.dat"), &[]);
    assert_eq!(code, 1);
    assert!(
        error.contains("b.egbk3.side.dat: byte 4968: the file ends inside a record"),
        "{error}"
    );
    assert!(!path("c.dat").exists());
    let (code, out, _) = convert(&path("d.dat"), &["--skip-damaged"]);
    assert!(
        code == 0 && tells(&out, "positions restored", "111") && tells(&out, "damaged", "1"),
        "{out}"
    );
    let (code, out, _) = convert(&path("e.dat"), &["--no-side-car"]);
    assert!(code == 0 && tells(&out, "positions restored", "0"), "{out}");
    let (code, counts) = json(&["book", "check", text(&book)]);
    assert_eq!((code, &counts["damaged_in_side_car"]), (1, &1.into()));
    // So it is wherever the side-car is read.
    for command in [&["lookup"][..], &["errors"], &["accuracy"]] {
        let (code, _, error) = run(&[&["book"], command, &[text(&book)]].concat());
        assert!(
            code == 1 && error.contains("byte 4968"),
            "{command:?}: {error}"
        );
    }
}

#[test]
fn no_command_takes_a_side_car_for_a_book() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    let (a, b) = (path("a.egbk3"), path("b.dat"));
    run(&["book", "convert", text(&fixture("dev_a.dat")), text(&a)]);
    run(&[
        "book",
        "convert",
        text(&fixture("egaroucid/var_a.egbk3")),
        text(&b),
    ]);
    let (side_a, side_b) = (path("a.egbk3.side.dat"), path("b.dat.side.egbk3"));
    // A plain book, as they were before.
    let plain = path("c.egbk3.side.dat");
    fs::copy(fixture("games_a.dat"), &plain).unwrap();
    for side in [&side_a, &side_b, &plain] {
        let out = path("out.dat");
        for command in [
            &["info", text(side)][..],
            &["check", text(side)],
            &["dump", text(side)],
            &["lookup", text(side)],
            &["accuracy", text(side)],
            &["errors", text(side)],
            &["convert", text(side), text(&out)],
            &["fix", text(side), "-o", text(&out)],
        ] {
            let (code, printed, error) = run(&[&["book"], command].concat());
            assert!(code == 1 && printed.is_empty(), "{command:?}: {error}");
            assert!(error.contains("the side-car of"), "{command:?}: {error}");
            assert!(!out.exists());
        }
    }
    // All files of a folder.
    let out = path("all.egbk3");
    let files = [&a, &side_a, &b, &side_b, &plain].map(|file| text(file));
    let (code, done, remarks) =
        run(&[&["book", "merge"], &files[..], &["-o", text(&out)]].concat());
    assert_eq!(code, 0, "{remarks}");
    assert_eq!(remarks.matches("skipped").count(), 3, "{remarks}");
    let alone = path("alone.egbk3");
    let (_, expected, _) = run(&["book", "merge", text(&a), text(&b), "-o", text(&alone)]);
    assert_eq!(done, expected);
    assert_eq!(dump(&out), dump(&alone));
    let (code, ..) = run(&[
        "book",
        "merge",
        text(&side_a),
        text(&side_b),
        "-o",
        text(&path("x.dat")),
    ]);
    assert_eq!(code, 2);
}

#[test]
fn case_07_books_as_text_are_read_and_written() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    let export = trial("07-edax-text-book/export.txt");
    let (code, _, error) = run(&[
        "book",
        "info",
        text(&trial("07-edax-text-book/big_endian.dat")),
    ]);
    assert!(code == 1 && error.contains("book export"), "{error}");
    let (code, info) = json(&["book", "info", text(&export)]);
    assert_eq!((code, &info["positions"]), (0, &3.into()));
    let (code, sound) = json(&["book", "check", text(&export), "-q"]);
    assert_eq!(code, 0, "{sound}");
    let (code, found) = json(&["book", "lookup", text(&export), "f5"]);
    assert_eq!((code, &found["value"]), (0, &1.into()));
    assert_eq!(dump(&export).len(), 3);
    let (code, ..) = run(&["book", "convert", text(&export), text(&path("o.dat"))]);
    assert_eq!(code, 0);
    let (code, out, _) = run(&[
        "book",
        "convert",
        text(&path("o.dat")),
        text(&path("o.txt")),
    ]);
    assert!(code == 0 && tells(&out, "positions ", "3"), "{out}");
    // Canonical already, in another order; of the second the leaf is a link now.
    let lines = fs::read_to_string(path("o.txt")).unwrap();
    assert_eq!(lines.lines().count(), 3);
    assert!(
        lines
            .to_lowercase()
            .contains("ooo-------------------------- x,21,")
    );
    // A wrong line is told, and listed.
    fs::write(
        path("wrong.txt"),
        format!("{}no board,21\n", fs::read_to_string(&export).unwrap()),
    )
    .unwrap();
    let (code, _, error) = run(&["book", "info", text(&path("wrong.txt"))]);
    assert!(code == 1 && error.contains("line 4: "), "{error}");
    let (code, out, _) = run(&["book", "check", text(&path("wrong.txt")), "--list"]);
    assert!(code == 1 && out.contains("damaged, line 4: "), "{out}");
    let (code, out, _) = run(&["book", "info", text(&path("wrong.txt")), "--skip-damaged"]);
    assert!(
        code == 0 && out.contains("1 damaged record left out"),
        "{out}"
    );
}

#[test]
fn case_10_missing_records_are_reported() {
    let folder = TestFolder::new();
    for (name, missing) in [("only_header", 183), ("one_record", 182)] {
        let book = trial(&format!("10-header-count/{name}.dat"));
        let (code, out, _) = run(&["book", "check", text(&book), "--list"]);
        assert_eq!(code, 1);
        assert!(
            tells(&out, "count", "183") && tells(&out, "damaged", "1"),
            "{out}"
        );
        let expected = format!("{missing} more records were expected");
        assert!(out.contains(&expected), "{out}");
        let output = folder.path("o.dat");
        for command in [
            &["info", text(&book)][..],
            &["fix", text(&book), "-o", text(&output)],
            &["convert", text(&book), text(&output)],
            &["dump", text(&book)],
        ] {
            let (code, _, error) = run(&[&["book"], command].concat());
            assert!(
                code == 1 && error.contains(&expected),
                "{command:?}: {error}"
            );
            assert!(!output.exists());
        }
    }
    // All of Egaroucid's, cut off: by its name, in the case of the oldest.
    for name in ["old.egbk", "old.egbk2", "var_a.egbk3"] {
        let whole = fs::read(fixture(&format!("egaroucid/{name}"))).unwrap();
        let book = folder.path(name);
        for len in [whole.len() - 1, whole.len() - 40, 30] {
            fs::write(&book, &whole[..len]).unwrap();
            let (code, out, error) = run(&["book", "check", text(&book), "-q"]);
            assert!(
                code == 1 && tells(&out, "damaged", "1"),
                "{name} {len}: {out}{error}"
            );
            let (code, _, error) = run(&["book", "info", text(&book)]);
            assert!(
                code == 1 && error.contains("records were expected"),
                "{name}: {error}"
            );
        }
    }
}

#[test]
fn level_0_is_refused() {
    let folder = TestFolder::new();
    let output = folder.path("o.dat");
    let book = fixture("egaroucid/old.egbk");
    let convert = ["book", "convert", text(&book), text(&output)];
    for option in [
        ["--level", "0"],
        ["--level", "61"],
        ["--egbk-level", "0"],
        ["--egbk-level", "61"],
    ] {
        let (code, _, error) = run(&[&convert[..], &option].concat());
        assert!(code == 2 && !output.exists(), "{option:?}: {error}");
    }
    assert_eq!(
        run(&[&convert[..], &["--level", "1", "--egbk-level=-1"]].concat()).0,
        0
    );
}

#[test]
fn case_12_books_are_fixed_as_their_program_does() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    let tiny = trial("12-fix-of-a-sound-edax-book/tiny.dat");
    for (n, book) in [fixture("dev_b.dat"), tiny.clone()].iter().enumerate() {
        let output = path(&format!("{n}.dat"));
        let (code, done) = json(&["book", "fix", text(book), "-o", text(&output)]);
        assert_eq!(
            (code, &done["values"], &done["leaves"]),
            (0, &0.into(), &0.into())
        );
        // Lines and bounds of the small one are not Edax's.
        assert!(n == 1 || fs::read(&output).unwrap() == fs::read(book).unwrap());
        assert_eq!(json(&["book", "check", text(&output), "-q"]).0, 0);
    }
    // The other program's way, on request: only links count, or leaves as one more move.
    let (_, done) = json(&[
        "book",
        "fix",
        text(&tiny),
        "--egaroucid",
        "-o",
        text(&path("e.dat")),
    ]);
    assert!(done["values"].as_u64() > Some(0), "{done}");
    let (_, done) = json(&[
        "book",
        "fix",
        text(&tiny),
        "--leaves",
        "-o",
        text(&path("l.dat")),
    ]);
    assert_eq!(done["values"], 0);
    assert_eq!(
        run(&[
            "book",
            "fix",
            text(&tiny),
            "--edax",
            "--egaroucid",
            "-o",
            "x.dat"
        ])
        .0,
        2
    );
}

#[test]
fn fixed_books_of_egaroucid_stay_as_they_are() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    let (first, again, edax) = (path("first.egbk3"), path("again.egbk3"), path("edax.egbk3"));
    let book = fixture("egaroucid/var_a.egbk3");
    let (_, own) = json(&["book", "fix", text(&book), "-o", text(&first)]);
    let (_, same) = json(&[
        "book",
        "fix",
        text(&book),
        "--egaroucid",
        "-o",
        text(&again),
    ]);
    assert_eq!(own, same);
    assert!(fs::read(&first).unwrap() == fs::read(&again).unwrap());
    let (_, other) = json(&["book", "fix", text(&book), "--edax", "-o", text(&edax)]);
    assert_ne!(own["values"], other["values"]);
    // In the order of another program.
    let mut bytes = fs::read(&first).unwrap();
    let records = bytes[14..].chunks_exact(25).rev().flatten().copied();
    let reversed: Vec<u8> = records.collect();
    bytes.splice(14.., reversed);
    fs::write(path("turned.egbk3"), &bytes).unwrap();
    let fixed = path("fixed.egbk3");
    run(&[
        "book",
        "fix",
        text(&path("turned.egbk3")),
        "-o",
        text(&fixed),
    ]);
    assert!(fs::read(&fixed).unwrap() == bytes);
}
