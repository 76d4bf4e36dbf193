//! Cases of the field, `fixtures/trials/othello`: what their READMEs say is right. Those of side-cars are in
//! [`side_cars`](crate::side_cars), those of text in [`text_books`](crate::text_books).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use othello_book::convert::LeafImport;
use othello_book::edax::{EdaxBook, EdaxRecord};
use othello_book::egaroucid::{EgaroucidRecord, EgaroucidVersion};
use othello_book::files::{
    BookInput, BookMergeReport, BookOutputMode, BookReadOptions, BookWriteOptions,
};
use othello_book::ops::{Accuracies, Grade};
use othello_book::store::OnDamage;
use othello_book::{BookFormat, Edge, egaroucid, files, ops};
use othello_core::{Board, Game, State};
use test_support::TestFolder;
use yane_io::{Job, Map, Progress, Unit};

use crate::golden;

pub(crate) const EGBK3: BookFormat = BookFormat::Egaroucid(EgaroucidVersion::Egbk3);

pub(crate) fn trial(name: &str) -> PathBuf {
    golden::path(&format!("../trials/othello/{name}"))
}

/// Damaged records are left out.
pub(crate) const SKIP: BookReadOptions = BookReadOptions {
    egbk_level: 1,
    leaf_import: LeafImport::Keep,
    damage: OnDamage::Skip,
};

/// Collects notes.
#[derive(Default)]
struct Remarks(Mutex<Vec<String>>);

impl Progress for Remarks {
    fn stage(&self, _: &str, _: Option<u64>, _: Unit) {}
    fn advance(&self, _: u64) {}
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

/// Converts with what was remarked.
pub(crate) fn convert_by(
    book: &Path,
    output: &Path,
    reading: BookReadOptions,
    side_car: bool,
) -> yane_io::Result<(BookMergeReport, Vec<String>)> {
    let remarks = Arc::new(Remarks::default());
    let job = Job {
        progress: remarks.clone(),
        ..Job::default()
    };
    let input = BookInput::open(book)?;
    let input = [if side_car { input } else { input.alone() }];
    let extension = output.extension().unwrap().to_str().unwrap();
    let writing = BookWriteOptions {
        side_car,
        ..BookWriteOptions::new(BookFormat::of_extension(extension).unwrap())
    };
    let report = files::convert(
        &input,
        output,
        BookOutputMode::Write,
        reading,
        writing,
        &job,
    )?;
    let remarks = remarks.0.lock().unwrap().clone();
    Ok((report, remarks))
}

pub(crate) fn convert(book: &Path, output: &Path) -> (BookMergeReport, Vec<String>) {
    convert_by(book, output, BookReadOptions::default(), true).unwrap()
}

/// By board.
pub(crate) fn records(path: &Path) -> Vec<EdaxRecord> {
    let bytes = fs::read(path).unwrap();
    let book = EdaxBook::new(&bytes).unwrap();
    let records = book.records().map(|record| record.unwrap().to_record());
    let mut records: Vec<_> = records.collect();
    records.sort_by_key(|record| record.board);
    records
}

pub(crate) fn entries(path: &Path) -> Vec<EgaroucidRecord> {
    let bytes = fs::read(path).unwrap();
    let book = egaroucid::EgaroucidBook::new(&bytes).unwrap();
    let mut entries: Vec<_> = book.entries().map(Result::unwrap).collect();
    entries.sort_by_key(|entry| entry.board);
    entries
}

pub(crate) fn after(moves: &str) -> Board {
    moves.parse::<Game>().unwrap().position().board()
}

pub(crate) fn find<'a>(records: &'a [EdaxRecord], moves: &str) -> Option<&'a EdaxRecord> {
    let board = after(moves).canonical().board;
    records.iter().find(|record| record.board == board)
}

pub(crate) fn check(path: &Path) -> ops::EdaxCheck {
    let map = Map::open(path).unwrap();
    ops::check_edax(&map, OnDamage::Skip, &Job::default(), &mut |_| ()).unwrap()
}

