//! What is written is read again, whatever it is; damaged files give errors that tell the place, and never a panic.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use shogi_core::movegen::LegalAll;
use shogi_core::{AperyMove16, Move16, Position};
use shogi_packed::PackedSfen;
use test_support::TestFolder;
use yane_book::BookMove;
use yane_book::apery::{self, Apery, AperyWriter};
use yane_book::convert::ConvertOptions;
use yane_book::db::BadLines;
use yane_book::io::Map;
use yane_book::ybb::{MoveDepths, Ybb, YbbWriter};

use super::util::{BookFolder, fixture};

/// A move as numbers to choose from: which of the legal moves, eval, depth, count.
type MoveChoice = (prop::sample::Index, i32, u16, u16);

/// Positions of a random game with some of their moves.
fn books() -> impl Strategy<Value = BTreeMap<PackedSfen, (u16, Vec<BookMove>)>> {
    let choice = (
        any::<prop::sample::Index>(),
        any::<i32>(),
        any::<u16>(),
        any::<u16>(),
    );
    let moves = prop::collection::vec(choice, 0..6);
    prop::collection::vec((any::<prop::sample::Index>(), moves), 0..60).prop_map(play)
}

fn play(
    game: Vec<(prop::sample::Index, Vec<MoveChoice>)>,
) -> BTreeMap<PackedSfen, (u16, Vec<BookMove>)> {
    let mut position = Position::startpos();
    let mut book = BTreeMap::new();
    for (next, choices) in game {
        let legal = position.moves::<LegalAll>();
        if legal.is_empty() {
            break;
        }
        let moves = choices
            .into_iter()
            .map(|(which, eval, depth, count)| BookMove {
                mv: Some(Move16::from(legal[which.index(legal.len())])),
                ponder: None,
                eval: eval >> 16,
                depth: depth.into(),
                count: count.into(),
            });
        let packed = PackedSfen::encode(&position).unwrap();
        book.insert(packed, (position.ply() as u16, moves.collect()));
        let _ = position.do_move_unchecked(legal[next.index(legal.len())]);
    }
    book
}

proptest! {
    #[test]
    fn ybb(book in books(), depths in prop_oneof![Just(MoveDepths::Stored), Just(MoveDepths::Omitted)]) {
        let folder = TestFolder::new();
        let path = folder.path("book.ybb");
        let mut writer = YbbWriter::create(&path, &folder.path(""), depths).unwrap();
        for (packed, (ply, moves)) in &book {
            writer.push(packed, *ply, moves).unwrap();
        }
        prop_assert_eq!(writer.len(), book.len() as u64);
        writer.commit().unwrap();

        let read = Ybb::open(&path).unwrap();
        read.verify().unwrap();
        prop_assert_eq!(read.depths(), depths);
        prop_assert_eq!(read.len(), book.len() as u64);
        for (entry, (packed, (ply, moves))) in read.entries().zip(&book) {
            let entry = entry.unwrap();
            prop_assert_eq!((entry.packed, entry.ply), (*packed, *ply));
            prop_assert_eq!(entry.position().unwrap().ply(), u32::from(*ply));
            let expected: Vec<_> = moves.iter().map(|known| BookMove {
                depth: if depths == MoveDepths::Stored { known.depth } else { 0 },
                count: 0,
                ..*known
            }).collect();
            prop_assert_eq!(entry.moves().collect::<Vec<_>>(), expected);
            prop_assert_eq!(read.find(packed).unwrap().unwrap().index, entry.index);
            let mut other = *packed;
            other.0[31] ^= 0x80;
            prop_assert_eq!(read.find(&other).unwrap().is_some(), book.contains_key(&other));
        }
        prop_assert!(read.get(read.len()).unwrap().is_none());
        prop_assert!(read.find(&PackedSfen([0; 32])).unwrap().is_none());
        prop_assert!(read.find(&PackedSfen([255; 32])).unwrap().is_none());
    }

    #[test]
    fn apery(book in books()) {
        prop_assume!(book.values().any(|(_, moves)| !moves.is_empty()));
        let book: BTreeMap<u64, Vec<BookMove>> = book
            .into_iter()
            .map(|(packed, (_, moves))| (apery::key(&packed.decode().unwrap()), moves))
            .collect();
        let folder = TestFolder::new();
        let path = folder.path("book.bin");
        let mut writer = AperyWriter::create(&path).unwrap();
        for (&key, moves) in &book {
            writer.push(key, moves).unwrap();
        }
        writer.commit().unwrap();

        let read = Apery::open(&path).unwrap();
        read.verify().unwrap();
        let records = book.values().map(Vec::len).sum::<usize>();
        prop_assert_eq!(read.len(), records as u64);
        prop_assert_eq!(read.entries().len(), records);
        for (&key, moves) in &book {
            let found: Vec<_> = read.find(key).collect();
            prop_assert_eq!(found.len(), moves.len());
            prop_assert_eq!(read.contains(key), !moves.is_empty());
            for (entry, known) in found.iter().zip(moves) {
                prop_assert_eq!(entry.key, key);
                let mv = known.mv.unwrap().decode().unwrap();
                prop_assert_eq!(entry.mv, AperyMove16::encode(mv));
                prop_assert_eq!(u64::from(entry.count), known.count);
                prop_assert_eq!(entry.score, known.eval);
            }
            prop_assert_eq!(read.contains(key ^ 1), book.get(&(key ^ 1)).is_some_and(|moves| !moves.is_empty()));
        }
    }
}

