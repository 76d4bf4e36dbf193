//! Any bytes are an Apery book or an error; a book that was verified finds its own records.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use yane_book::apery::Apery;
use yane_book::io::Map;

fuzz_target!(|bytes: &[u8]| {
    let map = Map::from_bytes(Path::new("book.bin"), bytes.to_vec());
    let book = match Apery::from_map(map) {
        Ok(book) => book,
        Err(error) => {
            assert!(!error.to_string().is_empty() && bytes.len() % 16 != 0);
            return;
        }
    };
    let verified = book.verify();
    assert_eq!(book.entries().len() as u64, book.len());
    for entry in book.entries() {
        let found = book.find(entry.key).any(|found| found == entry);
        if verified.is_ok() {
            assert!(found && book.contains(entry.key));
        }
    }
});
