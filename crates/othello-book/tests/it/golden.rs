//! Books of Edax and Egaroucid, read, told and written back.

use othello_book::edax::{self, EdaxRecord};
use othello_book::egaroucid::{self, EgaroucidRecord, EgaroucidVersion};
use othello_book::{BookFormat, text};

use crate::fixtures::{self, EDAX};

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
fn edax_books_are_read_as_others_read_them() {
    for name in EDAX {
        let (header, mut records) = edax_records(&fixtures::bytes(&format!("books/{name}.dat")));
        // Those of one board stay in the order of the file.
        records.sort_by_key(|record| record.board);
        let lines: String = records.iter().map(text::edax_line).collect();
        let dump = format!("{}{lines}", text::edax_head(&header));
        assert_eq!(dump, fixtures::text(&format!("books/{name}.dump.txt")));
    }
}

#[test]
fn edax_books_are_written_as_they_were_read() {
    for name in EDAX {
        let bytes = fixtures::bytes(&format!("books/{name}.dat"));
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
        let (_, records) = edax_records(&fixtures::bytes(&format!("books/{name}.dat")));
        let export = sorted("", records.iter().map(text::edax_export_line));
        assert_eq!(
            export,
            fixtures::text(&format!("books/edax/export_{name}.sorted.txt"))
        );
    }
}

#[test]
fn egaroucid_books_are_read_as_others_read_them() {
    for name in ["var_a", "var_b", "var_g", "import_dev_a", "import_games_b"] {
        let (version, entries) =
            entries(&fixtures::bytes(&format!("books/egaroucid/{name}.egbk3")));
        assert_eq!(version, EgaroucidVersion::Egbk3);
        let lines = entries.iter().map(text::egaroucid_line);
        let dump = sorted(&text::egaroucid_head(entries.len()), lines);
        assert_eq!(
            dump,
            fixtures::text(&format!("books/egaroucid/{name}.dump.txt"))
        );
    }
}

#[test]
fn old_egaroucid_books_have_the_values_that_egaroucid_reads() {
    for (name, level) in [("old.egbk2", None), ("old.egbk", Some(7))] {
        let (_, mut entries) = entries(&fixtures::bytes(&format!("books/egaroucid/{name}")));
        let imported = format!("books/egaroucid/import_{}.dump.txt", name.replace('.', "_"));
        let imported = fixtures::text(&imported);
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
        let bytes = fixtures::bytes(&format!("books/egaroucid/{name}"));
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