#[test]
fn writers_refuse_what_readers_would() {
    let folder = TestFolder::new();
    let packed = PackedSfen::encode(&Position::startpos()).unwrap();
    let line = |eval, depth| BookMove {
        eval,
        depth,
        ..BookMove::new(None)
    };
    let path = folder.path("book.ybb");
    let mut ybb = YbbWriter::create(&path, &folder.path(""), MoveDepths::Stored).unwrap();
    for (eval, depth) in [(32_768, 0), (-32_769, 0), (0, -1), (0, 65_536)] {
        assert!(ybb.push(&packed, 1, &[line(eval, depth)]).is_err());
    }
    assert!(ybb.push(&packed, 1, &vec![line(0, 0); 65_536]).is_err());
    ybb.push(&packed, 1, &[line(0, 0)]).unwrap();
    let error = ybb.push(&packed, 2, &[line(0, 0)]).unwrap_err().to_string();
    assert!(
        error.contains("ascending") && error.contains("lnsgkgsnl"),
        "{error}"
    );
    drop(ybb);
    assert!(!path.exists());

    let path = folder.path("book.bin");
    let mut apery = AperyWriter::create(&path).unwrap();
    let many = BookMove {
        count: 70_000,
        ..BookMove::new(None)
    };
    apery.push(7, &[many]).unwrap();
    assert!(apery.push(6, &[many]).is_err());
    let garbage = BookMove::new(Some(Move16(0xffff)));
    assert!(apery.push(8, &[garbage]).is_err());
    apery.commit().unwrap();
    let book = Apery::open(&path).unwrap();
    let entry = book.entries().next().unwrap();
    assert_eq!((entry.mv.0, entry.count), (0, 65_535));
}

const HEADER: usize = 32;
const RECORD: usize = 44;

fn ybb_bytes() -> Vec<u8> {
    fs::read(fixture("ybb/handicap.ybb")).unwrap()
}

/// Opens and verifies bytes; the message of the error, if there is one.
fn ybb_fault(bytes: Vec<u8>) -> Option<String> {
    let map = Map::from_bytes(Path::new("book.ybb"), bytes);
    let result = Ybb::from_map(map).and_then(|book| {
        // Looking things up must be safe even in a book that was not verified.
        let start = PackedSfen::encode(&Position::startpos()).unwrap();
        let _ = book.find(&start);
        for entry in book.entries().flatten() {
            let _ = (entry.position(), entry.moves().count());
        }
        book.verify()
    });
    result.err().map(|error| error.to_string())
}

#[test]
fn a_sound_ybb_has_no_fault() {
    assert_eq!(ybb_fault(ybb_bytes()), None);
    let empty = [&ybb_bytes()[..16], &[0; 16]].concat();
    assert_eq!(ybb_fault(empty), None);
}

#[test]
fn every_shortened_ybb_is_refused() {
    let bytes = ybb_bytes();
    for len in 0..bytes.len() {
        assert!(ybb_fault(bytes[..len].to_vec()).is_some(), "{len} bytes");
    }
}

#[test]
fn no_changed_byte_of_a_ybb_is_a_panic() {
    let bytes = ybb_bytes();
    for at in 0..bytes.len() {
        for mask in [1, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= mask;
            let problem = ybb_fault(changed);
            // The magic and all of the flags but whether depths are stored admit no change.
            if at < 16 || (25..32).contains(&at) {
                assert!(problem.is_some(), "byte {at}");
            }
        }
    }
}

