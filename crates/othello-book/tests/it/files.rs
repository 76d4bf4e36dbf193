//! Whole books: put together, converted there and back, loaded and saved.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use othello_book::convert::LeafImport;
use othello_book::edax::{EdaxBook, EdaxHeader, EdaxRecord};
use othello_book::egaroucid::{BookLeaf, EgaroucidRecord, EgaroucidVersion};
use othello_book::files::{
    BookInput, BookMergeReport, BookOutputMode, BookReadOptions, BookWriteOptions, side_car_of,
};
use othello_book::ops::Accuracies;
use othello_book::store::{OnDamage, PositionLookup as _, PositionStore as _};
use othello_book::{BookFormat, egaroucid, files, ops};
use othello_core::{Board, Symmetry};
use test_support::TestFolder;
use yane_io::{Job, MemoryFiles, SliceSource, SlicedFile};

use crate::convert::{dump, loaded};
use crate::golden;
use crate::golden::EDAX;

const EGBK3: BookFormat = BookFormat::Egaroucid(EgaroucidVersion::Egbk3);

/// Little memory, so that runs go to the disk.
fn job() -> Job {
    Job {
        memory: 1,
        ..Job::default()
    }
}

fn convert(books: &[&Path], output: &Path, writing: BookWriteOptions) -> BookMergeReport {
    let inputs: Vec<_> = books
        .iter()
        .map(|book| BookInput::open(book).unwrap())
        .collect();
    let reading = BookReadOptions::default();
    let tried = files::convert(
        &inputs,
        output,
        BookOutputMode::DryRun,
        reading,
        writing,
        &job(),
    )
    .unwrap();
    let done = files::convert(
        &inputs,
        output,
        BookOutputMode::Write,
        reading,
        writing,
        &job(),
    )
    .unwrap();
    assert_eq!(tried, done, "a trial tells the same");
    done
}

fn records(path: &Path) -> (EdaxHeader, Vec<EdaxRecord>) {
    let bytes = fs::read(path).unwrap();
    let book = EdaxBook::new(&bytes).unwrap();
    let records = book.records().map(|record| record.unwrap().to_record());
    (book.header, records.collect())
}

fn entries(path: &Path) -> Vec<EgaroucidRecord> {
    let bytes = fs::read(path).unwrap();
    let book = egaroucid::EgaroucidBook::new(&bytes).unwrap();
    book.entries().map(Result::unwrap).collect()
}

/// The records that Edax has of a book: of one board the first.
fn as_loaded(mut records: Vec<EdaxRecord>) -> Vec<EdaxRecord> {
    records.sort_by_key(|record| record.board);
    records.dedup_by_key(|record| record.board);
    records
}

fn edax(name: &str) -> PathBuf {
    golden::path(&format!("books/{name}.dat"))
}

fn egaroucid(name: &str) -> PathBuf {
    golden::path(&format!("books/egaroucid/{name}"))
}

#[test]
fn books_of_edax_go_to_egaroucid_and_back_without_loss() {
    let folder = TestFolder::new();
    for name in EDAX {
        let there = folder.path(format!("{name}.egbk3"));
        let back = folder.path(format!("{name}.dat"));
        let done = convert(&[&edax(name)], &there, BookWriteOptions::new(EGBK3));
        let (mut header, expected) = records(&edax(name));
        let expected = as_loaded(expected);
        assert_eq!(done.side_car, expected.len() as u64);
        assert_eq!(done.positions + done.left_out, done.side_car);
        assert_eq!(entries(&there).len() as u64, done.positions);
        let done = convert(&[&there], &back, BookWriteOptions::new(BookFormat::Edax));
        assert_eq!(done.restored, expected.len() as u64);
        assert_eq!(done.side_car, 0);
        header.n_nodes = expected.len() as i32;
        assert_eq!(records(&back), (header, expected), "{name}");
        assert!(!side_car_of(&back, BookFormat::Edax).exists());
    }
}

