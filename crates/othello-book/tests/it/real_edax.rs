//! Exchange of books with a real Edax. Runs if the environment variable `EDAX_BIN` names an Edax
//! binary; its evaluation is `data/eval.dat` in the binary's folder or the one above, or what `EDAX_EVAL` names.

use std::path::Path;

use othello_book::edax::{EdaxBook, EdaxRecord};
use othello_book::egaroucid::EgaroucidVersion;
use othello_book::files::{BookInput, BookOutputMode, BookReadOptions, BookWriteOptions};
use othello_book::store::{Bounds, GameCounts, MemoryBook, OnDamage};
use othello_book::{BookFormat, files, ops, text};
use othello_core::{Board, State};
use test_support::{Edax, TestFolder};
use yane_io::{Job, Map};

use crate::golden;

/// The records by their boards, links by their squares.
fn records(path: &Path) -> Vec<EdaxRecord> {
    let bytes = std::fs::read(path).unwrap();
    let book = EdaxBook::new(&bytes).unwrap();
    let records = book.records().map(|record| {
        let mut record = record.unwrap().to_record();
        record.links.sort_by_key(|link| link.number);
        record
    });
    let mut records: Vec<_> = records.collect();
    records.sort_by_key(|record| record.board);
    records
}

/// Says which records differ.
fn same(found: &Path, expected: &[EdaxRecord], what: &str) {
    let lines = |records: &[EdaxRecord]| {
        let lines = records.iter().map(text::edax_line);
        lines.collect::<Vec<_>>()
    };
    let (found, expected) = (lines(&records(found)), lines(expected));
    let differ = found.iter().filter(|line| !expected.contains(line));
    let missing = expected.iter().filter(|line| !found.contains(line));
    let differ: String = differ.take(5).map(String::as_str).collect();
    let missing: String = missing.take(5).map(String::as_str).collect();
    assert!(found == expected, "{what}:\n{differ}instead of\n{missing}");
}

fn convert(from: &Path, to: &Path, format: BookFormat, side_car: bool, level: Option<u8>) {
    let writing = BookWriteOptions {
        side_car,
        level,
        ..BookWriteOptions::new(format)
    };
    let input = [BookInput::open(from).unwrap()];
    let (reading, job) = (BookReadOptions::default(), Job::default());
    files::convert(&input, to, BookOutputMode::Write, reading, writing, &job).unwrap();
}

fn load(path: &Path) -> MemoryBook {
    let input = BookInput::open(path).unwrap();
    let loaded = files::load(&input, BookReadOptions::default(), &Job::default());
    loaded.unwrap().book
}

fn is_sound(path: &Path) {
    let map = Map::open(path).unwrap();
    let found = ops::check_edax(&map, OnDamage::Stop, &Job::default(), &mut |_| ()).unwrap();
    assert!(found.is_sound(), "{}: {found:?}", path.display());
}

const EGBK3: BookFormat = BookFormat::Egaroucid(EgaroucidVersion::Egbk3);

/// Level, depth in plies, and the errors of `book deviate`.
const BOOKS: [(u32, u32, &str); 3] = [(1, 5, "4 4"), (2, 5, "2 4"), (1, 6, "1 2")];

#[test]
fn books_of_edax_are_read() {
    let folder = TestFolder::new();
    let Some(mut edax) = Edax::start(&folder.path(".")) else {
        return;
    };
    let path = |name: &str| folder.path(name);
    for (level, depth, deviate) in BOOKS {
        edax.tell(&[
            &format!("book new {level} {depth}"),
            &format!("book deviate {deviate}"),
            "book fix",
            "book save made.dat",
        ]);
        let made = records(&path("made.dat"));
        eprintln!("level {level}, depth {depth}: {} positions", made.len());
        assert!(made.len() > 20);
        is_sound(&path("made.dat"));

        // To Egaroucid and back, and through Edax again: the same.
        convert(&path("made.dat"), &path("there.egbk3"), EGBK3, true, None);
        convert(
            &path("there.egbk3"),
            &path("back.dat"),
            BookFormat::Edax,
            true,
            None,
        );
        same(&path("back.dat"), &made, "there and back");
        edax.tell(&["book load back.dat", "book save again.dat"]);
        same(&path("again.dat"), &made, "through Edax");

        // Values made up and then computed as Edax does.
        let mut table = load(&path("made.dat"));
        let header = table.header.unwrap();
        table.retain(|board, known| {
            if board.state() != State::Over {
                (known.value, known.lines) = (0, 0);
                (known.games, known.bounds) = (GameCounts::default(), Bounds::default());
            }
            true
        });
        ops::negamax_edax(&mut table, Board::START, &header);
        let fixed = path("fixed.dat");
        files::save(
            &table,
            &fixed,
            BookOutputMode::Write,
            BookWriteOptions::new(BookFormat::Edax),
        )
        .unwrap();
        same(&fixed, &made, "our negamax");

        // Without the side-car there is less, but nothing that Edax would have to mend.
        convert(&path("made.dat"), &path("less.egbk3"), EGBK3, false, None);
        convert(
            &path("less.egbk3"),
            &path("less.dat"),
            BookFormat::Edax,
            false,
            None,
        );
        edax.tell(&["book load less.dat", "book fix", "book save mended.dat"]);
        is_sound(&path("mended.dat"));
        same(&path("mended.dat"), &made, "mended by Edax");
    }
}

#[test]
fn books_are_read_by_edax() {
    let folder = TestFolder::new();
    let Some(mut edax) = Edax::start(&folder.path(".")) else {
        return;
    };
    let path = |name: &str| folder.path(name);
    for name in ["var_a", "var_b", "var_g"] {
        let book = golden::path(&format!("books/egaroucid/{name}.egbk3"));
        // Levels as they are would take Edax days.
        convert(&book, &path("given.dat"), BookFormat::Edax, true, Some(1));
        edax.tell(&["book load given.dat", "book save same.dat"]);
        let given = records(&path("given.dat"));
        same(&path("same.dat"), &given, name);
        edax.tell(&["book load given.dat", "book fix", "book save fixed.dat"]);
        let fixed = records(&path("fixed.dat"));
        let boards = |records: &[EdaxRecord]| {
            let boards = records.iter().map(|record| record.board);
            boards.collect::<Vec<_>>()
        };
        assert_eq!(boards(&fixed), boards(&given), "{name}");
        for record in &fixed {
            let old = given.iter().find(|old| old.board == record.board);
            assert_eq!(old.map(|old| old.lower), Some(-64));
            assert_eq!(record.level, 1);
        }
    }
}
