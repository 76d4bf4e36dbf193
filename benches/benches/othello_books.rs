//! `cargo bench -p benches --bench othello_books`: reading a book of Edax, indexing it, loading it, converting it, fixing it, grades;
//! learning with searches that take no time.
//!
//! The book is made here: positions ply by ply from the start, links to those that are there, values made up.

use std::path::Path;

use divan::Bencher;
use divan::counter::ItemsCount;
use farm::{RetryPolicy, threads};
use othello_book::BookFormat;
use othello_book::convert::{self, LeafImport, LeafPolicy};
use othello_book::edax::EdaxBook;
use othello_book::egaroucid::EgaroucidVersion;
use othello_book::files::{self, BookInput, BookOutputMode, BookReadOptions, BookWriteOptions};
use othello_book::ops::{self, Accuracies, LeafValues};
use othello_book::store::{EdaxIndex, MemoryBook, OnDamage, PositionData};
use othello_bookwork::{
    BookStage, BookTask, Budget, FoundAnswer, GrowthLimit, Learn, SearchAnswer, SearchItem,
};
use othello_core::{Board, State};
use tempfile::TempDir;
use yane_io::{Job, Map};

/// Positions of the book.
const POSITIONS: usize = 200_000;

fn main() {
    divan::main();
}

/// A book in memory, with values that follow from the boards alone.
fn table() -> MemoryBook {
    let mut table = MemoryBook::default();
    let mut ply = vec![Board::START];
    while table.len() < POSITIONS {
        let mut next = Vec::new();
        for board in ply {
            if table.len() == POSITIONS {
                return table;
            }
            if board.state() != State::Moves || table.get(board).is_some() {
                continue;
            }
            let known = PositionData {
                value: (board.mover().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as i8 - 8,
                level: 21,
                ..PositionData::default()
            };
            table.insert(board, known);
            next.extend(
                board
                    .legal_moves()
                    .iter()
                    .map(|square| board.play_unchecked(square)),
            );
        }
        ply = next;
    }
    table
}

/// The book as a file of Edax.
fn file(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("book.dat");
    let writing = BookWriteOptions {
        side_car: false,
        ..BookWriteOptions::new(BookFormat::Edax)
    };
    files::save(&table(), &path, BookOutputMode::Write, writing)
        .expect("a folder that can be written to");
    path
}

fn input(folder: &TempDir) -> BookInput {
    BookInput::open(&file(folder.path())).expect("the book that was written")
}

fn count<'a, 'b>(bencher: Bencher<'a, 'b>) -> Bencher<'a, 'b> {
    bencher.counter(ItemsCount::new(POSITIONS))
}

#[divan::bench]
fn read_edax(bencher: Bencher<'_, '_>) {
    let folder = TempDir::new().expect("a folder");
    let map = Map::open(&file(folder.path())).expect("the book");
    count(bencher).bench(|| {
        let book = EdaxBook::new(&map).expect("a book");
        let records = book
            .records()
            .map(|record| record.map_or(0, |record| record.value()));
        records.map(i64::from).sum::<i64>()
    });
}

#[divan::bench]
fn build_index(bencher: Bencher<'_, '_>) {
    let folder = TempDir::new().expect("a folder");
    let map = Map::open(&file(folder.path())).expect("the book");
    count(bencher).bench(|| EdaxIndex::new(&map, OnDamage::Stop, &Job::default()).map(drop));
}

#[divan::bench]
fn load(bencher: Bencher<'_, '_>) {
    let folder = TempDir::new().expect("a folder");
    let input = input(&folder);
    count(bencher)
        .bench(|| files::load(&input, BookReadOptions::default(), &Job::default()).map(drop));
}

#[divan::bench(args = ["book.egbk3", "again.dat"], sample_count = 5)]
fn convert_edax_to(bencher: Bencher<'_, '_>, name: &str) {
    let folder = TempDir::new().expect("a folder");
    let input = [input(&folder)];
    let output = folder.path().join(name);
    let writing = BookWriteOptions {
        side_car: false,
        ..BookWriteOptions::new(format(name))
    };
    count(bencher).bench(|| {
        files::convert(
            &input,
            &output,
            BookOutputMode::Write,
            BookReadOptions::default(),
            writing,
            &Job::default(),
        )
    });
}

#[divan::bench(sample_count = 5)]
fn convert_egaroucid_to_edax(bencher: Bencher<'_, '_>) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("book.egbk3");
    let writing = |name| BookWriteOptions {
        side_car: false,
        ..BookWriteOptions::new(format(name))
    };
    files::save(
        &table(),
        &path,
        BookOutputMode::Write,
        writing("book.egbk3"),
    )
    .expect("a folder");
    let input = [BookInput::open(&path).expect("the book")];
    let output = folder.path().join("book.dat");
    let writing = writing("book.dat");
    count(bencher).bench(|| {
        files::convert(
            &input,
            &output,
            BookOutputMode::Write,
            BookReadOptions::default(),
            writing,
            &Job::default(),
        )
    });
}