#[test]
fn ybb_faults_tell_the_byte() {
    let cases: [(usize, &[u8], &str); 7] = [
        (0, b"x", "book.ybb: byte 0: expected YANE-BINBOOK-V1"),
        (24, &[3], "byte 24: expected flags 0 or 1, found 0x3"),
        (16, &[255; 8], "byte 16: 18446744073709551615 positions"),
        (
            HEADER + 32,
            &[1],
            "byte 64: index record 0: expected 3 moves",
        ),
        (
            HEADER + 32,
            &[250; 8],
            "byte 64: index record 0: expected 3 moves",
        ),
        (
            HEADER + RECORD + 42,
            &[255, 255],
            "byte 108: index record 1: expected 65535 moves",
        ),
        (
            HEADER + 2 * RECORD,
            &[0; 32],
            "byte 120: index record 2: expected a position greater",
        ),
    ];
    for (at, new, expected) in cases {
        let mut bytes = ybb_bytes();
        bytes[at..at + new.len()].copy_from_slice(new);
        let problem = ybb_fault(bytes).unwrap();
        assert!(problem.contains(expected), "{problem}");
    }
    let mut long = ybb_bytes();
    long.push(0);
    let expected = format!("byte {}: expected moves of 6 bytes", long.len());
    assert!(ybb_fault(long).unwrap().contains(&expected));
}

#[test]
fn apery_faults_tell_the_byte() {
    let bytes = fs::read(fixture("apery/ap.bin")).unwrap();
    let problem = |bytes: &[u8]| {
        let map = Map::from_bytes(Path::new("book.bin"), bytes.to_vec());
        let result = Apery::from_map(map).and_then(|book| book.verify());
        result.err().map(|error| error.to_string())
    };
    assert_eq!(problem(&bytes), None);
    assert_eq!(problem(&[]), None);
    for len in 0..bytes.len() {
        assert_eq!(problem(&bytes[..len]).is_some(), len % 16 != 0);
    }
    let cut = problem(&bytes[..100]).unwrap();
    assert!(
        cut.contains("byte 100: expected records of 16 bytes"),
        "{cut}"
    );
    let mut unsorted = bytes;
    unsorted[39] = 0;
    let unsorted = problem(&unsorted).unwrap();
    assert!(
        unsorted.contains("byte 32: expected a key of at least"),
        "{unsorted}"
    );
}

#[test]
fn conversions_of_damaged_books_tell_the_byte() {
    let folder = TestFolder::new();
    let options = ConvertOptions::default();
    let mut bytes = ybb_bytes();
    let moves = HEADER + 40 * RECORD;
    bytes[moves + 6..moves + 8].copy_from_slice(&[0xff, 0xff]);
    folder.write("illegal.ybb", &bytes);
    for to in ["out.db", "out.bin"] {
        let error = folder.refusal("illegal.ybb", to, &options);
        assert!(
            error.contains(&format!("byte {}: illegal move", moves + 6)),
            "{error}"
        );
    }
    let skip = ConvertOptions {
        bad_lines: BadLines::Skip,
        ..ConvertOptions::default()
    };
    let report = folder.convert("illegal.ybb", "out.db", &skip).unwrap();
    assert_eq!((report.positions, report.bad_moves), (40, 1));
    assert_eq!(report.left_out.len(), 1);

    let mut bytes = ybb_bytes();
    bytes[HEADER + 39 * RECORD..][..32].copy_from_slice(&[255; 32]);
    folder.write("garbled.ybb", &bytes);
    let error = folder.refusal("garbled.ybb", "other.db", &options);
    let place = HEADER + 39 * RECORD;
    assert!(
        error.contains(&format!("byte {place}: expected a packed position")),
        "{error}"
    );
    let report = folder.convert("garbled.ybb", "other.db", &skip).unwrap();
    assert_eq!((report.positions, report.bad_positions), (39, 1));

    let mut bytes = ybb_bytes();
    bytes[HEADER + RECORD..][..32].copy_from_slice(&[0; 32]);
    folder.write("unsorted.ybb", &bytes);
    let error = folder.refusal("unsorted.ybb", "third.db", &skip);
    assert!(error.contains("byte 76"), "{error}");
}
