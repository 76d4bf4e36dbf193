//! Golden books of Edax and Egaroucid, read, dumped and written back; damaged bytes are errors with their place.

use std::path::PathBuf;

use othello_book::edax::{EdaxRecord, EdaxRecordRef};
use othello_book::egaroucid::{EgaroucidRecord, EgaroucidVersion};
use othello_book::{BookFormat, FormatError, edax, egaroucid, text};
use proptest::prelude::*;

use crate::golden;

fn edax_records(bytes: &[u8]) -> (edax::EdaxHeader, Vec<EdaxRecord>) {
    let book = edax::EdaxBook::new(bytes).unwrap();
    let records = book.records().map(|record| record.unwrap().to_record());
    (book.header, records.collect())
}

fn entries(bytes: &[u8]) -> (EgaroucidVersion, Vec<EgaroucidRecord>) {
    let book = egaroucid::EgaroucidBook::new(bytes).unwrap();
    let entries: Vec<_> = book.entries().map(Result::unwrap).collect();
    assert_eq!(entries.len(), book.count());
    (book.version, entries)
}

/// Lines in the order of their text below two lines of head.
fn sorted(head: &str, lines: impl Iterator<Item = String>) -> String {
    let mut lines: Vec<_> = lines.collect();
    lines.sort_unstable();
    format!("{head}{}", lines.concat())
}

#[test]
fn edax_books_are_read_as_by_other_programs() {
    for name in EDAX {
        let (header, mut records) = edax_records(&bytes(&format!("books/{name}.dat")));
        // Those of one board stay in the order of the file.
        records.sort_by_key(|record| record.board);
        let lines: String = records.iter().map(text::edax_line).collect();
        let dump = format!("{}{lines}", text::edax_head(&header));
        assert_eq!(dump, text_of(&format!("books/{name}.dump.txt")));
    }
}

#[test]
fn edax_books_are_written_as_they_were_read() {
    for name in EDAX {
        let bytes = bytes(&format!("books/{name}.dat"));
        assert_eq!(BookFormat::of_bytes(&bytes), Ok(BookFormat::Edax));
        let (header, records) = edax_records(&bytes);
        let mut written = header.to_bytes().to_vec();
        for record in &records {
            record.write_to(&mut written);
        }
        assert_eq!(written, bytes);
        // Through JSON as well.
        for record in records {
            let json = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<EdaxRecord>(&json).unwrap(), record);
        }
        let json = serde_json::to_string(&header).unwrap();
        assert_eq!(
            serde_json::from_str::<edax::EdaxHeader>(&json).unwrap(),
            header
        );
    }
}

#[test]
fn edax_text_is_that_of_edax() {
    for name in ["dev_a", "games_b"] {
        let (_, records) = edax_records(&bytes(&format!("books/{name}.dat")));
        let export = sorted("", records.iter().map(text::edax_export_line));
        assert_eq!(
            export,
            text_of(&format!("books/edax/export_{name}.sorted.txt"))
        );
    }
}

#[test]
fn egaroucid_books_are_read_as_by_other_programs() {
    for name in ["var_a", "var_b", "var_g", "import_dev_a", "import_games_b"] {
        let (version, entries) = entries(&bytes(&format!("books/egaroucid/{name}.egbk3")));
        assert_eq!(version, EgaroucidVersion::Egbk3);
        let lines = entries.iter().map(text::egaroucid_line);
        let dump = sorted(&text::egaroucid_head(entries.len()), lines);
        assert_eq!(dump, text_of(&format!("books/egaroucid/{name}.dump.txt")));
    }
}

