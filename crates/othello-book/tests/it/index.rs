//! Positions looked up in the file.

use std::path::Path;

use othello_book::edax::{EdaxBook, EdaxHeader, EdaxRecord};
use othello_book::files::{BookInput, BookReadOptions};
use othello_book::store::{
    BatchLookup, EdaxIndex, OnDamage, PositionLookup as _, PositionStore as _,
};
use othello_book::{Edge, FormatError, files};
use othello_core::{Board, State};
use test_support::TestFolder;
use yane_io::{Error, Job, Map};

use crate::golden;
use crate::golden::EDAX;

fn map(bytes: Vec<u8>) -> Map {
    Map::from_bytes(Path::new("book.dat"), bytes)
}

fn index(map: &Map, on_damage: OnDamage) -> yane_io::Result<EdaxIndex<'_>> {
    EdaxIndex::new(map, on_damage, &Job::default())
}

#[test]
fn every_position_is_found_and_the_first_of_each() {
    for name in EDAX {
        let map = map(golden::bytes(&format!("books/{name}.dat")));
        let index = index(&map, OnDamage::Stop).unwrap();
        let records: Vec<_> = EdaxBook::new(&map)
            .unwrap()
            .records()
            .map(Result::unwrap)
            .collect();
        let mut repeated = 0;
        for record in &records {
            let first = records
                .iter()
                .find(|other| other.board() == record.board())
                .unwrap();
            let found = index.find(record.board()).unwrap().record;
            assert_eq!(found.offset(), first.offset());
            repeated += u64::from(first.offset() != record.offset());
            // Its other images are not in the book.
            let turned = record.board().h8_first();
            let turned = Board::new(turned[0], turned[1]).unwrap();
            assert_eq!(index.find(turned).is_some(), turned == record.board());
        }
        assert_eq!(index.repeated(), repeated, "{name}");
        assert_eq!(index.len(), records.len() as u64 - repeated);
    }
}

#[test]
fn damage_stops_or_is_skipped() {
    let mut bytes = golden::bytes("books/dev_a.dat");
    let book = EdaxBook::new(&bytes).unwrap();
    let offsets: Vec<_> = book
        .records()
        .map(|record| record.unwrap().offset() as usize)
        .collect();
    let (bad, cut) = (offsets[5], offsets[100]);
    bytes[bad + 32..bad + 34].copy_from_slice(&(-128i16).to_le_bytes());
    bytes.truncate(cut + 10);
    let map = map(bytes);
    let error = index(&map, OnDamage::Stop).unwrap_err();
    assert!(
        matches!(error, Error::Byte { offset, .. } if offset == bad as u64 + 32),
        "{error}"
    );
    let index = index(&map, OnDamage::Skip).unwrap();
    assert_eq!((index.len(), index.damaged()), (99, 2));
    let places: Vec<_> = index
        .errors()
        .iter()
        .map(|error: &FormatError| error.offset)
        .collect();
    assert_eq!(places, [bad as u64 + 32, cut as u64]);
}

#[test]
fn a_position_takes_less_than_six_bytes_beyond_the_file() {
    // All boards of the first seven plies and some of the eighth.
    let mut level = vec![Board::START];
    let mut boards = level.clone();
    while boards.len() < 40_000 {
        let moved = level.iter().flat_map(|board| {
            assert_eq!(board.state(), State::Moves);
            let moves = board.legal_moves().into_iter();
            moves.map(|square| board.play_unchecked(square).canonical().board)
        });
        level = moved.collect();
        level.sort_unstable();
        level.dedup();
        boards.extend(&level);
    }
    let mut bytes = EdaxHeader::default().to_bytes().to_vec();
    for &board in &boards {
        let record = EdaxRecord {
            board,
            wins: 0,
            draws: 0,
            losses: 0,
            lines: 1,
            value: 0,
            lower: -64,
            upper: 64,
            level: 1,
            links: Vec::new(),
            leaf: Edge::NO_LEAF,
        };
        record.write_to(&mut bytes);
    }
    let map = map(bytes);
    let index = index(&map, OnDamage::Stop).unwrap();
    assert_eq!(index.len(), boards.len() as u64);
    assert!(
        (index.memory() as f64) < 5.6 * boards.len() as f64,
        "{}",
        index.memory()
    );
    assert!(boards.iter().all(|&board| index.find(board).is_some()));
    // Many together are what they are one by one, and some of them are not there.
    let passed = level.iter().map(|board| board.passed());
    let asked: Vec<_> = boards.iter().copied().chain(passed).collect();
    let mut lookup = BatchLookup::default();
    for asked in asked.chunks(1000) {
        for &board in asked {
            lookup.push(&index, board);
        }
        let found = lookup.resolve(&index);
        let numbers = found.iter().map(|found| Some(found.as_ref()?.slot));
        assert!(numbers.eq(asked.iter().map(|&board| Some(index.find(board)?.slot))));
        assert!(found.iter().zip(asked).all(|(found, &board)| {
            found
                .as_ref()
                .is_none_or(|found| found.record.board() == board)
        }));
    }
    assert!(index.find(level[0].passed()).is_none());
    // To be worked on, about as much beyond the rows.
    drop(index);
    let folder = TestFolder::new();
    let input = BookInput::of(map).unwrap();
    let job = Job {
        memory: 1 << 16,
        ..Job::default()
    };
    let rows = files::open(&input, BookReadOptions::default(), &folder.path("."), &job)
        .unwrap()
        .book;
    assert!(
        (rows.memory() as f64) < 5.8 * boards.len() as f64,
        "{}",
        rows.memory()
    );
    let mut numbers = Vec::new();
    rows.find_many(&boards, &mut numbers);
    assert!(numbers.iter().zip(&boards).all(|(&number, &board)| {
        let found = number.and_then(|number| rows.board(number));
        found == Some(board) && rows.find(board) == number
    }));
    numbers.clear();
    // Boards of the next ply, most of which are not there.
    let next: Vec<_> = level.iter().map(|board| board.passed()).collect();
    rows.find_many(&next, &mut numbers);
    let there: std::collections::HashSet<_> = boards.iter().copied().collect();
    let expected: Vec<_> = next
        .iter()
        .map(|board| {
            let canonical = board.canonical().board;
            there.contains(&canonical).then_some(canonical)
        })
        .collect();
    let found: Vec<_> = numbers
        .iter()
        .map(|number| rows.board((*number)?))
        .collect();
    assert!(found == expected && expected.contains(&None));
}