#[test]
fn books_of_egaroucid_go_to_edax_and_back_without_loss() {
    let folder = TestFolder::new();
    for name in ["var_a", "var_b", "var_g"] {
        let book = egaroucid(&format!("{name}.egbk3"));
        let there = folder.path(format!("{name}.dat"));
        let back = folder.path(format!("{name}.egbk3"));
        let done = convert(&[&book], &there, BookWriteOptions::new(BookFormat::Edax));
        let mut expected = entries(&book);
        expected.sort_by_key(|entry| entry.board);
        assert_eq!(done.side_car, expected.len() as u64);
        let done = convert(&[&there], &back, BookWriteOptions::new(EGBK3));
        assert_eq!(done.restored, expected.len() as u64, "{name}");
        assert_eq!(entries(&back), expected, "{name}");
        // Loaded into memory it is the same.
        let input = BookInput::open(&there).unwrap();
        let table = files::load(&input, BookReadOptions::default(), &Job::default()).unwrap();
        assert_eq!(table.restored, expected.len() as u64, "{name}");
        for entry in &expected {
            let known = *table.book.get(entry.board).unwrap();
            assert_eq!(known.entry(entry.board), *entry);
        }
    }
}

#[test]
fn changed_positions_win_over_the_side_car() {
    let folder = TestFolder::new();
    let there = folder.path("book.egbk3");
    let back = folder.path("book.dat");
    convert(&[&edax("games_b")], &there, BookWriteOptions::new(EGBK3));
    // Another program takes the last position out and gives the first another value.
    let mut all = entries(&there);
    let (first, gone) = (all[0].board, all.pop().unwrap().board);
    all[0].value = 17;
    let mut bytes = egaroucid::head(EgaroucidVersion::Egbk3, all.len() as u64).unwrap();
    for entry in &all {
        entry.write_to(EgaroucidVersion::Egbk3, &mut bytes);
    }
    fs::write(&there, bytes).unwrap();
    convert(&[&there], &back, BookWriteOptions::new(BookFormat::Edax));
    let (_, now) = records(&back);
    let (_, was) = records(&edax("games_b"));
    assert_eq!(now.len(), was.len() - 1);
    let find = |records: &[EdaxRecord], board: Board| {
        let found = records.iter().find(|record| record.board == board);
        found.cloned()
    };
    assert_eq!(find(&now, first).unwrap().value, 17);
    assert_eq!(find(&now, gone), None);
    // All else has its games and bounds still, and no link leads to what is gone.
    for record in &now {
        let old = find(&was, record.board).unwrap();
        if record.board != first {
            assert_eq!(
                (
                    record.wins,
                    record.draws,
                    record.losses,
                    record.lower,
                    record.upper
                ),
                (old.wins, old.draws, old.losses, old.lower, old.upper)
            );
        }
        for link in &record.links {
            let child = link
                .legal_on(record.board)
                .and_then(|mv| record.board.after(mv));
            let child = child.unwrap().canonical().board;
            assert!(find(&now, child).is_some());
        }
    }
}

#[test]
fn a_rewritten_book_keeps_everything() {
    let folder = TestFolder::new();
    for name in EDAX {
        let copy = folder.path(format!("{name}.dat"));
        let done = convert(
            &[&edax(name)],
            &copy,
            BookWriteOptions::new(BookFormat::Edax),
        );
        let (mut header, was) = records(&edax(name));
        let expected = as_loaded(was.clone());
        assert_eq!(done.repeated, (was.len() - expected.len()) as u64);
        header.n_nodes = expected.len() as i32;
        assert_eq!(records(&copy), (header, expected), "{name}");
        let writing = BookWriteOptions {
            level: Some(33),
            ..BookWriteOptions::new(BookFormat::Edax)
        };
        convert(&[&edax(name)], &copy, writing);
        assert!(records(&copy).1.iter().all(|record| record.level == 33));
    }
    for name in ["old.egbk2", "var_a.egbk3"] {
        let copy = folder.path(name);
        let input = BookInput::open(&egaroucid(name)).unwrap();
        convert(
            &[&egaroucid(name)],
            &copy,
            BookWriteOptions::new(input.file.format),
        );
        let mut expected = entries(&egaroucid(name));
        expected.sort_by_key(|entry| entry.board);
        assert_eq!(entries(&copy), expected, "{name}");
    }
}

