//! Side-cars: matching with their books, damage, and that they are no books; books in the text form of Edax.

use std::fs;
use std::path::Path;

use othello_book::edax::EdaxBook;
use othello_book::files::{BookInput, BookReadOptions, side_car_of};
use othello_book::{Edge, files, text};
use othello_core::{Board, Position, Side};
use test_support::TestFolder;
use yane_io::Job;

use crate::golden;
use crate::trials::{EGBK3, SKIP, after, check, convert, convert_by, find, records, trial};

#[test]
fn a_changed_book_restores_reachable_positions() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    let line = trial("01-made-up-leaf/line.egbk3");
    convert(&line, &path("line.dat"));
    // Edax finds another value of the start.
    let mut bytes = fs::read(path("line.dat")).unwrap();
    let start = Board::START.canonical().board.mover().to_le_bytes();
    let at = bytes.windows(8).position(|window| window == start).unwrap();
    bytes[at + 32] = 9;
    fs::write(path("line.dat"), &bytes).unwrap();
    let (done, _) = convert(&path("line.dat"), &path("back.egbk3"));
    assert_eq!((done.positions, done.restored), (4, 3));
    // Without the position that leads to it, the last does not come back.
    let kept = records(&path("line.dat"));
    let f5d6 = after("f5d6").canonical().board;
    let kept: Vec<_> = kept.iter().filter(|record| record.board != f5d6).collect();
    let mut bytes = bytes[..42].to_vec();
    bytes[38..42].copy_from_slice(&2i32.to_le_bytes());
    for record in kept {
        record.write_to(&mut bytes);
    }
    fs::write(path("line.dat"), bytes).unwrap();
    let (done, _) = convert(&path("line.dat"), &path("back2.egbk3"));
    assert_eq!((done.positions, done.restored), (2, 1));
}

#[test]
fn case_03_a_side_car_of_another_book_is_skipped() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    let new = golden::path("books/egaroucid/var_a.egbk3");
    let old = golden::path("books/games_b.dat");
    // As it is written now, and as it was at first.
    for is_plain in [false, true] {
        convert(&old, &path("b.egbk3"));
        let side = side_car_of(&path("b.egbk3"), EGBK3);
        if is_plain {
            fs::copy(&old, &side).unwrap();
        }
        fs::copy(&new, path("b.egbk3")).unwrap();
        let (with, remarks) = convert(&path("b.egbk3"), &path("c.dat"));
        assert_eq!(with.restored, 0);
        assert_eq!(remarks.len(), 1);
        assert!(remarks[0].contains("b.egbk3.side.dat") && remarks[0].contains("another book"));
        let (without, remarks) = convert_by(
            &path("b.egbk3"),
            &path("d.dat"),
            BookReadOptions::default(),
            false,
        )
        .unwrap();
        assert!(remarks.is_empty());
        assert_eq!(records(&path("c.dat")), records(&path("d.dat")));
        assert_eq!(
            with.positions + with.left_out,
            without.positions + without.left_out
        );
        // Loaded and asked, it is the same.
        let input = BookInput::open(&path("b.egbk3")).unwrap();
        let loaded = files::load(&input, BookReadOptions::default(), &Job::default()).unwrap();
        assert_eq!(
            (loaded.book.len(), loaded.restored, loaded.book.header),
            (342, 0, None)
        );
    }
    // The other way round.
    convert(&new, &path("e.dat"));
    fs::copy(&old, path("e.dat")).unwrap();
    let (done, remarks) = convert(&path("e.dat"), &path("f.egbk3"));
    assert_eq!((done.restored, remarks.len()), (0, 1));
}

