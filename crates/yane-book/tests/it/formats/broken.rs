//! Damaged files give errors that tell the place, and never a panic.

use std::fs;
use std::path::Path;

use shogi_core::{PackedSfen, Position};
use yane_book::apery::Apery;
use yane_book::convert::ConvertOptions;
use yane_book::db::BadLines;
use yane_book::io::Map;
use yane_book::ybb::Ybb;

use super::support::{Folder, fixture};

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
    let folder = Folder::new();
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