#[test]
fn external_merging_equals_merging_in_memory() {
    let folder = TestFolder::new();
    for (old, new) in [("var_a", "var_b"), ("var_b", "var_a"), ("var_g", "var_a")] {
        let books = [
            egaroucid(&format!("{old}.egbk3")),
            egaroucid(&format!("{new}.egbk3")),
        ];
        let output = folder.path("merged.egbk3");
        let done = convert(
            &[&books[0], &books[1]],
            &output,
            BookWriteOptions::new(EGBK3),
        );
        let load = |path: &Path| {
            let input = BookInput::open(path).unwrap();
            files::load(&input, BookReadOptions::default(), &Job::default())
                .unwrap()
                .book
        };
        let (mut table, newer) = (load(&books[0]), load(&books[1]));
        let (mut added, mut changed) = (0, 0);
        for (board, known) in newer.iter() {
            let was = table.get(board).copied();
            table.merge(board, *known);
            added += u64::from(was.is_none());
            changed += u64::from(was.is_some_and(|was| table.get(board) != Some(&was)));
        }
        assert_eq!(dump(&load(&output)), dump(&table));
        assert_eq!((done.new, done.changed), (added, changed));
        assert_eq!(done.positions, table.len() as u64);
    }
}

#[test]
fn a_book_merged_with_itself_is_the_same() {
    let folder = TestFolder::new();
    let (there, output) = (folder.path("a.egbk3"), folder.path("a.dat"));
    let book = edax("games_b");
    let writing = BookWriteOptions {
        side_car: false,
        ..BookWriteOptions::new(EGBK3)
    };
    convert(&[&book], &there, writing);
    let done = convert(
        &[&book, &there, &book],
        &output,
        BookWriteOptions::new(BookFormat::Edax),
    );
    let unchanged = (done.new, done.changed, done.side_car);
    assert_eq!(unchanged, (0, 0, 0));
    let sorted = |path: &Path| {
        let (_, mut records) = records(path);
        for record in &mut records {
            record.links.sort_by_key(|link| link.number);
        }
        as_loaded(records)
    };
    assert_eq!(sorted(&output), sorted(&book));
}

#[test]
fn books_of_both_programs_become_one_for_edax() {
    let folder = TestFolder::new();
    let output = folder.path("merged.dat");
    let books = [edax("games_b"), egaroucid("var_a.egbk3"), edax("dev_a")];
    let books: Vec<_> = books.iter().map(PathBuf::as_path).collect();
    let done = convert(&books, &output, BookWriteOptions::new(BookFormat::Edax));
    let map = yane_io::Map::open(&output).unwrap();
    let found = ops::check_edax(
        &map,
        othello_book::store::OnDamage::Stop,
        &Job::default(),
        &mut |_| (),
    )
    .unwrap();
    assert_eq!(found.positions, done.positions);
    let wrong = (found.illegal, found.twice, found.no_leaf, found.missing);
    assert_eq!(wrong, (0, 0, 0, 0));
    assert_eq!(
        (found.not_canonical, found.repeated, found.isolated),
        (0, 0, 0)
    );
    // Fixed as Edax does, values agree too.
    let input = BookInput::open(&output).unwrap();
    let mut table = files::load(&input, BookReadOptions::default(), &Job::default())
        .unwrap()
        .book;
    let header = table.header.unwrap();
    assert_eq!(header.level, records(&edax("games_b")).0.level);
    ops::negamax_edax(&mut table, Board::START, &header);
    let fixed = folder.path("fixed.dat");
    let saved = files::save(
        &table,
        &fixed,
        BookOutputMode::Write,
        BookWriteOptions::new(BookFormat::Edax),
    )
    .unwrap();
    assert!(saved.positions >= done.positions);
    let map = yane_io::Map::open(&fixed).unwrap();
    let found = ops::check_edax(
        &map,
        othello_book::store::OnDamage::Stop,
        &Job::default(),
        &mut |_| (),
    )
    .unwrap();
    assert!(found.is_sound(), "{found:?}");
}

#[test]
fn leaves_become_positions_as_egaroucid_imports_them() {
    let folder = TestFolder::new();
    let output = folder.path("imported.egbk3");
    let input = [BookInput::open(&edax("dev_a")).unwrap()];
    let reading = BookReadOptions {
        leaf_import: LeafImport::AsPosition,
        ..BookReadOptions::default()
    };
    let writing = BookWriteOptions::new(EGBK3);
    let done = files::convert(
        &input,
        &output,
        BookOutputMode::Write,
        reading,
        writing,
        &job(),
    )
    .unwrap();
    assert_eq!(done.side_car, 0);
    let expected = entries(&egaroucid("import_dev_a.egbk3"));
    let mut found = entries(&output);
    assert_eq!(found.len(), expected.len());
    // Egaroucid begins with a start of its own.
    let mut expected: Vec<_> = expected
        .into_iter()
        .filter(|e| e.board != Board::START.canonical().board)
        .collect();
    found.retain(|entry| entry.board != Board::START.canonical().board);
    expected.sort_by_key(|entry| entry.board);
    assert_eq!(found, expected);
}