#[test]
fn case_04_a_truncated_side_car_is_an_error() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    for name in ["b.egbk3", "b.egbk3.side.dat"] {
        fs::copy(trial(&format!("04-cut-side-car/{name}")), path(name)).unwrap();
    }
    let (book, output) = (path("b.egbk3"), path("c.dat"));
    let told = |reading| {
        let error = convert_by(&book, &output, reading, true).unwrap_err();
        assert!(!output.exists());
        error.to_string()
    };
    let error = told(BookReadOptions::default());
    assert!(
        error.contains("b.egbk3.side.dat: byte 4968: the file ends inside a record"),
        "{error}"
    );
    let (done, _) = convert_by(&book, &output, SKIP, true).unwrap();
    assert_eq!((done.restored, done.damaged), (111, 1));
    let (done, _) = convert_by(&book, &output, BookReadOptions::default(), false).unwrap();
    assert_eq!((done.restored, done.damaged), (0, 0));
}

/// Those of now, cut anywhere or changed anywhere, whichever program's book they keep.
#[test]
fn damaged_side_cars_are_errors() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    let book = path("b.egbk3");
    convert(&golden::path("books/games_b.dat"), &book);
    convert(&golden::path("books/egaroucid/var_a.egbk3"), &path("d.dat"));
    for (book, side) in [
        (&book, "b.egbk3.side.dat"),
        (&path("d.dat"), "d.dat.side.egbk3"),
    ] {
        let output = path("out.egbk3");
        let whole = fs::read(path(side)).unwrap();
        let (done, _) = convert(book, &output);
        fs::remove_file(&output).unwrap();
        let all = done.restored;
        let damage = |bytes: &[u8]| {
            fs::write(path(side), bytes).unwrap();
            let error = convert_by(book, &output, BookReadOptions::default(), true).unwrap_err();
            let error = error.to_string();
            assert!(error.contains(side) && error.contains("byte "), "{error}");
            assert!(error.contains("without its side-car"), "{error}");
            assert!(!output.exists());
            let (done, _) = convert_by(book, &output, SKIP, true).unwrap();
            assert!(done.damaged >= 1 && done.restored <= all, "{done:?}");
            fs::remove_file(&output).unwrap();
        };
        for len in [
            0,
            7,
            8,
            63,
            64,
            100,
            106,
            200,
            whole.len() / 2,
            whole.len() - 1,
        ] {
            damage(&whole[..len]);
        }
        for at in [8, 9, 45, 150, whole.len() - 1] {
            let mut changed = whole.clone();
            changed[at] ^= 4;
            damage(&changed);
        }
        damage(&[&whole[..], &[1]].concat());
        fs::write(path(side), whole).unwrap();
    }
}

#[test]
fn side_cars_are_no_books() {
    let folder = TestFolder::new();
    let book = folder.path("b.egbk3");
    convert(&golden::path("books/games_b.dat"), &book);
    let side = side_car_of(&book, EGBK3);
    let told = |path: &Path| BookInput::open(path).unwrap_err().to_string();
    assert!(told(&side).contains("the side-car of"), "{}", told(&side));
    // Under another name too; and a plain one by its name.
    let other = folder.path("other.dat");
    fs::copy(&side, &other).unwrap();
    assert!(told(&other).contains("a side-car"), "{}", told(&other));
    fs::copy(golden::path("books/games_b.dat"), &side).unwrap();
    assert!(told(&side).contains("the side-car of"), "{}", told(&side));
}

// Books in the text form of Edax.

