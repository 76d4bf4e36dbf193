//! Books in the text form of Edax.

use std::fs;
use std::path::Path;

use othello_book::edax::EdaxBook;
use othello_book::files::{BookInput, BookReadOptions};
use othello_book::{Edge, text};
use othello_core::{Board, Position, Side};
use test_support::TestFolder;

use crate::fixtures;
use crate::trials::{SKIP, after, check, convert, convert_by, find, records, trial};

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
        let book = fixtures::path(&format!("books/{name}.dat"));
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
            let expected = fixtures::text(&format!("books/edax/export_{name}.sorted.txt"));
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
fn wrong_lines_of_text_are_told() {
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