#[test]
fn a_table_saved_and_loaded_is_the_same() {
    let folder = TestFolder::new();
    for name in ["dev_a", "games_b"] {
        let input = BookInput::open(&edax(name)).unwrap();
        let was = files::load(&input, BookReadOptions::default(), &Job::default())
            .unwrap()
            .book;
        for (file, format) in [("a.dat", BookFormat::Edax), ("a.egbk3", EGBK3)] {
            let path = folder.path(file);
            let saved = files::save(
                &was,
                &path,
                BookOutputMode::Write,
                BookWriteOptions::new(format),
            )
            .unwrap();
            assert_eq!(
                saved,
                files::save(
                    &was,
                    &path,
                    BookOutputMode::DryRun,
                    BookWriteOptions::new(format)
                )
                .unwrap()
            );
            let input = BookInput::open(&path).unwrap();
            let now = files::load(&input, BookReadOptions::default(), &Job::default())
                .unwrap()
                .book;
            assert_eq!(now.len(), was.len());
            for (board, known) in was.iter() {
                assert_eq!(now.get(board), Some(known), "{name} {file} {board:?}");
            }
        }
    }
    let was = loaded("var_g");
    let path = folder.path("g.dat");
    files::save(
        &was,
        &path,
        BookOutputMode::Write,
        BookWriteOptions::new(BookFormat::Edax),
    )
    .unwrap();
    let input = BookInput::open(&path).unwrap();
    let now = files::load(&input, BookReadOptions::default(), &Job::default())
        .unwrap()
        .book;
    for (board, known) in was.iter() {
        assert_eq!(now.get(board), Some(known), "{board:?}");
    }
}

#[test]
fn no_side_cars_are_written_without_the_option() {
    let folder = TestFolder::new();
    let output = folder.path("a.egbk3");
    convert(&[&edax("dev_a")], &output, BookWriteOptions::new(EGBK3));
    let side = side_car_of(&output, EGBK3);
    assert!(side.exists());
    let writing = BookWriteOptions {
        side_car: false,
        ..BookWriteOptions::new(EGBK3)
    };
    let done = convert(&[&edax("dev_a")], &output, writing);
    assert!(!side.exists(), "that of an earlier book goes");
    assert_eq!((done.side_car, done.shortened), (0, done.positions));
}

/// A book answers the same whether it was read or is only asked.
#[test]
fn lookups_in_files_equal_lookups_in_memory() {
    let folder = TestFolder::new();
    let mut books: Vec<_> = EDAX.iter().map(|name| edax(name)).collect();
    books.extend(["var_a", "var_g"].map(|name| egaroucid(&format!("{name}.egbk3"))));
    // Sorted ones, and one with records of several lengths.
    for extension in ["egbk3", "egbk2", "egbk"] {
        let book = folder.path("book").with_extension(extension);
        let format = BookFormat::of_extension(extension).unwrap();
        convert(&[&edax("dev_a")], &book, BookWriteOptions::new(format));
        books.push(book);
    }
    let reading = BookReadOptions {
        damage: OnDamage::Skip,
        ..BookReadOptions::default()
    };
    for book in books {
        for input in [
            BookInput::open(&book).unwrap(),
            BookInput::open(&book).unwrap().alone(),
        ] {
            let rows = files::open(&input, reading, &folder.path("."), &job())
                .unwrap()
                .book;
            let asked = files::open_for_lookup(&input, reading, &folder.path("."), &job()).unwrap();
            let mut grades = Accuracies::new(&rows);
            let mut asked_grades = Accuracies::new(&asked);
            for number in rows.in_order() {
                let board = rows.board(number).unwrap();
                let turned = Symmetry::ROTATION.board(board);
                assert_eq!(asked.look_up(turned), rows.look_up(board), "{book:?}");
                assert_eq!(asked_grades.of(board), grades.of(board), "{book:?}");
                for child in board
                    .legal_moves()
                    .iter()
                    .map(|square| board.play_unchecked(square))
                {
                    assert_eq!(asked.value_of_move(child), rows.value_of_move(child));
                }
            }
        }
    }
}