/// Checks that all leaves and links have values of the book that they were made of.
fn assert_nothing_is_made_up(records: &[EdaxRecord], entries: &[EgaroucidRecord]) {
    let value = |board: Board| {
        let board = board.canonical().board;
        let entry = entries.iter().find(|entry| entry.board == board);
        entry.map(|entry| entry.value)
    };
    for record in records {
        let own = entries.iter().find(|entry| entry.board == record.board);
        for edge in record.links.iter().chain([&record.leaf]) {
            let Some(mv) = edge.mv() else { continue };
            let child = record.board.after(mv).unwrap();
            let told = match child.state() {
                State::Pass => value(child.passed()).or(value(child).map(|value| -value)),
                _ => value(child)
                    .map(|value| -value)
                    .or_else(|| value(child.passed())),
            };
            let own = own.map(|own| own.leaf.edge);
            assert!(
                told == Some(edge.score) || own == Some(*edge),
                "{record:?} {edge:?}"
            );
        }
        assert!(
            !record.links.is_empty() || record.leaf.number != Edge::NONE || record.board.is_over()
        );
    }
}

#[test]
fn case_01_no_move_is_invented() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    let (done, remarks) = convert(&trial("01-made-up-leaf/ends.egbk2"), &path("ends.dat"));
    assert!(remarks[0].contains("ends.dat: no move"), "{remarks:?}");
    assert_eq!((done.positions, done.left_out, done.side_car), (0, 3, 3));
    assert!(records(&path("ends.dat")).is_empty());
    let (done, _) = convert(&path("ends.dat"), &path("back.egbk3"));
    assert_eq!((done.positions, done.restored), (3, 3));
    let was = entries(&trial("01-made-up-leaf/ends.egbk2"));
    assert_eq!(entries(&path("back.egbk3")), was);

    let line = trial("01-made-up-leaf/line.egbk3");
    let (done, _) = convert(&line, &path("line.dat"));
    assert_eq!((done.positions, done.left_out), (3, 1));
    let made = records(&path("line.dat"));
    assert_nothing_is_made_up(&made, &entries(&line));
    assert!(find(&made, "f5d6c3").is_none());
    let leaf = find(&made, "f5d6").unwrap().leaf;
    let canonical = after("f5d6").canonical();
    let c3 = canonical
        .symmetry
        .apply("c3".parse().map(othello_core::Move::Place).unwrap());
    assert_eq!(leaf, Edge::new(1, c3));
    convert(&path("line.dat"), &path("line.egbk3"));
    assert_eq!(entries(&path("line.egbk3")), entries(&line));
}

#[test]
fn moves_to_omitted_positions_become_leaves() {
    let folder = TestFolder::new();
    let path = |name: &str| folder.path(name);
    for name in [
        "old.egbk2",
        "old.egbk",
        "var_a.egbk3",
        "var_b.egbk3",
        "var_g.egbk3",
    ] {
        let book = golden::path(&format!("books/egaroucid/{name}"));
        let dat = path(&format!("{name}.dat"));
        let (done, _) = convert(&book, &dat);
        let made = records(&dat);
        let was = entries(&book);
        assert!(done.left_out > 0, "{name}");
        assert_nothing_is_made_up(&made, &was);
        let for_edax = done.for_edax.unwrap();
        assert!(for_edax.made_leaves > 0, "{name}");
        let sound = check(&dat);
        assert_eq!(sound.edax_searches, for_edax.searches, "{name}");
        let wrong = (sound.illegal, sound.twice, sound.no_leaf, sound.missing);
        assert_eq!(wrong, (0, 0, 0, 0), "{name}");
        // Nothing that leads out of the book is better than the leaf.
        let value = |board: Board| {
            let board = board.canonical().board;
            let is_made = made.iter().any(|record| record.board == board);
            let entry = was.iter().find(|entry| entry.board == board);
            entry.filter(|_| !is_made).map(|entry| entry.value)
        };
        for record in &made {
            for square in record.board.legal_moves() {
                let child = record.board.play_unchecked(square);
                if let (State::Moves, Some(value)) = (child.state(), value(child)) {
                    assert!(record.leaf.score >= -value, "{name} {record:?}");
                }
            }
        }
        // Back, all that were left out are there again.
        let back = path(&format!("{name}.back.egbk3"));
        let (done, _) = convert(&dat, &back);
        assert_eq!(
            (done.positions, done.restored),
            (was.len() as u64, was.len() as u64)
        );
        // An .egbk has no levels of its own, they are 1; links are not kept.
        let bare = |entry: EgaroucidRecord| EgaroucidRecord {
            level: if name == "old.egbk" { 1 } else { entry.level },
            links: Vec::new(),
            ..entry
        };
        let was: Vec<_> = was.into_iter().map(bare).collect();
        assert_eq!(entries(&back), was, "{name}");
    }
}