#[test]
fn case_07_books_are_read_as_text() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    let (done, _) = convert(&trial("07-edax-text-book/export.txt"), &path("o.dat"));
    assert_eq!((done.positions, done.left_out, done.damaged), (3, 0, 0));
    let made = records(&path("o.dat"));
    let bytes = fs::read(path("o.dat")).unwrap();
    let header = EdaxBook::new(&bytes).unwrap().header;
    assert_eq!(
        (header.level, header.n_empties, header.n_nodes),
        (21, 58, 3)
    );
    // All four first moves are the same; f5's leaf d6 leads to the third position, whose leaf is f6 with −1.
    let start = find(&made, "").unwrap();
    assert_eq!((start.links.len(), start.leaf), (4, Edge::NO_LEAF));
    let f5 = find(&made, "f5").unwrap();
    assert_eq!((f5.value, f5.links.len(), f5.leaf.score), (1, 0, 1));
    assert_eq!((start.value, find(&made, "f5d6").unwrap().value), (-1, -1));
    assert!(check(&path("o.dat")).is_sound());
    assert_eq!(done.for_edax.unwrap().searches, 1);
    // A position of which nothing is told is left out.
    let far = Position::new(after("f5d6c3d3c4"), Side::Black);
    let export = fs::read_to_string(trial("07-edax-text-book/export.txt")).unwrap();
    fs::write(path("far.txt"), format!("{export}{far},21,--,-127\n")).unwrap();
    let (done, _) = convert(&path("far.txt"), &path("far.dat"));
    assert_eq!((done.positions, done.left_out), (3, 1));

    let error = BookInput::open(&trial("07-edax-text-book/big_endian.dat")).unwrap_err();
    assert!(error.to_string().contains("book export"), "{error}");
}

#[test]
fn books_of_edax_go_through_text() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    for name in ["dev_a", "dev_b", "games_a", "games_b"] {
        let book = golden::path(&format!("books/{name}.dat"));
        let text = path(&format!("{name}.txt"));
        let (done, _) = convert(&book, &text);
        assert_eq!((done.shortened, done.side_car), (done.positions, 0));
        let mut lines: Vec<_> = fs::read_to_string(&text)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect();
        if name != "dev_b" && name != "games_a" {
            lines.sort_unstable();
            let expected = golden::text_of(&format!("books/edax/export_{name}.sorted.txt"));
            assert_eq!(lines, expected.lines().collect::<Vec<_>>());
        }
        convert(&text, &path("back.dat"));
        let sorted = |path: &Path| {
            let mut records = records(path);
            for record in &mut records {
                record.links.sort_by_key(|link| link.number);
            }
            records.iter().map(text::edax_line).collect::<Vec<_>>()
        };
        assert_eq!(sorted(&path("back.dat")), sorted(&book), "{name}");
        // In the encoding of another system it is the same.
        let utf16: Vec<u8> = fs::read_to_string(&text)
            .unwrap()
            .replace('\n', "\r\n")
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        fs::write(&text, [&[0xff, 0xfe][..], &utf16].concat()).unwrap();
        convert(&text, &path("back.dat"));
        assert_eq!(sorted(&path("back.dat")), sorted(&book), "{name}");
    }
}

#[test]
fn invalid_lines_of_text_are_reported() {
    let folder = TestFolder::new();
    let book = folder.path("b.txt");
    let good = fs::read_to_string(trial("07-edax-text-book/export.txt")).unwrap();
    let start = Position::new(Board::START, Side::Black);
    for (line, expected) in [
        (format!("{start},61,--,0"), "a level of '61'"),
        (format!("{start},x"), "a level of 'x'"),
        (format!("{start}"), "a comma and the level"),
        (format!("{start},21,a1,0"), "a leaf 'a1'"),
        (format!("{start},21,d3"), "the leaf's value was expected"),
        (format!("{start},21,d3,65"), "a leaf's value of '65'"),
        (format!("{start},21,d3,6,7"), "where the line should end"),
        ("XO,21".to_owned(), "squares"),
    ] {
        fs::write(&book, format!("# a remark\n\n{good}{line}\n")).unwrap();
        let output = folder.path("o.dat");
        let error = convert_by(&book, &output, BookReadOptions::default(), true)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("line 6: ") && error.contains(expected),
            "{error}"
        );
        assert!(!output.exists());
        let (done, _) = convert_by(&book, &output, SKIP, true).unwrap();
        assert_eq!((done.positions, done.damaged), (3, 1));
        fs::remove_file(output).unwrap();
    }
}