/// So does one of which slices are read.
#[test]
fn lookups_in_slices_equal_lookups_in_memory() {
    let folder = TestFolder::new();
    // The second one is in no order.
    let mut books = vec![edax("dev_a"), egaroucid("var_a.egbk3")];
    for extension in ["egbk3", "egbk"] {
        let book = folder.path("book").with_extension(extension);
        let format = BookFormat::of_extension(extension).unwrap();
        let alone = BookWriteOptions {
            side_car: false,
            ..BookWriteOptions::new(format)
        };
        convert(&[&edax("dev_a")], &book, alone);
        books.push(book);
    }
    let reading = BookReadOptions::default();
    let open = |path: &Path| files::open_owned(path, reading, &folder.path("."), &job());
    for book in books {
        let name = Path::new("slices").join(book.file_name().unwrap());
        let bytes = std::fs::read(&book).unwrap();
        MemoryFiles::put_sliced(&name, SlicedFile::new(bytes.clone()));
        let (whole, sliced) = (open(&book).unwrap(), open(&name).unwrap());
        assert!(sliced.is_sliced() && !whole.is_sliced());
        assert_eq!(
            (sliced.format(), sliced.count()),
            (whole.format(), whole.count())
        );
        let input = BookInput::open(&book).unwrap();
        let rows = files::open(&input, reading, &folder.path("."), &job())
            .unwrap()
            .book;
        for number in rows.in_order() {
            let board = Symmetry::ROTATION.board(rows.board(number).unwrap());
            assert_eq!(sliced.look_up(board), whole.look_up(board), "{book:?}");
            assert!(sliced.look_up(board).is_some());
            let children = board
                .legal_moves()
                .iter()
                .map(|square| board.play_unchecked(square));
            for child in children {
                assert_eq!(sliced.value_of_move(child), whole.value_of_move(child));
            }
        }
        assert!(sliced.take_trouble().is_none());

        // Cut off, or with a record that is no board.
        let mut broken = bytes.clone();
        let first = match whole.format() {
            BookFormat::Edax => EdaxHeader::LEN,
            EGBK3 => 14,
            _ => 4,
        };
        broken[first..first + 16].fill(0xff);
        for damaged in [bytes[..bytes.len() - 1].to_vec(), broken] {
            MemoryFiles::put_sliced(&name, SlicedFile::new(damaged));
            assert!(open(&name).is_err(), "{book:?}");
        }
    }
}

/// Bytes that are there for a while.
#[derive(Debug)]
struct Going(Vec<u8>, Arc<AtomicBool>);

impl SliceSource for Going {
    fn file_len(&self) -> u64 {
        self.0.file_len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        if self.1.load(Ordering::Relaxed) {
            return Err(std::io::ErrorKind::NotFound.into());
        }
        self.0.read_at(offset, buffer)
    }
}

#[test]
fn a_file_that_went_away_is_trouble_and_not_an_empty_book() {
    let folder = TestFolder::new();
    // Larger than what is kept of it.
    let count = 800_000u64;
    let mut bytes = egaroucid::head(EgaroucidVersion::Egbk3, count).unwrap();
    let boards = (0..).map(|at| Board::new(at, 1 << 63).unwrap().canonical().board);
    let boards: BTreeSet<Board> = boards.take(2 * count as usize).collect();
    for &board in boards.iter().take(count as usize) {
        let record = EgaroucidRecord {
            board,
            value: 0,
            level: 1,
            lines: 0,
            leaf: BookLeaf::UNDEFINED,
            links: Vec::new(),
        };
        record.write_to(EgaroucidVersion::Egbk3, &mut bytes);
    }
    let name = Path::new("slices/going.egbk3");
    let is_gone = Arc::new(AtomicBool::new(false));
    let file = SlicedFile::new(Going(bytes, Arc::clone(&is_gone)));
    MemoryFiles::put_sliced(name, file);
    let reading = BookReadOptions::default();
    let book = files::open_owned(name, reading, &folder.path("."), &job()).unwrap();
    let board = *boards.first().unwrap();
    assert!(book.find(board).is_some() && book.take_trouble().is_none());
    is_gone.store(true, Ordering::Relaxed);
    let last = *boards.iter().nth(count as usize - 1).unwrap();
    assert!(book.find(last).is_none());
    let error = book.take_trouble().unwrap().to_string();
    assert!(error.contains("going.egbk3"), "{error}");
    assert!(book.take_trouble().is_none());
}