#[test]
fn case_02_grade_e_exists() {
    let moves = fs::read_to_string(trial("02-grade-e/moves.txt")).unwrap();
    let board = after(moves.trim());
    for (name, grade) in [("end_only", Grade::C), ("end_and_mid", Grade::E)] {
        let input = BookInput::open(&trial(&format!("02-grade-e/{name}.egbk3"))).unwrap();
        let table = files::load(&input, BookReadOptions::default(), &Job::default())
            .unwrap()
            .book;
        let found = Accuracies::new(&table).of(board).unwrap();
        assert_eq!((found.grade, found.wide), (grade, None), "{name}");
    }
}

/// Edax's export, read again, is the book as its import, link and negamax make it.
#[test]
fn case_10_fewer_records_than_the_header_says() {
    let folder = TestFolder::new();
    let output = folder.path("o.egbk3");
    for (name, count) in [("only_header", 0), ("one_record", 1)] {
        let book = trial(&format!("10-header-count/{name}.dat"));
        let found = check(&book);
        assert!(!found.is_sound());
        assert_eq!(
            (found.count, found.positions, found.damaged),
            (183, count, 1)
        );
        let error = convert_by(&book, &output, BookReadOptions::default(), true).unwrap_err();
        let expected = format!("{} more records were expected", 183 - count);
        assert!(error.to_string().contains(&expected), "{error}");
        assert!(!output.exists());
    }
    // More than it counts are all read, with a remark.
    let mut bytes = golden::bytes("books/dev_a.dat");
    bytes[38..42].copy_from_slice(&180i32.to_le_bytes());
    let book = folder.path("b.dat");
    fs::write(&book, bytes).unwrap();
    let found = check(&book);
    assert_eq!(
        (found.is_sound(), found.surplus, found.positions),
        (false, 3, 183)
    );
    let (done, remarks) = convert(&book, &output);
    assert_eq!((done.positions, remarks.len()), (183, 1));
    assert!(
        remarks[0].contains("180") && remarks[0].contains("183"),
        "{remarks:?}"
    );
}

