//! Books turned into those of the other program, and put together.

use std::path::Path;

use othello_book::convert::{LeafImport, LeafPolicy};
use othello_book::edax::{EdaxBook, EdaxRecord};
use othello_book::egaroucid::BookLeaf;
use othello_book::store::{MemoryBook, PositionData};
use othello_book::{Edge, convert, text};
use othello_core::{Board, State};
use yane_io::Map;

use crate::golden;

fn table(name: &str) -> MemoryBook {
    let bytes = golden::bytes(&format!("books/egaroucid/{name}"));
    let map = Map::from_bytes(Path::new(name), bytes);
    MemoryBook::read(&map, 7, &mut Err).unwrap()
}

pub(crate) fn dump(table: &MemoryBook) -> String {
    let lines = table.sorted().into_iter().map(|board| {
        let entry = table.get(board).unwrap().entry(board);
        text::egaroucid_line(&entry)
    });
    format!(
        "{}{}",
        text::egaroucid_head(table.len()),
        lines.collect::<String>()
    )
}

/// A new book of Egaroucid's: the start with a made-up leaf.
fn new_book() -> MemoryBook {
    let mut table = MemoryBook::default();
    let leaf = BookLeaf {
        edge: Edge {
            score: 0,
            number: 19,
        },
        level: -1,
    };
    let known = PositionData {
        value: 0,
        level: -1,
        leaf,
        ..PositionData::default()
    };
    table.insert(Board::START, known);
    table
}

/// A book as Egaroucid has it after loading, which is merging into a new one.
pub(crate) fn loaded(name: &str) -> MemoryBook {
    let mut loaded = new_book();
    for (board, known) in table(&format!("{name}.egbk3")).iter() {
        loaded.merge(board, *known);
    }
    loaded
}

#[test]
fn the_higher_level_wins_and_then_the_newer() {
    for (old, new, name) in [
        ("var_a", "var_b", "merge_a_b"),
        ("var_b", "var_a", "merge_b_a"),
    ] {
        let mut merged = loaded(old);
        for (board, known) in table(&format!("{new}.egbk3")).iter() {
            merged.merge(board, *known);
        }
        let expected = golden::text_of(&format!("books/egaroucid/{name}.dump.txt"));
        assert_eq!(dump(&merged), expected);
    }
}

#[test]
fn edax_books_are_imported_as_egaroucid_does() {
    for name in ["dev_a", "games_b"] {
        let bytes = golden::bytes(&format!("books/{name}.dat"));
        let mut imported = new_book();
        for record in EdaxBook::new(&bytes).unwrap().records() {
            let record = record.unwrap().to_record();
            convert::from_edax(&mut imported, &record, LeafImport::AsPosition);
        }
        let expected = golden::text_of(&format!("books/egaroucid/import_{name}.dump.txt"));
        assert_eq!(dump(&imported), expected, "{name}");
    }
}

#[test]
fn old_books_are_imported_as_egaroucid_does() {
    for name in ["old.egbk2", "old.egbk"] {
        let mut imported = new_book();
        for (board, known) in table(name).iter() {
            imported.merge(board, *known);
        }
        let expected = format!("books/egaroucid/import_{}.dump.txt", name.replace('.', "_"));
        assert_eq!(dump(&imported), golden::text_of(&expected));
    }
}

/// The conditions of Edax's `position_is_ok`.
fn is_ok(record: &EdaxRecord) -> bool {
    let board = record.board;
    let links = record.links.iter().map(|link| link.number);
    let mut numbers: Vec<_> = links.collect();
    let legal = record
        .links
        .iter()
        .all(|link| link.legal_on(board).is_some());
    let leaf = if record.leaf.number == Edge::NONE {
        let moves = match board.state() {
            State::Moves => board.legal_moves().len() as usize,
            State::Pass => 1,
            State::Over => 0,
        };
        numbers.len() == moves
    } else {
        numbers.push(record.leaf.number);
        record.leaf.legal_on(board).is_some()
    };
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    legal && leaf && numbers.len() == count && board.is_canonical()
}

#[test]
fn books_for_edax_satisfy_its_rules() {
    for name in ["var_a", "var_b", "var_g"] {
        let table = table(&format!("{name}.egbk3"));
        let records = convert::to_edax(&table, None, LeafPolicy::Complete);
        assert!(!records.is_empty());
        for record in &records {
            assert!(is_ok(record), "{}", text::edax_line(record));
            let best = record
                .links
                .iter()
                .chain([&record.leaf])
                .map(|edge| edge.score);
            // A pass is worth what the other player has, with the other sign.
            if record.board.state() == State::Pass {
                let after = table.get(record.board.passed()).unwrap();
                assert_eq!(record.value, -i16::from(after.value));
                assert_eq!(best.max(), Some(-after.value));
            }
        }
    }
}

/// The records of a book of Edax as they are, links in the order of their squares.
fn records(name: &str) -> Vec<EdaxRecord> {
    let bytes = golden::bytes(&format!("books/{name}.dat"));
    let book = EdaxBook::new(&bytes).unwrap();
    let records = book.records().map(|record| record.unwrap().to_record());
    records.map(sorted).collect()
}

fn sorted(mut record: EdaxRecord) -> EdaxRecord {
    record.links.sort_by_key(|link| link.number);
    record
}

#[test]
fn a_book_of_edax_that_was_in_memory_is_the_same() {
    for name in ["dev_a", "dev_b", "games_a", "games_b"] {
        let mut records = records(name);
        let mut table = MemoryBook::default();
        for record in &records {
            convert::from_edax(&mut table, record, LeafImport::Keep);
        }
        assert_eq!(table.len(), records.len());
        let back = convert::to_edax(&table, None, LeafPolicy::Keep);
        records.sort_by_key(|record| record.board);
        let back: Vec<_> = back.into_iter().map(sorted).collect();
        assert_eq!(back, records, "{name}");
    }
}