fn format(name: &str) -> BookFormat {
    if name.ends_with("dat") {
        BookFormat::Edax
    } else {
        BookFormat::Egaroucid(EgaroucidVersion::Egbk3)
    }
}

#[divan::bench(args = [LeafValues::Ignore, LeafValues::Count], sample_count = 5)]
fn fix(bencher: Bencher<'_, '_>, leaves: LeafValues) {
    let table = table();
    count(bencher)
        .with_inputs(|| table.clone())
        .bench_values(|mut table| ops::negamax(&mut table, Board::START, leaves));
}

#[divan::bench(sample_count = 5)]
fn fix_as_edax(bencher: Bencher<'_, '_>) {
    let mut table = MemoryBook::default();
    for record in convert::to_edax(&self::table(), None, LeafPolicy::Complete) {
        convert::from_edax(&mut table, &record, LeafImport::Keep);
    }
    let header = othello_book::edax::EdaxHeader::default();
    count(bencher)
        .with_inputs(|| table.clone())
        .bench_values(|mut table| ops::negamax_edax(&mut table, Board::START, &header));
}

#[divan::bench(sample_count = 5)]
fn accuracy(bencher: Bencher<'_, '_>) {
    let table = table();
    count(bencher).bench(|| Accuracies::new(&table).count());
}

/// Positions that are learnt.
const LEARNT: u64 = 20_000;

/// An answer that follows from the board alone.
fn answer(item: &SearchItem) -> FoundAnswer {
    let board = item.board();
    let moves = board.legal_moves();
    let hash =
        (board.mover() ^ board.opponent().rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let nth = (hash >> 32) as usize % moves.len() as usize;
    FoundAnswer {
        answer: SearchAnswer {
            score: (hash >> 61) as i8 - 4,
            line: moves.iter().skip(nth).take(1).collect(),
            is_exact: false,
        },
        nodes: 1,
    }
}

/// What learning takes beside the searches, for each position, with so many threads that answer at once; the book is written at
/// the end.
#[divan::bench(args = [1, 2], sample_count = 5)]
fn learn_beside_searches(bencher: Bencher<'_, '_>, count: usize) {
    let learn = Learn {
        level: "1".parse().expect("a level"),
        depth: GrowthLimit(Some(40)),
        error: GrowthLimit(Some(6)),
        sum: GrowthLimit(Some(40)),
        leaf_error: GrowthLimit(Some(6)),
        ..Learn::default()
    };
    bencher
        .counter(ItemsCount::new(LEARNT))
        .with_inputs(|| TempDir::new().expect("a folder"))
        .bench_refs(|folder| {
            let output = folder.path().join("book.egbk3");
            let writing = BookWriteOptions::new(format("book.egbk3"));
            let stages = vec![BookStage::Learn(learn.clone())];
            let mut task = BookTask::new(None, output, writing, stages);
            task.budget = Budget {
                positions: Some(LEARNT),
                ..Budget::default()
            };
            let workers = threads(count, |_| (), |(), item, _| Ok(answer(item).into()));
            let growth = task.run(&workers, RetryPolicy::default(), &Job::default());
            let growth = growth.expect("a book");
            assert!(growth.added >= LEARNT);
        });
}
