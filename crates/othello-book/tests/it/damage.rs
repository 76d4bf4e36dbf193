//! Bytes that are no books, or no longer: told with their place, and never a panic.

use othello_book::edax::{self, EdaxRecordRef};
use othello_book::{BookFormat, FormatError, egaroucid};
use proptest::prelude::*;

use crate::fixtures;

fn edax_faults(bytes: &[u8]) -> Vec<FormatError> {
    match edax::EdaxBook::new(bytes) {
        Ok(book) => book.records().filter_map(Result::err).collect(),
        Err(error) => vec![error],
    }
}

fn egaroucid_faults(bytes: &[u8]) -> Vec<FormatError> {
    match egaroucid::EgaroucidBook::new(bytes) {
        Ok(book) => book.entries().filter_map(Result::err).collect(),
        Err(error) => vec![error],
    }
}

#[test]
fn a_book_of_the_other_byte_order_is_refused_as_such() {
    let mut bytes = fixtures::bytes("books/dev_a.dat");
    bytes[..8].copy_from_slice(b"EDAXBOOK");
    for error in [
        edax::EdaxBook::new(&bytes).err(),
        BookFormat::of_bytes(&bytes).err(),
    ] {
        let error = error.unwrap();
        assert_eq!(error.offset, 0);
        assert!(error.reason.contains("other order"), "{error}");
    }
}

#[test]
fn faults_of_the_header_have_their_byte() {
    let bytes = fixtures::bytes("books/dev_a.dat");
    let mut other = bytes.clone();
    other[8] = 3;
    let errors = edax_faults(&other);
    assert_eq!((errors.len(), errors[0].offset), (1, 8));
    assert_eq!(edax_faults(&bytes[..41])[0].offset, 41);
    assert_eq!(edax_faults(b"hello, world")[0].offset, 0);
    assert!(BookFormat::of_bytes(b"hello, world").is_err());
}

#[test]
fn a_book_that_is_cut_off_says_where() {
    let bytes = fixtures::bytes("books/dev_a.dat");
    let book = edax::EdaxBook::new(&bytes).unwrap();
    let starts: Vec<_> = book
        .records()
        .map(|record| record.unwrap().offset())
        .collect();
    for len in 43..bytes.len() as u64 {
        let errors = edax_faults(&bytes[..len as usize]);
        // Between two records, only the header's count tells.
        let start = *starts.iter().rfind(|&&start| start <= len).unwrap();
        assert_eq!((errors.len(), errors[0].offset), (1, start));
    }
}

#[test]
fn bad_contents_cost_one_record() {
    let good = fixtures::bytes("books/dev_a.dat");
    let book = edax::EdaxBook::new(&good).unwrap();
    let all: Vec<EdaxRecordRef<'_>> = book.records().map(Result::unwrap).collect();
    let second = all[1].offset() as usize;
    let mut overlap = good.clone();
    overlap.copy_within(second..second + 8, second + 8);
    let mut value = good.clone();
    value[second + 32..second + 34].copy_from_slice(&200i16.to_le_bytes());
    for (bytes, offset) in [(overlap, second), (value, second + 32)] {
        let errors = edax_faults(&bytes);
        assert_eq!((errors.len(), errors[0].offset), (1, offset as u64));
        let left = edax::EdaxBook::new(&bytes)
            .unwrap()
            .records()
            .flatten()
            .count();
        assert_eq!(left, all.len() - 1);
    }
}

#[test]
fn counts_that_lie_are_told() {
    let good = fixtures::bytes("books/egaroucid/var_a.egbk3");
    let count = egaroucid::EgaroucidBook::new(&good).unwrap().count() as i32;
    let with = |count: i32| {
        let mut bytes = good.clone();
        bytes[10..14].copy_from_slice(&count.to_le_bytes());
        egaroucid_faults(&bytes)
    };
    assert_eq!(with(count), []);
    assert_eq!(with(i32::MAX)[0].offset, good.len() as u64);
    assert_eq!(with(count - 1)[0].offset, good.len() as u64 - 25);
    assert_eq!(with(-1)[0].offset, 10);
    assert_eq!(egaroucid_faults(&good[..12])[0].offset, 10);
    assert_eq!(egaroucid_faults(&good[..9])[0].offset, 9);
    let mut value = good.clone();
    value[14 + 16] = 65;
    assert_eq!(egaroucid_faults(&value)[0].offset, 30);
}

proptest! {
    #[test]
    fn any_bytes_are_a_book_or_not(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = BookFormat::of_bytes(&bytes);
        edax_faults(&bytes);
        egaroucid_faults(&bytes);
    }

    #[test]
    fn a_changed_byte_is_no_harm(name in 0..4, at in any::<prop::sample::Index>(), byte: u8) {
        let files = ["dev_a.dat", "egaroucid/var_a.egbk3", "egaroucid/old.egbk2", "egaroucid/old.egbk"];
        let mut bytes = fixtures::bytes(&format!("books/{}", files[name as usize]));
        bytes.truncate(2000);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        for error in edax_faults(&bytes).into_iter().chain(egaroucid_faults(&bytes)) {
            prop_assert!(error.offset <= bytes.len() as u64);
        }
    }
}