#[test]
fn old_egaroucid_books_are_read_as_by_egaroucid() {
    for (name, level) in [("old.egbk2", None), ("old.egbk", Some(7))] {
        let (_, mut entries) = entries(&bytes(&format!("books/egaroucid/{name}")));
        let imported = format!("books/egaroucid/import_{}.dump.txt", name.replace('.', "_"));
        let imported = text_of(&imported);
        for entry in &mut entries {
            entry.level = level.unwrap_or(entry.level);
            let line = text::egaroucid_line(entry);
            // Egaroucid adds the leaf of its empty book to the start.
            let (values, _) = line.rsplit_once(" | ").unwrap();
            assert!(imported.contains(values), "{name}: {line}");
        }
    }
}

#[test]
fn egaroucid_books_are_written_as_they_were_read() {
    let names = [
        "var_a.egbk3",
        "var_b.egbk3",
        "var_g.egbk3",
        "old.egbk2",
        "old.egbk",
    ];
    for name in names {
        let bytes = bytes(&format!("books/egaroucid/{name}"));
        let (version, entries) = entries(&bytes);
        assert_eq!(
            BookFormat::of_bytes(&bytes),
            Ok(BookFormat::Egaroucid(version))
        );
        let extension = name.rsplit('.').next().unwrap();
        assert_eq!(
            BookFormat::of_extension(extension),
            Some(BookFormat::Egaroucid(version))
        );
        let mut written = egaroucid::head(version, entries.len() as u64).unwrap();
        for entry in &entries {
            entry.write_to(version, &mut written);
        }
        assert_eq!(written, bytes);
        for entry in entries {
            let json = serde_json::to_string(&entry).unwrap();
            assert_eq!(
                serde_json::from_str::<EgaroucidRecord>(&json).unwrap(),
                entry
            );
        }
    }
}

// Golden data.

/// A file of `fixtures/othello`.
pub(crate) fn path(name: &str) -> PathBuf {
    test_support::fixture("othello").join(name)
}

/// Returns the bytes of a fixture.
pub(crate) fn bytes(name: &str) -> Vec<u8> {
    test_support::fixture_bytes(path(name))
}

/// Its text.
pub(crate) fn text_of(name: &str) -> String {
    test_support::fixture_text(path(name))
}

/// The books that Edax made, and the same damaged.
pub(crate) const EDAX: [&str; 7] = [
    "dev_a",
    "dev_b",
    "games_a",
    "games_b",
    "pert_dev_a",
    "pert_games_a",
    "pert_games_b",
];

// Bytes that are no books, or no longer: told with their place, and never a panic.

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
    let mut bytes = golden::bytes("books/dev_a.dat");
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
fn errors_of_the_header_have_their_byte() {
    let bytes = golden::bytes("books/dev_a.dat");
    let mut other = bytes.clone();
    other[8] = 3;
    let errors = edax_faults(&other);
    assert_eq!((errors.len(), errors[0].offset), (1, 8));
    assert_eq!(edax_faults(&bytes[..41])[0].offset, 41);
    assert_eq!(edax_faults(b"hello, world")[0].offset, 0);
    assert!(BookFormat::of_bytes(b"hello, world").is_err());
}

#[test]
fn a_truncated_book_is_reported_with_its_byte() {
    let bytes = golden::bytes("books/dev_a.dat");
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
fn invalid_contents_cost_one_record() {
    let good = golden::bytes("books/dev_a.dat");
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
fn wrong_counts_are_reported() {
    let good = golden::bytes("books/egaroucid/var_a.egbk3");
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
    fn any_bytes_are_a_book_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = BookFormat::of_bytes(&bytes);
        edax_faults(&bytes);
        egaroucid_faults(&bytes);
    }

    #[test]
    fn a_changed_byte_never_panics(name in 0..4, at in any::<prop::sample::Index>(), byte: u8) {
        let files = ["dev_a.dat", "egaroucid/var_a.egbk3", "egaroucid/old.egbk2", "egaroucid/old.egbk"];
        let mut bytes = golden::bytes(&format!("books/{}", files[name as usize]));
        bytes.truncate(2000);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        for error in edax_faults(&bytes).into_iter().chain(egaroucid_faults(&bytes)) {
            prop_assert!(error.offset <= bytes.len() as u64);
        }
    }
}