/// Books of Egaroucid of all generations, cut off anywhere and with damage in the middle.
#[test]
fn truncated_books_of_egaroucid_are_damaged() {
    let folder = TestFolder::new();
    let output = folder.path("o.dat");
    for name in ["old.egbk", "old.egbk2", "var_a.egbk3"] {
        let whole = golden::bytes(&format!("books/egaroucid/{name}"));
        let book = folder.path(name);
        let first = whole.len() - 17;
        for (bytes, is_header) in [
            (&whole[..first], false),
            (&whole[..whole.len() / 2], false),
            (&whole[..40], false),
            (&whole[..14], !name.ends_with("egbk")),
            (&whole[..3], true),
            (&[&whole[..], &[0, 1]].concat(), false),
        ] {
            fs::write(&book, bytes).unwrap();
            let error = convert_by(&book, &output, BookReadOptions::default(), true).unwrap_err();
            assert!(error.to_string().contains(name), "{error}");
            assert!(!output.exists());
            if !is_header {
                assert!(error.to_string().contains("byte "), "{error}");
                let input = BookInput::open(&book).unwrap();
                let loaded = files::load(&input, SKIP, &Job::default()).unwrap();
                assert!(loaded.damaged > 0);
            }
        }
        // A value that is none, in the second record.
        let mut changed = whole.clone();
        let at = match name {
            "old.egbk" => 4 + 17 + 16,
            "old.egbk2" => 14 + 19 + 2 * usize::from(whole[14 + 18]) + 16,
            _ => 14 + 25 + 16,
        };
        changed[at] = if name == "old.egbk" { 200 } else { 100 };
        fs::write(&book, changed).unwrap();
        let error = convert_by(&book, &output, BookReadOptions::default(), true).unwrap_err();
        assert!(
            error
                .to_string()
                .contains(&format!("byte {at}: a value of")),
            "{error}"
        );
    }
    // Other bytes of that name are no book.
    let book = folder.path("text.egbk");
    fs::write(&book, "no book, whatever its name may be").unwrap();
    let error = BookInput::open(&book).unwrap_err();
    assert!(
        error.to_string().contains("not an Egaroucid book"),
        "{error}"
    );
}

#[test]
fn case_11_positions_that_edax_will_search_are_counted() {
    let folder = TestFolder::new();
    let output = folder.path("o.dat");
    for (name, searches) in [
        ("11-edax-fix-searches/leaves.egbk3", 0),
        ("01-made-up-leaf/line.egbk3", 1),
    ] {
        let (done, _) = convert(&trial(name), &output);
        assert_eq!(done.for_edax.unwrap().searches, searches, "{name}");
        assert_eq!(check(&output).edax_searches, searches, "{name}");
        let input = BookInput::open(&output).unwrap();
        let (info, _) = files::info(&input, BookReadOptions::default(), &Job::default()).unwrap();
        assert_eq!(info.edax_searches, Some(searches), "{name}");
    }
    for name in ["dev_a", "dev_b", "games_a", "games_b"] {
        assert_eq!(
            check(&golden::path(&format!("books/{name}.dat"))).edax_searches,
            0
        );
    }
    // Edax searches the positions without a leaf that have moves left.
    for (name, at_least) in [("pert_dev_a", 6), ("pert_games_b", 14)] {
        let found = check(&golden::path(&format!("books/{name}.dat")));
        assert!(found.edax_searches >= at_least, "{name}: {found:?}");
        assert!(found.edax_searches >= found.no_leaf, "{name}: {found:?}");
    }
}

#[test]
fn case_12_a_sound_book_stays_as_it_is_byte_for_byte() {
    let folder = TestFolder::new();
    let output = folder.path("o.dat");
    let mut books = vec![trial("12-fix-of-a-sound-edax-book/tiny.dat")];
    books.extend(
        ["dev_a", "dev_b", "games_a", "games_b"]
            .map(|name| golden::path(&format!("books/{name}.dat"))),
    );
    let (reading, job) = (BookReadOptions::default(), Job::default());
    for book in books {
        let input = BookInput::open(&book).unwrap();
        let mut opened = files::open(&input, reading, &folder.path("."), &job).unwrap();
        let header = opened.book.header.unwrap();
        let fixed = ops::negamax_edax(&mut opened.book, Board::START, &header);
        assert_eq!((fixed.values, fixed.leaves), (0, 0));
        let writing = BookWriteOptions::new(BookFormat::Edax);
        files::save_changed(
            &opened,
            &input,
            reading,
            (&output, BookOutputMode::Write),
            writing,
            &job,
        )
        .unwrap();
        // The lines and bounds of the small one are not Edax's.
        let is_same = fs::read(&output).unwrap() == fs::read(&book).unwrap();
        assert!(is_same || book.ends_with("tiny.dat"), "{book:?}");
        assert!(check(&output).is_sound());
        fs::remove_file(&output).unwrap();
    }
}
